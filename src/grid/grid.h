// The sparse grid: which tiles are awake, who their neighbours are, which cells are live. Topology only;
// values live in fields (grid/field.h), which the grid grows, clears and shrinks as tiles wake and sleep.
//
// A tile is 8x8x8 cells (8x8x1 in 2-D) and lives in a slot that stays its own until it sleeps. Slot 0 is the
// missing tile: nobody's, without live cells, its values always the field's background, its neighbours
// itself. So a kernel may follow any link without asking first.
#pragma once

#include "base/pool.h"
#include "grid/tile_hash.h"
#include <billow/frame.h>

#define BW_TILE_LAYER     (BW_TILE * BW_TILE)
#define BW_TILE_CELLS_MAX (BW_TILE * BW_TILE_LAYER)

// Cells are addressed by int32_t, with room at both ends for halos and long traces.
#define BW_TILE_COORD_MAX (1 << 27)

// Slots are stored in chunks, so that fields of many tiles grow without copying; a chunk of 1024 3-D float
// tiles is one huge page. The missing tile, slot 0, is chunk 0 all by itself: a box of 128^3 cells fills four
// pages and not a little of a fifth.
#define BW_CHUNK_BITS  10
#define BW_CHUNK_SLOTS (1 << BW_CHUNK_BITS)

// Slots that a chunk grows by, until it is whole.
#define BW_CHUNK_GROWTH (BW_CHUNK_SLOTS / 8)

static inline int32_t bw_chunk_of(int32_t slot)
{
    return (slot + BW_CHUNK_SLOTS - 1) >> BW_CHUNK_BITS;
}

// Its place in the chunk.
static inline int32_t bw_place_in_chunk(int32_t slot)
{
    return (slot - (slot > 0)) & (BW_CHUNK_SLOTS - 1);
}

static inline int32_t bw_last_of_chunk(int32_t slot)
{
    return slot == 0 ? 0 : ((slot - 1) | (BW_CHUNK_SLOTS - 1)) + 1;
}

// A box of cells, high end excluded.
typedef struct BwCellBox {
    int32_t low[3], high[3];
} BwCellBox;

typedef struct BwGridTile {
    uint64_t live[8]; // one word a layer, bit 8 j + i; the cells inside the bounds
    BwTileCoord coord;
    int32_t neighbour[27]; // slots, by bw_neighbour(dx, dy, dz); 0 where there is no tile
    int32_t rank;          // place in `order`
    bool is_awake;
} BwGridTile;

typedef struct BwGrid {
    BwAllocator allocator;
    BwPool *pool;
    float cell_size; // m
    int dimension;   // 2 or 3
    int layers;      // of a tile: 8, or 1 in 2-D
    int tile_cells;  // 64 * layers
    bool has_bounds;
    BwCellBox bounds;      // cells outside are never live
    bool far_wall[3];      // the bounds' high side is a wall: the faces on it are samples too, read from the
                           // missing tile if need be
    int32_t period[3];     // tiles, 0 where not periodic
    int32_t period_low[3]; // first tile of the period

    BwGridTile *tiles; // by slot
    int64_t tile_capacity;
    int32_t slot_count; // slots ever handed out, with slot 0; freed ones among them are reused first
    int32_t *order;     // slots of the awake tiles, ascending by z, then y, then x
    int64_t order_capacity;
    int32_t tile_count;
    BwTileHash hash;

    uint64_t *free_slots; // bit set: below slot_count and not in use
    int64_t free_capacity;
    int32_t free_count;
    int32_t *chunk_use; // slots in use per chunk
    int64_t chunk_capacity;
    struct BwStore *stores; // everything that keeps values per slot
    BwTileCoord *scratch;   // tiles about to wake
    int64_t scratch_capacity;
    int32_t *merged; // the next `order`
    int64_t merged_capacity;
} BwGrid;

typedef struct BwGridDef {
    BwAllocator allocator; // zero: malloc and free
    BwPool *pool;          // to clear many new tiles; NULL: one thread does
    float cell_size;       // m
    int dimension;         // 2 or 3
    bool has_bounds;
    BwCellBox bounds;      // ignored along periodic axes
    bool is_open[3];       // beyond the high bound lies air, not a wall
    int32_t period[3];     // tiles; 0: not periodic
    int32_t period_low[3]; // first tile of the period
} BwGridDef;

BwResult bw_grid_create(BwGrid **grid, const BwGridDef *def, BwError *err);

// Fields on the grid must have been destroyed before.
void bw_grid_destroy(BwGrid *grid);

// Wakes the tiles at `coords`, in any order, doubles and tiles that are awake already included. New tiles
// hold every field's background. Tiles wholly outside the bounds are passed over. On failure nothing has
// changed.
BwResult bw_grid_wake(BwGrid *grid, const BwTileCoord *coords, int64_t count, BwError *err);

// Puts tiles to sleep: their values are gone, and chunks of memory that hold no other tile are given back.
void bw_grid_sleep(BwGrid *grid, const int32_t *slots, int64_t count);
void bw_grid_sleep_all(BwGrid *grid);

// Index into BwGridTile.neighbour; each offset -1, 0 or 1.
static inline int bw_neighbour(int dx, int dy, int dz)
{
    return 13 + dx + 3 * dy + 9 * dz;
}

// The same for the tiles across the six sides, numbered as BwSide: x low, x high, y low, ...
static const int bw_side_neighbour[6] = {12, 14, 10, 16, 4, 22};

// Order of iteration: by z, then y, then x.
static inline int bw_tile_coord_compare(BwTileCoord a, BwTileCoord b)
{
    if (a.z != b.z)
        return a.z < b.z ? -1 : 1;
    if (a.y != b.y)
        return a.y < b.y ? -1 : 1;
    return a.x < b.x ? -1 : a.x > b.x;
}

// Brings a coordinate into the period; cheap where there is none.
static inline int32_t bw_grid_wrap(const BwGrid *grid, int axis, int32_t tile)
{
    int32_t period = grid->period[axis];
    if (period == 0)
        return tile;
    int32_t rest = (tile - grid->period_low[axis]) % period;
    return grid->period_low[axis] + (rest < 0 ? rest + period : rest);
}

static inline BwTileCoord bw_grid_wrap_coord(const BwGrid *grid, BwTileCoord coord)
{
    return (BwTileCoord){bw_grid_wrap(grid, 0, coord.x), bw_grid_wrap(grid, 1, coord.y),
                         bw_grid_wrap(grid, 2, coord.z)};
}

// The slot of the tile there, or 0. The coordinate must lie in the period.
static inline int32_t bw_grid_find_wrapped(const BwGrid *grid, BwTileCoord coord)
{
    if (grid->hash.capacity == 0)
        return 0;
    uint64_t mask = (uint64_t)grid->hash.capacity - 1;
    uint32_t tag = (uint32_t)bw_tile_hash_of(coord);
    for (uint64_t at = tag & mask; grid->hash.entries[at].slot != 0; at = (at + 1) & mask) {
        BwTileHashEntry entry = grid->hash.entries[at];
        if (entry.tag == tag && bw_tile_coord_equal(grid->tiles[entry.slot].coord, coord))
            return entry.slot;
    }
    return 0;
}

static inline int32_t bw_grid_find(const BwGrid *grid, BwTileCoord coord)
{
    return bw_grid_find_wrapped(grid, bw_grid_wrap_coord(grid, coord));
}

// The tile of a cell: division that rounds down, also below zero. In 2-D every z is tile 0.
static inline BwTileCoord bw_tile_of_cell(const BwGrid *grid, const int32_t cell[3])
{
    return (BwTileCoord){cell[0] >> 3, cell[1] >> 3, grid->layers == 1 ? 0 : cell[2] >> 3};
}

// Index of a cell within its tile.
static inline int bw_index_in_tile(const BwGrid *grid, const int32_t cell[3])
{
    return (cell[0] & 7) + 8 * (cell[1] & 7) + (grid->layers == 1 ? 0 : 64 * (cell[2] & 7));
}

// Lowest cell of a tile.
static inline void bw_tile_first_cell(const BwGrid *grid, BwTileCoord coord, int32_t cell[3])
{
    cell[0] = coord.x * BW_TILE;
    cell[1] = coord.y * BW_TILE;
    cell[2] = grid->layers == 1 ? 0 : coord.z * BW_TILE;
}

static inline bool bw_bit(const uint64_t *words, int index)
{
    return words[index >> 6] >> (index & 63) & 1;
}

// Whether all cells of a tile are alive.
static inline bool bw_tile_is_all_live(const BwGrid *grid, int32_t slot)
{
    for (int k = 0; k < grid->layers; k++)
        if (grid->tiles[slot].live[k] != ~(uint64_t)0)
            return false;
    return true;
}

int64_t bw_grid_live_cells(const BwGrid *grid);

// The first index of a tile's neighbours; the last is as far from the other end. In 2-D only those of the
// tile's own layer are linked.
static inline int bw_first_beside(const BwGrid *grid)
{
    return grid->layers == 1 ? 9 : 0;
}
