// Fast sweeping, tile by tile. A tile and what is around it is copied, swept in the eight directions (four in
// 2-D) and written back; tiles of a colour, told by whether their three coordinates are even, have no
// neighbour of that colour, so that the order of tiles within one does not matter. A tile is swept again when
// one around it has changed since.
//
// Each cell knows from the ones beside it on which sides the surface is, at first as the given phi has it,
// and is solved in the sweep that comes from there, the others passed over.

#include "grid/block.h"
#include "operate/distance_walls.h"

enum { ROUNDS_MAX = 32, NOT_WANTED = 8 };

// A distance that changes by less than that, in cells, has come to rest.
static const float rest = 1e-3f;

static const int stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};

typedef struct Sweep {
    const BwDistanceJob *job;
    int32_t slot;
    float *origin; // of the tile, in its block
    uint64_t wanted[8];
    BwDistanceWalls walls[8];
    float h, band;
    int dimension, cells;
    bool has_changed;
} Sweep;

static float *cell_at(const Sweep *sweep, int cell)
{
    return sweep->origin + (cell & 7) + BW_BLOCK * (cell >> 3 & 7) + BW_BLOCK_LAYER * (cell >> 6);
}

// How far a cell is; INFINITY where it is not known.
static float far(float value, float band)
{
    return fabsf(value) < band ? fabsf(value) : INFINITY;
}

// The direction whose sweep comes from where the surface is, along every axis.
static unsigned char direction_of(const Sweep *sweep, const float *at)
{
    int direction = 0;
    for (int a = 0; a < sweep->dimension; a++)
        direction |= (far(at[stride[a]], sweep->band) < far(at[-stride[a]], sweep->band)) << a;
    return (unsigned char)direction;
}

static void solve_cell(Sweep *sweep, int cell)
{
    float *at = cell_at(sweep, cell);
    const BwDistanceWalls *walls = &sweep->walls[cell >> 6];
    BwSlopeTerm term[3] = {{INFINITY, 1.0f}, {INFINITY, 1.0f}, {INFINITY, 1.0f}};
    for (int a = 0; a < sweep->dimension; a++) {
        float low[2] = {at[-stride[a]], at[-2 * stride[a]]}, high[2] = {at[stride[a]], at[2 * stride[a]]};
        if (walls->has_any) { // whose block repeats the cell itself
            low[0] = bw_bit(&walls->beside[2 * a], cell & 63) ? low[0] : sweep->band;
            high[0] = bw_bit(&walls->beside[2 * a + 1], cell & 63) ? high[0] : sweep->band;
        }
        term[a] = bw_slope_term(low, high, copysignf(1.0f, *at), sweep->band, sweep->h);
    }
    float found = bw_distance_of_cell(sweep->job, walls, sweep->slot, cell, term);
    found = bw_smaller(found, sweep->band);
    sweep->has_changed |= fabsf(found - fabsf(*at)) > rest * sweep->h;
    *at = copysignf(found, *at);
}

static void sweep_cells(Sweep *sweep)
{
    unsigned char direction_at[BW_TILE_CELLS_MAX];
    for (int n = 0; n < sweep->cells; n++)
        direction_at[n] = bw_bit(sweep->wanted, n) ? direction_of(sweep, cell_at(sweep, n)) : NOT_WANTED;
    for (int direction = 0; direction < 1 << sweep->dimension; direction++) {
        int flip = (direction & 1) * 7 | (direction >> 1 & 1) * 56 | (direction >> 2) * 448;
        for (int n = 0; n < sweep->cells; n++)
            if (direction_at[n ^ flip] == direction)
                solve_cell(sweep, n ^ flip);
    }
}

static void sweep_tile(const BwDistanceJob *job, int32_t slot)
{
    const BwGrid *grid = job->grid;
    float block[BW_BLOCK_CELLS], *phi = bw_field_tile(job->phi, slot);
    bw_block_gather(job->phi, slot, block);
    Sweep sweep = {.job = job,
                   .slot = slot,
                   .origin = block + bw_block_origin(grid),
                   .h = job->h,
                   .band = job->band,
                   .dimension = grid->dimension,
                   .cells = grid->tile_cells};
    for (int k = 0; k < grid->layers; k++) {
        sweep.wanted[k] = bw_words(grid, job->valid, slot)[k] & ~bw_mask_tile(&job->distance->known, slot)[k];
        sweep.walls[k] = bw_distance_walls(job, slot, k);
    }
    sweep.has_changed = bw_note(&job->distance->visits, slot)[0] == 0; // at least once
    sweep_cells(&sweep);
    for (int n = 0; n < grid->tile_cells; n++)
        phi[n] = *cell_at(&sweep, n);
    if (sweep.has_changed)
        bw_note(&job->distance->visits, slot)[1] = job->turn;
}

// Whether a tile has cells to sweep, and something around it has changed since it was.
static bool is_due(const BwDistanceJob *job, int32_t slot)
{
    const BwGrid *grid = job->grid;
    uint64_t visited = bw_note(&job->distance->visits, slot)[0], changed = 0;
    int first = bw_first_beside(grid);
    for (int n = first; n < 27 - first; n++) {
        int32_t beside = grid->tiles[slot].neighbour[n];
        uint64_t at = beside != 0 ? bw_note(&job->distance->visits, beside)[1] : 0;
        changed = at > changed ? at : changed;
    }
    return changed > visited;
}

static void sweep_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwDistanceJob *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        BwTileCoord coord = job->grid->tiles[slot].coord;
        int color = (coord.x & 1) | (coord.y & 1) << 1 | (coord.z & 1) << 2;
        if (color != job->color || !is_due(job, slot))
            continue;
        sweep_tile(job, slot);
        bw_note(&job->distance->visits, slot)[0] = job->turn;
    }
}

// Tiles with cells that are known have changed at turn 1.
static void begin_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwDistanceJob *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        uint64_t any = 0;
        for (int k = 0; k < job->grid->layers; k++)
            any |= bw_mask_tile(&job->distance->known, slot)[k];
        bw_note(&job->distance->visits, slot)[0] = 0;
        bw_note(&job->distance->visits, slot)[1] = any != 0;
    }
}

static double last_change(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwDistanceJob *job = context;
    uint64_t last = 0;
    for (int64_t m = begin; m < end; m++) {
        uint64_t changed = bw_note(&job->distance->visits, job->grid->order[m])[1];
        last = changed > last ? changed : last;
    }
    return (double)last;
}

// All colours once; gives whether anything has changed.
static bool sweep_all(BwDistanceJob *job)
{
    int64_t count = job->grid->tile_count;
    uint64_t begin = job->turn;
    for (job->color = 0; job->color < 1 << job->grid->dimension; job->color++) {
        job->turn++;
        bw_parallel_for(job->pool, count, 4, sweep_range, job);
    }
    return bw_parallel_max(job->pool, count, 64, last_change, job) > (double)begin;
}

void bw_distance_sweep(BwDistanceJob *job)
{
    bw_parallel_for(job->pool, job->grid->tile_count, 64, begin_range, job);
    job->turn = 1;
    for (int round = 0; round < ROUNDS_MAX && sweep_all(job); round++)
        continue;
}
