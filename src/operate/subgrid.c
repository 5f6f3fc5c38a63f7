// Subgrid friction, in three passes over the tiles: which edges are open, the strain in cells, the friction.
// The last two go up through the grid together, a layer of tiles apart, so that the velocity comes from
// memory once.
//
// Invariant: what one sample loses its neighbours on the line get, so every weight belongs to a line of three
// samples and is the same for all three.
#include "operate/subgrid_job.h"

#include "grid/bits.h"

BwResult bw_subgrid_create(BwSubgrid *subgrid, BwGrid *grid, bool has_no_slip, BwError *err)
{
    *subgrid = (BwSubgrid){0};
    BwResult result = bw_notes_create(&subgrid->is_open, grid, err);
    if (result == BW_OK)
        result = bw_notes_create(&subgrid->has_lines, grid, err);
    for (int a = 0; a < grid->dimension && has_no_slip && result == BW_OK; a++)
        result = bw_mask_create(&subgrid->constrained[a], grid, err);
    for (int a = 0; a < grid->dimension; a++)
        for (int b = 0; b < grid->dimension && result == BW_OK; b++) {
            result = bw_mask_create(&subgrid->line[a][b], grid, err);
            if (a < b && result == BW_OK)
                result = bw_mask_create(&subgrid->edge[bw_edge_between(a, b)], grid, err);
        }
    if (result != BW_OK)
        bw_subgrid_destroy(subgrid);
    return result;
}

void bw_subgrid_destroy(BwSubgrid *subgrid)
{
    bw_notes_destroy(&subgrid->is_open);
    bw_notes_destroy(&subgrid->has_lines);
    for (int a = 0; a < 3; a++) {
        bw_mask_destroy(&subgrid->edge[a]);
        bw_mask_destroy(&subgrid->constrained[a]);
        for (int b = 0; b < 3; b++)
            bw_mask_destroy(&subgrid->line[a][b]);
    }
}

// Fills in a tile's edges between the axes a and b and returns which are open in all layers.
static uint64_t find_edges_between(const BwSubgridJob *job, int32_t slot, int a, int b)
{
    const BwGrid *grid = job->domain->grid;
    const BwMask *flow = job->domain->flow;
    uint64_t *edge = bw_mask_tile(&job->subgrid->edge[bw_edge_between(a, b)], slot), all = ~UINT64_C(0);
    const uint64_t *flow_a = bw_mask_tile(&flow[a], slot), *flow_b = bw_mask_tile(&flow[b], slot);
    for (int k = 0; k < grid->layers; k++) {
        edge[k] = flow_a[k] & flow_b[k] & bw_bits_beside(grid, &flow[a], slot, 2 * b, k) &
                  bw_bits_beside(grid, &flow[b], slot, 2 * a, k);
        all &= edge[k];
    }
    return all;
}

static uint64_t constrained_in_tile(const BwSubgridJob *job, int32_t slot)
{
    uint64_t any = 0;
    for (int a = 0; a < job->domain->grid->dimension && job->subgrid->constrained[a].store.grid != NULL; a++)
        for (int k = 0; k < job->domain->grid->layers; k++)
            any |= bw_mask_tile(&job->subgrid->constrained[a], slot)[k];
    return any;
}

static void find_edges(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwSubgridJob *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        uint64_t all = ~constrained_in_tile(job, slot);
        for (int a = 0; a < grid->dimension; a++)
            for (int b = a + 1; b < grid->dimension; b++)
                all &= find_edges_between(job, slot, a, b);
        *bw_note(&job->subgrid->is_open, slot) = all == ~UINT64_C(0);
    }
}

// Whether all lines exist of which the tile has a sample: it is open, and so are those beside it. Its lines
// are not written down then.
static bool has_all_lines(const BwSubgridJob *job, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    const BwNotes *is_open = &job->subgrid->is_open;
    uint64_t all = *bw_note(is_open, slot);
    for (int side = 0; side < 2 * grid->dimension; side++)
        all &= *bw_note(is_open, grid->tiles[slot].neighbour[bw_side_neighbour[side]]);
    return all != 0;
}

static uint64_t constrained_on_lines(const BwGrid *grid, const BwMask *constrained, int32_t slot, int axis,
                                     int k)
{
    return bw_mask_tile(constrained, slot)[k] | bw_bits_beside(grid, constrained, slot, 2 * axis, k) |
           bw_bits_beside(grid, constrained, slot, 2 * axis + 1, k);
}

BW_KERNEL void find_lines_along(const BwSubgridJob *job, int32_t slot, int a, int b)
{
    const BwGrid *grid = job->domain->grid;
    const BwMask *mask = a == b ? &job->domain->flow[a] : &job->subgrid->edge[bw_edge_between(a, b)];
    const BwMask *constrained = &job->subgrid->constrained[a];
    uint64_t *line = bw_mask_tile(&job->subgrid->line[a][b], slot);
    for (int k = 0; k < grid->layers; k++)
        line[k] = bw_mask_tile(mask, slot)[k] & bw_bits_beside(grid, mask, slot, 2 * b + 1, k);
    for (int k = 0; k < grid->layers && a == b; k++)
        line[k] &= bw_bits_beside(grid, mask, slot, 2 * b, k);
    for (int k = 0; k < grid->layers && constrained->store.grid != NULL; k++)
        line[k] &= ~constrained_on_lines(grid, constrained, slot, b, k);
}

static void find_lines(const BwSubgridJob *job, int32_t slot)
{
    for (int a = 0; a < job->domain->grid->dimension; a++) {
        find_lines_along(job, slot, a, 0);
        find_lines_along(job, slot, a, 1);
        if (job->domain->grid->dimension == 3)
            find_lines_along(job, slot, a, 2);
    }
}

static void kappa_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwSubgridJob *job = context;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = job->domain->grid->order[job->first + n];
        uint64_t *has_lines = bw_note(&job->subgrid->has_lines, slot);
        *has_lines = has_all_lines(job, slot);
        if (*has_lines == 0)
            find_lines(job, slot);
        bw_subgrid_kappa_of_tile(job, slot);
    }
}

static void friction_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwSubgridJob *job = context;
    for (int64_t n = begin; n < end; n++)
        bw_subgrid_friction_on_tile(job, job->domain->grid->order[job->first + n]);
}

static void for_tiles(BwSubgridJob *job, int64_t begin, int64_t end, BwRangeFn *fn)
{
    job->first = begin;
    bw_parallel_for(job->domain->pool, end - begin, 4, fn, job);
}

// Where some layers of tiles end that begin with a tile: as few as give all workers something to do.
static int64_t end_of_block(const BwGrid *grid, int64_t begin)
{
    enum { TILES = 256 };
    int64_t end = begin + TILES < grid->tile_count ? begin + TILES : grid->tile_count;
    while (end < grid->tile_count &&
           grid->tiles[grid->order[end]].coord.z == grid->tiles[grid->order[end - 1]].coord.z)
        end++;
    return end;
}

// Friction reads kappa up to a layer of tiles beside: it follows a block behind, or, where the last layer is
// beside the first, at the end.
static void friction_behind_kappa(BwSubgridJob *job)
{
    const BwGrid *grid = job->domain->grid;
    int64_t done = 0;
    for (int64_t begin = 0, end = 0; begin < grid->tile_count; begin = end) {
        end = end_of_block(grid, begin);
        for_tiles(job, begin, end, kappa_range);
        if (grid->period[2] == 0) {
            for_tiles(job, done, begin, friction_range);
            done = begin;
        }
    }
    for_tiles(job, done, grid->tile_count, friction_range);
}

void bw_subgrid_friction(BwSubgrid *subgrid, const BwDomain *domain, const BwVelocity *from, BwVelocity *to,
                         BwField *work, BwSubgridLaw law)
{
    const BwGrid *grid = domain->grid;
    float h = grid->cell_size;
    BwSubgridJob job = {.subgrid = subgrid,
                        .domain = domain,
                        .from = from,
                        .to = to,
                        .kappa = work,
                        .scale = 0.125f * law.factor * law.dt / h,
                        .viscous = 0.125f * law.viscosity * law.dt / (h * h),
                        .most = 0.03125f / (float)grid->dimension};
    bw_parallel_for(domain->pool, grid->tile_count, 32, find_edges, &job);
    friction_behind_kappa(&job);
}
