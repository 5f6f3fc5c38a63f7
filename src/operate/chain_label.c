// What cells have room for, how far they are from chains, and both as fields.
#include "domain/sides.h"
#include "grid/polygon_distance.h"
#include "operate/chain.h"

#include <math.h>

typedef struct Job {
    const BwChains *chains;
    const BwDomain *domain;
    const BwField *share;
    const BwChainLabels *labels;
    BwField *head;
    BwVec3 gravity;
} Job;

// A tile's cell in the lists; -1: it is not inside of the bounds.
static int64_t cell_of(const BwChains *chains, const int32_t first[3], int cell)
{
    int32_t i = first[0] + (cell & 7) - chains->low[0], j = first[1] + (cell >> 3 & 7) - chains->low[1];
    bool is_in = i >= 0 && i < chains->count[0] && j >= 0 && j < chains->count[1];
    return is_in ? (int64_t)j * chains->count[0] + i : -1;
}

// Cells along sides that are not closed are outside.
static uint64_t outside_bits(const BwDomain *domain, int32_t slot)
{
    uint64_t bits = 0;
    for (int side = 0; side < 4; side++)
        if (domain->side[side].kind != BW_WALL_CLOSED)
            bits |= bw_side_cells(domain, slot, side, 0).opening;
    return bits;
}

static void room_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m], first[3];
        uint64_t outside = outside_bits(job->domain, slot);
        bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
        for (int cell = 0; cell < grid->tile_cells; cell++) {
            int64_t n = cell_of(job->chains, first, cell);
            if (n < 0)
                continue;
            bool has_room = !(outside >> cell & 1) &&
                            (job->share != NULL ? bw_bit(grid->tiles[slot].live, cell)
                                                : bw_bit(bw_mask_tile(&job->domain->open, slot), cell));
            float share = job->share != NULL ? bw_field_tile(job->share, slot)[cell] : 1.0f;
            job->chains->open[n] = has_room ? share : 0.0f;
        }
    }
}

void bw_chains_find_room(BwChains *chains, const BwDomain *domain, const BwField *share)
{
    Job job = {.chains = chains, .domain = domain, .share = share};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, room_range, &job);
}

void bw_chains_find_distance(BwChains *chains, double band)
{
    double h = (double)chains->grid->cell_size;
    BwPolygonDistance lattice = {.low = {chains->low[0] * h, chains->low[1] * h},
                                 .side = h,
                                 .count = {chains->count[0], chains->count[1]},
                                 .band = band,
                                 .distance = chains->distance,
                                 .winding = chains->winding,
                                 .nearest = chains->nearest};
    bw_polygon_distance_begin(&lattice);
    for (int64_t n = 0; n < chains->chain_count; n++)
        for (int64_t p = chains->starts[n]; p < chains->starts[n + 1]; p++)
            bw_polygon_distance_add(&lattice, chains->points[p].place,
                                    chains->points[bw_chain_next(chains, n, p)].place, (int32_t)p);
    bw_polygon_distance_end(&lattice);
}

static bool is_gap(const BwChains *chains, int64_t cell)
{
    int64_t beside[4];
    if (chains->kind[cell] != BW_CHAIN_SURFACE || chains->winding[cell] > 0)
        return false;
    bool is_between = chains->owner[cell] == BW_CHAIN_SEVERAL;
    for (int n = bw_chain_cells_beside(chains, cell, beside) - 1; n >= 0; n--)
        is_between |=
            chains->owner[beside[n]] != BW_CHAIN_NONE && chains->owner[beside[n]] != chains->owner[cell];
    return is_between;
}

static void label_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwChains *chains = job->chains;
    const BwChainLabels *labels = job->labels;
    const BwGrid *grid = chains->grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m], first[3];
        uint64_t liquid = 0, gaps = 0;
        bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
        for (int cell = 0; cell < grid->tile_cells; cell++) {
            int64_t n = cell_of(chains, first, cell);
            if (n < 0)
                continue;
            bool is_passed = chains->kind[n] == BW_CHAIN_SURFACE,
                 is_in = labels->are_crossed ? is_passed || chains->kind[n] == BW_CHAIN_FULL
                                             : chains->distance[n] < 0.0f;
            bw_field_tile(labels->phi, slot)[cell] = chains->distance[n];
            liquid |= (uint64_t)is_in << cell;
            gaps |= (uint64_t)is_gap(chains, n) << cell;
        }
        bw_mask_tile(labels->liquid, slot)[0] = liquid;
        bw_mask_tile(labels->gaps, slot)[0] = gaps;
    }
}

void bw_chains_label(const BwChains *chains, const BwChainLabels *labels, BwPool *pool)
{
    Job job = {.chains = chains, .labels = labels};
    bw_parallel_for(pool, chains->grid->tile_count, 16, label_range, &job);
}

// Only what is held has weight to bear, and only below a surface that faces up.
static float head_of(const Job *job, int64_t n)
{
    const BwChains *chains = job->chains;
    if (chains->kind[n] != BW_CHAIN_SURFACE || !chains->held[n] || chains->nearest[n] < 0)
        return 0.0f;
    int64_t from = chains->nearest[n], to = from + 1;
    for (int64_t c = 0; c < chains->chain_count; c++)
        if (chains->starts[c + 1] == to)
            to = chains->starts[c];
    const double *a = chains->points[from].place, *b = chains->points[to].place;
    double along[2] = {b[0] - a[0], b[1] - a[1]}, length = hypot(along[0], along[1]);
    double up = length > 0.0
                    ? -((double)job->gravity.x * along[1] - (double)job->gravity.y * along[0]) / length
                    : 0.0;
    return up > 0.0 ? (float)(-(double)chains->distance[n] * up) : 0.0f;
}

static void head_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->chains->grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m], first[3];
        bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
        for (int cell = 0; cell < grid->tile_cells; cell++) {
            int64_t n = cell_of(job->chains, first, cell);
            bw_field_tile(job->head, slot)[cell] = n >= 0 ? head_of(job, n) : 0.0f;
        }
    }
}

void bw_chains_find_head(const BwChains *chains, BwVec3 gravity, BwField *head, BwPool *pool)
{
    Job job = {.chains = chains, .head = head, .gravity = gravity};
    bw_parallel_for(pool, chains->grid->tile_count, 16, head_range, &job);
}
