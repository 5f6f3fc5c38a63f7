// Values on the grid, tile after tile. A store keeps a fixed number of bytes for each slot, in chunks of
// slots; fields (floats), wide fields (doubles) and masks (bits) are stores with a meaning.
#pragma once

#include "grid/grid.h"

typedef struct BwChunk {
    char *tiles;   // NULL where no slot of the chunk is in use
    int32_t slots; // that there is memory for, from the chunk's first on
} BwChunk;

typedef struct BwStore {
    BwGrid *grid;
    size_t tile_bytes;
    uint64_t background; // what fresh tiles and the missing tile hold, as a pattern of 8 bytes
    BwChunk *chunks;
    int64_t chunk_capacity;
    struct BwStore *next; // in the grid's list
} BwStore;

typedef struct BwField {
    BwStore store;
    BwLocation location;
    const char *lent_for; // what another uses its memory for at present; NULL: its owner has it
} BwField;

// The unknown of a linear solve: a pressure rounded to float cannot hold a residual of 1e-6.
typedef struct BwWideField {
    BwStore store;
} BwWideField;

// One bit a cell.
typedef struct BwMask {
    BwStore store;
} BwMask;

// One word a tile, or a few, for what a kernel notes down for a later one.
typedef struct BwNotes {
    BwStore store;
} BwNotes;

// Each attaches to the grid, with the background in every awake tile; destroying one that was never created
// (all zero) does nothing. The struct must not move while it is attached.
BwResult bw_field_create(BwField *field, BwGrid *grid, BwLocation location, float background, BwError *err);
BwResult bw_wide_field_create(BwWideField *field, BwGrid *grid, BwError *err);
BwResult bw_mask_create(BwMask *mask, BwGrid *grid, BwError *err);      // all clear
BwResult bw_mask_create_full(BwMask *mask, BwGrid *grid, BwError *err); // all set, in the missing tile too
BwResult bw_notes_create(BwNotes *notes, BwGrid *grid, BwError *err);
BwResult bw_notes_create_wide(BwNotes *notes, BwGrid *grid, size_t words, BwError *err); // so many a tile
void bw_field_destroy(BwField *field);
void bw_wide_field_destroy(BwWideField *field);
void bw_mask_destroy(BwMask *mask);

// `mask` becomes all that is set in either, in the awake tiles.
void bw_mask_join(BwMask *mask, const BwMask *more);
void bw_notes_destroy(BwNotes *notes);

// What tiles that wake from now on, and the missing tile, hold.
void bw_field_set_background(BwField *field, float background);
float bw_field_background(const BwField *field);

// Exchanges the values of two fields of one grid, neither of them lent; locations stay.
void bw_field_swap(BwField *a, BwField *b);

// A loan of a field's memory. Where the owner says that others may use it, they borrow it for a purpose, a
// string of static storage, and return it before the owner wants it back; its values are nobody's in between.
// The field must not be lent yet; who returns it names the same purpose.
void bw_field_borrow(BwField *field, const char *purpose);
void bw_field_return(BwField *field, const char *purpose);

static inline bool bw_field_is_lent(const BwField *field)
{
    return field->lent_for != NULL;
}

static inline char *bw_store_tile(const BwStore *store, int32_t slot)
{
    return store->chunks[bw_chunk_of(slot)].tiles + (size_t)bw_place_in_chunk(slot) * store->tile_bytes;
}

static inline float *bw_field_tile(const BwField *field, int32_t slot)
{
    return (float *)(void *)bw_store_tile(&field->store, slot);
}

static inline double *bw_wide_field_tile(const BwWideField *field, int32_t slot)
{
    return (double *)(void *)bw_store_tile(&field->store, slot);
}

static inline uint64_t *bw_note(const BwNotes *notes, int32_t slot)
{
    return (uint64_t *)(void *)bw_store_tile(&notes->store, slot);
}

// `layers` words, bit 8 j + i of word k.
static inline uint64_t *bw_mask_tile(const BwMask *mask, int32_t slot)
{
    return (uint64_t *)(void *)bw_store_tile(&mask->store, slot);
}

// The grid's part: memory in every store for a slot and those before it in its chunk, the background in a
// fresh tile, and giving a chunk back. Tiles of the chunk may move.
BwResult bw_stores_reserve_slot(BwGrid *grid, int32_t slot, BwError *err);
void bw_stores_clear_tile(BwGrid *grid, int32_t slot);
void bw_stores_release_chunk(BwGrid *grid, int32_t chunk);
