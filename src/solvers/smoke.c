// Smoke: hot or heavy gas in air of the same density, after Stam 1999, Fedkiw, Stam and Jensen 2001, and
// Carlson's "Fluid Flow for the Rest of Us", section 9. Density and temperature ride on an incompressible
// velocity; tiles live where there is smoke, with an envelope of air solved around it.
//
// The velocity is free of divergence whenever anything is carried along it: a step carries first, then
// applies forces, then projects.
#include "solvers/smoke.h"

#include "domain/measure.h"
#include "domain/sides.h"
#include "solvers/scene_box.h"
#include "solvers/scene_drive.h"
#include "solvers/scene_walls.h"
#include <math.h>

static BwResult create_fields(BwSmoke *smoke, BwError *err)
{
    BwGrid *grid = smoke->grid;
    float ambient = smoke->scene->smoke.ambient;
    // Behind a wall nothing moves; in the open, air that joins has the speed of the wind.
    BwVec3 background = smoke->scene->has_walls ? bw_vec3(0.0f, 0.0f, 0.0f) : smoke->wind;
    BW_TRY(bw_domain_create(&smoke->domain, grid, smoke->pool, err));
    BW_TRY(bw_velocity_create(&smoke->velocity, grid, background, err));
    BW_TRY(bw_velocity_create(&smoke->next_velocity, grid, background, err));
    BW_TRY(bw_field_create(&smoke->density, grid, BW_AT_CELL, 0.0f, err));
    BW_TRY(bw_field_create(&smoke->next_density, grid, BW_AT_CELL, 0.0f, err));
    BW_TRY(bw_field_create(&smoke->temperature, grid, BW_AT_CELL, ambient, err));
    BW_TRY(bw_field_create(&smoke->next_temperature, grid, BW_AT_CELL, ambient, err));
    BW_TRY(bw_smoke_create_color(smoke, err));
    BW_TRY(bw_mask_create(&smoke->held, grid, err));
    if (bw_scene_prescribes(smoke->scene)) {
        BW_TRY(bw_prescribed_create(&smoke->prescribed, grid, err));
        smoke->domain.prescribed = &smoke->prescribed;
    }
    BW_TRY(bw_projection_create(&smoke->projection, grid, smoke->pool, err));
    if (smoke->scene->obstacle_count > 0) {
        BW_TRY(bw_solid_faces_create(&smoke->solid_faces, grid, err));
        BW_TRY(bw_solid_flow_create(&smoke->solid_flow, grid, err));
        smoke->domain.cut = &smoke->solid_faces;
    }
    if (smoke->scene->smoke.confinement != 0.0f)
        BW_TRY(bw_vorticity_scratch_create(&smoke->vorticity, &smoke->allocator, smoke->pool, err));
    BW_TRY(bw_smoke_create_diffusion(smoke, err));
    BW_TRY(bw_smoke_create_measures(smoke, err));
    return bw_smoke_create_carrying(smoke, background, err);
}

// Boxes of cells that sources may write to, at most.
static size_t box_count(const BwSceneDef *scene)
{
    return (size_t)(scene->emitter_count + scene->pump_count + scene->fill_count + scene->obstacle_count);
}

static BwResult allocate_lists(BwSmoke *smoke, BwError *err)
{
    const BwSceneDef *scene = smoke->scene;
    size_t boxes = box_count(scene), forces = (size_t)scene->force_count;
    smoke->boxes = bw_alloc(&smoke->allocator, boxes * sizeof *smoke->boxes, BW_ALIGN);
    smoke->forces = bw_alloc(&smoke->allocator, forces * sizeof *smoke->forces, BW_ALIGN);
    size_t emitters = (size_t)scene->emitter_count;
    smoke->shadows = bw_alloc_zeroed(&smoke->allocator, emitters * sizeof *smoke->shadows, BW_ALIGN);
    size_t sources = (size_t)bw_scene_source_count(scene);
    smoke->coverage = bw_alloc_zeroed(&smoke->allocator, sources * sizeof *smoke->coverage, BW_ALIGN);
    bool is_short = (sources > 0 && smoke->coverage == NULL) || (boxes > 0 && smoke->boxes == NULL) ||
                    (forces > 0 && smoke->forces == NULL) || (emitters > 0 && smoke->shadows == NULL);
    return is_short ? bw_fail_memory(err) : BW_OK;
}

void bw_smoke_set_wind(BwSmoke *smoke, BwVec3 wind)
{
    smoke->wind = wind;
    if (!smoke->scene->has_walls)
        bw_smoke_set_air(smoke, wind);
}

// Where a side lets air in and says nothing of its velocity, the air outside moves with the wind, or goes on
// as the fluid along that side began.
static void set_air_outside(BwSmoke *smoke)
{
    bool has_wind = bw_length(smoke->wind) > 0.0f;
    for (int n = 0; n < BW_SIDE_COUNT && smoke->scene->has_walls; n++) {
        BwBoxSide *side = &smoke->domain.side[n];
        bool is_given = bw_curve_is_given(&smoke->scene->walls.side[n].velocity);
        if (bw_side_lets_air_in(side) && !is_given)
            side->velocity = has_wind ? smoke->wind : smoke->first_flow[n];
    }
}

BwResult bw_smoke_set_walls(BwSmoke *smoke, double time, BwError *err)
{
    smoke->walls_time = time;
    BW_TRY(bw_scene_walls_look_up(smoke->scene, time, smoke->domain.side, err));
    set_air_outside(smoke);
    bw_domain_set_far_walls(&smoke->domain);
    return BW_OK;
}

static BwResult look_up_wind(BwSmoke *smoke, double time, BwError *err)
{
    BwVec3 wind;
    BW_TRY(bw_curve_vector_at(&smoke->scene->smoke.wind, time, &wind, err));
    bw_smoke_set_wind(smoke, wind);
    return BW_OK;
}

void bw_smoke_label(BwSmoke *smoke, bool is_new)
{
    const BwSolidPose *solids = smoke->solids.poses;
    int count = smoke->scene->obstacle_count;
    if (!is_new) {
        bw_domain_label_sides(&smoke->domain);
        return;
    }
    if (count > 0)
        bw_solid_faces_measure(&smoke->solid_faces, &smoke->domain, solids, count, smoke->solids_dt);
    bw_domain_label(&smoke->domain, solids, count);
}

static void set_wall_velocity(BwSmoke *smoke)
{
    bw_domain_set_wall_velocity(&smoke->domain, &smoke->velocity, smoke->solids.poses,
                                smoke->scene->obstacle_count, smoke->solids_dt);
}

static void extend_into_solids(BwSmoke *smoke)
{
    if (smoke->scene->obstacle_count == 0)
        return;
    bw_extend_into_solids(&smoke->solid_flow, &smoke->domain, &smoke->velocity, &smoke->next_velocity,
                          smoke->solids.poses, smoke->scene->obstacle_count, smoke->solids_dt);
}

static BwResult start(BwSmoke *smoke, BwWatch watch, BwError *err)
{
    BW_TRY(bw_smoke_wake(smoke, err));
    smoke->solids_dt = 1.0f;
    bw_smoke_label(smoke, true);
    BwSourceFields fields = bw_smoke_fields(smoke);
    BW_TRY(bw_scene_fill(smoke->scene, &fields, watch, err));
    bw_smoke_end_color(smoke);
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        smoke->first_flow[side] = bw_side_mean_velocity(&smoke->domain, &smoke->velocity, side);
    set_air_outside(smoke);
    set_wall_velocity(smoke);
    extend_into_solids(smoke);
    smoke->max_speed = bw_velocity_max(&smoke->domain, &smoke->velocity);
    return BW_OK;
}

static void smoke_destroy(void *solver);

static BwResult smoke_create(void **out, const BwSolverSetup *def, BwError *err)
{
    *out = NULL;
    BwSmoke *smoke = bw_alloc_zeroed(&def->allocator, sizeof *smoke, BW_ALIGN);
    if (smoke == NULL)
        return bw_fail_memory(err);
    smoke->scene = def->scene;
    smoke->allocator = def->allocator;
    smoke->pool = def->pool;
    smoke->stop = def->stop;
    // Between walls the air pushes back from all of the box; an envelope says that the near air is enough.
    smoke->is_whole_box = def->scene->has_walls && def->scene->smoke.envelope == 0.0f;
    BwGridDef grid = bw_scene_grid_def(def->scene, def->allocator);
    grid.pool = def->pool;
    BwResult result = bw_grid_create(&smoke->grid, &grid, err);
    if (result == BW_OK)
        result = look_up_wind(smoke, 0.0, err);
    if (result == BW_OK)
        result = create_fields(smoke, err);
    if (result == BW_OK)
        result = bw_smoke_set_walls(smoke, 0.0, err);
    if (result == BW_OK)
        result = allocate_lists(smoke, err);
    if (result == BW_OK)
        result = bw_scene_solids_create(&smoke->solids, def->scene, def->allocator, err);
    if (result == BW_OK)
        result = start(smoke, def->watch, err);
    if (result != BW_OK)
        smoke_destroy(smoke);
    else
        *out = smoke;
    return result;
}

static void smoke_destroy(void *solver)
{
    BwSmoke *smoke = solver;
    if (smoke == NULL)
        return;
    const BwSceneDef *scene = smoke->scene;
    BwAllocator allocator = smoke->allocator;
    size_t boxes = box_count(scene), forces = (size_t)scene->force_count;
    bw_scene_solids_destroy(&smoke->solids);
    bw_domain_destroy(&smoke->domain);
    bw_velocity_destroy(&smoke->velocity);
    bw_velocity_destroy(&smoke->next_velocity);
    bw_field_destroy(&smoke->density);
    bw_field_destroy(&smoke->next_density);
    bw_field_destroy(&smoke->temperature);
    bw_field_destroy(&smoke->next_temperature);
    bw_smoke_destroy_color(smoke);
    bw_mask_destroy(&smoke->held);
    bw_prescribed_destroy(&smoke->prescribed);
    bw_smoke_destroy_carrying(smoke);
    bw_projection_destroy(&smoke->projection);
    bw_diffusion_destroy(&smoke->diffusion);
    bw_subgrid_destroy(&smoke->subgrid);
    bw_velocity_destroy(&smoke->push);
    bw_smoke_destroy_measures(smoke);
    bw_solid_faces_destroy(&smoke->solid_faces);
    bw_solid_flow_destroy(&smoke->solid_flow);
    bw_vorticity_scratch_destroy(smoke->vorticity);
    bw_follow_free(&smoke->plan, &allocator);
    bw_frame_copy_free(&smoke->frame, &allocator);
    bw_grid_destroy(smoke->grid);
    bw_free(&allocator, smoke->spans, (size_t)smoke->span_capacity * sizeof *smoke->spans, BW_ALIGN);
    bw_free(&allocator, smoke->boxes, boxes * sizeof *smoke->boxes, BW_ALIGN);
    bw_free(&allocator, smoke->shadows, (size_t)scene->emitter_count * sizeof *smoke->shadows, BW_ALIGN);
    int sources = bw_scene_source_count(scene);
    for (int n = 0; n < sources && smoke->coverage != NULL; n++)
        bw_coverage_free(&smoke->coverage[n], &allocator);
    bw_free(&allocator, smoke->coverage, (size_t)sources * sizeof *smoke->coverage, BW_ALIGN);
    bw_free(&allocator, smoke->forces, forces * sizeof *smoke->forces, BW_ALIGN);
    bw_free(&allocator, smoke, sizeof *smoke, BW_ALIGN);
}

// E (3.12): from the fastest flow, with what sources and forces will add over the step.
static BwResult smoke_step_limit(void *solver, double time, double *limit, BwError *err)
{
    BwSmoke *smoke = solver;
    float speed, acceleration, h = smoke->grid->cell_size;
    // In the open no step is so long that it leads past the envelope.
    float cfl = smoke->is_whole_box ? smoke->scene->cfl : fminf(smoke->scene->cfl, BW_SMOKE_REACH_MAX / 2);
    BW_TRY(bw_smoke_limits(smoke, time, &speed, &acceleration, err));
    float bound = speed + sqrtf(cfl * h * acceleration);
    *limit = bound > 0.0f ? (double)(cfl * h / bound) : (double)INFINITY;
    return BW_OK;
}

static void confine(BwSmoke *smoke, double dt)
{
    bw_confine_vorticity(smoke->vorticity, &smoke->domain, &smoke->velocity, &smoke->next_velocity,
                         smoke->scene->smoke.confinement, (float)dt);
    bw_smoke_swap_velocity(smoke);
}

static BwResult find_buoyancy(const BwSmoke *smoke, double time, BwBuoyancy *law, BwError *err)
{
    const BwSmokeDef *def = &smoke->scene->smoke;
    BwVec3 gravity;
    BW_TRY(bw_curve_vector_at(&smoke->scene->gravity, time, &gravity, err));
    *law = (BwBuoyancy){.density = &smoke->density,
                        .temperature = &smoke->temperature,
                        .weight = def->buoyancy_weight,
                        .heat = bw_smoke_heat_lift(smoke, bw_length(gravity)),
                        .ambient = def->ambient,
                        .down = bw_normalize(gravity)};
    return BW_OK;
}

enum { DRIVES = 1, DRAGS = 2 };

static BwResult add_fields_of_force(BwSmoke *smoke, int kinds, double time, double dt, BwError *err)
{
    const BwSceneDef *scene = smoke->scene;
    int count = 0;
    for (int n = 0; n < scene->force_count; n++) {
        const BwForceDef *def = &scene->forces[n];
        int kind = def->field == BW_FORCE_DRAG ? DRAGS : DRIVES;
        if (!(kinds & kind) || !bw_is_on(def->start, def->stop, time))
            continue;
        BW_TRY(bw_scene_force_at(def, scene, time, &smoke->forces[count++], err));
    }
    bw_add_forces(&smoke->domain, &smoke->velocity, smoke->forces, count, (float)dt);
    return BW_OK;
}

static void add_wind(BwSmoke *smoke, double dt)
{
    if (!smoke->is_whole_box)
        bw_add_wind(&smoke->domain, &smoke->velocity, smoke->wind, smoke->scene->smoke.wind_rate, (float)dt);
}

static BwResult add_forces(BwSmoke *smoke, double time, double dt, BwError *err)
{
    BwBuoyancy law;
    BW_TRY(find_buoyancy(smoke, time, &law, err));
    bw_add_buoyancy(&smoke->domain, &smoke->velocity, &law, (float)dt);
    BW_TRY(add_fields_of_force(smoke, DRIVES | DRAGS, time, dt, err));
    if (smoke->vorticity != NULL)
        confine(smoke, dt);
    add_wind(smoke, dt);
    return BW_OK;
}

static BwResult project(BwSmoke *smoke, BwStats *stats, BwError *err)
{
    const BwSceneDef *scene = smoke->scene;
    BwPoissonOptions options = {.method = scene->solver.pressure,
                                .tolerance = (double)scene->solver.tolerance,
                                .bound =
                                    (double)scene->solver.divergence_max * (double)smoke->grid->cell_size,
                                .iterations_max = scene->solver.iterations_max,
                                .relaxation = scene->solver.relaxation};
    BwPoissonReport report;
    BW_TRY(bw_project(&smoke->projection, &smoke->domain, &smoke->velocity, &options, &report, err));
    smoke->outcome.residual = report.residual;
    smoke->outcome.stop = report.reason;
    stats->iterations += report.iterations;
    stats->residual = fmax(stats->residual, report.residual);
    stats->stop_reason = report.reason > stats->stop_reason ? report.reason : stats->stop_reason;
    return BW_OK;
}

// Moves the solids to where they are at the end of the step. What stands still is not measured again, unless
// tiles have woken.
static BwResult move_solids(BwSmoke *smoke, double time, double dt, bool *must_measure, BwError *err)
{
    bool did_move = bw_scene_solids_have_moved(&smoke->solids);
    BW_TRY(bw_scene_solids_move(&smoke->solids, time, dt, err));
    bool has_woken = !smoke->is_whole_box && smoke->plan.wake_count > 0;
    smoke->solids_dt = (float)dt;
    *must_measure = did_move || has_woken || bw_scene_solids_have_moved(&smoke->solids);
    if (bw_scene_solids_have_moved(&smoke->solids))
        bw_domain_foresee(&smoke->domain, smoke->solids.poses, smoke->scene->obstacle_count);
    return BW_OK;
}

// The first half of a step by reflection (Zehnder, Narain and Thomaszewski 2018, An Advection-Reflection
// Solver for Detail-Preserving Fluid Simulation). A projection throws away the energy of what it takes off
// the velocity; here the projection in the middle is passed to its far side instead, as in a mirror, and the
// second half of the step brings the velocity back.
//
// The mirror doubles what comes between holding the velocity and projecting it: the forces of half a step
// become those of the whole, with all of the pressure that answers them. What is carried on is in balance, so
// that gas at rest stays at rest, however strong the forces. (Forces that are not doubled would be carried on
// against the flow: waves in layered air grow by that.) Heat and smoke are carried half of the way as well,
// for the buoyancy of the middle: with the whole of their way along the velocity of the middle that is
// Verlet's scheme, in which waves neither grow nor die.
static BwResult step_to_middle(BwSmoke *smoke, BwBuoyancy *law, double time, double dt, BwStats *stats,
                               BwError *err)
{
    bool is_buoyant = law->heat != 0.0f || law->weight != 0.0f;
    bw_smoke_carry_first_half(smoke, is_buoyant, dt);
    BW_TRY(bw_smoke_prescribe(smoke, time, err)); // what the mirror leaves as it is
    bw_smoke_hold_for_reflection(smoke);
    if (is_buoyant) {
        BwBuoyancy middle = *law;
        middle.density = &smoke->next_density;
        middle.temperature = &smoke->next_temperature;
        bw_add_buoyancy(&smoke->domain, &smoke->velocity, &middle, (float)(0.5 * dt));
    }
    BW_TRY(add_fields_of_force(smoke, DRIVES, time, 0.5 * dt, err));
    if (smoke->vorticity != NULL)
        confine(smoke, 0.5 * dt);
    bw_smoke_rub_middle(smoke, dt);
    set_wall_velocity(smoke);
    BW_TRY(bw_smoke_prescribe(smoke, time, err));
    BW_TRY(project(smoke, stats, err));
    extend_into_solids(smoke);
    bw_smoke_reflect(smoke);
    bw_projection_mirror(&smoke->projection);
    return BW_OK;
}

// The buoyancy of the middle does not know of the heat and smoke that conduction, sources and losses bring in
// the step, after all is carried. Half of that is due: it is the difference of what is taken off here and
// given in finish_forces.
static BwResult carry_by_reflection(BwSmoke *smoke, double time, double dt, BwStats *stats, BwError *err)
{
    BwBuoyancy law;
    BW_TRY(find_buoyancy(smoke, time, &law, err));
    BW_TRY(step_to_middle(smoke, &law, time, dt, stats, err));
    bw_smoke_carry_second_half(smoke, dt);
    bw_add_buoyancy(&smoke->domain, &smoke->velocity, &law, (float)(-0.5 * dt));
    return BW_OK;
}

// What drags is never doubled: it would turn the flow round.
static BwResult finish_forces(BwSmoke *smoke, double time, double dt, BwError *err)
{
    BwBuoyancy law;
    BW_TRY(find_buoyancy(smoke, time, &law, err));
    bw_add_buoyancy(&smoke->domain, &smoke->velocity, &law, (float)(0.5 * dt));
    BW_TRY(add_fields_of_force(smoke, DRAGS, time, dt, err));
    add_wind(smoke, dt);
    return BW_OK;
}

// Carrying makes and loses nothing but at the sides and at the rim, as far as its scheme keeps totals, so the
// difference is what left. Where there is no way out it is the fault of solids that move, or else the
// scheme's, and stays to be seen.
static void count_what_left(const BwSmoke *smoke, BwStats *stats)
{
    double gone = smoke->outcome.mass_before - smoke->outcome.mass_carried;
    if (!smoke->is_whole_box || bw_box_has_way_out(&smoke->domain))
        stats->removed[BW_REMOVED_OPEN] += gone;
    else if (smoke->domain.is_foreseen)
        stats->removed[BW_REMOVED_SOLID] += gone;
}

static BwResult carry(BwSmoke *smoke, double time, double dt, BwStats *stats, BwError *err)
{
    smoke->outcome.mass_before = bw_smoke_mass(smoke);
    bw_smoke_begin_color(smoke);
    if (bw_smoke_reflects(smoke))
        BW_TRY(carry_by_reflection(smoke, time, dt, stats, err));
    else
        bw_smoke_carry(smoke, dt);
    bw_smoke_hold_color(smoke);
    smoke->outcome.mass_carried =
        smoke->domain.is_foreseen ? bw_foreseen_total(&smoke->domain, &smoke->density) : bw_smoke_mass(smoke);
    count_what_left(smoke, stats);
    return BW_OK;
}

static BwResult smoke_step(void *solver, double time, double dt, BwStats *stats, BwError *err)
{
    BwSmoke *smoke = solver;
    BwStageClock clock = bw_stage_clock(stats);
    bw_stage(&clock, "tiles");
    bw_projection_begin_step(&smoke->projection);
    bw_smoke_begin_measures(smoke, time, dt, stats);
    BW_TRY(look_up_wind(smoke, time, err));
    BW_TRY(bw_smoke_follow(smoke, time, dt, stats, err));
    bw_smoke_mark_held(smoke, time); // where they were last filled, before solids move on
    // Paths are followed past solids that move from where they were to where they will be.
    bool must_measure;
    BW_TRY(move_solids(smoke, time, dt, &must_measure, err));
    BW_TRY(bw_obey_stop(smoke->stop, err));
    bw_stage(&clock, "advect");
    BW_TRY(carry(smoke, time, dt, stats, err));
    BW_TRY(bw_obey_stop(smoke->stop, err));
    bw_stage(&clock, "solids");
    BW_TRY(bw_smoke_set_walls(smoke, time + dt, err));
    bw_smoke_label(smoke, must_measure);
    bw_smoke_clear_solids(smoke, stats);
    BW_TRY(bw_obey_stop(smoke->stop, err));
    bw_stage(&clock, "sources");
    bw_smoke_decay(smoke, dt, stats);
    stats->removed[BW_REMOVED_OPEN] += bw_hold_outside(&smoke->domain, &smoke->velocity, &smoke->density,
                                                       &smoke->temperature, smoke->scene->smoke.ambient);
    BwSourceFields fields = bw_smoke_fields(smoke);
    BW_TRY(bw_scene_run_sources(smoke->scene, &fields, time, dt, stats, err));
    bw_smoke_end_color(smoke);
    if (smoke->has_conduction) {
        bw_stage(&clock, "conduction");
        BW_TRY(bw_smoke_conduct(smoke, stats, err));
    }
    BW_TRY(bw_obey_stop(smoke->stop, err));
    bw_stage(&clock, "forces");
    BW_TRY(bw_smoke_reflects(smoke) ? finish_forces(smoke, time, dt, err) : add_forces(smoke, time, dt, err));
    set_wall_velocity(smoke);
    if (smoke->has_friction) {
        bw_stage(&clock, "viscosity");
        BW_TRY(bw_smoke_rub(smoke, dt, stats, err));
    }
    if (smoke->scene->smoke.subgrid > 0.0f) {
        bw_stage(&clock, "subgrid");
        bw_smoke_drain_subgrid(smoke, dt);
    }
    BW_TRY(bw_obey_stop(smoke->stop, err));
    BW_TRY(bw_smoke_prescribe(smoke, time, err));
    bw_stage(&clock, "pressure");
    if (smoke->is_whole_box)
        BW_TRY(bw_scene_walls_check_balance(&smoke->domain, &smoke->velocity, time, err));
    bool has_push = smoke->has_push && !bw_smoke_reflects(smoke);
    if (has_push)
        bw_push_begin(&smoke->domain, &smoke->push, &smoke->velocity);
    BW_TRY(project(smoke, stats, err));
    if (has_push)
        bw_push_end(&smoke->domain, &smoke->push, &smoke->velocity, (float)dt);
    extend_into_solids(smoke);
    smoke->max_speed = bw_velocity_max(&smoke->domain, &smoke->velocity);
    bw_stage(&clock, NULL);
    return BW_OK;
}

static BwResult smoke_frame(void *solver, const BwRecord *kept, BwFrame *frame, BwError *err)
{
    BwSmoke *smoke = solver;
    const BwSolidFaces *faces = &smoke->solid_faces;
    BwFrameSource sources[BW_FRAME_FIELDS_MAX] = {
        {"density", "1", &smoke->density, NULL},
        {"temperature", "K", &smoke->temperature, NULL},
        {"fluid", "1", NULL, &smoke->domain.fluid},
    };
    static const char *const names[3][3] = {
        {"u", "open_u", "solid_u"}, {"v", "open_v", "solid_v"}, {"w", "open_w", "solid_w"}};
    int count = 3;
    if (smoke->domain.cut != NULL)
        sources[count++] = (BwFrameSource){"solid", "1", NULL, &smoke->domain.solid};
    for (int a = 0; a < smoke->grid->dimension; a++) {
        sources[count++] = (BwFrameSource){names[a][0], "m/s", &smoke->velocity.u[a], NULL};
        if (smoke->domain.cut == NULL)
            continue;
        sources[count++] = (BwFrameSource){names[a][1], "1", &faces->open[a], NULL};
        sources[count++] = (BwFrameSource){names[a][2], "m/s", &faces->speed[a], NULL};
    }
    static const char *const color[3] = {"color_r", "color_g", "color_b"};
    for (int c = 0; c < 3 && smoke->color.is_used; c++)
        sources[count++] = (BwFrameSource){color[c], "1", &smoke->color.field[c], NULL};
    bw_smoke_tell_pressure(smoke);
    if (smoke->has_pressure)
        sources[count++] = (BwFrameSource){"pressure", "Pa", &smoke->pressure, NULL};
    BW_TRY(bw_frame_copy(&smoke->frame, frame, smoke->grid, smoke->pool, kept, sources, count, err));
    bw_scene_solids_show(&smoke->solids, frame);
    return BW_OK;
}

static bool is_closed(const BwSmoke *smoke)
{
    const BwDomain *domain = &smoke->domain;
    for (int side = 0; side < 2 * smoke->grid->dimension; side++)
        if (domain->side[side].kind != BW_WALL_CLOSED && smoke->grid->period[side / 2] == 0)
            return false;
    return smoke->is_whole_box;
}

static BwResult smoke_drive(void *solver, double time, BwDrive *drive, BwError *err)
{
    BwSmoke *smoke = solver;
    *drive = (BwDrive){.speed = bw_length(smoke->wind),
                       .feed = 2.0f * smoke->scene->smoke.confinement, // h |curl u| is 2 u at most
                       .length = bw_scene_drive_length(smoke->scene, smoke->grid),
                       .is_closed = is_closed(smoke)};
    float speed; // counts the flow's own
    BW_TRY(bw_scene_drive(smoke->scene, smoke->solids.poses, smoke->solids_dt, time, drive, err));
    return bw_smoke_limits(smoke, time, &speed, &drive->acceleration, err); // forces, heat and smoke
}

static BwVec3 smoke_fastest_place(void *solver)
{
    const BwSmoke *smoke = solver;
    return bw_fastest_place(smoke->grid, &smoke->velocity);
}

const BwSolverType bw_smoke_solver = {
    .fluid = BW_FLUID_SMOKE,
    .create = smoke_create,
    .destroy = smoke_destroy,
    .step_limit = smoke_step_limit,
    .step = smoke_step,
    .measure = bw_smoke_measure,
    .drive = smoke_drive,
    .fastest_place = smoke_fastest_place,
    .frame = smoke_frame,
    .check = bw_smoke_check,
    .save = bw_smoke_save,
    .load = bw_smoke_load,
    .agree = bw_smoke_agree,
};
