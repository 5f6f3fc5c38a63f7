// What frames and their stats tell of a flow: energy and divergence at its end, what went through the
// surfaces of walls and obstacles in its last step, and its fields. In SI, with the density and heat capacity
// of the fluid.
#include "domain/energy.h"
#include "domain/measure.h"
#include "flow/flow_parts.h"
#include "operate/field_math.h"
#include "scene/gas.h"

#include <math.h>

static size_t surface_count(const BwFlow *flow)
{
    return BW_SIDE_COUNT + (size_t)flow->scene->obstacle_count;
}

BwResult bw_flow_create_measures(BwFlow *flow, BwError *err)
{
    const BwAllocator *allocator = &flow->allocator;
    BwFlowMeasures *m = &flow->measures;
    size_t count = (size_t)flow->scene->obstacle_count;
    BW_TRY(bw_surface_sums_create(&m->sums, allocator, flow->scene->obstacle_count, err));
    m->heat_flux = bw_alloc_zeroed(allocator, surface_count(flow) * sizeof *m->heat_flux, BW_ALIGN);
    if (m->heat_flux == NULL)
        return bw_fail_memory(err);
    if (count > 0 || flow->scene->body_count > 0 || bw_flow_keeps_pressure(flow))
        BW_TRY(bw_pressure_system_keep_impulse(&flow->projection.system, err));
    flow->has_pressure = bw_flow_keeps_pressure(flow);
    if (flow->has_pressure)
        BW_TRY(bw_field_create(&flow->pressure, flow->grid, BW_AT_CELL, 0.0f, err));
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

void bw_flow_destroy_measures(BwFlow *flow)
{
    const BwAllocator *allocator = &flow->allocator;
    BwFlowMeasures *m = &flow->measures;
    size_t count = (size_t)flow->scene->obstacle_count;
    bw_surface_sums_destroy(&m->sums);
    bw_field_destroy(&flow->pressure);
    bw_free(allocator, m->heat_flux, surface_count(flow) * sizeof *m->heat_flux, BW_ALIGN);
    bw_free(allocator, m->pressure, count * sizeof *m->pressure, BW_ALIGN);
    bw_free(allocator, m->viscous, count * sizeof *m->viscous, BW_ALIGN);
    bw_free(allocator, m->volumes, count * sizeof *m->volumes, BW_ALIGN);
    bw_free(allocator, m->obstacles, count * sizeof *m->obstacles, BW_ALIGN);
}

// The last step of a frame ends at its time, but for rounding.
void bw_flow_begin_measures(BwFlow *flow, double time, double dt, const BwStats *stats)
{
    BwFlowMeasures *m = &flow->measures;
    bw_projection_begin_step(&flow->projection);
    flow->pressure_dt = (double)(float)dt; // as solids_dt
    m->is_due = time + dt >= stats->time - 1e-6 * dt;
    m->is_known = true;
    m->dissipation = 0.0;
    for (int n = 0; n < flow->scene->obstacle_count; n++)
        m->viscous[n] = (BwSurfaceLoad){0};
}

// After a step; a state that was loaded holds its own.
static void find_pressure(BwFlow *flow)
{
    if (!bw_flow_keeps_pressure(flow) || !flow->measures.is_known)
        return;
    double scale = bw_projection_pressure_scale(&flow->projection, flow->pressure_dt);
    bw_field_scale(&flow->domain, &flow->projection.system.impulse, (float)(flow->def.density * scale),
                   &flow->pressure);
    flow->has_pressure = true;
}

static void measure_forces(BwFlow *flow)
{
    BwFlowMeasures *m = &flow->measures;
    double scale = bw_projection_pressure_scale(&flow->projection, flow->pressure_dt);
    bw_pressure_loads(&m->sums, &flow->domain, flow->solids.poses, &flow->projection.system.impulse, scale,
                      m->pressure, m->volumes);
    for (int n = 0; n < flow->scene->obstacle_count; n++) {
        BwObstacleStats *told = &m->obstacles[n];
        BwSurfaceLoad viscous = m->viscous[n];
        if (!bw_flow_is_thick(flow)) // whose stress has all of its parts
            bw_add_spin_torque(&flow->solids.poses[n], flow->solids_dt, flow->def.viscosity, m->volumes[n],
                               &viscous);
        for (int a = 0; a < 3; a++) {
            told->pressure_force[a] = flow->def.density * m->pressure[n].force[a];
            told->viscous_force[a] = flow->def.density * viscous.force[a];
            told->torque[a] = flow->def.density * (m->pressure[n].torque[a] + viscous.torque[a]);
        }
    }
}

// NaN where a surface is insulated, and where nothing conducts: there it only sets the gas beside it.
static double heat_flux_of(const BwFlow *flow, int surface, float temperature)
{
    bool is_known = flow->def.conductivity > 0.0f && !isnan(temperature);
    return is_known ? flow->def.density * flow->def.heat_capacity * flow->measures.heat_flux[surface]
                    : (double)NAN;
}

static void measure_step(BwFlow *flow, BwStats *stats)
{
    BwFlowMeasures *m = &flow->measures;
    if (flow->def.viscosity > 0.0f || bw_flow_is_thick(flow))
        stats->dissipation = flow->def.density * m->dissipation;
    for (int side = 0; side < BW_SIDE_COUNT && flow->scene->has_walls; side++)
        stats->heat_flux[side] = heat_flux_of(flow, side, flow->domain.side[side].temperature);
    if (flow->scene->obstacle_count == 0)
        return;
    measure_forces(flow);
    for (int n = 0; n < flow->scene->obstacle_count; n++)
        m->obstacles[n].heat_flux = heat_flux_of(flow, BW_SIDE_COUNT + n, flow->solids.poses[n].temperature);
    stats->obstacles = m->obstacles;
    stats->obstacle_count = flow->scene->obstacle_count;
}

void bw_flow_measure(BwFlow *flow, BwStats *stats)
{
    stats->tiles = flow->grid->tile_count;
    stats->cells = bw_grid_live_cells(flow->grid);
    stats->max_speed = flow->max_speed;
    stats->divergence = bw_divergence_max(&flow->domain, &flow->velocity);
    stats->kinetic_energy = flow->def.density * bw_kinetic_energy(&flow->domain, &flow->velocity);
    stats->volume = stats->volume_drift = stats->dissipation = (double)NAN;
    stats->fuel = (double)NAN;
    if (!bw_scene_has_solid_fuel(flow->scene))
        stats->gasified = (double)NAN;
    if (!flow->def.expands)
        stats->expanded = (double)NAN;
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        stats->heat_flux[side] = (double)NAN;
    bw_scene_bodies_tell(&flow->bodies, stats);
    if (flow->measures.is_known)
        measure_step(flow, stats);
}

// Meshes and pictures that are blurred by motion take the velocity of a liquid without particles from its
// grid. They are made from kept frames too.
static bool is_velocity_shown(const BwSceneDef *scene)
{
    const BwLiquidMethod method = scene->liquid.method;
    const BwOutputDef *output = &scene->output;
    bool has_particles =
        method != BW_LIQUID_LEVELSET && method != BW_LIQUID_PARTICLE_LEVELSET && method != BW_LIQUID_HEIGHT;
    bool is_asked = output->mesh || output->obj || output->gltf || scene->camera.shutter > 0.0f;
    return scene->fluid == BW_FLUID_LIQUID && !has_particles && is_asked;
}

int bw_flow_frame_fields(BwFlow *flow, BwFrameSource *sources, int count)
{
    static const char *const names[3][3] = {
        {"u", "open_u", "solid_u"}, {"v", "open_v", "solid_v"}, {"w", "open_w", "solid_w"}};
    const BwSolidFaces *faces = flow->domain.cut;
    // Pictures of flat fluid show its speed.
    bool is_shown = flow->grid->dimension == 2 || is_velocity_shown(flow->scene);
    sources[count++] = (BwFrameSource){"fluid", "1", NULL, &flow->domain.fluid, true};
    if (faces != NULL)
        sources[count++] = (BwFrameSource){"solid", "1", NULL, &flow->domain.solid, false};
    for (int a = 0; a < flow->grid->dimension; a++) {
        sources[count++] = (BwFrameSource){names[a][0], "m/s", &flow->velocity.u[a], NULL, !is_shown};
        if (faces == NULL)
            continue;
        sources[count++] = (BwFrameSource){names[a][1], "1", &faces->open[a], NULL, true};
        sources[count++] = (BwFrameSource){names[a][2], "m/s", &faces->speed[a], NULL, true};
    }
    return count;
}

int bw_flow_frame_pressure(BwFlow *flow, BwFrameSource *sources, int count)
{
    find_pressure(flow);
    if (flow->has_pressure)
        sources[count++] = (BwFrameSource){"pressure", "Pa", &flow->pressure, NULL, true};
    return count;
}

BwResult bw_flow_show(BwFlow *flow, const BwRecord *kept, const BwFrameSource *sources, int count,
                      BwFrame *frame, BwError *err)
{
    BW_TRY(bw_frame_copy(&flow->frame, frame, flow->grid, flow->pool, kept, sources, count, err));
    for (int side = 0; side < BW_SIDE_COUNT && frame->has_walls; side++)
        frame->sides[side] = (uint8_t)(1 + flow->domain.side[side].kind);
    bw_scene_solids_show(&flow->solids, frame);
    bw_scene_bodies_show(&flow->bodies, &flow->solids, frame);
    return BW_OK;
}
