// Sums over tiles, in their order.
#include "operate/level_volume.h"

#include "base/extremes.h"
#include "domain/measure.h"
#include "domain/solid_faces.h"
#include "grid/block.h"
#include "operate/inside_share.h"

typedef struct Job {
    const BwField *phi, *open, *divergence;
    const BwVelocity *velocity;
    const BwDomain *domain;
    const BwGrid *grid;
    bool is_out;     // which of two sums
    bool is_outside; // of cells outside, not inside
} Job;

bool bw_level_is_outside(const BwDomain *domain, int32_t slot, int cell)
{
    const BwGrid *grid = domain->grid;
    int32_t first[3];
    if (!grid->has_bounds)
        return false;
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < grid->dimension; a++) {
        int32_t at = first[a] + (cell >> (3 * a) & 7);
        int high = at == grid->bounds.high[a] - 1;
        const BwBoxSide *side = &domain->side[2 * a + high];
        bool is_rim = high || at == grid->bounds.low[a];
        if (grid->period[a] != 0 || !is_rim || side->kind == BW_WALL_CLOSED)
            continue;
        if (bw_box_side_holds(side, grid,
                              bw_sample_position(grid, grid->tiles[slot].coord, cell, BW_AT_CELL)))
            return true;
    }
    return false;
}

static void find_shares(const Job *job, int32_t slot, float shares[BW_TILE_CELLS_MAX])
{
    const BwGrid *grid = job->grid;
    const float *phi = bw_field_tile(job->phi, slot), *open = bw_field_tile(job->open, slot);
    const int stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};
    float block[BW_BLOCK_CELLS], h = grid->cell_size;
    bw_block_gather(job->phi, slot, block);
    for (int n = 0; n < grid->tile_cells; n++) {
        int at = bw_block_origin(grid) + (n & 7) + BW_BLOCK * (n >> 3 & 7) + BW_BLOCK_LAYER * (n >> 6);
        shares[n] = 0.0f;
        if (phi[n] > h || !bw_bit(grid->tiles[slot].live, n) ||
            bw_level_is_outside(job->domain, slot, n) != job->is_outside)
            continue;
        float share = phi[n] < -h ? 1.0f : bw_inside_share(block + at, stride, grid->dimension, h);
        shares[n] = open[n] * share;
    }
}

void bw_level_shares(const BwField *phi, const BwField *open, const BwDomain *domain, int32_t slot,
                     float shares[BW_TILE_CELLS_MAX])
{
    Job job = {.phi = phi, .open = open, .domain = domain, .grid = domain->grid};
    find_shares(&job, slot, shares);
}

static double volume_of_tile(const Job *job, int32_t slot)
{
    float shares[BW_TILE_CELLS_MAX];
    double sum = 0.0;
    find_shares(job, slot, shares);
    for (int n = 0; n < job->grid->tile_cells; n++)
        sum += (double)shares[n];
    return sum;
}

static double volume_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    double sum = 0.0;
    for (int64_t m = begin; m < end; m++)
        sum += volume_of_tile(job, job->grid->order[m]);
    return sum;
}

static double volume_of(const Job *job)
{
    return bw_cell_volume(job->grid) * bw_parallel_sum(job->domain->pool, job->grid->tile_count, 64,
                                                       volume_range, (void *)(uintptr_t)job);
}

double bw_level_volume(const BwField *phi, const BwField *open, const BwDomain *domain)
{
    return volume_of(&(Job){.phi = phi, .open = open, .domain = domain, .grid = domain->grid});
}

// What passes a face, in m/s times its wetted and open share; above 0 along the axis.
static double passing(const Job *job, int32_t slot, int axis, int face)
{
    const BwDomain *domain = job->domain;
    float phi =
        0.5f * (bw_field_tile(job->phi, slot)[face] + bw_value_beside(job->phi, slot, face, 2 * axis));
    float wet = bw_smaller(bw_larger(0.5f - phi / job->grid->cell_size, 0.0f), 1.0f);
    float open = domain->cut != NULL && bw_solids_are_near(domain->cut, slot)
                     ? bw_field_tile(&domain->cut->open[axis], slot)[face]
                     : 1.0f;
    return (double)(wet * open * bw_field_tile(&job->velocity->u[axis], slot)[face]);
}

// Whether liquid may come in from a cell outside: air does from others, whose surface runs along the side.
static bool is_wet_outside(const Job *job, int32_t slot, int cell)
{
    return bw_field_tile(job->phi, slot)[cell] < 0.5f * job->grid->cell_size;
}

static double passing_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->grid;
    double sum = 0.0;
    for (int64_t m = begin; m < end; m++)
        for (int n = 0; n < grid->tile_cells; n++)
            for (int a = 0; a < grid->dimension; a++) {
                int32_t slot = grid->order[m];
                int next = n;
                int32_t below = bw_cell_beside(grid, slot, &next, 2 * a);
                if (below == 0 || !bw_bit(grid->tiles[slot].live, n) ||
                    !bw_bit(grid->tiles[below].live, next))
                    continue;
                bool here = bw_level_is_outside(job->domain, slot, n),
                     there = bw_level_is_outside(job->domain, below, next);
                double out = here == there ? 0.0 : (here ? 1.0 : -1.0) * passing(job, slot, a, n);
                bool is_wet = here ? is_wet_outside(job, slot, n) : is_wet_outside(job, below, next);
                sum += job->is_out ? fmax(out, 0.0) : is_wet ? fmax(-out, 0.0) : 0.0;
            }
    return sum;
}

static bool has_openings(const BwDomain *domain)
{
    for (int side = 0; side < 2 * domain->grid->dimension && domain->grid->has_bounds; side++)
        if (domain->grid->period[side / 2] == 0 && domain->side[side].kind != BW_WALL_CLOSED)
            return true;
    return false;
}

double bw_level_volume_outside(const BwField *phi, const BwField *open, const BwDomain *domain)
{
    Job job = {.phi = phi, .open = open, .domain = domain, .grid = domain->grid, .is_outside = true};
    return has_openings(domain) ? volume_of(&job) : 0.0;
}

BwLevelPassing bw_level_passing(const BwField *phi, const BwVelocity *velocity, const BwDomain *domain,
                                double dt)
{
    Job job = {.phi = phi, .velocity = velocity, .domain = domain, .grid = domain->grid};
    double factor = dt * bw_cell_volume(domain->grid) / (double)domain->grid->cell_size, sum[2] = {0.0};
    for (int n = 0; n < 2 && has_openings(domain); n++) {
        job.is_out = n == 0;
        sum[n] = factor * bw_parallel_sum(domain->pool, domain->grid->tile_count, 64, passing_range, &job);
    }
    return (BwLevelPassing){sum[0], sum[1]};
}

static double made_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    double sum = 0.0;
    for (int64_t m = begin; m < end; m++) {
        const float *values = bw_field_tile(job->divergence, job->grid->order[m]);
        const uint64_t *fluid = bw_mask_tile(&job->domain->fluid, job->grid->order[m]);
        for (int n = 0; n < job->grid->tile_cells; n++)
            if (bw_bit(fluid, n))
                sum += (double)bw_larger(job->is_out ? -values[n] : values[n], 0.0f);
    }
    return sum;
}

BwLevelMade bw_level_made(const BwField *divergence, const BwDomain *domain, double dt)
{
    Job job = {.divergence = divergence, .domain = domain, .grid = domain->grid};
    double factor = dt * bw_cell_volume(domain->grid), sum[2];
    for (int n = 0; n < 2; n++) {
        job.is_out = n == 1;
        sum[n] = factor * bw_parallel_sum(domain->pool, domain->grid->tile_count, 64, made_range, &job);
    }
    return (BwLevelMade){sum[0], sum[1]};
}
