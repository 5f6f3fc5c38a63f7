// The volume of a liquid, from its level set.
#include "operate/inside_share.h"
#include "operate/liquid_share.h"
#include "operate/liquid_surface.h"

#include "domain/measure.h"

typedef struct Job {
    BwLiquidSurface *surface;
    const BwDomain *domain;
    const BwGrid *grid;
} Job;

// What liquid fills of the hat function around a place on its surface.
static const float surface_share = 0.5f;

// What a cell holds where the surface may be. Sheets, jets and drops that nowhere fill one are shown as
// thick as a cell, or as spray not at all: they count by their particles.
static double volume_of_cell(const Job *job, int32_t slot, int n, const float *phi, float most, bool is_body)
{
    const BwGrid *grid = job->grid;
    const int stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};
    if (!is_body || most < BW_THIN_SHARE)
        return (double)(bw_smaller(bw_field_tile(&job->surface->share, slot)[n], 1.0f) *
                        bw_field_tile(&job->surface->room, slot)[n]);
    float inside = bw_inside_share(phi, stride, grid->dimension, grid->cell_size);
    return (double)(bw_field_tile(&job->surface->open, slot)[n] * inside * bw_smaller(most, 1.0f));
}

// Marks the cells around those that are full and have liquid all around them, as far as the surface of that
// body may be.
static void find_bodies(const float share[BW_BLOCK_CELLS], int layers, float body[BW_BLOCK_CELLS])
{
    int count = layers == 1 ? BW_BLOCK_LAYER : BW_BLOCK_CELLS;
    for (int n = 0; n < count; n++)
        body[n] = -share[n];
    bw_largest_around(body, layers, 2);
    for (int n = 0; n < count; n++)
        body[n] = share[n] >= BW_BULK_SHARE && body[n] <= -surface_share ? 1.0f : 0.0f;
    bw_largest_around(body, layers, 1);
    bw_largest_around(body, layers, 0);
}

static double volume_of_tile(const Job *job, int32_t slot)
{
    const BwGrid *grid = job->grid;
    float phi[BW_BLOCK_CELLS], around[BW_BLOCK_CELLS], body[BW_BLOCK_CELLS];
    double sum = 0.0;
    bw_block_gather(&job->surface->phi, slot, phi);
    bw_block_gather(&job->surface->share, slot, around);
    find_bodies(around, grid->layers, body);
    bw_largest_around(around, grid->layers, 0);
    for (int n = 0; n < grid->tile_cells; n++) {
        int at = bw_block_origin(grid) + (n & 7) + BW_BLOCK * (n >> 3 & 7) + BW_BLOCK_LAYER * (n >> 6);
        if (bw_bit(grid->tiles[slot].live, n))
            sum += volume_of_cell(job, slot, n, phi + at, around[at], body[at] > 0.0f);
    }
    return sum;
}

static double volume_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->grid;
    double sum = 0.0;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        if (bw_share_fill(bw_field_tile(&job->surface->share, slot), grid->tile_cells) != BW_SHARE_EMPTY)
            sum += volume_of_tile(job, slot);
    }
    return sum;
}

double bw_liquid_surface_volume(const BwLiquidSurface *surface, const BwDomain *domain)
{
    Job job = {(BwLiquidSurface *)surface, domain, domain->grid};
    return bw_cell_volume(domain->grid) *
           bw_parallel_sum(domain->pool, domain->grid->tile_count, 64, volume_range, &job);
}
