// Stores: values per slot, in chunks. Invariant: a chunk is there in every store of the grid exactly when one
// of its slots is in use, chunk 0 always; the missing tile in slot 0 holds the background and is never
// written. A chunk grows in steps until it is whole, so that little smoke takes little memory.
#include "grid/field.h"

#include <string.h>

#define HUGE_PAGE ((size_t)2 << 20)

static size_t chunk_bytes(const BwStore *store, int32_t slots)
{
    return store->tile_bytes * (size_t)slots;
}

static size_t chunk_align(const BwStore *store, int32_t slots)
{
    return chunk_bytes(store, slots) >= HUGE_PAGE ? HUGE_PAGE : BW_ALIGN;
}

static void clear_tile(BwStore *store, int32_t slot)
{
    char *tile = bw_store_tile(store, slot);
    for (size_t at = 0; at < store->tile_bytes; at += sizeof store->background)
        memcpy(tile + at, &store->background, sizeof store->background);
}

static BwResult reserve_table(BwStore *store, int32_t chunk, BwError *err)
{
    int64_t before = store->chunk_capacity;
    BW_TRY(bw_reserve(&store->grid->allocator, (void **)&store->chunks, &store->chunk_capacity, chunk + 1,
                      sizeof *store->chunks, err));
    for (int64_t c = before; c < store->chunk_capacity; c++)
        store->chunks[c] = (BwChunk){0};
    return BW_OK;
}

static void free_chunk(BwStore *store, BwChunk chunk)
{
    bw_free(&store->grid->allocator, chunk.tiles, chunk_bytes(store, chunk.slots),
            chunk_align(store, chunk.slots));
}

static BwResult reserve_slot(BwStore *store, int32_t slot, BwError *err)
{
    BW_TRY(reserve_table(store, bw_chunk_of(slot), err));
    BwChunk *chunk = &store->chunks[bw_chunk_of(slot)];
    int32_t needed = bw_place_in_chunk(slot) + 1;
    if (needed <= chunk->slots)
        return BW_OK;
    int32_t steps = (needed + BW_CHUNK_GROWTH - 1) / BW_CHUNK_GROWTH;
    BwChunk grown = {.slots = slot == 0 ? 1 : steps * BW_CHUNK_GROWTH};
    grown.tiles =
        bw_alloc(&store->grid->allocator, chunk_bytes(store, grown.slots), chunk_align(store, grown.slots));
    if (grown.tiles == NULL)
        return bw_fail_memory(err);
    if (chunk->tiles != NULL)
        memcpy(grown.tiles, chunk->tiles, chunk_bytes(store, chunk->slots));
    free_chunk(store, *chunk);
    *chunk = grown;
    return BW_OK;
}

static void release_chunk(BwStore *store, int64_t chunk)
{
    if (chunk >= store->chunk_capacity)
        return;
    free_chunk(store, store->chunks[chunk]);
    store->chunks[chunk] = (BwChunk){0};
}

BwResult bw_stores_reserve_slot(BwGrid *grid, int32_t slot, BwError *err)
{
    for (BwStore *store = grid->stores; store != NULL; store = store->next)
        BW_TRY(reserve_slot(store, slot, err));
    return BW_OK;
}

void bw_stores_clear_tile(BwGrid *grid, int32_t slot)
{
    for (BwStore *store = grid->stores; store != NULL; store = store->next)
        clear_tile(store, slot);
}

void bw_stores_release_chunk(BwGrid *grid, int32_t chunk)
{
    for (BwStore *store = grid->stores; store != NULL; store = store->next)
        release_chunk(store, chunk);
}

static void store_destroy(BwStore *store)
{
    BwGrid *grid = store->grid;
    if (grid == NULL)
        return;
    BwStore **link = &grid->stores;
    while (*link != NULL && *link != store)
        link = &(*link)->next;
    if (*link == store)
        *link = store->next;
    for (int64_t chunk = 0; chunk < store->chunk_capacity; chunk++)
        release_chunk(store, chunk);
    bw_free(&grid->allocator, store->chunks, (size_t)store->chunk_capacity * sizeof *store->chunks, BW_ALIGN);
    *store = (BwStore){0};
}

static BwResult store_create(BwStore *store, BwGrid *grid, size_t tile_bytes, uint64_t background,
                             BwError *err)
{
    *store = (BwStore){.grid = grid, .tile_bytes = tile_bytes, .background = background};
    BwResult result = reserve_slot(store, 0, err);
    for (int32_t slot = 1; slot < grid->slot_count && result == BW_OK; slot += BW_CHUNK_SLOTS) {
        int32_t last = bw_last_of_chunk(slot);
        if (grid->chunk_use[bw_chunk_of(slot)] > 0)
            result = reserve_slot(store, last < grid->slot_count ? last : grid->slot_count - 1, err);
    }
    if (result != BW_OK) {
        store_destroy(store);
        return result;
    }
    store->next = grid->stores;
    grid->stores = store;
    clear_tile(store, 0);
    for (int32_t n = 0; n < grid->tile_count; n++)
        clear_tile(store, grid->order[n]);
    return BW_OK;
}

static uint64_t float_pattern(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint64_t)bits << 32 | bits;
}

BwResult bw_field_create(BwField *field, BwGrid *grid, BwLocation location, float background, BwError *err)
{
    field->location = location;
    field->lent_for = NULL;
    size_t tile_bytes = (size_t)grid->tile_cells * sizeof(float);
    return store_create(&field->store, grid, tile_bytes, float_pattern(background), err);
}

BwResult bw_wide_field_create(BwWideField *field, BwGrid *grid, BwError *err)
{
    return store_create(&field->store, grid, (size_t)grid->tile_cells * sizeof(double), 0, err);
}

BwResult bw_mask_create(BwMask *mask, BwGrid *grid, BwError *err)
{
    return store_create(&mask->store, grid, (size_t)grid->layers * sizeof(uint64_t), 0, err);
}

BwResult bw_mask_create_full(BwMask *mask, BwGrid *grid, BwError *err)
{
    return store_create(&mask->store, grid, (size_t)grid->layers * sizeof(uint64_t), ~(uint64_t)0, err);
}

BwResult bw_notes_create(BwNotes *notes, BwGrid *grid, BwError *err)
{
    return bw_notes_create_wide(notes, grid, 1, err);
}

BwResult bw_notes_create_wide(BwNotes *notes, BwGrid *grid, size_t words, BwError *err)
{
    return store_create(&notes->store, grid, words * sizeof(uint64_t), 0, err);
}

void bw_field_destroy(BwField *field)
{
    store_destroy(&field->store);
}

void bw_wide_field_destroy(BwWideField *field)
{
    store_destroy(&field->store);
}

void bw_mask_destroy(BwMask *mask)
{
    store_destroy(&mask->store);
}

typedef struct Join {
    BwMask *mask;
    const BwMask *more;
} Join;

static void join_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Join *job = context;
    const BwGrid *grid = job->mask->store.grid;
    for (int64_t n = begin; n < end; n++)
        for (int k = 0; k < grid->layers; k++)
            bw_mask_tile(job->mask, grid->order[n])[k] |= bw_mask_tile(job->more, grid->order[n])[k];
}

void bw_mask_join(BwMask *mask, const BwMask *more)
{
    Join job = {mask, more};
    bw_parallel_for(mask->store.grid->pool, mask->store.grid->tile_count, 64, join_range, &job);
}

void bw_notes_destroy(BwNotes *notes)
{
    store_destroy(&notes->store);
}

void bw_field_set_background(BwField *field, float background)
{
    field->store.background = float_pattern(background);
    clear_tile(&field->store, 0);
}

float bw_field_background(const BwField *field)
{
    return bw_field_tile(field, 0)[0];
}

void bw_field_borrow(BwField *field, const char *purpose)
{
    BW_ASSERT(purpose != NULL && !bw_field_is_lent(field));
    field->lent_for = purpose;
}

void bw_field_return(BwField *field, const char *purpose)
{
    BW_ASSERT(field->lent_for == purpose);
    field->lent_for = NULL;
}

void bw_field_swap(BwField *a, BwField *b)
{
    BW_ASSERT(!bw_field_is_lent(a) && !bw_field_is_lent(b));
    BW_ASSERT(a->store.grid == b->store.grid && a->store.tile_bytes == b->store.tile_bytes);
    BwChunk *chunks = a->store.chunks;
    int64_t capacity = a->store.chunk_capacity;
    uint64_t background = a->store.background;
    a->store.chunks = b->store.chunks;
    a->store.chunk_capacity = b->store.chunk_capacity;
    a->store.background = b->store.background;
    b->store.chunks = chunks;
    b->store.chunk_capacity = capacity;
    b->store.background = background;
}
