// The volume of a liquid, from its level set.
#include "operate/inside_share.h"
#include "operate/liquid_share.h"
#include "operate/liquid_surface.h"

#include "domain/measure.h"
#include "domain/solid_faces.h"

#include <string.h>

typedef struct Job {
    const BwLiquidSurface *surface;
    const BwDomain *domain;
    const BwGrid *grid;
    const BwParticles *particles;
    float unit;
} Job;

// What liquid fills of the hat function around a place on its surface.
static const float surface_share = 0.5f;

// The volume of the particles in each cell of a tile, in cells.
static void find_held(const Job *job, int32_t slot, float held[BW_TILE_CELLS_MAX])
{
    BwParticleRange range = bw_particle_range(job->particles, slot);
    float *const *column = job->particles->column;
    memset(held, 0, (size_t)job->grid->tile_cells * sizeof *held);
    for (int64_t p = range.begin; p < range.end; p++) {
        int cell = 0;
        for (int a = 0; a < job->grid->dimension; a++) {
            int at = (int)column[BW_PARTICLE_X + a][p];
            cell += (at < BW_TILE ? at : BW_TILE - 1) << (3 * a);
        }
        held[cell] += job->unit * column[BW_PARTICLE_VOLUME][p];
    }
}

// Sheets, jets and drops that nowhere fill a cell are shown as thick as one, or as spray not at all: they
// count by the particles in each cell, as far as these do not crowd around it. (Their shares would miss what
// hat functions have behind walls: a third of a rope that is a cell thick and lies on one.) Where solids
// leave little room a share is of too few particles to tell of crowding.
static double volume_of_thin(const Job *job, int32_t slot, int n, float held)
{
    bool is_told = bw_field_tile(&job->surface->room, slot)[n] >= BW_ROOM_MIN;
    return (double)(is_told ? held / bw_larger(bw_field_tile(&job->surface->share, slot)[n], 1.0f) : held);
}

// What a cell of a body holds where the surface may be.
static double volume_of_body(const Job *job, int32_t slot, int n, const float *phi, float most)
{
    const BwGrid *grid = job->grid;
    const int stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};
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
    float phi[BW_BLOCK_CELLS], around[BW_BLOCK_CELLS], body[BW_BLOCK_CELLS], held[BW_TILE_CELLS_MAX];
    double sum = 0.0;
    find_held(job, slot, held);
    bw_block_gather(&job->surface->phi, slot, phi);
    bw_block_gather(&job->surface->share, slot, around);
    find_bodies(around, grid->layers, body);
    bw_largest_around(around, grid->layers, 0);
    for (int n = 0; n < grid->tile_cells; n++) {
        int at = bw_block_origin(grid) + (n & 7) + BW_BLOCK * (n >> 3 & 7) + BW_BLOCK_LAYER * (n >> 6);
        if (!bw_bit(grid->tiles[slot].live, n))
            continue;
        sum += body[at] > 0.0f && around[at] >= BW_THIN_SHARE
                   ? volume_of_body(job, slot, n, phi + at, around[at])
                   : volume_of_thin(job, slot, n, held[n]);
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

double bw_liquid_surface_volume(const BwLiquidSurface *surface, const BwDomain *domain,
                                const BwParticles *particles, float unit)
{
    Job job = {surface, domain, domain->grid, particles, unit};
    return bw_cell_volume(domain->grid) *
           bw_parallel_sum(domain->pool, domain->grid->tile_count, 64, volume_range, &job);
}

static double covered_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    float held[BW_TILE_CELLS_MAX];
    double sum = 0.0;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        const float *open = bw_field_tile(&job->surface->open, slot);
        if (!bw_solids_are_near(job->domain->cut, slot))
            continue;
        find_held(job, slot, held);
        for (int n = 0; n < job->grid->tile_cells; n++)
            sum += open[n] > 0.0f ? 0.0 : (double)held[n];
    }
    return sum;
}

double bw_liquid_surface_covered(const BwLiquidSurface *surface, const BwDomain *domain,
                                 const BwParticles *particles)
{
    Job job = {surface, domain, domain->grid, particles, 1.0f};
    if (domain->cut == NULL)
        return 0.0;
    return bw_parallel_sum(domain->pool, domain->grid->tile_count, 64, covered_range, &job);
}
