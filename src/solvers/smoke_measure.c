// Numbers that a frame's stats tell of smoke: totals, energy and heat at its end, and what went through the
// surfaces of walls and obstacles in its last step. In SI, with the density and heat capacity of air
// (billow/world.h).
#include "solvers/smoke.h"

#include "domain/energy.h"
#include "domain/measure.h"
#include <math.h>

static size_t surface_count(const BwSmoke *smoke)
{
    return BW_SIDE_COUNT + (size_t)smoke->scene->obstacle_count;
}

BwResult bw_smoke_create_measures(BwSmoke *smoke, BwError *err)
{
    const BwAllocator *allocator = &smoke->allocator;
    BwSmokeMeasures *m = &smoke->measures;
    size_t count = (size_t)smoke->scene->obstacle_count;
    BW_TRY(bw_surface_sums_create(&m->sums, allocator, smoke->scene->obstacle_count, err));
    m->heat_flux = bw_alloc_zeroed(allocator, surface_count(smoke) * sizeof *m->heat_flux, BW_ALIGN);
    if (m->heat_flux == NULL)
        return bw_fail_memory(err);
    if (count > 0 || smoke->scene->output.pressure)
        BW_TRY(bw_pressure_system_keep_impulse(&smoke->projection.system, err));
    smoke->has_pressure = smoke->scene->output.pressure;
    if (smoke->has_pressure)
        BW_TRY(bw_field_create(&smoke->pressure, smoke->grid, BW_AT_CELL, 0.0f, err));
    if (count == 0)
        return BW_OK;
    m->pressure = bw_alloc_zeroed(allocator, count * sizeof *m->pressure, BW_ALIGN);
    m->viscous = bw_alloc_zeroed(allocator, count * sizeof *m->viscous, BW_ALIGN);
    m->volumes = bw_alloc_zeroed(allocator, count * sizeof *m->volumes, BW_ALIGN);
    m->obstacles = bw_alloc_zeroed(allocator, count * sizeof *m->obstacles, BW_ALIGN);
    if (m->pressure == NULL || m->viscous == NULL || m->volumes == NULL || m->obstacles == NULL)
        return bw_fail_memory(err);
    return BW_OK;
}

void bw_smoke_destroy_measures(BwSmoke *smoke)
{
    const BwAllocator *allocator = &smoke->allocator;
    BwSmokeMeasures *m = &smoke->measures;
    size_t count = (size_t)smoke->scene->obstacle_count;
    bw_surface_sums_destroy(&m->sums);
    bw_field_destroy(&smoke->pressure);
    bw_free(allocator, m->heat_flux, surface_count(smoke) * sizeof *m->heat_flux, BW_ALIGN);
    bw_free(allocator, m->pressure, count * sizeof *m->pressure, BW_ALIGN);
    bw_free(allocator, m->viscous, count * sizeof *m->viscous, BW_ALIGN);
    bw_free(allocator, m->volumes, count * sizeof *m->volumes, BW_ALIGN);
    bw_free(allocator, m->obstacles, count * sizeof *m->obstacles, BW_ALIGN);
}

// The last step of a frame ends at its time, but for rounding.
void bw_smoke_begin_measures(BwSmoke *smoke, double time, double dt, const BwStats *stats)
{
    BwSmokeMeasures *m = &smoke->measures;
    m->is_due = time + dt >= stats->time - 1e-6 * dt;
    m->is_known = true;
    m->dissipation = 0.0;
    for (int n = 0; n < smoke->scene->obstacle_count; n++)
        m->viscous[n] = (BwSurfaceLoad){0};
}

void bw_smoke_measure_viscosity(BwSmoke *smoke, const BwHeld *held)
{
    BwSmokeMeasures *m = &smoke->measures;
    if (m->is_due)
        m->dissipation += bw_viscous_loads(&m->sums, held, &smoke->diffusion.masks,
                                           smoke->scene->smoke.viscosity, m->viscous);
}

void bw_smoke_measure_conduction(BwSmoke *smoke, const BwHeld *held)
{
    BwSmokeMeasures *m = &smoke->measures;
    if (m->is_due)
        bw_heat_flux(&m->sums, held, &smoke->diffusion.masks, smoke->scene->smoke.conductivity, m->heat_flux);
}

double bw_smoke_mass(const BwSmoke *smoke)
{
    return bw_field_total(&smoke->domain, &smoke->density, &smoke->domain.open, 0.0f);
}

typedef struct Telling {
    const BwGrid *grid;
    const BwField *impulse;
    BwField *pressure;
    float scale;
} Telling;

static void tell_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Telling *job = context;
    for (int64_t m = begin; m < end; m++) {
        const float *restrict from = bw_field_tile(job->impulse, job->grid->order[m]);
        float *restrict to = bw_field_tile(job->pressure, job->grid->order[m]);
        for (int n = 0; n < job->grid->tile_cells; n++)
            to[n] = job->scale * from[n];
    }
}

// After a step; a state that was loaded holds its own.
void bw_smoke_tell_pressure(BwSmoke *smoke)
{
    if (!smoke->scene->output.pressure || !smoke->measures.is_known)
        return;
    double scale = bw_projection_pressure_scale(&smoke->projection, (double)smoke->solids_dt);
    Telling job = {smoke->grid, &smoke->projection.system.impulse, &smoke->pressure,
                   (float)(BW_AIR_DENSITY * scale)};
    bw_parallel_for(smoke->pool, smoke->grid->tile_count, 64, tell_range, &job);
    smoke->has_pressure = true;
}

static void measure_forces(BwSmoke *smoke)
{
    BwSmokeMeasures *m = &smoke->measures;
    double scale = bw_projection_pressure_scale(&smoke->projection, (double)smoke->solids_dt);
    bw_pressure_loads(&m->sums, &smoke->domain, smoke->solids.poses, &smoke->projection.system.impulse, scale,
                      m->pressure, m->volumes);
    for (int n = 0; n < smoke->scene->obstacle_count; n++) {
        BwObstacleStats *told = &m->obstacles[n];
        BwSurfaceLoad viscous = m->viscous[n];
        bw_add_spin_torque(&smoke->solids.poses[n], smoke->solids_dt, smoke->scene->smoke.viscosity,
                           m->volumes[n], &viscous);
        for (int a = 0; a < 3; a++) {
            told->pressure_force[a] = BW_AIR_DENSITY * m->pressure[n].force[a];
            told->viscous_force[a] = BW_AIR_DENSITY * viscous.force[a];
            told->torque[a] = BW_AIR_DENSITY * (m->pressure[n].torque[a] + viscous.torque[a]);
        }
    }
}

// NaN where a surface is insulated, and where nothing conducts: there it only sets the gas beside it.
static double heat_flux_of(const BwSmoke *smoke, int surface, float temperature)
{
    bool is_known = smoke->scene->smoke.conductivity > 0.0f && !isnan(temperature);
    return is_known ? BW_AIR_DENSITY * BW_AIR_HEAT_CAPACITY * smoke->measures.heat_flux[surface]
                    : (double)NAN;
}

static void measure_step(BwSmoke *smoke, BwStats *stats)
{
    BwSmokeMeasures *m = &smoke->measures;
    if (smoke->scene->smoke.viscosity > 0.0f)
        stats->dissipation = BW_AIR_DENSITY * m->dissipation;
    for (int side = 0; side < BW_SIDE_COUNT && smoke->scene->has_walls; side++)
        stats->heat_flux[side] = heat_flux_of(smoke, side, smoke->domain.side[side].temperature);
    if (smoke->scene->obstacle_count == 0)
        return;
    measure_forces(smoke);
    for (int n = 0; n < smoke->scene->obstacle_count; n++)
        m->obstacles[n].heat_flux =
            heat_flux_of(smoke, BW_SIDE_COUNT + n, smoke->solids.poses[n].temperature);
    stats->obstacles = m->obstacles;
    stats->obstacle_count = smoke->scene->obstacle_count;
}

void bw_smoke_measure(void *solver, BwStats *stats)
{
    BwSmoke *smoke = solver;
    float ambient = smoke->scene->smoke.ambient;
    stats->tiles = smoke->grid->tile_count;
    stats->cells = bw_grid_live_cells(smoke->grid);
    stats->mass = bw_smoke_mass(smoke);
    stats->max_speed = smoke->max_speed;
    stats->divergence = bw_divergence_max(&smoke->domain, &smoke->velocity);
    stats->kinetic_energy = BW_AIR_DENSITY * bw_kinetic_energy(&smoke->domain, &smoke->velocity);
    stats->heat = BW_AIR_DENSITY * BW_AIR_HEAT_CAPACITY *
                  bw_field_total(&smoke->domain, &smoke->temperature, &smoke->domain.open, ambient);
    stats->dissipation = (double)NAN;
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        stats->heat_flux[side] = (double)NAN;
    if (smoke->measures.is_known)
        measure_step(smoke, stats);
}
