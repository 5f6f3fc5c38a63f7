// Stores: values per slot, in chunks. Invariant: a chunk is there in every store of the grid exactly when one
// of its slots is in use, chunk 0 always; the missing tile in slot 0 holds the background and is never
// written.
#include "grid/field.h"

#include <string.h>

#define HUGE_PAGE ((size_t)2 << 20)

static size_t chunk_bytes(const BwStore *store, int64_t chunk)
{
    return chunk == 0 ? store->tile_bytes : store->tile_bytes * BW_CHUNK_SLOTS;
}

static size_t chunk_align(const BwStore *store, int64_t chunk)
{
    return chunk_bytes(store, chunk) >= HUGE_PAGE ? HUGE_PAGE : BW_ALIGN;
}

static void clear_tile(BwStore *store, int32_t slot)
{
    char *tile = bw_store_tile(store, slot);
    for (size_t at = 0; at < store->tile_bytes; at += sizeof store->background)
        memcpy(tile + at, &store->background, sizeof store->background);
}

static BwResult reserve_chunk(BwStore *store, int32_t chunk, BwError *err)
{
    const BwAllocator *allocator = &store->grid->allocator;
    int64_t before = store->chunk_capacity;
    BW_TRY(bw_reserve(allocator, (void **)&store->chunks, &store->chunk_capacity, chunk + 1,
                      sizeof *store->chunks, err));
    for (int64_t c = before; c < store->chunk_capacity; c++)
        store->chunks[c] = NULL;
    if (store->chunks[chunk] == NULL)
        store->chunks[chunk] = bw_alloc(allocator, chunk_bytes(store, chunk), chunk_align(store, chunk));
    return store->chunks[chunk] != NULL ? BW_OK : bw_fail_memory(err);
}

static void release_chunk(BwStore *store, int64_t chunk)
{
    if (chunk >= store->chunk_capacity)
        return;
    bw_free(&store->grid->allocator, store->chunks[chunk], chunk_bytes(store, chunk),
            chunk_align(store, chunk));
    store->chunks[chunk] = NULL;
}

BwResult bw_stores_reserve_chunk(BwGrid *grid, int32_t chunk, BwError *err)
{
    for (BwStore *store = grid->stores; store != NULL; store = store->next)
        BW_TRY(reserve_chunk(store, chunk, err));
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
    BwResult result = BW_OK;
    for (int32_t chunk = 0; chunk <= bw_chunk_of(grid->slot_count - 1) && result == BW_OK; chunk++)
        if (chunk == 0 || grid->chunk_use[chunk] > 0)
            result = reserve_chunk(store, chunk, err);
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
    return store_create(&notes->store, grid, sizeof(uint64_t), 0, err);
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

void bw_field_swap(BwField *a, BwField *b)
{
    BW_ASSERT(a->store.grid == b->store.grid && a->store.tile_bytes == b->store.tile_bytes);
    char **chunks = a->store.chunks;
    int64_t capacity = a->store.chunk_capacity;
    uint64_t background = a->store.background;
    a->store.chunks = b->store.chunks;
    a->store.chunk_capacity = b->store.chunk_capacity;
    a->store.background = b->store.background;
    b->store.chunks = chunks;
    b->store.chunk_capacity = capacity;
    b->store.background = background;
}
