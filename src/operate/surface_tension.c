// Curvature times tension.
#include "operate/surface_tension.h"

#include "domain/near_solids.h"

#include <math.h>

// Times over sqrt(rho h^3 / sigma): of the curvature's change that damps ripples; steps that are taken; and
// the longest step in which all of the tension acts.
static const double damping = 0.6, step_taken = 1.0, step_most = 1.5;

// Distances of solids end here, in cells.
static const float solid_far = 4.0f;

static double wave_time(double tension, double density, double cell)
{
    return tension > 0.0 ? sqrt(density * cell * cell * cell / tension) : INFINITY;
}

BwResult bw_surface_tension_create(BwSurfaceTension *tension, BwGrid *grid, BwPool *pool, bool has_solids,
                                   BwError *err)
{
    *tension = (BwSurfaceTension){.has_solid = has_solids};
    BW_TRY(bw_curvature_create(&tension->curvature, grid, pool, err));
    if (!has_solids)
        return BW_OK;
    BW_TRY(bw_field_create(&tension->solid, grid, BW_AT_CELL, solid_far * grid->cell_size, err));
    return bw_notes_create(&tension->measured, grid, err);
}

void bw_surface_tension_destroy(BwSurfaceTension *tension)
{
    bw_curvature_destroy(&tension->curvature);
    bw_field_destroy(&tension->solid);
    bw_notes_destroy(&tension->measured);
}

typedef struct Job {
    BwSurfaceTension *tension;
    const BwDomain *domain;
    const BwSolidPose *solids;
    int solid_count;
    bool is_all_new;
} Job;

// Whether a solid may be within so many metres of a cell of a tile.
static bool is_near_solids(const Job *job, int32_t slot, float distance)
{
    const BwGrid *grid = job->domain->grid;
    float half = 0.5f * BW_TILE * grid->cell_size, half_z = grid->layers == 1 ? 0.0f : half;
    BwTileCoord coord = grid->tiles[slot].coord;
    BwVec3 middle = bw_add(bw_sample_position(grid, coord, 0, BW_AT_NODE), bw_vec3(half, half, half_z));
    return !bw_solids_are_beyond(job->solids, job->solid_count, middle,
                                 distance + sqrtf(2.0f * half * half + half_z * half_z));
}

static void measure_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    float far = solid_far * grid->cell_size;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        uint64_t *measured = bw_note(&job->tension->measured, slot);
        float *distance = bw_field_tile(&job->tension->solid, slot);
        BwNearSolids near;
        if (*measured != 0 && !job->is_all_new)
            continue;
        *measured = 1;
        for (int n = 0; n < grid->tile_cells; n++)
            distance[n] = far;
        if (!is_near_solids(job, slot, far))
            continue;
        bw_near_solids_find(&near, job->solids, job->solid_count, grid, grid->tiles[slot].coord);
        for (int n = 0; n < grid->tile_cells; n++) {
            BwVec3 center = bw_sample_position(grid, grid->tiles[slot].coord, n, BW_AT_CELL);
            distance[n] = fminf(bw_solids_distance(near.list, near.count, center), far);
        }
    }
}

void bw_surface_tension_measure_solids(BwSurfaceTension *tension, const BwDomain *domain,
                                       const BwSolidPose *solids, int solid_count, bool is_all_new)
{
    Job job = {tension, domain, solids, solid_count, is_all_new};
    if (tension->has_solid)
        bw_parallel_for(domain->pool, domain->grid->tile_count, 8, measure_range, &job);
}

typedef struct Scaling {
    const BwGrid *grid;
    const BwField *curvature, *outside;
    BwField *pressure;
    float factor;
} Scaling;

static void scale_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Scaling *scaling = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = scaling->grid->order[m];
        const float *curvature = bw_field_tile(scaling->curvature, slot);
        const float *outside = scaling->outside != NULL ? bw_field_tile(scaling->outside, slot) : NULL;
        float *pressure = bw_field_tile(scaling->pressure, slot);
        for (int n = 0; n < scaling->grid->tile_cells; n++)
            pressure[n] = scaling->factor * curvature[n] + (outside != NULL ? outside[n] : 0.0f);
    }
}

void bw_surface_tension_find(BwSurfaceTension *tension, const BwSurfaceTensionDef *def)
{
    const BwGrid *grid = def->domain->grid;
    double time = wave_time((double)def->tension, (double)def->density, (double)grid->cell_size);
    BwCurvatureDef curvature = {.domain = def->domain,
                                .phi = def->phi,
                                .liquid = def->liquid,
                                .solid = tension->has_solid ? &tension->solid : NULL,
                                .contact_angle = def->contact_angle,
                                .is_noisy = def->is_noisy,
                                .velocity = def->velocity,
                                .damping = (float)(damping * time)};
    bw_curvature_find(&tension->curvature, &curvature);
    Scaling scaling = {grid, &tension->curvature.value, def->outside, &tension->curvature.average,
                       def->tension};
    bw_parallel_for(def->domain->pool, grid->tile_count, 32, scale_range, &scaling);
    tension->pressure = &tension->curvature.average;
}

double bw_capillary_step(double tension, double density, double cell)
{
    return step_taken * wave_time(tension, density, cell);
}

double bw_capillary_held(double tension, double density, double cell, double dt)
{
    double most = step_most * wave_time(tension, density, cell);
    return dt <= most ? tension : tension * (most / dt) * (most / dt);
}
