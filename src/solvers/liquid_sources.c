// What the scene's sources are in a step: curves looked up, spouts aimed, clocks wound.
#include "solvers/liquid_sources.h"

#include "domain/measure.h"
#include "domain/sections.h"
#include "operate/emit.h"
#include "operate/liquid_sources.h"
#include "particle/drain.h"
#include "scene/curve.h"
#include "solvers/liquid.h"
#include "solvers/liquid_emission.h"

#include <math.h>
#include <string.h>

// Far enough for anything a scene means: what has no end is cut off there, in cells.
static const int32_t endless_cells = 512;

// What a cell behind an outflow holds, cells; less is only uneven.
static const double outside_max = 1.5;

// A sink that has run dry catches up on this much at most, in particles.
static const double owed_max = 1.0;

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

// The box between the walls, or all there is.
static BwBox box_of(const BwGrid *grid)
{
    float h = grid->cell_size;
    if (!grid->has_bounds)
        return (BwBox){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    const int32_t *low = grid->bounds.low, *high = grid->bounds.high;
    return (BwBox){bw_vec3((float)low[0] * h, (float)low[1] * h, (float)low[2] * h),
                   bw_vec3((float)high[0] * h, (float)high[1] * h, (float)high[2] * h)};
}

float bw_liquid_spacing(const BwLiquid *liquid)
{
    return liquid->scene->cell / (float)liquid->scene->liquid.particles_per_cell;
}

static BwResult aim(BwLiquid *liquid, int n, BwVec3 direction, BwError *err)
{
    const BwGrid *grid = liquid->flow.grid;
    BwSpoutDef def = {.shape = &liquid->scene->emitters[n].shape,
                      .direction = direction,
                      .within = box_of(grid),
                      .dimension = grid->dimension,
                      .spacing = bw_liquid_spacing(liquid)};
    return bw_spout_aim(&liquid->sources.spouts[n], &liquid->allocator, &def, err);
}

static void *allocate(BwLiquid *liquid, int count, size_t size)
{
    return bw_alloc_zeroed(&liquid->allocator, (size_t)count * size, BW_ALIGN);
}

static BwResult allocate_lists(BwLiquid *liquid, BwError *err)
{
    BwLiquidSources *sources = &liquid->sources;
    const BwSceneDef *scene = liquid->scene;
    sources->count = scene->emitter_count + BW_SIDE_COUNT;
    sources->clocks = sources->count + scene->sink_count;
    sources->clock = allocate(liquid, sources->clocks, sizeof *sources->clock);
    sources->steps = allocate(liquid, sources->count, sizeof *sources->steps);
    sources->spouts = allocate(liquid, sources->count, sizeof *sources->spouts);
    sources->boxes = allocate(liquid, sources->count + scene->pump_count, sizeof *sources->boxes);
    sources->drained = allocate(liquid, scene->sink_count + 1, sizeof *sources->drained);
    bool is_short = sources->clock == NULL || sources->steps == NULL || sources->spouts == NULL ||
                    sources->boxes == NULL || sources->drained == NULL;
    return is_short ? bw_fail_memory(err) : BW_OK;
}

static BwResult create_fields(BwLiquid *liquid, BwError *err)
{
    BwLiquidSources *sources = &liquid->sources;
    BwGrid *grid = liquid->flow.grid;
    BW_TRY(bw_field_create(&sources->divergence, grid, BW_AT_CELL, 0.0f, err));
    sources->has_divergence = true;
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        if (side_lets_out(liquid->scene, side) && !sources->has_pressure) {
            BW_TRY(bw_field_create(&sources->pressure, grid, BW_AT_CELL, 0.0f, err));
            sources->has_pressure = true;
        }
    return BW_OK;
}

// Of emitters that are given a flow the area does not change.
static BwResult aim_by_flow(BwLiquid *liquid, int n, BwError *err)
{
    const BwEmitterDef *emitter = &liquid->scene->emitters[n];
    BwVec3 down = bw_vec3(0.0f, -1.0f, 0.0f), normal = bw_flat_normal(&emitter->shape);
    if (!bw_curve_is_given(&emitter->flow))
        return BW_OK;
    return aim(liquid, n, bw_length(normal) > 0.0f ? bw_normalize(normal) : down, err);
}

BwResult bw_liquid_sources_create(BwLiquid *liquid, BwError *err)
{
    const BwSceneDef *scene = liquid->scene;
    if (!bw_liquid_has_sources(scene))
        return BW_OK;
    BW_TRY(allocate_lists(liquid, err));
    BW_TRY(create_fields(liquid, err));
    for (int n = 0; n < scene->emitter_count; n++)
        BW_TRY(aim_by_flow(liquid, n, err));
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        if (side_lets_in(scene, side))
            BW_TRY(bw_spout_cover_side(&liquid->sources.spouts[scene->emitter_count + side],
                                       &liquid->allocator, &liquid->flow.domain, side,
                                       scene->liquid.particles_per_cell, err));
    return BW_OK;
}

void bw_liquid_sources_destroy(BwLiquid *liquid)
{
    BwLiquidSources *sources = &liquid->sources;
    const BwAllocator *allocator = &liquid->allocator;
    int pumps = liquid->scene->pump_count, sinks = liquid->scene->sink_count;
    for (int n = 0; n < sources->count && sources->spouts != NULL; n++)
        bw_spout_free(&sources->spouts[n], allocator);
    bw_free(allocator, sources->clock, (size_t)sources->clocks * sizeof *sources->clock, BW_ALIGN);
    bw_free(allocator, sources->steps, (size_t)sources->count * sizeof *sources->steps, BW_ALIGN);
    bw_free(allocator, sources->spouts, (size_t)sources->count * sizeof *sources->spouts, BW_ALIGN);
    bw_free(allocator, sources->boxes, (size_t)(sources->count + pumps) * sizeof *sources->boxes, BW_ALIGN);
    bw_free(allocator, sources->drained, (size_t)(sinks + 1) * sizeof *sources->drained, BW_ALIGN);
    bw_field_destroy(&sources->divergence);
    bw_field_destroy(&sources->pressure);
}

// A flow that comes up in a volume leaves it all around.
static float speed_of_flow(const BwEmitterDef *emitter, const BwSpout *spout, float flow)
{
    double sides = bw_liquid_emission(emitter) == BW_EMITS_VOLUME ? 4.0 : 1.0;
    return spout->area > 0.0 ? (float)((double)flow / (sides * spout->area)) : 0.0f;
}

BwResult bw_liquid_source_speed(const BwLiquid *liquid, double from, double to, float *speed, BwError *err)
{
    for (int n = 0; n < liquid->scene->emitter_count; n++) {
        const BwEmitterDef *emitter = &liquid->scene->emitters[n];
        double time = fmax(from, emitter->start);
        BwVec3 velocity;
        float flow;
        bool is_past = emitter->kind == BW_EMIT_BLOB && emitter->start < from;
        if (time > to || time >= emitter->stop || is_past)
            continue;
        BW_TRY(bw_curve_vector_at(&emitter->velocity, time, &velocity, err));
        BW_TRY(bw_curve_number_at(&emitter->flow, time, 0.0f, &flow, err));
        *speed = fmaxf(*speed, bw_length(velocity));
        *speed = fmaxf(*speed, speed_of_flow(emitter, &liquid->sources.spouts[n], flow));
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
BwResult bw_liquid_forced_speed(const BwLiquid *liquid, double time, float *speed, BwError *err)
{
    double flow = 0.0, area = 0.0;
    for (int n = 0; n < liquid->sources.count; n++)
        flow += liquid->sources.steps[n].is_on ? liquid->sources.steps[n].flow : 0.0;
    BW_TRY(add_sink_flows(liquid->scene, time, &flow, err));
    if (!(flow > 0.0) || !liquid->flow.grid->has_bounds)
        return BW_OK;
    BW_TRY(bw_narrowest_section(&liquid->flow.domain, &liquid->allocator, &area, err));
    if (area > 0.0)
        *speed = fmaxf(*speed, (float)(flow / area));
    return BW_OK;
}

double bw_liquid_seed_volume(const BwLiquid *liquid)
{
    return (double)bw_liquid_unit(liquid) * bw_cell_volume(liquid->flow.grid);
}

static BwResult plan_stream(BwLiquid *liquid, int n, BwSourceStep *step, BwError *err)
{
    const BwSpout *spout = &liquid->sources.spouts[n];
    float speed = bw_length(step->velocity);
    if (bw_curve_is_given(&liquid->scene->emitters[n].flow)) {
        speed = spout->area > 0.0 ? (float)(step->flow / spout->area) : 0.0f;
        step->velocity = bw_mul(spout->direction, speed);
        step->has_velocity = true;
    } else if (speed > 0.0f) {
        BW_TRY(aim(liquid, n, bw_normalize(step->velocity), err));
        step->flow = spout->area * (double)speed;
    }
    step->is_on = step->flow > 0.0 && spout->count > 0;
    return BW_OK;
}

// What an emitter does in a step: curves are looked up in the middle of the time that it is on.
static BwResult plan_emitter(BwLiquid *liquid, int n, double time, double dt, BwError *err)
{
    const BwEmitterDef *emitter = &liquid->scene->emitters[n];
    BwSourceStep *step = &liquid->sources.steps[n];
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
    BW_TRY(aim_by_flow(liquid, n, err)); // a program may have moved it
    if (emission == BW_EMITS_STREAM)
        BW_TRY(plan_stream(liquid, n, step, err));
    step->particles = step->flow * step->seconds / bw_liquid_seed_volume(liquid);
    return BW_OK;
}

static void add_box(BwLiquidSources *sources, BwCellBox box)
{
    sources->boxes[sources->box_count++] = box;
}

static BwCellBox cells_of(const BwLiquid *liquid, const BwShape *shape)
{
    return bw_shape_cells(liquid->flow.grid, shape, bw_pose_identity(), endless_cells);
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

BwResult bw_liquid_sources_plan(BwLiquid *liquid, double time, double dt, BwError *err)
{
    BwLiquidSources *sources = &liquid->sources;
    const BwSceneDef *scene = liquid->scene;
    sources->box_count = 0;
    for (int n = 0; n < scene->emitter_count; n++) {
        BW_TRY(plan_emitter(liquid, n, time, dt, err));
        if (sources->steps[n].is_on)
            add_box(sources, cells_of(liquid, &scene->emitters[n].shape));
    }
    for (int n = 0; n < scene->pump_count; n++)
        if (bw_is_on(scene->pumps[n].start, scene->pumps[n].stop, time))
            add_box(sources, cells_of(liquid, &scene->pumps[n].shape));
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        if (side_lets_in(scene, side))
            add_box(sources, cells_of_side(liquid->flow.grid, side));
    return BW_OK;
}

// What sides of the box let in is what their faces are given, as it is at the end of the step.
static void plan_sides(BwLiquid *liquid, double time, double dt)
{
    for (int side = 0; side < BW_SIDE_COUNT; side++) {
        const BwBoxSide *now = &liquid->flow.domain.side[side];
        int n = liquid->scene->emitter_count + side;
        const BwSpout *spout = &liquid->sources.spouts[n];
        float speed = bw_dot(now->velocity, spout->direction);
        BwSourceStep *step = &liquid->sources.steps[n];
        *step = (BwSourceStep){.begin = time, .seconds = dt, .has_velocity = true, .velocity = now->velocity};
        if (!side_lets_in(liquid->scene, side) || now->kind != BW_WALL_INFLOW || !(speed > 0.0f))
            continue;
        step->is_on = true;
        step->flow = spout->area * (double)speed;
        step->particles = step->flow * dt / bw_liquid_seed_volume(liquid);
    }
}

static BwStamp stamp_of(const BwLiquid *liquid, const BwShape *shape)
{
    return (BwStamp){.shape = shape, .pose = bw_pose_identity(), .plate = liquid->flow.grid->cell_size};
}

// Where nothing is behind a spout that the liquid could come from, or liquid that stays, what comes out
// pushes the liquid before it away. A stream in the air makes room by itself.
static void push_stream(BwLiquid *liquid, const BwSpout *spout, double flow)
{
    BwLiquidSources *sources = &liquid->sources;
    const BwDomain *domain = &liquid->flow.domain;
    BwVec3 cell = bw_mul(spout->direction, domain->grid->cell_size);
    for (int64_t p = 0; p < spout->count; p++) {
        if (bw_liquid_kind_at(&liquid->surface, domain, bw_sub(spout->points[p], cell)) == BW_POINT_AIR)
            continue;
        bw_divergence_add_point(&sources->divergence, domain, bw_add(spout->points[p], bw_mul(cell, 0.5f)),
                                flow / (double)spout->count);
        sources->is_divergent = true;
    }
}

static void push_emitter(BwLiquid *liquid, int n)
{
    BwLiquidSources *sources = &liquid->sources;
    const BwEmitterDef *emitter = &liquid->scene->emitters[n];
    const BwSourceStep *step = &sources->steps[n];
    BwLiquidEmission emission = bw_liquid_emission(emitter);
    if (!step->is_on || emission == BW_EMITS_BLOB)
        return;
    if (emission == BW_EMITS_STREAM) {
        push_stream(liquid, &sources->spouts[n], step->flow);
        return;
    }
    BwStamp stamp = stamp_of(liquid, &emitter->shape);
    stamp.kept = &liquid->flow.coverage[n];
    bw_divergence_add_shape(&sources->divergence, &liquid->flow.domain, &stamp, step->flow, false);
    sources->is_divergent = true;
}

static bool sink_is_open(const BwLiquid *liquid, int n)
{
    const BwSinkDef *sink = &liquid->scene->sinks[n];
    return bw_is_on(sink->start, sink->stop, liquid->flow.walls_time);
}

static BwStamp stamp_of_sink(const BwLiquid *liquid, int n)
{
    BwStamp stamp = stamp_of(liquid, &liquid->scene->sinks[n].shape);
    stamp.kept = &liquid->flow.coverage[liquid->scene->emitter_count + liquid->scene->pump_count + n];
    return stamp;
}

// What a sink draws out of the liquid, m^3/s: no more than it covers.
static BwResult flow_of_sink(const BwLiquid *liquid, int n, double dt, double *flow, BwError *err)
{
    float asked;
    BW_TRY(bw_curve_number_at(&liquid->scene->sinks[n].flow, liquid->flow.walls_time, 0.0f, &asked, err));
    *flow = fmin((double)asked, liquid->sources.drained[n] / dt);
    return BW_OK;
}

static BwResult pull_sink(BwLiquid *liquid, int n, double dt, BwError *err)
{
    BwLiquidSources *sources = &liquid->sources;
    const BwDomain *domain = &liquid->flow.domain;
    double flow;
    if (!sink_is_open(liquid, n) || !bw_curve_is_given(&liquid->scene->sinks[n].flow))
        return BW_OK;
    BwStamp stamp = stamp_of_sink(liquid, n);
    sources->drained[n] = bw_divergence_add_shape(&sources->divergence, domain, &stamp, 0.0, true);
    BW_TRY(flow_of_sink(liquid, n, dt, &flow, err));
    bw_divergence_add_shape(&sources->divergence, domain, &stamp, -flow, true);
    sources->is_divergent |= flow > 0.0;
    return BW_OK;
}

static BwResult look_at_outflows(const BwLiquid *liquid, double time, BwOutflowDef *def, BwError *err)
{
    *def = (BwOutflowDef){.phi = &liquid->surface.phi,
                          .velocity = &liquid->flow.velocity,
                          .density = liquid->scene->liquid.density,
                          .states = liquid->sources.outside};
    return bw_curve_vector_at(&liquid->scene->gravity, time, &def->gravity, err);
}

BwResult bw_liquid_sources_start(BwLiquid *liquid, BwError *err)
{
    BwOutflowDef def;
    BW_TRY(look_at_outflows(liquid, 0.0, &def, err));
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        if (side_lets_out(liquid->scene, side))
            liquid->sources.outside[side] = bw_outflow_state(&liquid->flow.domain, &def, side);
    return BW_OK;
}

BwResult bw_liquid_sources_act(BwLiquid *liquid, double time, double dt, BwError *err)
{
    BwLiquidSources *sources = &liquid->sources;
    BwOutflowDef outflow;
    sources->has_outflow = false;
    if (!sources->has_divergence)
        return BW_OK;
    plan_sides(liquid, time, dt);
    sources->is_divergent = false;
    bw_divergence_clear(&sources->divergence, &liquid->flow.domain);
    for (int n = 0; n < liquid->scene->emitter_count; n++)
        push_emitter(liquid, n);
    for (int n = 0; n < liquid->scene->sink_count; n++)
        BW_TRY(pull_sink(liquid, n, dt, err));
    BW_TRY(look_at_outflows(liquid, time, &outflow, err));
    for (int side = 0; side < BW_SIDE_COUNT && sources->has_pressure; side++)
        sources->has_outflow |= liquid->flow.domain.side[side].kind == BW_WALL_OUTFLOW;
    if (sources->has_outflow)
        bw_outflow_pressure(&sources->pressure, &liquid->flow.domain, &outflow);
    return BW_OK;
}

// Prescribes the velocity in the mouths of a spout that are not in the air, or opens those in front of
// solids.
static void visit_mouths(BwLiquid *liquid, int n, bool is_before)
{
    BwFlow *flow = &liquid->flow;
    const BwSourceStep *step = &liquid->sources.steps[n];
    const BwSpout *spout = &liquid->sources.spouts[n];
    BwVec3 cell = bw_mul(spout->direction, flow->grid->cell_size);
    if (!step->is_on || bw_liquid_emission(&liquid->scene->emitters[n]) != BW_EMITS_STREAM)
        return;
    for (int64_t p = 0; p < spout->count; p++) {
        BwVec3 mouth = bw_add(spout->points[p], bw_mul(cell, 0.5f));
        BwPointKind behind =
            bw_liquid_kind_at(&liquid->surface, &flow->domain, bw_sub(spout->points[p], cell));
        if (is_before && behind != BW_POINT_AIR)
            bw_mouth_prescribe(&flow->prescribed, &flow->domain, &flow->velocity, &liquid->sources.divergence,
                               mouth, step->velocity);
        if (!is_before && behind == BW_POINT_BLOCKED)
            bw_mouth_open(&flow->domain, &flow->velocity, mouth, step->velocity);
    }
}

BwResult bw_liquid_sources_prescribe(BwLiquid *liquid, double time, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    BwSourceFields fields = {
        .domain = &flow->domain, .velocity = &flow->velocity, .coverage = flow->coverage};
    if (flow->domain.prescribed == NULL)
        return BW_OK;
    BW_TRY(bw_scene_prescribe_pumps(liquid->scene, &fields, time, &flow->prescribed, err));
    for (int n = 0; n < liquid->scene->emitter_count && liquid->sources.is_divergent; n++)
        visit_mouths(liquid, n, true);
    return BW_OK;
}

void bw_liquid_sources_open_mouths(BwLiquid *liquid)
{
    for (int n = 0; n < liquid->scene->emitter_count && liquid->sources.is_divergent; n++)
        visit_mouths(liquid, n, false);
}

void bw_liquid_sources_push(BwLiquid *liquid, float seconds)
{
    BwLiquidSources *sources = &liquid->sources;
    if (sources->has_outflow) {
        liquid->terms.surface = &sources->pressure;
        liquid->terms.reference = liquid->scene->liquid.density;
        liquid->terms.dt = seconds;
    }
}

void bw_liquid_sources_pull(BwLiquid *liquid)
{
    liquid->terms.divergence = NULL;
    liquid->terms.surface = NULL;
}

void bw_liquid_sources_add_divergence(BwLiquid *liquid, BwField *divergence)
{
    if (liquid->sources.is_divergent)
        bw_divergence_add(divergence, &liquid->sources.divergence, &liquid->flow.domain);
}

void bw_liquid_sources_clear_core(BwLiquid *liquid, double dt)
{
    const BwGrid *grid = liquid->flow.grid;
    for (int n = 0; n < liquid->scene->emitter_count; n++) {
        const BwSourceStep *step = &liquid->sources.steps[n];
        if (!step->is_on || !step->has_velocity)
            continue;
        BwCellBox box = cells_of(liquid, &liquid->scene->emitters[n].shape);
        float reach = fminf(bw_length(step->velocity) * (float)dt / grid->cell_size, (float)endless_cells);
        for (int a = 0; a < grid->dimension; a++) {
            box.low[a] -= (int32_t)reach + 3;
            box.high[a] += (int32_t)reach + 3;
        }
        bw_core_keep_off(&liquid->core, &liquid->flow.domain, box);
    }
}

void bw_liquid_sources_carve(BwLiquid *liquid)
{
    for (int n = 0; n < liquid->scene->sink_count; n++)
        if (sink_is_open(liquid, n) && !bw_curve_is_given(&liquid->scene->sinks[n].flow))
            bw_liquid_surface_carve(&liquid->surface, &liquid->flow.domain, &liquid->scene->sinks[n].shape);
}

// A sink with a flow takes its part out of the core's accounts and the rest as particles, by its clock.
static BwResult drain_flow(BwLiquid *liquid, int n, double dt, double *removed, BwError *err)
{
    BwLiquidSources *sources = &liquid->sources;
    double *clock = &sources->clock[sources->count + n], unit = (double)bw_liquid_unit(liquid);
    double cell = bw_cell_volume(liquid->flow.grid), flow, core = 0.0;
    BwStamp stamp = stamp_of_sink(liquid, n);
    BW_TRY(flow_of_sink(liquid, n, dt, &flow, err));
    double wanted = flow * dt / cell;
    if (liquid->has_core)
        core = bw_core_drain(&liquid->core, &liquid->flow.domain, &stamp, sources->drained[n] / cell, wanted);
    *clock += (wanted - core) / unit;
    BW_TRY(bw_particles_drain(&liquid->particles, stamp.shape, *clock, removed, err));
    *clock = fmin(*clock - *removed, owed_max);
    *removed += core / unit;
    return BW_OK;
}

// The cells behind an outflow are outside: no pressure acts there, and nothing gets back in. What they hold
// that would crowd runs off.
static void run_off(BwLiquid *liquid, BwStats *stats)
{
    double most = outside_max / (double)bw_liquid_unit(liquid);
    double removed = bw_particles_run_off(&liquid->particles, &liquid->flow.domain.outflow, most);
    stats->removed[BW_REMOVED_OPEN] += removed * bw_liquid_particle_volume(liquid);
}

BwResult bw_liquid_sources_drain(BwLiquid *liquid, double dt, BwStats *stats, BwError *err)
{
    if (liquid->sources.has_outflow)
        run_off(liquid, stats);
    for (int n = 0; n < liquid->scene->sink_count; n++) {
        const BwSinkDef *sink = &liquid->scene->sinks[n];
        double removed;
        if (!sink_is_open(liquid, n))
            continue;
        if (bw_curve_is_given(&sink->flow))
            BW_TRY(drain_flow(liquid, n, dt, &removed, err));
        else
            BW_TRY(bw_particles_drain(&liquid->particles, &sink->shape, (double)INFINITY, &removed, err));
        stats->removed[BW_REMOVED_SINK] += removed * bw_liquid_particle_volume(liquid);
    }
    return BW_OK;
}

BwResult bw_liquid_sources_save(const BwLiquid *liquid, BwRecord *record, BwError *err)
{
    const BwLiquidSources *sources = &liquid->sources;
    void *values;
    if (!sources->has_divergence)
        return BW_OK;
    BW_TRY(bw_record_add(record, "source_clocks", BW_RECORD_DOUBLE, sources->clocks, 1, &values, err));
    memcpy(values, sources->clock, (size_t)sources->clocks * sizeof *sources->clock);
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

BwResult bw_liquid_sources_load(BwLiquid *liquid, const BwRecord *record, BwError *err)
{
    BwLiquidSources *sources = &liquid->sources;
    int64_t rows = sources->clocks;
    const void *values;
    if (!sources->has_divergence)
        return BW_OK;
    BW_TRY(bw_record_find(record, "source_clocks", BW_RECORD_DOUBLE, &rows, 1, &values, err));
    memcpy(sources->clock, values, (size_t)sources->clocks * sizeof *sources->clock);
    BW_TRY(bw_record_find_number(record, "emitted_particles", &sources->emitted, err));
    return agree_on_clocks(sources, err);
}
