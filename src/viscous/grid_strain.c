// Tile by tile: each adds to sums of its own, with a rim, and reads those of all.
#include "viscous/grid_strain.h"

#include "grid/bits.h"
#include "operate/level_volume.h"

bool bw_grid_strain_has(const BwGrid *grid, int component)
{
    return grid->dimension == 3 || component < 2 || component == BW_STRAIN_SHEAR + 2;
}

BwResult bw_grid_strain_create(BwGridStrain *strain, BwGrid *grid, BwError *err)
{
    *strain = (BwGridStrain){0};
    for (int c = 0; c < BW_STRAIN_COMPONENTS; c++)
        if (bw_grid_strain_has(grid, c))
            BW_TRY(bw_field_create(&strain->value[c], grid, BW_AT_CELL, 0.0f, err));
    BW_TRY(bw_field_create(&strain->next[0], grid, BW_AT_CELL, 0.0f, err));
    return bw_field_create(&strain->next[1], grid, BW_AT_CELL, 0.0f, err);
}

void bw_grid_strain_destroy(BwGridStrain *strain)
{
    for (int c = 0; c < BW_STRAIN_COMPONENTS; c++)
        bw_field_destroy(&strain->value[c]);
    bw_field_destroy(&strain->next[0]);
    bw_field_destroy(&strain->next[1]);
}

typedef struct Job {
    const BwGridStrain *strain;
    const BwGridShares *shares;
    const BwDomain *domain;
    const BwElastic *elastic;
    float dt;
    BwYield yield;
} Job;

// A cell's edges along an axis that a rate is known at.
typedef struct Edges {
    int count, sample[4];
} Edges;

static Edges edges_of(const Job *job, int32_t slot, int cell, int axis)
{
    const BwPadded *rate = &job->elastic->rate;
    const float *known = bw_padded_values(rate, slot, BW_STRAIN_EDGE_WEIGHT + axis);
    int first = bw_padded_of_cell(job->domain->grid, cell), a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    Edges edges = {0};
    for (int n = 0; n < 4; n++) {
        int sample = first + (n & 1) * bw_padded_stride[a] + (n >> 1) * bw_padded_stride[b];
        if (known[sample] > 0.0f)
            edges.sample[edges.count++] = sample;
    }
    return edges;
}

static void give_cell(const Job *job, int32_t slot, int cell, float share)
{
    const BwGrid *grid = job->domain->grid;
    const BwPadded *sums = &job->elastic->sums;
    for (int a = 0; a < grid->dimension; a++)
        bw_padded_values(sums, slot, a)[bw_padded_of_cell(grid, cell)] +=
            share * bw_field_tile(&job->strain->value[a], slot)[cell];
    for (int e = grid->dimension == 3 ? 0 : 2; e < 3; e++) {
        Edges edges = edges_of(job, slot, cell, e);
        float *sum = bw_padded_values(sums, slot, BW_STRAIN_SHEAR + e);
        for (int n = 0; n < edges.count; n++)
            sum[edges.sample[n]] += share / (float)edges.count *
                                    bw_field_tile(&job->strain->value[BW_STRAIN_SHEAR + e], slot)[cell];
    }
}

static void give_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    float shares[BW_TILE_CELLS_MAX];
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        const uint64_t *fluid = bw_mask_tile(&job->domain->fluid, slot);
        bw_padded_clear_tile(&job->elastic->sums, slot);
        bw_level_shares(job->shares->phi, job->shares->open, job->domain, slot, shares);
        for (int n = 0; n < grid->tile_cells; n++)
            if (bw_bit(fluid, n))
                give_cell(job, slot, n, shares[n]);
    }
}

void bw_grid_strain_give(const BwGridStrain *strain, const BwGridShares *shares, const BwElastic *elastic)
{
    const BwDomain *domain = shares->domain;
    Job job = {.strain = strain, .shares = shares, .domain = domain, .elastic = elastic};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 4, give_range, &job);
    bw_padded_add_up(&elastic->sums, &elastic->strain, BW_STRAIN_COMPONENTS, domain->pool);
}

static float mean_of(const Job *job, int32_t slot, const Edges *edges, int value)
{
    const float *rate = bw_padded_values(&job->elastic->rate, slot, value);
    float sum = 0.0f;
    for (int n = 0; n < edges->count; n++)
        sum += rate[edges->sample[n]];
    return edges->count > 0 ? sum / (float)edges->count : 0.0f;
}

static BwStretchRate rate_of(const Job *job, int32_t slot, int cell)
{
    const BwGrid *grid = job->domain->grid;
    BwStretchRate rate = {.is_whole = true};
    for (int a = 0; a < grid->dimension; a++)
        rate.diagonal[a] = bw_padded_values(&job->elastic->rate, slot, a)[bw_padded_of_cell(grid, cell)];
    for (int e = grid->dimension == 3 ? 0 : 2; e < 3; e++) {
        Edges edges = edges_of(job, slot, cell, e);
        rate.is_whole &= edges.count > 0;
        rate.shear[e] = mean_of(job, slot, &edges, BW_STRAIN_SHEAR + e);
        rate.spin[e] = mean_of(job, slot, &edges, BW_STRAIN_SPIN + e);
    }
    return rate;
}

static void advance_cell(const Job *job, int32_t slot, int cell, bool is_liquid)
{
    const BwGrid *grid = job->domain->grid;
    float strain[BW_STRAIN_COMPONENTS] = {0.0f};
    if (is_liquid) {
        BwStretchRate rate = rate_of(job, slot, cell);
        for (int c = 0; c < BW_STRAIN_COMPONENTS; c++)
            if (bw_grid_strain_has(grid, c))
                strain[c] = bw_field_tile(&job->strain->value[c], slot)[cell];
        bw_strain_step(strain, grid->dimension, &rate, job->dt, job->yield);
    }
    for (int c = 0; c < BW_STRAIN_COMPONENTS; c++)
        if (bw_grid_strain_has(grid, c))
            bw_field_tile(&job->strain->value[c], slot)[cell] = strain[c];
}

static void advance_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        const uint64_t *fluid = bw_mask_tile(&job->domain->fluid, slot);
        for (int n = 0; n < grid->tile_cells; n++)
            advance_cell(job, slot, n, bw_bit(fluid, n));
    }
}

void bw_grid_strain_advance(const BwGridStrain *strain, const BwDomain *domain, const BwElastic *elastic,
                            double dt, BwYield yield)
{
    Job job = {.strain = strain, .domain = domain, .elastic = elastic, .dt = (float)dt, .yield = yield};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 4, advance_range, &job);
}

static double energy_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    float shares[BW_TILE_CELLS_MAX];
    double sum = 0.0;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        bw_level_shares(job->shares->phi, job->shares->open, job->domain, slot, shares);
        for (int a = 0; a < grid->dimension; a++)
            for (int n = 0; n < grid->tile_cells; n++)
                sum += (double)(shares[n] * bw_field_tile(&job->strain->value[a], slot)[n]);
    }
    return sum;
}

double bw_grid_strain_energy(const BwGridStrain *strain, const BwGridShares *shares)
{
    const BwDomain *domain = shares->domain;
    Job job = {.strain = strain, .shares = shares, .domain = domain};
    return bw_parallel_sum(domain->pool, domain->grid->tile_count, 8, energy_range, &job);
}
