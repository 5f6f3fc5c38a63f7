// Bodies, and cells without one.
#include "mesh/thin_liquid.h"

#include "base/extremes.h"
#include "mesh/tiles_around.h"

#include <string.h>

// NEAR_BODY: cells.
enum { TILE_CELLS = BW_TILE * BW_TILE * BW_TILE, NEAR_BODY = 2 };

// Cells: level sets of thin liquid and of a body.
static const float thin_level = -0.8f, body_level = -1.2f;

typedef struct Job {
    BwThinLiquid *thin;
    const BwLevel *level;
    const BwWetCells *wet;
} Job;

// Of a cell of a block's tile or around it: its centre. The level set goes on below films on solids.
static bool is_in_solid(const BwNodeBlock *block, int i, int j, int k)
{
    const double place[3] = {(double)BW_TILE * block->tile.x + i + 0.5,
                             (double)BW_TILE * block->tile.y + j + 0.5,
                             (double)BW_TILE * block->tile.z + k + 0.5};
    return block->has_solids && bw_node_block_is_in_solid(block, place);
}

static bool is_gathered_in_solid(const BwNodeBlock *block, int cell)
{
    enum { SIDE = BW_LEVEL_SIDE, LAYER = BW_LEVEL_SIDE * BW_LEVEL_SIDE };
    return is_in_solid(block, cell % SIDE - BW_LEVEL_BEFORE, cell / SIDE % SIDE - BW_LEVEL_BEFORE,
                       cell / LAYER - BW_LEVEL_BEFORE);
}

void bw_find_bulk(const BwNodeBlock *block, float bulk[TILE_CELLS])
{
    float cells[BW_LEVEL_CELLS], lowest_of_all = 0.0f;
    memset(bulk, 0, TILE_CELLS * sizeof *bulk);
    bw_level_gather(block->level, block->tile, cells);
    for (int n = 0; n < BW_LEVEL_CELLS; n++)
        lowest_of_all = bw_smaller(lowest_of_all, cells[n]);
    if (lowest_of_all >= thin_level)
        return;
    for (int n = 0; n < BW_LEVEL_CELLS; n++)
        cells[n] = cells[n] < thin_level && is_gathered_in_solid(block, n) ? 0.0f : -cells[n];
    bw_level_spread(cells);
    for (int n = 0; n < TILE_CELLS; n++) {
        int at = ((n >> 6) + BW_LEVEL_BEFORE) * BW_LEVEL_SIDE + (n >> 3 & 7) + BW_LEVEL_BEFORE;
        float lowest = -cells[at * BW_LEVEL_SIDE + (n & 7) + BW_LEVEL_BEFORE];
        bulk[n] = bw_smaller(bw_larger((thin_level - lowest) / (thin_level - body_level), 0.0f), 1.0f);
    }
}

// Three tiles along x, each with a byte of cells; the bits of the second begin at the eighth.
static uint32_t row_of(uint64_t (*const cells)[8], const int32_t tiles[3], int j, int k)
{
    uint32_t bits = 0;
    for (int n = 0; n < 3; n++)
        if (tiles[n] >= 0)
            bits |= (uint32_t)(cells[tiles[n]][k] >> 8 * j & 0xff) << 8 * n;
    return bits;
}

// The marked cells of a tile and all within so many of them, axis by axis.
static void spread_marks(uint64_t (*const cells)[8], const BwFrame *frame, BwTileCoord tile, int reach,
                         uint64_t around[8])
{
    int32_t tiles[27];
    uint64_t layers[3 * BW_TILE] = {0};
    bw_tiles_around(frame, tile, tiles);
    memset(around, 0, BW_TILE * sizeof *around);
    for (int k = BW_TILE - reach; k < 2 * BW_TILE + reach; k++)
        for (int j = BW_TILE - reach; j < 2 * BW_TILE + reach; j++) {
            uint32_t row = row_of(cells, tiles + 3 * (j >> 3) + 9 * (k >> 3), j & 7, k & 7), wide = row;
            for (int n = 1; n <= reach && row != 0; n++)
                wide |= row << n | row >> n;
            uint64_t byte = wide >> 8 & 0xff;
            int first = j - BW_TILE - reach, last = j - BW_TILE + reach;
            for (int y = first < 0 ? 0 : first; y <= last && y < BW_TILE && byte != 0; y++)
                layers[k] |= byte << 8 * y;
        }
    for (int z = 0; z < BW_TILE; z++)
        for (int k = z + BW_TILE - reach; k <= z + BW_TILE + reach; k++)
            around[z] |= layers[k];
}

static void deep_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwLevel *level = job->level;
    for (int64_t tile = begin; tile < end; tile++) {
        const float *values = level->values + (size_t)tile * TILE_CELLS;
        BwNodeBlock block = {.level = level, .tile = level->frame->tiles[tile]};
        block.has_solids = bw_tile_has_solids(level, block.tile);
        uint64_t *deep = job->thin->deep[tile];
        memset(deep, 0, sizeof *job->thin->deep);
        for (int n = 0; n < TILE_CELLS; n++)
            deep[n >> 6] |= (uint64_t)(values[n] < body_level) << (n & 63);
        for (int n = 0; n < TILE_CELLS && block.has_solids; n++)
            if (deep[n >> 6] >> (n & 63) & 1 && is_in_solid(&block, n & 7, n >> 3 & 7, n >> 6))
                deep[n >> 6] &= ~((uint64_t)1 << (n & 63));
    }
}

static void thin_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwFrame *frame = job->level->frame;
    for (int64_t tile = begin; tile < end; tile++) {
        const float *filled = job->wet->filled + (size_t)tile * TILE_CELLS;
        uint64_t bodies[BW_TILE], *cells = job->thin->cells[tile];
        spread_marks(job->thin->deep, frame, frame->tiles[tile], NEAR_BODY, bodies);
        memset(cells, 0, sizeof *job->thin->cells);
        for (int n = 0; n < TILE_CELLS; n++)
            cells[n >> 6] |= (uint64_t)(filled[n] > 0.0f) << (n & 63);
        for (int k = 0; k < BW_TILE; k++)
            cells[k] &= ~bodies[k];
    }
}

BwResult bw_thin_liquid_set(BwThinLiquid *thin, const BwLevel *level, const BwWetCells *wet, BwPool *pool,
                            BwError *err)
{
    Job job = {thin, level, wet};
    int64_t tiles = level->frame->tile_count;
    BW_TRY(bw_reserve(&thin->allocator, (void **)&thin->cells, &thin->cell_capacity, tiles,
                      sizeof *thin->cells, err));
    BW_TRY(bw_reserve(&thin->allocator, (void **)&thin->deep, &thin->deep_capacity, tiles, sizeof *thin->deep,
                      err));
    bw_parallel_for(pool, tiles, 8, deep_range, &job);
    bw_parallel_for(pool, tiles, 8, thin_range, &job);
    return BW_OK;
}

void bw_thin_liquid_around(const BwThinLiquid *thin, const BwFrame *frame, BwTileCoord tile, int reach,
                           uint64_t around[BW_TILE])
{
    spread_marks(thin->cells, frame, tile, reach, around);
}

void bw_thin_liquid_free(BwThinLiquid *thin)
{
    const BwAllocator *allocator = &thin->allocator;
    bw_free(allocator, thin->cells, (size_t)thin->cell_capacity * sizeof *thin->cells, BW_ALIGN);
    bw_free(allocator, thin->deep, (size_t)thin->deep_capacity * sizeof *thin->deep, BW_ALIGN);
    *thin = (BwThinLiquid){.allocator = thin->allocator};
}
