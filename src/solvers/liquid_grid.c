// The grid of a liquid carried by particles, which is made anew from them: tiles around them, their velocity
// on its faces, the surface, the core, and at the start of a step the walls and solids that it meets.
#include "solvers/liquid.h"

// Cells around the core that are liquid, whatever gaps there may be between their particles for a moment.
enum { LAYERS_AROUND_CORE = 3 };

// Wakes tiles where particles may get to; puts those to sleep that none can, if told to.
static BwResult follow_particles(BwLiquid *liquid, int reach, bool may_sleep, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    BW_TRY(bw_reserve(&flow->allocator, (void **)&flow->spans, &flow->span_capacity, flow->grid->tile_count,
                      sizeof *flow->spans, err));
    bw_particles_find_spans(&liquid->particles, flow->spans);
    if (liquid->has_core)
        bw_core_widen_spans(&liquid->core, flow->spans);
    BW_TRY(bw_follow_plan(&flow->plan, flow->grid, flow->spans, liquid->sources.boxes,
                          liquid->sources.box_count, reach + BW_LIQUID_ENVELOPE_CELLS, err));
    if (!may_sleep)
        flow->plan.sleep_count = 0;
    return bw_follow_apply(&flow->plan, flow->grid, err);
}

BwResult bw_liquid_refresh(BwLiquid *liquid, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    bw_flow_label(flow); // of solids: where the liquid is follows
    bw_liquid_surface_measure_room(&liquid->surface, &flow->domain, flow->solids.poses,
                                   flow->scene->obstacle_count, liquid->must_measure_room);
    if (liquid->has_tension)
        bw_surface_tension_measure_solids(&liquid->tension, &flow->domain, flow->solids.poses,
                                          flow->scene->obstacle_count, liquid->must_measure_room);
    liquid->must_measure_room = false;
    BwGridCarried carried = {.velocity = &liquid->carried,
                             .core = liquid->has_core ? &liquid->core : NULL,
                             .is_all =
                                 liquid->scene->liquid.method == BW_LIQUID_MARKERS && liquid->last_dt > 0.0};
    BwTransferred to = {&flow->velocity, &liquid->midway, liquid->faces.held, &liquid->surface.share};
    BW_TRY(bw_transfer_to_grid(&liquid->transfer, &liquid->particles, bw_liquid_unit(liquid->scene),
                               liquid->has_carried ? &carried : NULL, &to, err));
    if (liquid->has_core)
        bw_mask_dilate(&liquid->core.full, &flow->domain, LAYERS_AROUND_CORE, &liquid->core.around,
                       &liquid->core.scratch);
    BwLiquidSurfaceDef surface = {.inside = liquid->has_core ? &liquid->core.around : NULL,
                                  .is_smooth = liquid->has_tension,
                                  .solids = flow->solids.poses,
                                  .solid_count = flow->scene->obstacle_count};
    bw_liquid_surface_find(&liquid->surface, &flow->domain, &surface);
    if (liquid->is_explicit)
        bw_particles_mark_cells(&liquid->particles, &liquid->surface.liquid);
    if (liquid->last_dt == 0.0)
        liquid->volume_start = bw_liquid_surface_volume(&liquid->surface, &flow->domain, &liquid->particles,
                                                        bw_liquid_unit(liquid->scene));
    bw_liquid_sources_carve(&liquid->sources);
    bw_domain_label_sides(&flow->domain);
    return BW_OK;
}

BwResult bw_liquid_renew(BwLiquid *liquid, int reach, bool may_sleep, BwError *err)
{
    BW_TRY(follow_particles(liquid, reach, may_sleep, err));
    liquid->flow.must_measure_solids |= liquid->flow.plan.wake_count > 0;
    return bw_liquid_refresh(liquid, err);
}

// What shall be core when the step is over.
static BwResult plan_core(BwLiquid *liquid, double time, double dt, BwError *err)
{
    float speed, acceleration, h = liquid->flow.grid->cell_size;
    BwDrive drive;
    BW_TRY(bw_liquid_limits(&liquid->sources, time, time + dt, &speed, &acceleration, err));
    BW_TRY(bw_flow_drive(&liquid->flow, time, &drive, err));
    acceleration += bw_liquid_tension_acceleration(liquid->scene, dt);
    BwDepthWanted wanted = {.cells = bw_liquid_band_cells(liquid->scene),
                            .velocity = &liquid->flow.velocity,
                            .imposed_speed = drive.imposed_speed,
                            .cells_per_speed = (float)dt / h,
                            .faster = acceleration * (float)dt};
    bw_liquid_find_deep(&liquid->depth, &liquid->surface, &liquid->flow.domain, &wanted, &liquid->core.full,
                        &liquid->core.next);
    bw_liquid_clear_core(liquid, dt);
    return BW_OK;
}

BwResult bw_liquid_prepare(BwLiquid *liquid, int reach, double time, double dt, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    BW_TRY(follow_particles(liquid, reach, false, err));
    BW_TRY(bw_flow_aim_solids(flow, time, dt, err));
    BW_TRY(bw_flow_set_walls(flow, time + dt, err));
    bw_flow_label(flow);
    if (liquid->has_core)
        BW_TRY(plan_core(liquid, time, dt, err));
    bw_find_passable_faces(&liquid->faces, &flow->domain);
    bw_extrapolate(&liquid->faces, &flow->domain,
                   (BwExtrapolation){BW_FROM_PARTICLES, BW_LIQUID_LAYERS_MIN, 0.0f, liquid->is_explicit},
                   &flow->velocity);
    return BW_OK;
}

void bw_liquid_extend_velocity(BwLiquid *liquid, int reach)
{
    BwFlow *flow = &liquid->flow;
    bw_liquid_sources_open_mouths(&liquid->sources);
    bw_extrapolate(&liquid->faces, &flow->domain,
                   (BwExtrapolation){BW_FROM_FLUID, reach + BW_LIQUID_LAYERS_MIN, 0.0f, liquid->is_explicit},
                   &flow->velocity);
}
