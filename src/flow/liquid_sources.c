// What the scene's sources are in a step: curves looked up, spouts aimed, clocks wound.
#include "flow/liquid_sources.h"

#include "domain/measure.h"
#include "domain/sections.h"
#include "flow/scene_box.h"
#include "operate/emit.h"
#include "operate/field_math.h"
#include "operate/liquid_sources.h"
#include "scene/curve.h"
#include "solid/motion.h"

#include <math.h>
#include <string.h>

// Far enough for anything a scene means: what has no end is cut off there, in cells.
static const int32_t endless_cells = 512;

static bool side_may_be(const BwSceneDef *scene, int side, BwWallKind kind)
{
    const BwWallSideDef *def = &scene->walls.side[side];
    if (!scene->has_walls || side >= 2 * scene->dimension || scene->walls.periodic[side / 2])
        return false;
    return bw_curve_is_given(&def->kind_curve) ? bw_curve_may_be(&def->kind_curve, (float)kind)
                                               : def->kind == kind;
}

static bool side_lets_in(const BwSceneDef *scene, int side)
{
    return side_may_be(scene, side, BW_WALL_INFLOW);
}

static bool side_lets_out(const BwSceneDef *scene, int side)
{
    return side_may_be(scene, side, BW_WALL_OUTFLOW);
}

bool bw_liquid_has_sources(const BwSceneDef *scene)
{
    bool has_any = scene->emitter_count > 0 || scene->sink_count > 0 || scene->pump_count > 0;
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        has_any |= side_lets_in(scene, side) || side_lets_out(scene, side);
    return has_any;
}

BwLiquidEmission bw_liquid_emission(const BwEmitterDef *emitter)
{
    if (emitter->kind == BW_EMIT_BLOB)
        return BW_EMITS_BLOB;
    bool is_stream = emitter->kind == BW_EMIT_SPOUT || bw_shape_is_flat(&emitter->shape) ||
                     !bw_curve_is_given(&emitter->flow);
    return is_stream ? BW_EMITS_STREAM : BW_EMITS_VOLUME;
}

float bw_liquid_unit(const BwSceneDef *scene)
{
    float per_axis = (float)scene->liquid.particles_per_cell;
    return 1.0f / (per_axis * per_axis * (scene->dimension == 3 ? per_axis : 1.0f));
}

static BwSpoutDef spout_def(const BwLiquidSources *sources, const BwShape *shape, BwVec3 direction)
{
    const BwGrid *grid = sources->flow->grid;
    return (BwSpoutDef){.shape = shape,
                        .direction = direction,
                        .within = bw_grid_box(grid),
                        .dimension = grid->dimension,
                        .spacing = sources->spacing};
}

static BwResult aim(BwLiquidSources *sources, int n, BwVec3 direction, BwError *err)
{
    BwSpoutDef def = spout_def(sources, &sources->shapes[n], direction);
    return bw_spout_aim(&sources->spouts[n], &sources->flow->allocator, &def, err);
}

static void *allocate(BwLiquidSources *sources, int count, size_t size)
{
    return bw_alloc_zeroed(&sources->flow->allocator, (size_t)count * size, BW_ALIGN);
}

static BwResult allocate_lists(BwLiquidSources *sources, BwError *err)
{
    const BwSceneDef *scene = sources->scene;
    sources->count = scene->emitter_count + BW_SIDE_COUNT;
    sources->clocks = sources->count + scene->sink_count;
    sources->clock = allocate(sources, sources->clocks, sizeof *sources->clock);
    sources->steps = allocate(sources, sources->count, sizeof *sources->steps);
    sources->spouts = allocate(sources, sources->count, sizeof *sources->spouts);
    sources->shapes = allocate(sources, scene->emitter_count + 1, sizeof *sources->shapes);
    sources->boxes = allocate(sources, sources->count + scene->pump_count, sizeof *sources->boxes);
    sources->drained = allocate(sources, 2 * scene->sink_count + 1, sizeof *sources->drained);
    bool is_short = sources->clock == NULL || sources->steps == NULL || sources->spouts == NULL ||
                    sources->shapes == NULL || sources->boxes == NULL || sources->drained == NULL;
    return is_short ? bw_fail_memory(err) : BW_OK;
}

static BwResult create_fields(BwLiquidSources *sources, BwError *err)
{
    BwGrid *grid = sources->flow->grid;
    BW_TRY(bw_field_create(&sources->divergence, grid, BW_AT_CELL, 0.0f, err));
    sources->has_divergence = true;
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        if (side_lets_out(sources->scene, side) && !sources->has_pressure) {
            BW_TRY(bw_field_create(&sources->pressure, grid, BW_AT_CELL, 0.0f, err));
            sources->has_pressure = true;
        }
    return BW_OK;
}

// Where an emitter is; one that moves is aimed anew.
static BwResult place_shape(BwLiquidSources *sources, int n, double time, BwError *err)
{
    const BwEmitterDef *emitter = &sources->scene->emitters[n];
    BwVec3 offset;
    sources->shapes[n] = emitter->shape;
    if (!bw_curve_is_given(&emitter->offset))
        return BW_OK;
    BW_TRY(bw_curve_vector_at(&emitter->offset, time, &offset, err));
    sources->shapes[n] = bw_translate(&emitter->shape, offset);
    sources->spouts[n].direction = bw_vec3(0.0f, 0.0f, 0.0f);
    return BW_OK;
}

// How fast it moves between two moments, m/s.
static BwResult find_motion(const BwEmitterDef *emitter, double from, double to, BwVec3 *motion, BwError *err)
{
    BwVec3 before, after;
    *motion = bw_vec3(0.0f, 0.0f, 0.0f);
    if (!bw_curve_is_given(&emitter->offset))
        return BW_OK;
    BW_TRY(bw_curve_vector_at(&emitter->offset, from, &before, err));
    BW_TRY(bw_curve_vector_at(&emitter->offset, to, &after, err));
    *motion = bw_mul(bw_sub(after, before), (float)(1.0 / (to - from)));
    return BW_OK;
}

// Emitters that are given a flow have a direction of their own.
static BwVec3 direction_by_flow(const BwEmitterDef *emitter)
{
    BwVec3 down = bw_vec3(0.0f, -1.0f, 0.0f), normal = bw_flat_normal(&emitter->shape);
    return bw_length(normal) > 0.0f ? bw_normalize(normal) : down;
}

static BwResult aim_by_flow(BwLiquidSources *sources, int n, BwError *err)
{
    const BwEmitterDef *emitter = &sources->scene->emitters[n];
    return bw_curve_is_given(&emitter->flow) ? aim(sources, n, direction_by_flow(emitter), err) : BW_OK;
}

BwResult bw_liquid_sources_create(BwLiquidSources *sources, const BwLiquidSourcesDef *def, BwError *err)
{
    const BwSceneDef *scene = def->flow->scene;
    *sources =
        (BwLiquidSources){.scene = scene,
                          .flow = def->flow,
                          .phi = def->phi,
                          .liquid = def->liquid,
                          .terms = def->terms,
                          .in_liquid_alone = def->in_liquid_alone,
                          .spacing = scene->cell / (float)scene->liquid.particles_per_cell,
                          .seed_volume = (double)bw_liquid_unit(scene) * bw_cell_volume(def->flow->grid)};
    BW_TRY(bw_liquid_controls_create(&sources->controls, def->flow, err));
    BW_TRY(bw_applied_pressure_create(&sources->applied, def->flow, err));
    if (!bw_liquid_has_sources(scene))
        return BW_OK;
    BW_TRY(allocate_lists(sources, err));
    BW_TRY(create_fields(sources, err));
    for (int n = 0; n < scene->emitter_count; n++) {
        BW_TRY(place_shape(sources, n, 0.0, err));
        BW_TRY(aim_by_flow(sources, n, err));
    }
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        if (side_lets_in(scene, side))
            BW_TRY(bw_spout_cover_side(&sources->spouts[scene->emitter_count + side],
                                       &sources->flow->allocator, &sources->flow->domain, side,
                                       scene->liquid.particles_per_cell, err));
    return BW_OK;
}

void bw_liquid_sources_destroy(BwLiquidSources *sources)
{
    if (sources->scene == NULL)
        return;
    const BwAllocator *allocator = &sources->flow->allocator;
    bw_liquid_controls_destroy(&sources->controls);
    int pumps = sources->scene->pump_count, sinks = sources->scene->sink_count;
    for (int n = 0; n < sources->count && sources->spouts != NULL; n++)
        bw_spout_free(&sources->spouts[n], allocator);
    bw_free(allocator, sources->clock, (size_t)sources->clocks * sizeof *sources->clock, BW_ALIGN);
    bw_free(allocator, sources->steps, (size_t)sources->count * sizeof *sources->steps, BW_ALIGN);
    bw_free(allocator, sources->spouts, (size_t)sources->count * sizeof *sources->spouts, BW_ALIGN);
    bw_free(allocator, sources->shapes, (size_t)(sources->scene->emitter_count + 1) * sizeof *sources->shapes,
            BW_ALIGN);
    bw_free(allocator, sources->boxes, (size_t)(sources->count + pumps) * sizeof *sources->boxes, BW_ALIGN);
    bw_free(allocator, sources->drained, (size_t)(2 * sinks + 1) * sizeof *sources->drained, BW_ALIGN);
    bw_field_destroy(&sources->divergence);
    bw_field_destroy(&sources->pressure);
    bw_applied_pressure_destroy(&sources->applied);
}

// The area that a given flow comes out by at a moment, m^2. Where a shape moves, walls may cut it: it is
// found anew then, for a checkpoint does not hold where it was last.
static BwResult find_flow_area(const BwLiquidSources *sources, int n, double time, double *area, BwError *err)
{
    const BwEmitterDef *emitter = &sources->scene->emitters[n];
    BwVec3 offset;
    *area = sources->spouts[n].area;
    if (!bw_curve_is_given(&emitter->flow) || !bw_curve_is_given(&emitter->offset))
        return BW_OK;
    BW_TRY(bw_curve_vector_at(&emitter->offset, time, &offset, err));
    BwShape shape = bw_translate(&emitter->shape, offset);
    BwSpoutDef def = spout_def(sources, &shape, direction_by_flow(emitter));
    *area = bw_spout_area(&def);
    return BW_OK;
}

// A flow that comes up in a volume leaves it all around, and a cell around it at least: it is a divergence of
// cells.
static float speed_of_flow(const BwLiquidSources *sources, int n, double area, float flow)
{
    const BwGrid *grid = sources->flow->grid;
    double face = bw_cell_volume(grid) / (double)grid->cell_size;
    if (bw_liquid_emission(&sources->scene->emitters[n]) == BW_EMITS_VOLUME)
        area = 4.0 * fmax(area, face);
    return area > 0.0 ? (float)((double)flow / area) : 0.0f;
}

// What open air presses into a box of cells that is kept empty, m^3/s: through its sides, as fast as it
// drives the liquid into a vacuum (Torricelli). No pump draws more.
static double most_drawn(const BwLiquidSources *sources, const double cells[3])
{
    const double air = 101325.0; // Pa
    const BwGrid *grid = sources->flow->grid;
    double sides = cells[0] + cells[1];
    if (grid->dimension == 3)
        sides = cells[0] * cells[1] + cells[1] * cells[2] + cells[2] * cells[0];
    return 2.0 * sides * bw_cell_volume(grid) / (double)grid->cell_size *
           sqrt(2.0 * air / (double)sources->scene->liquid.density);
}

// A sink empties no more than the cells it reaches into in a step: the speed that keeps steps short enough
// for its flow, or for what can be drawn where it asks for more, by the box around its shape.
static BwResult add_sink_speed(const BwLiquidSources *sources, int n, double time, float *speed, BwError *err)
{
    const BwGrid *grid = sources->flow->grid;
    BwCellBox box = bw_liquid_source_cells(sources, &sources->scene->sinks[n].shape);
    double cells[3] = {1.0, 1.0, 1.0};
    float flow;
    BW_TRY(bw_curve_number_at(&sources->scene->sinks[n].flow, time, 0.0f, &flow, err));
    BwBox bounds = bw_shape_bounds(&sources->scene->sinks[n].shape);
    for (int a = 0; a < grid->dimension; a++) {
        float size = (bw_component(bounds.high, a) - bw_component(bounds.low, a)) / grid->cell_size;
        cells[a] = fmax(fmin((double)floorf(size), (double)(box.high[a] - box.low[a])), 1.0);
    }
    double drawn = fmin((double)flow, most_drawn(sources, cells));
    double rate = drawn / (cells[0] * cells[1] * cells[2] * bw_cell_volume(grid)); // 1/s
    *speed = fmaxf(*speed, (float)(rate * (double)(sources->scene->cfl * grid->cell_size)));
    return BW_OK;
}

BwResult bw_liquid_source_speed(const BwLiquidSources *sources, double from, double to, float *speed,
                                BwError *err)
{
    for (int n = 0; n < sources->scene->emitter_count; n++) {
        const BwEmitterDef *emitter = &sources->scene->emitters[n];
        double time = fmax(from, emitter->start);
        BwVec3 velocity, motion;
        float flow;
        bool is_past = emitter->kind == BW_EMIT_BLOB && emitter->start < from;
        if (time > to || time >= emitter->stop || is_past)
            continue;
        BW_TRY(bw_curve_vector_at(&emitter->velocity, time, &velocity, err));
        BW_TRY(bw_curve_number_at(&emitter->flow, time, 0.0f, &flow, err));
        BW_TRY(find_motion(emitter, time, fmax(to, time + 1e-3), &motion, err));
        double area;
        BW_TRY(find_flow_area(sources, n, time, &area, err));
        float along = fmaxf(bw_length(velocity), speed_of_flow(sources, n, area, flow));
        *speed = fmaxf(*speed, along + bw_length(motion));
    }
    for (int n = 0; n < sources->scene->sink_count; n++) {
        const BwSinkDef *sink = &sources->scene->sinks[n];
        double time = fmax(from, sink->start);
        if (time <= to && time < sink->stop && bw_curve_is_given(&sink->flow))
            BW_TRY(add_sink_speed(sources, n, time, speed, err));
    }
    return BW_OK;
}

static BwResult add_sink_flows(const BwSceneDef *scene, double time, double *flow, BwError *err)
{
    for (int n = 0; n < scene->sink_count; n++) {
        float taken = 0.0f;
        if (bw_is_on(scene->sinks[n].start, scene->sinks[n].stop, time))
            BW_TRY(bw_curve_number_at(&scene->sinks[n].flow, time, 0.0f, &taken, err));
        *flow += (double)taken;
    }
    return BW_OK;
}

// Water is not pressed together: all of it has to pass the narrowest section at once, at worst.
BwResult bw_liquid_forced_speed(const BwLiquidSources *sources, double time, float *speed, BwError *err)
{
    double flow = 0.0, area = 0.0;
    for (int n = 0; n < sources->count; n++)
        flow += sources->steps[n].is_on ? sources->steps[n].flow : 0.0;
    BW_TRY(add_sink_flows(sources->scene, time, &flow, err));
    if (!(flow > 0.0) || !sources->flow->grid->has_bounds)
        return BW_OK;
    BW_TRY(bw_narrowest_section(&sources->flow->domain, &sources->flow->allocator, &area, err));
    if (area > 0.0)
        *speed = fmaxf(*speed, (float)(flow / area));
    return BW_OK;
}

static BwResult plan_stream(BwLiquidSources *sources, int n, BwSourceStep *step, BwError *err)
{
    const BwSpout *spout = &sources->spouts[n];
    float speed = bw_length(step->velocity);
    if (bw_curve_is_given(&sources->scene->emitters[n].flow)) {
        speed = spout->area > 0.0 ? (float)(step->flow / spout->area) : 0.0f;
        step->velocity = bw_mul(spout->direction, speed);
        step->has_velocity = true;
    } else if (speed > 0.0f) {
        BW_TRY(aim(sources, n, bw_normalize(step->velocity), err));
        step->flow = spout->area * (double)speed;
    }
    step->is_on = step->flow > 0.0 && spout->count > 0;
    return BW_OK;
}

// A nozzle that jumps has no speed, but gives what comes out that of the step.
static BwResult note_jump(BwLiquidSources *sources, int n, const BwSourceStep *step, BwError *err)
{
    const BwEmitterDef *emitter = &sources->scene->emitters[n];
    BwMotionDef motion = {.position = emitter->offset};
    BwPose low = bw_pose_identity(), high = bw_pose_identity();
    double end = step->begin + step->seconds;
    float speed = bw_length(step->motion), distance;
    bool is_far = speed * (float)step->seconds > BW_JUMP_CELLS * sources->scene->cell;
    if (!is_far || sources->first_jump.distance > 0.0f)
        return BW_OK;
    BW_TRY(bw_curve_vector_at(&emitter->offset, step->begin, &low.position, err));
    BW_TRY(bw_curve_vector_at(&emitter->offset, end, &high.position, err));
    BW_TRY(bw_motion_find_jump(&motion, low, high, 0.0f, step->begin, step->seconds, &distance, err));
    sources->first_jump = (BwSolidJump){n, end, distance, speed};
    return BW_OK;
}

// No box can take in a step what fills it. Such a flow is a slip, and its particles would fill all memory.
static BwResult check_amount(const BwLiquidSources *sources, int n, double flow, double seconds, BwError *err)
{
    const BwGrid *grid = sources->flow->grid;
    double room = bw_cell_volume(grid);
    for (int a = 0; a < grid->dimension; a++)
        room *= (double)(grid->bounds.high[a] - grid->bounds.low[a]);
    if (!grid->has_bounds || !(flow * seconds > room))
        return BW_OK;
    return bw_fail(
        err, BW_ERR_DEF,
        "emitter %d gives %.3g m^3/s: %.3g m^3 in a step of %.3g s, and the box holds %.3g m^3; give it "
        "less, or more room",
        n + 1, flow, flow * seconds, seconds, room);
}

// What an emitter does in a step: curves are looked up in the middle of the time that it is on.
static BwResult plan_emitter(BwLiquidSources *sources, int n, double time, double dt, BwError *err)
{
    const BwEmitterDef *emitter = &sources->scene->emitters[n];
    BwSourceStep *step = &sources->steps[n];
    BwLiquidEmission emission = bw_liquid_emission(emitter);
    double begin = fmax(time, emitter->start), end = fmin(time + dt, emitter->stop);
    float flow;
    *step = (BwSourceStep){.begin = begin, .seconds = end - begin};
    if (!(end > begin) || (emission == BW_EMITS_BLOB && emitter->start < time))
        return BW_OK; // a blob comes out when it starts, and again when a program switches it on again
    double middle = emission == BW_EMITS_BLOB ? begin : 0.5 * (begin + end);
    BW_TRY(bw_curve_vector_at(&emitter->velocity, middle, &step->velocity, err));
    BW_TRY(bw_curve_number_at(&emitter->flow, middle, 0.0f, &flow, err));
    step->has_velocity = bw_curve_is_given(&emitter->velocity);
    step->flow = (double)flow;
    step->is_on = emission == BW_EMITS_BLOB || flow > 0.0f;
    BW_TRY(place_shape(sources, n, middle, err));
    BW_TRY(find_motion(emitter, begin, end, &step->motion, err));
    BW_TRY(note_jump(sources, n, step, err));
    BW_TRY(aim_by_flow(sources, n, err)); // a program may have moved it
    if (emission == BW_EMITS_STREAM)
        BW_TRY(plan_stream(sources, n, step, err));
    step->velocity = bw_add(step->velocity, step->motion);
    BW_TRY(check_amount(sources, n, step->flow, step->seconds, err));
    step->particles = step->flow * step->seconds / sources->seed_volume;
    return BW_OK;
}

static void add_box(BwLiquidSources *sources, BwCellBox box)
{
    sources->boxes[sources->box_count++] = box;
}

BwCellBox bw_liquid_source_cells(const BwLiquidSources *sources, const BwShape *shape)
{
    return bw_shape_cells(sources->flow->grid, shape, bw_pose_identity(), endless_cells);
}

// The cells along a side that lets liquid in.
static BwCellBox cells_of_side(const BwGrid *grid, int side)
{
    BwCellBox box = grid->bounds;
    int axis = side / 2;
    if (side % 2 == 0)
        box.high[axis] = box.low[axis] + 1;
    else
        box.low[axis] = box.high[axis] - 1;
    return box;
}

BwResult bw_liquid_sources_plan(BwLiquidSources *sources, double time, double dt, BwError *err)
{
    const BwSceneDef *scene = sources->scene;
    sources->box_count = 0;
    for (int n = 0; n < scene->emitter_count; n++) {
        BW_TRY(plan_emitter(sources, n, time, dt, err));
        if (sources->steps[n].is_on)
            add_box(sources, bw_liquid_source_cells(sources, &sources->shapes[n]));
    }
    for (int n = 0; n < scene->pump_count; n++)
        if (bw_is_on(scene->pumps[n].start, scene->pumps[n].stop, time))
            add_box(sources, bw_liquid_source_cells(sources, &scene->pumps[n].shape));
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        if (side_lets_in(scene, side))
            add_box(sources, cells_of_side(sources->flow->grid, side));
    return BW_OK;
}

// What sides of the box let in is what their faces are given, as it is in the middle of the step.
static void plan_sides(BwLiquidSources *sources, double time, double dt)
{
    for (int side = 0; side < BW_SIDE_COUNT; side++) {
        const BwBoxSide *now = &sources->flow->domain.side[side];
        int n = sources->scene->emitter_count + side;
        const BwSpout *spout = &sources->spouts[n];
        float speed = bw_dot(now->velocity, spout->direction);
        BwSourceStep *step = &sources->steps[n];
        *step = (BwSourceStep){.begin = time, .seconds = dt, .has_velocity = true, .velocity = now->velocity};
        bool draws = side_lets_in(sources->scene, side) && now->kind == BW_WALL_INFLOW && speed < 0.0f;
        sources->drawn[side] =
            draws ? bw_liquid_wet_area(sources->phi, &sources->flow->domain, side) * (double)-speed : 0.0;
        if (!side_lets_in(sources->scene, side) || now->kind != BW_WALL_INFLOW || !(speed > 0.0f))
            continue;
        step->is_on = true;
        step->flow = spout->area * (double)speed;
        step->particles = step->flow * dt / sources->seed_volume;
    }
}

static BwStamp stamp_of(const BwLiquidSources *sources, const BwShape *shape)
{
    return (BwStamp){.shape = shape, .pose = bw_pose_identity(), .plate = sources->flow->grid->cell_size};
}

// Where nothing is behind a spout that the liquid could come from, or liquid that stays, what comes out
// pushes the liquid before it away. A stream in the air makes room by itself.
static void push_stream(BwLiquidSources *sources, const BwSpout *spout, double flow)
{
    const BwDomain *domain = &sources->flow->domain;
    BwVec3 cell = bw_mul(spout->direction, domain->grid->cell_size);
    for (int64_t p = 0; p < spout->count; p++) {
        if (bw_liquid_kind_at(sources->phi, domain, bw_sub(spout->points[p], cell)) == BW_POINT_AIR)
            continue;
        bw_divergence_add_point(&sources->divergence, domain, bw_add(spout->points[p], bw_mul(cell, 0.5f)),
                                flow / (double)spout->count);
        sources->is_divergent = true;
    }
}

static void push_emitter(BwLiquidSources *sources, int n)
{
    const BwEmitterDef *emitter = &sources->scene->emitters[n];
    const BwSourceStep *step = &sources->steps[n];
    BwLiquidEmission emission = bw_liquid_emission(emitter);
    if (!step->is_on || emission == BW_EMITS_BLOB)
        return;
    if (emission == BW_EMITS_STREAM) {
        push_stream(sources, &sources->spouts[n], step->flow);
        return;
    }
    BwStamp stamp = stamp_of(sources, &emitter->shape);
    stamp.kept = &sources->flow->coverage[n];
    bw_divergence_add_shape(&sources->divergence, &sources->flow->domain, &stamp, step->flow,
                            sources->in_liquid_alone);
    sources->is_divergent = true;
}

bool bw_liquid_spring_is_dry(BwLiquidSources *sources, int n, double *room)
{
    const BwDomain *domain = &sources->flow->domain;
    BwStamp stamp = stamp_of(sources, &sources->scene->emitters[n].shape);
    stamp.kept = &sources->flow->coverage[n];
    *room = bw_divergence_add_shape(&sources->divergence, domain, &stamp, 0.0, false);
    return !(bw_divergence_add_shape(&sources->divergence, domain, &stamp, 0.0, true) > 0.0);
}

// Cells before the mouth of an emitter in which a wall is in its way.
enum { CLEARANCE = 4 };

static bool is_blocked(const BwLiquidSources *sources, int n)
{
    const BwSpout *spout = &sources->spouts[n];
    const BwDomain *domain = &sources->flow->domain;
    int64_t blocked = 0;
    for (int64_t p = 0; p < spout->count; p++) {
        bool is_met = false;
        for (int cell = 0; cell <= CLEARANCE && !is_met; cell++) {
            BwVec3 way = bw_mul(spout->direction, (float)cell * domain->grid->cell_size);
            is_met =
                bw_liquid_kind_at(sources->phi, domain, bw_add(spout->points[p], way)) == BW_POINT_BLOCKED;
        }
        blocked += is_met;
    }
    return 2 * blocked > spout->count;
}

int bw_liquid_blocked_emitter(const BwLiquidSources *sources)
{
    for (int n = 0; n < sources->scene->emitter_count && sources->steps != NULL; n++)
        if (sources->steps[n].is_on && bw_liquid_emission(&sources->scene->emitters[n]) == BW_EMITS_STREAM &&
            is_blocked(sources, n))
            return n + 1;
    return 0;
}

bool bw_liquid_sink_is_open(const BwLiquidSources *sources, int n)
{
    const BwSinkDef *sink = &sources->scene->sinks[n];
    return bw_is_on(sink->start, sink->stop, sources->flow->walls_time);
}

BwStamp bw_liquid_sink_stamp(const BwLiquidSources *sources, int n)
{
    BwStamp stamp = stamp_of(sources, &sources->scene->sinks[n].shape);
    stamp.kept = &sources->flow->coverage[sources->scene->emitter_count + sources->scene->pump_count + n];
    return stamp;
}

BwResult bw_liquid_sink_flow(const BwLiquidSources *sources, int n, double dt, double *flow, BwError *err)
{
    float asked;
    BW_TRY(bw_curve_number_at(&sources->scene->sinks[n].flow, sources->flow->walls_time, 0.0f, &asked, err));
    *flow = fmin((double)asked, sources->drained[sources->scene->sink_count + n] / dt);
    return BW_OK;
}

static BwResult pull_sink(BwLiquidSources *sources, int n, double dt, BwError *err)
{
    const BwDomain *domain = &sources->flow->domain;
    double flow;
    if (!bw_liquid_sink_is_open(sources, n) || !bw_curve_is_given(&sources->scene->sinks[n].flow))
        return BW_OK;
    BwStamp stamp = bw_liquid_sink_stamp(sources, n);
    sources->drained[n] = bw_divergence_add_shape(&sources->divergence, domain, &stamp, 0.0, true);
    sources->drained[sources->scene->sink_count + n] =
        sources->drained[n] > 0.0 ? bw_liquid_touched(domain, &stamp) : 0.0;
    BW_TRY(bw_liquid_sink_flow(sources, n, dt, &flow, err));
    bw_divergence_add_shape(&sources->divergence, domain, &stamp, -flow, true);
    sources->is_divergent |= flow > 0.0;
    return BW_OK;
}

static BwResult look_at_outflows(const BwLiquidSources *sources, double time, BwOutflowDef *def, BwError *err)
{
    *def = (BwOutflowDef){.phi = sources->phi,
                          .velocity = &sources->flow->velocity,
                          .density = sources->scene->liquid.density,
                          .states = sources->outside,
                          .is_from_centers = sources->scene->liquid.scheme == BW_SCHEME_EXPLICIT &&
                                             sources->scene->liquid.method == BW_LIQUID_MARKERS};
    return bw_curve_vector_at(&sources->scene->gravity, time, &def->gravity, err);
}

BwResult bw_liquid_sources_start(BwLiquidSources *sources, BwError *err)
{
    BwOutflowDef def;
    BW_TRY(look_at_outflows(sources, 0.0, &def, err));
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        if (side_lets_out(sources->scene, side))
            sources->outside[side] = bw_outflow_state(&sources->flow->domain, &def, side);
    return BW_OK;
}

BwResult bw_liquid_sources_act(BwLiquidSources *sources, double time, double dt, BwError *err)
{
    BwOutflowDef outflow;
    sources->has_outflow = false;
    if (!sources->has_divergence)
        return BW_OK;
    plan_sides(sources, time, dt);
    sources->is_divergent = false;
    bw_divergence_clear(&sources->divergence, &sources->flow->domain);
    for (int n = 0; n < sources->scene->emitter_count; n++)
        push_emitter(sources, n);
    for (int n = 0; n < sources->scene->sink_count; n++)
        BW_TRY(pull_sink(sources, n, dt, err));
    BW_TRY(look_at_outflows(sources, time, &outflow, err));
    for (int side = 0; side < BW_SIDE_COUNT && sources->has_pressure; side++)
        sources->has_outflow |= sources->flow->domain.side[side].kind == BW_WALL_OUTFLOW;
    if (sources->has_outflow)
        bw_outflow_pressure(&sources->pressure, &sources->flow->domain, &outflow);
    return BW_OK;
}

void bw_liquid_sources_push(BwLiquidSources *sources, float seconds)
{
    if (sources->has_outflow) {
        sources->terms->surface = &sources->pressure;
        sources->terms->reference = sources->scene->liquid.density;
        sources->terms->dt = seconds;
    }
}

void bw_liquid_sources_pull(BwLiquidSources *sources)
{
    sources->terms->divergence = NULL;
    sources->terms->surface = NULL;
}

void bw_liquid_sources_add_divergence(const BwLiquidSources *sources, BwField *divergence)
{
    if (sources->is_divergent)
        bw_field_add(&sources->flow->domain, &sources->divergence, divergence);
}

void bw_liquid_sources_carve(BwLiquidSources *sources)
{
    for (int n = 0; n < sources->scene->sink_count; n++)
        if (bw_liquid_sink_is_open(sources, n) && !bw_curve_is_given(&sources->scene->sinks[n].flow))
            bw_liquid_carve(sources->phi, sources->liquid, &sources->flow->domain,
                            &sources->scene->sinks[n].shape);
}

BwResult bw_liquid_sources_save(const BwLiquidSources *sources, BwRecord *record, BwError *err)
{
    void *values;
    BW_TRY(bw_applied_pressure_save(&sources->applied, record, err));
    if (!sources->has_divergence)
        return BW_OK;
    BW_TRY(bw_record_add(record, "source_clocks", BW_RECORD_DOUBLE, sources->clocks, 1, &values, err));
    memcpy(values, sources->clock, (size_t)sources->clocks * sizeof *sources->clock);
    BW_TRY(bw_record_add(record, "side_clocks", BW_RECORD_DOUBLE, BW_SIDE_COUNT, 1, &values, err));
    memcpy(values, sources->owed, sizeof sources->owed);
    return bw_record_add_number(record, "emitted_particles", sources->emitted, err);
}

// What was emitted is what the clocks passed, or less where something was in the way; sinks owe or are owed a
// particle.
static BwResult agree_on_clocks(const BwLiquidSources *sources, BwError *err)
{
    double passed = 0.0;
    for (int n = 0; n < sources->clocks; n++) {
        bool emits = n < sources->count;
        double least = emits ? 0.0 : -64.0, most = emits ? (double)INT32_MAX : 1.0;
        if (!(sources->clock[n] >= least && sources->clock[n] <= most))
            return bw_fail(err, BW_ERR_FORMAT, "\"source_clocks\" of the state holds %.9g particles",
                           sources->clock[n]);
        passed += emits ? sources->clock[n] + 1.0 : 0.0;
    }
    if (!(sources->emitted >= 0.0 && sources->emitted <= passed) ||
        sources->emitted != floor(sources->emitted))
        return bw_fail(err, BW_ERR_FORMAT,
                       "\"emitted_particles\" of the state is %.9g; its sources have had %.9g to emit",
                       sources->emitted, passed);
    return BW_OK;
}

// States from before sides had clocks have none.
static BwResult load_side_clocks(BwLiquidSources *sources, const BwRecord *record, BwError *err)
{
    int64_t rows = BW_SIDE_COUNT;
    const void *values;
    memset(sources->owed, 0, sizeof sources->owed);
    if (!bw_record_has(record, "side_clocks"))
        return BW_OK;
    BW_TRY(bw_record_find(record, "side_clocks", BW_RECORD_DOUBLE, &rows, 1, &values, err));
    memcpy(sources->owed, values, sizeof sources->owed);
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        if (!(fabs(sources->owed[side]) <= (side_lets_in(sources->scene, side) ? (double)INT32_MAX : 0.0)))
            return bw_fail(err, BW_ERR_FORMAT, "\"side_clocks\" of the state holds %.9g particles",
                           sources->owed[side]);
    return BW_OK;
}

BwResult bw_liquid_sources_load(BwLiquidSources *sources, const BwRecord *record, BwError *err)
{
    int64_t rows = sources->clocks;
    const void *values;
    BW_TRY(bw_applied_pressure_load(&sources->applied, record, err));
    if (!sources->has_divergence)
        return BW_OK;
    BW_TRY(bw_record_find(record, "source_clocks", BW_RECORD_DOUBLE, &rows, 1, &values, err));
    memcpy(sources->clock, values, (size_t)sources->clocks * sizeof *sources->clock);
    BW_TRY(bw_record_find_number(record, "emitted_particles", &sources->emitted, err));
    BW_TRY(load_side_clocks(sources, record, err));
    return agree_on_clocks(sources, err);
}
