// Fast marching in groups. A round makes those cells known that are nearer than its limit, half a cell
// farther than that of the round before; within a round no cell reads what another writes, so that the order
// of tiles does not matter. Cells of a round that are beside one another did not know of each other, and are
// solved once more.
#include "operate/distance_walls.h"

// How much farther a round goes than the last, in cells.
static const float group_cells = 0.25f;

static float solve_cell(const BwDistanceJob *job, const BwDistanceTile *tile, const BwDistanceWalls *walls,
                        int32_t slot, int cell)
{
    BwSlopeTerm term[3] = {{INFINITY, 1.0f}, {INFINITY, 1.0f}, {INFINITY, 1.0f}};
    float sign = copysignf(1.0f, tile->own[cell]);
    for (int a = 0; a < job->grid->dimension; a++) {
        float low[2] = {bw_distance_along(tile, cell, a, -1), bw_distance_along(tile, cell, a, -2)};
        float high[2] = {bw_distance_along(tile, cell, a, 1), bw_distance_along(tile, cell, a, 2)};
        term[a] = bw_slope_term(low, high, sign, job->band, job->h);
    }
    return bw_distance_of_cell(job, walls, slot, cell, term);
}

// Whether anything has become known last in a tile.
static uint64_t *fresh_note(const BwDistanceJob *job, int32_t slot)
{
    return bw_note(&job->distance->visits, slot);
}

// The same of a tile and those beside it; most rounds pass most tiles by.
static bool is_reached(const BwDistanceJob *job, int32_t slot)
{
    uint64_t any = *fresh_note(job, slot);
    for (int side = 0; side < 2 * job->grid->dimension; side++) {
        int32_t beside = job->grid->tiles[slot].neighbour[bw_side_neighbour[side]];
        any |= beside != 0 ? *fresh_note(job, beside) : 0;
    }
    return any != 0;
}

// What has become known last reaches cells that are not; the nearest of these are the next to be.
static void reach_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwDistanceJob *job = context;
    const BwGrid *grid = job->grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        if (!is_reached(job, slot))
            continue;
        BwDistanceTile tile = bw_distance_tile(job->phi, slot);
        float *next = bw_field_tile(&job->distance->next, slot);
        for (int k = 0; k < grid->layers; k++) {
            BwDistanceWalls walls = bw_distance_walls(job, slot, k);
            uint64_t reached = 0, *front = &bw_mask_tile(&job->distance->front, slot)[k];
            for (int side = 0; side < 2 * grid->dimension; side++)
                reached |= bw_bits_beside(grid, &job->distance->fresh, slot, side, k);
            reached &= bw_words(grid, job->valid, slot)[k] & ~bw_mask_tile(&job->distance->known, slot)[k];
            for (uint64_t bits = reached; bits != 0; bits &= bits - 1) {
                int cell = BW_TILE_LAYER * k + __builtin_ctzll(bits);
                next[cell] = solve_cell(job, &tile, &walls, slot, cell);
            }
            *front |= reached;
        }
    }
}

// Makes the cells of the front that are within the limit known.
static void accept_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwDistanceJob *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        float *phi = bw_field_tile(job->phi, slot);
        const float *next = bw_field_tile(&job->distance->next, slot);
        uint64_t any = 0;
        for (int k = 0; k < job->grid->layers; k++) {
            uint64_t *front = &bw_mask_tile(&job->distance->front, slot)[k], accepted = 0;
            for (uint64_t bits = *front; bits != 0; bits &= bits - 1) {
                int n = __builtin_ctzll(bits), cell = BW_TILE_LAYER * k + n;
                if (next[cell] >= job->limit)
                    continue;
                phi[cell] = copysignf(next[cell], phi[cell]);
                accepted |= (uint64_t)1 << n;
            }
            *front &= ~accepted;
            bw_mask_tile(&job->distance->known, slot)[k] |= accepted;
            bw_mask_tile(&job->distance->fresh, slot)[k] = accepted;
            any |= accepted;
        }
        *fresh_note(job, slot) = any;
    }
}

static uint64_t beside_fresh(const BwDistanceJob *job, int32_t slot, int k)
{
    if (*fresh_note(job, slot) == 0)
        return 0;
    uint64_t fresh = bw_mask_tile(&job->distance->fresh, slot)[k], beside = 0;
    for (int side = 0; side < 2 * job->grid->dimension && fresh != 0; side++)
        beside |= bw_bits_beside(job->grid, &job->distance->fresh, slot, side, k);
    return fresh & beside;
}

static void solve_again_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwDistanceJob *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        if (*fresh_note(job, slot) == 0)
            continue;
        BwDistanceTile tile = bw_distance_tile(job->phi, slot);
        float *next = bw_field_tile(&job->distance->next, slot);
        for (int k = 0; k < job->grid->layers; k++) {
            BwDistanceWalls walls = bw_distance_walls(job, slot, k);
            for (uint64_t bits = beside_fresh(job, slot, k); bits != 0; bits &= bits - 1) {
                int cell = BW_TILE_LAYER * k + __builtin_ctzll(bits);
                float own = tile.own[cell];
                next[cell] =
                    copysignf(bw_smaller(solve_cell(job, &tile, &walls, slot, cell), fabsf(own)), own);
            }
        }
    }
}

static void begin_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwDistanceJob *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        uint64_t any = 0;
        for (int k = 0; k < job->grid->layers; k++) {
            uint64_t known = bw_mask_tile(&job->distance->known, slot)[k];
            bw_mask_tile(&job->distance->front, slot)[k] = 0;
            bw_mask_tile(&job->distance->fresh, slot)[k] = known;
            any |= known;
        }
        *fresh_note(job, slot) = any;
    }
}

void bw_distance_march(BwDistanceJob *job)
{
    int32_t count = job->grid->tile_count;
    bw_parallel_for(job->pool, count, 64, begin_range, job);
    int rounds = (int)ceilf(job->band / (group_cells * job->h));
    for (int round = 0; round < rounds; round++) {
        job->limit = bw_smaller((float)(round + 1) * group_cells * job->h, job->band);
        bw_parallel_for(job->pool, count, 16, reach_range, job);
        bw_parallel_for(job->pool, count, 16, accept_range, job);
        bw_parallel_for(job->pool, count, 16, solve_again_range, job);
        bw_distance_take(job, beside_fresh);
    }
}
