// The volume of a liquid, from its level set.
#include "operate/liquid_share.h"
#include "operate/liquid_surface.h"

#include "domain/measure.h"

typedef struct Job {
    BwLiquidSurface *surface;
    const BwDomain *domain;
    const BwGrid *grid;
} Job;

// Linear weights of the centre of an eighth of a cell, along an axis: of the cell's centre, and of the one
// beside it.
static const float part_own = 0.75f, part_beside = 0.25f;

// The share of a cell inside the surface: that of its parts, in each of which the surface is taken to be
// flat.
static float inside_share(const float *restrict at, const int stride[3], int axes, float h)
{
    float share = 0.0f;
    for (int part = 0; part < 1 << axes; part++) {
        float phi = 0.0f;
        for (int corner = 0; corner < 1 << axes; corner++) {
            float weight = 1.0f;
            int place = 0;
            for (int a = 0; a < axes; a++) {
                bool is_beside = corner >> a & 1;
                weight *= is_beside ? part_beside : part_own;
                place += is_beside ? (part >> a & 1 ? stride[a] : -stride[a]) : 0;
            }
            phi += weight * at[place];
        }
        share += bw_smaller(bw_larger(0.5f - 2.0f * phi / h, 0.0f), 1.0f);
    }
    return share / (float)(1 << axes);
}

// What a cell holds where the surface may be. Sheets and drops that are shown as thick as a cell count by as
// much as they fill, and spray, which is not shown, by its particles.
static double volume_of_cell(const Job *job, int32_t slot, int n, const float *phi, float most)
{
    const BwGrid *grid = job->grid;
    const int stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};
    if (most < BW_THIN_SHARE)
        return (double)(bw_field_tile(&job->surface->share, slot)[n] *
                        bw_field_tile(&job->surface->room, slot)[n]);
    float inside = inside_share(phi, stride, grid->dimension, grid->cell_size);
    return (double)(bw_field_tile(&job->surface->open, slot)[n] * inside * bw_smaller(most, 1.0f));
}

static double volume_of_tile(const Job *job, int32_t slot)
{
    const BwGrid *grid = job->grid;
    float phi[BW_BLOCK_CELLS], around[BW_BLOCK_CELLS];
    double sum = 0.0;
    bw_block_gather(&job->surface->phi, slot, phi);
    bw_block_gather(&job->surface->share, slot, around);
    bw_largest_around(around, grid->layers);
    for (int n = 0; n < grid->tile_cells; n++) {
        int at = bw_block_origin(grid) + (n & 7) + BW_BLOCK * (n >> 3 & 7) + BW_BLOCK_LAYER * (n >> 6);
        if (bw_bit(grid->tiles[slot].live, n))
            sum += volume_of_cell(job, slot, n, phi + at, around[at]);
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
