// Fills, emitters, sinks and pumps become stamps.
#include "flow/scene_sources.h"

#include "operate/field_math.h"
#include "operate/place_fill.h"
#include "scene/curve.h"
#include "solid/same_shape.h"

#include <math.h>
#include <string.h>

// Where an emitter emits: in its own shape, or around a solid.
typedef struct Source {
    const BwEmitterDef *emitter;
    const BwSolidPose *solid;   // NULL: the emitter's own shape
    float shell;                // m, around the solid
    BwProjectedArea *projected; // NULL: around a solid
    BwCoverage *coverage;       // NULL: found anew each time
    double time, dt;            // s
    uint64_t seed;
    const BwGrid *grid;
    BwVec3 swept; // m: how far what a flat shape lets out travels in the step; 0 for others
} Source;

// Flat shapes are a cell thick, so that the grid shows them.
static BwStamp stamp_of(const BwShape *shape, float value, float neutral, const BwGrid *grid)
{
    return (BwStamp){.shape = shape,
                     .pose = bw_pose_identity(),
                     .value = value,
                     .neutral = neutral,
                     .plate = grid->cell_size};
}

static BwStamp stamp_of_emitter(const BwEmitterDef *emitter, BwCoverage *coverage, const BwGrid *grid)
{
    BwStamp stamp = stamp_of(&emitter->shape, 0.0f, 0.0f, grid);
    stamp.falloff = emitter->falloff;
    stamp.kept = coverage;
    return stamp;
}

static double stamp_cells(const BwSourceFields *fields, BwField *field, const BwStamp *stamp)
{
    return bw_stamp(fields->domain, field, &fields->domain->open, stamp);
}

static BwTint tint_of(const BwSourceFields *fields, const float color[3])
{
    BwTint tint = {.fields = fields->color};
    if (fields->hull != NULL) {
        tint.count = fields->hull->dimension;
        bw_color_hull_coordinates(fields->hull, color, tint.amount);
    }
    return tint;
}

// Sets the flow inside a shape. Faces that nothing may pass are set again by their walls.
static void stamp_velocity(const BwSourceFields *fields, BwStamp stamp, BwVec3 velocity)
{
    const float values[3] = {velocity.x, velocity.y, velocity.z};
    for (int a = 0; a < fields->domain->grid->dimension; a++) {
        stamp.value = values[a];
        bw_stamp(fields->domain, &fields->velocity->u[a], fields->flow[a], &stamp);
    }
}

static void stamp_fill(const BwFillDef *fill, const BwSourceFields *fields)
{
    const BwGrid *grid = fields->domain->grid;
    BwStamp density = stamp_of(&fill->shape, fill->density, 0.0f, grid);
    BwTint tint = tint_of(fields, fill->color);
    tint.replaces = true;
    density.tint = &tint;
    stamp_cells(fields, fields->density, &density);
    if (fields->temperature != NULL && !isnan(fill->temperature)) {
        BwStamp heat = stamp_of(&fill->shape, fill->temperature, fields->ambient, grid);
        stamp_cells(fields, fields->temperature, &heat);
    }
    if (fields->fuel != NULL && fill->fuel > 0.0f) {
        BwStamp fuel = stamp_of(&fill->shape, fill->fuel, 0.0f, grid);
        stamp_cells(fields, fields->fuel, &fuel);
    }
    stamp_velocity(fields, stamp_of(&fill->shape, 0.0f, 0.0f, grid), fill->velocity);
}

static const float white[3] = {1.0f, 1.0f, 1.0f};

// What a function of place put there is white.
static void tint_all(const BwSourceFields *fields)
{
    BwTint tint = tint_of(fields, white);
    for (int f = 0; f < tint.count; f++)
        bw_field_scale(fields->domain, fields->density, tint.amount[f], tint.fields[f]);
}

BwResult bw_scene_fill(const BwSceneDef *scene, const BwSourceFields *fields, BwWatch watch, BwError *err)
{
    BwTask velocity = bw_task(watch, "filling initial.velocity");
    BwTask density = bw_task(watch, "filling initial.density");
    BwTask temperature = bw_task(watch, "filling initial.temperature");
    for (int a = 0; a < scene->dimension; a++)
        BW_TRY(bw_fill_from_place(&scene->initial.velocity, &fields->velocity->u[a], a, &velocity, err));
    BW_TRY(bw_fill_from_place(&scene->initial.density, fields->density, 0, &density, err));
    if (fields->temperature != NULL)
        BW_TRY(bw_fill_from_place(&scene->initial.temperature, fields->temperature, 0, &temperature, err));
    tint_all(fields);
    for (int n = 0; n < scene->fill_count; n++)
        stamp_fill(&scene->fills[n], fields);
    return BW_OK;
}

// Each seed has a stretch of noise of its own, far from the others; the default's is at the origin.
static int32_t noise_shift(uint64_t seed)
{
    return (int32_t)(((seed - 1) * 0x9e3779b97f4a7c15u) >> 44);
}

static BwStampNoise noise_of(const Source *source)
{
    const BwNoiseDef *noise = &source->emitter->noise;
    return (BwStampNoise){.amplitude = noise->amplitude,
                          .size = noise->size,
                          .phase = (float)(source->time * (double)noise->speed),
                          .shift = noise_shift(source->seed)};
}

// What a flat shape lets out in a step fills what it would sweep if it went along: nothing less has room for
// it.
static void sweep(BwStamp *stamp, BwVec3 swept)
{
    float more = bw_length(swept) - stamp->plate;
    if (!(more > 0.0f))
        return;
    stamp->plate += more;
    stamp->pose.position = bw_mul(bw_normalize(swept), 0.5f * more);
}

static BwStamp stamp_of_source(const Source *source, float value, float neutral)
{
    BwStamp stamp = stamp_of_emitter(source->emitter, source->coverage, source->grid);
    stamp.value = value;
    stamp.neutral = neutral;
    sweep(&stamp, source->swept);
    if (source->solid != NULL) {
        stamp.shape = source->solid->shape;
        stamp.pose = source->solid->pose;
        stamp.shell = source->shell;
        stamp.plate = 0.0f;
    }
    return stamp;
}

// The box between the walls, or all there is.
static BwBox box_of(const BwGrid *grid)
{
    const BwCellBox *cells = &grid->bounds;
    float h = grid->cell_size, far = grid->has_bounds ? h : INFINITY;
    BwBox box = {{-far, -far, -far}, {far, far, far}};
    if (grid->has_bounds)
        box =
            (BwBox){bw_vec3((float)cells->low[0] * h, (float)cells->low[1] * h, (float)cells->low[2] * h),
                    bw_vec3((float)cells->high[0] * h, (float)cells->high[1] * h, (float)cells->high[2] * h)};
    return box;
}

static double projected_area_of(const Source *source, BwVec3 velocity, const BwGrid *grid)
{
    BwProjectedArea *projected = source->projected;
    BwVec3 direction = bw_normalize(velocity);
    if (bw_length(bw_sub(direction, projected->direction)) > 1e-4f ||
        !bw_same_shape(&projected->shape, &source->emitter->shape)) {
        projected->direction = direction;
        projected->shape = source->emitter->shape;
        projected->area =
            bw_shape_projected_area(&source->emitter->shape, direction, box_of(grid), grid->dimension);
    }
    return projected->area;
}

// What an emitter with a velocity lets out is known: area times speed times density. Not so where texture
// makes it uneven, and where it has no end.
static BwResult find_let_out(const Source *source, float density, const BwSourceFields *fields,
                             bool *is_known, BwEmission *out, BwError *err)
{
    const BwEmitterDef *emitter = source->emitter;
    double before = source->time - source->dt;
    float density_before;
    *is_known = false;
    *out = (BwEmission){.is_flat = bw_shape_is_flat(&emitter->shape)};
    if (source->projected == NULL || !bw_curve_is_given(&emitter->velocity) ||
        (emitter->noise.amplitude != 0.0f && !out->is_flat) || !(density > 0.0f) ||
        emitter->falloff > fields->domain->grid->cell_size)
        return BW_OK;
    BW_TRY(bw_curve_number_at(&emitter->density, fmax(before, 0.0), 0.0f, &density_before, err));
    BW_TRY(bw_curve_vector_at(&emitter->velocity, source->time, &out->velocity, err));
    float speed = bw_length(out->velocity);
    if (!(speed > 0.0f))
        return BW_OK;
    double area = projected_area_of(source, out->velocity, fields->domain->grid);
    *is_known = isfinite(area);
    out->budget = area * (double)speed * (double)density * source->dt;
    out->fills_up = !out->is_flat && (before < emitter->start || density_before < density);
    return BW_OK;
}

static BwResult emit_density(const Source *source, const BwSourceFields *fields, BwStats *stats, BwError *err)
{
    const BwEmitterDef *emitter = source->emitter;
    bool is_rate = bw_curve_is_given(&emitter->density_rate);
    const BwCurve *curve = is_rate ? &emitter->density_rate : &emitter->density;
    if (!bw_curve_is_given(curve))
        return BW_OK;
    float value;
    BW_TRY(bw_curve_number_at(curve, source->time, 0.0f, &value, err));
    BwStamp stamp = stamp_of_source(source, is_rate ? value * (float)source->dt : value, 0.0f);
    stamp.kind = is_rate ? BW_STAMP_ADD : BW_STAMP_SET;
    stamp.noise = noise_of(source);
    BwTint tint = tint_of(fields, emitter->color);
    stamp.tint = &tint;
    bool is_known = false;
    BwEmission out;
    if (!is_rate)
        BW_TRY(find_let_out(source, value, fields, &is_known, &out, err));
    if (is_known)
        stats->emitted +=
            bw_stamp_within(fields->domain, fields->density, &fields->domain->open, &stamp, &out);
    else
        stats->emitted += stamp_cells(fields, fields->density, &stamp);
    return BW_OK;
}

// Around a solid the velocity is relative to it and turns with it.
static void emit_velocity(const Source *source, const BwSourceFields *fields, BwVec3 velocity)
{
    if (source->solid == NULL) {
        stamp_velocity(fields, stamp_of_emitter(source->emitter, source->coverage, source->grid), velocity);
        return;
    }
    BwVec3 turned = bw_quat_rotate(source->solid->pose.rotation, velocity);
    const float values[3] = {turned.x, turned.y, turned.z};
    for (int a = 0; a < fields->domain->grid->dimension; a++) {
        BwStamp stamp = stamp_of_source(source, values[a], 0.0f);
        stamp.carrier = source->solid;
        stamp.axis = a;
        stamp.dt = (float)source->dt;
        bw_stamp(fields->domain, &fields->velocity->u[a], fields->flow[a], &stamp);
    }
}

static BwResult find_swept(Source *source, BwError *err)
{
    const BwEmitterDef *emitter = source->emitter;
    BwVec3 velocity;
    if (source->solid != NULL || !bw_curve_is_given(&emitter->velocity) || !bw_shape_is_flat(&emitter->shape))
        return BW_OK;
    BW_TRY(bw_curve_vector_at(&emitter->velocity, source->time, &velocity, err));
    source->swept = bw_mul(velocity, (float)source->dt);
    return BW_OK;
}

// Holds a value inside of a source, blending to `neutral` at its edge.
static BwResult emit_value(const Source *source, const BwSourceFields *fields, const BwCurve *curve,
                           BwField *field, float neutral, BwError *err)
{
    float value;
    if (field == NULL || !bw_curve_is_given(curve))
        return BW_OK;
    BW_TRY(bw_curve_number_at(curve, source->time, 0.0f, &value, err));
    BwStamp stamp = stamp_of_source(source, value, neutral);
    stamp.noise = noise_of(source);
    stamp_cells(fields, field, &stamp);
    return BW_OK;
}

static BwResult run_emitter(Source *source, const BwSourceFields *fields, BwStats *stats, BwError *err)
{
    const BwEmitterDef *emitter = source->emitter;
    if (!bw_is_on(emitter->start, emitter->stop, source->time))
        return BW_OK;
    BW_TRY(find_swept(source, err));
    BW_TRY(emit_density(source, fields, stats, err));
    BW_TRY(emit_value(source, fields, &emitter->temperature, fields->temperature, fields->ambient, err));
    BW_TRY(emit_value(source, fields, &emitter->fuel, fields->fuel, 0.0f, err));
    if (bw_curve_is_given(&emitter->velocity)) {
        BwVec3 velocity;
        BW_TRY(bw_curve_vector_at(&emitter->velocity, source->time, &velocity, err));
        emit_velocity(source, fields, velocity);
    }
    return BW_OK;
}

// A flat shape is swept along, so that each step covers something else.
static BwCoverage *coverage_of_emitter(const BwSceneDef *scene, const BwSourceFields *fields, int n)
{
    bool is_still = !bw_shape_is_flat(&scene->emitters[n].shape);
    return fields->coverage != NULL && is_still ? &fields->coverage[n] : NULL;
}

static BwStamp stamp_of_pump(const BwSceneDef *scene, const BwSourceFields *fields, int n)
{
    BwStamp stamp = stamp_of(&scene->pumps[n].shape, 0.0f, 0.0f, fields->domain->grid);
    stamp.kept = fields->coverage != NULL ? &fields->coverage[scene->emitter_count + n] : NULL;
    return stamp;
}

static BwStamp stamp_of_sink(const BwSceneDef *scene, const BwSourceFields *fields, int n)
{
    BwStamp stamp = stamp_of(&scene->sinks[n].shape, 0.0f, 0.0f, fields->domain->grid);
    int place = scene->emitter_count + scene->pump_count + n;
    stamp.kept = fields->coverage != NULL ? &fields->coverage[place] : NULL;
    return stamp;
}

int bw_scene_source_count(const BwSceneDef *scene)
{
    return scene->emitter_count + scene->pump_count + scene->sink_count;
}

// What is added by the second is not filled up again.
static bool sets_values(const BwEmitterDef *emitter)
{
    return (bw_curve_is_given(&emitter->density) && !bw_curve_is_given(&emitter->density_rate)) ||
           bw_curve_is_given(&emitter->fuel);
}

static bool sets_temperature(const BwEmitterDef *emitter)
{
    return bw_curve_is_given(&emitter->temperature);
}

static Source surface_of(const BwSceneDef *scene, const BwSourceFields *fields, int obstacle)
{
    return (Source){.emitter = scene->obstacles[obstacle].emit,
                    .solid = &fields->solids[obstacle],
                    .shell = BW_EMIT_SHELL * fields->domain->grid->cell_size,
                    .grid = fields->domain->grid,
                    .seed = scene->seed};
}

static void mark_source(const Source *source, const BwSourceFields *fields, double time, BwMask *mask)
{
    if (!bw_is_on(source->emitter->start, source->emitter->stop, time))
        return;
    BwStamp stamp = stamp_of_source(source, 0.0f, 0.0f);
    bw_stamp_mark(fields->domain, mask, &stamp);
}

static void mark_those(const BwSceneDef *scene, const BwSourceFields *fields, double time,
                       bool is_one(const BwEmitterDef *emitter), BwMask *mask)
{
    for (int n = 0; n < scene->emitter_count; n++)
        if (is_one(&scene->emitters[n]))
            mark_source(&(Source){.emitter = &scene->emitters[n],
                                  .grid = fields->domain->grid,
                                  .coverage = coverage_of_emitter(scene, fields, n)},
                        fields, time, mask);
    for (int n = 0; n < scene->obstacle_count; n++) {
        Source source = surface_of(scene, fields, n);
        if (source.emitter != NULL && is_one(source.emitter))
            mark_source(&source, fields, time, mask);
    }
}

void bw_scene_mark_sources(const BwSceneDef *scene, const BwSourceFields *fields, double time, BwMask *mask)
{
    mark_those(scene, fields, time, sets_values, mask);
}

void bw_scene_mark_heated(const BwSceneDef *scene, const BwSourceFields *fields, double time, BwMask *mask)
{
    mark_those(scene, fields, time, sets_temperature, mask);
}

static BwResult run_surfaces(const BwSceneDef *scene, const BwSourceFields *fields, double time, double dt,
                             BwStats *stats, BwError *err)
{
    for (int n = 0; n < scene->obstacle_count; n++) {
        Source source = surface_of(scene, fields, n);
        source.time = time;
        source.dt = dt;
        if (source.emitter != NULL)
            BW_TRY(run_emitter(&source, fields, stats, err));
    }
    return BW_OK;
}

BwResult bw_scene_run_sources(const BwSceneDef *scene, const BwSourceFields *fields, double time, double dt,
                              BwStats *stats, BwError *err)
{
    for (int n = 0; n < scene->emitter_count; n++) {
        Source source = {.emitter = &scene->emitters[n],
                         .grid = fields->domain->grid,
                         .time = time,
                         .dt = dt,
                         .seed = scene->seed,
                         .projected = fields->projected_areas != NULL ? &fields->projected_areas[n] : NULL,
                         .coverage = coverage_of_emitter(scene, fields, n)};
        BW_TRY(run_emitter(&source, fields, stats, err));
    }
    BW_TRY(run_surfaces(scene, fields, time, dt, stats, err));
    for (int n = 0; n < scene->sink_count; n++) {
        BwStamp none = stamp_of_sink(scene, fields, n);
        BwTint tint = tint_of(fields, white);
        none.tint = &tint;
        if (bw_is_on(scene->sinks[n].start, scene->sinks[n].stop, time))
            stats->removed[BW_REMOVED_SINK] -= stamp_cells(fields, fields->density, &none);
    }
    for (int n = 0; n < scene->pump_count; n++) {
        BwVec3 velocity;
        if (!bw_is_on(scene->pumps[n].start, scene->pumps[n].stop, time))
            continue;
        BW_TRY(bw_curve_vector_at(&scene->pumps[n].velocity, time, &velocity, err));
        stamp_velocity(fields, stamp_of_pump(scene, fields, n), velocity);
    }
    return BW_OK;
}

static bool brings_density(const BwEmitterDef *emitter)
{
    return emitter != NULL &&
           (bw_curve_is_given(&emitter->density) || bw_curve_is_given(&emitter->density_rate));
}

// Of fills, emitters, obstacles and the function of place, one after the other; NULL: it brings no density.
static const float *color_of(const BwSceneDef *scene, int n)
{
    if (n < scene->fill_count)
        return scene->fills[n].density > 0.0f ? scene->fills[n].color : NULL;
    n -= scene->fill_count;
    if (n < scene->emitter_count)
        return brings_density(&scene->emitters[n]) ? scene->emitters[n].color : NULL;
    n -= scene->emitter_count;
    if (n < scene->obstacle_count)
        return brings_density(scene->obstacles[n].emit) ? scene->obstacles[n].emit->color : NULL;
    return scene->initial.density.function != NULL ? white : NULL;
}

int bw_scene_colors(const BwSceneDef *scene, float (*colors)[3], int capacity)
{
    int count = 0, sources = scene->fill_count + scene->emitter_count + scene->obstacle_count + 1;
    for (int n = 0; n < sources; n++) {
        const float *color = color_of(scene, n);
        if (color == NULL)
            continue;
        if (count < capacity)
            memcpy(colors[count], color, sizeof colors[count]);
        count++;
    }
    return count;
}

bool bw_scene_has_color(const BwSceneDef *scene)
{
    int sources = scene->fill_count + scene->emitter_count + scene->obstacle_count;
    for (int n = 0; n < sources; n++) {
        const float *color = color_of(scene, n);
        if (color != NULL && memcmp(color, white, sizeof white) != 0)
            return true;
    }
    return false;
}

bool bw_scene_prescribes(const BwSceneDef *scene)
{
    for (int n = 0; n < scene->emitter_count; n++)
        if (bw_curve_is_given(&scene->emitters[n].velocity) || bw_curve_is_given(&scene->emitters[n].flow))
            return true;
    return scene->pump_count > 0;
}

static bool is_closed_side(const BwDomain *domain, int side)
{
    return domain->grid->has_bounds && domain->grid->period[side / 2] == 0 &&
           domain->side[side].kind == BW_WALL_CLOSED;
}

// A source that blows away from a wall it touches, or at one, takes the fluid in, or lets it out, through its
// sides. They stay free along half of its length: through a gap of a cell it would have to rush.
static BwBox free_of_walls(const BwDomain *domain, BwBox box, BwVec3 velocity)
{
    const BwGrid *grid = domain->grid;
    float h = grid->cell_size, v[3] = {velocity.x, velocity.y, velocity.z};
    float *low[3] = {&box.low.x, &box.low.y, &box.low.z}, *high[3] = {&box.high.x, &box.high.y, &box.high.z};
    for (int a = 0; a < 3; a++) {
        bool has_axis = a < grid->dimension && v[a] != 0.0f;
        float middle = 0.5f * (*low[a] + *high[a]);
        bool at_low =
            has_axis && is_closed_side(domain, 2 * a) && *low[a] < ((float)grid->bounds.low[a] + 1.0f) * h;
        bool at_high = has_axis && is_closed_side(domain, 2 * a + 1) &&
                       *high[a] > ((float)grid->bounds.high[a] - 1.0f) * h;
        *low[a] = at_low ? middle : *low[a] - h;
        *high[a] = at_high ? middle : *high[a] + h;
    }
    return box;
}

static void prescribe(const BwStamp *stamp, BwVec3 velocity, const BwSourceFields *fields,
                      BwPrescribed *prescribed)
{
    BwPrescription prescription = {stamp, velocity,
                                   free_of_walls(fields->domain, bw_shape_bounds(stamp->shape), velocity)};
    bw_prescribed_add(prescribed, fields->domain, fields->velocity, &prescription);
}

static BwResult prescribe_pumps(const BwSceneDef *scene, const BwSourceFields *fields, double time,
                                BwPrescribed *prescribed, BwError *err)
{
    BwVec3 velocity;
    for (int n = 0; n < scene->pump_count; n++) {
        const BwPumpDef *pump = &scene->pumps[n];
        if (!bw_is_on(pump->start, pump->stop, time))
            continue;
        BW_TRY(bw_curve_vector_at(&pump->velocity, time, &velocity, err));
        BwStamp stamp = stamp_of_pump(scene, fields, n);
        prescribe(&stamp, velocity, fields, prescribed);
    }
    if (prescribed->has_any)
        bw_prescribed_release(prescribed, fields->domain, fields->velocity);
    return BW_OK;
}

BwResult bw_scene_prescribe_pumps(const BwSceneDef *scene, const BwSourceFields *fields, double time,
                                  BwPrescribed *prescribed, BwError *err)
{
    bw_prescribed_clear(prescribed, fields->domain);
    return prescribe_pumps(scene, fields, time, prescribed, err);
}

BwResult bw_scene_prescribe(const BwSceneDef *scene, const BwSourceFields *fields, double time,
                            BwPrescribed *prescribed, BwError *err)
{
    BwVec3 velocity;
    bw_prescribed_clear(prescribed, fields->domain);
    for (int n = 0; n < scene->emitter_count; n++) {
        const BwEmitterDef *emitter = &scene->emitters[n];
        if (!bw_is_on(emitter->start, emitter->stop, time) || !bw_curve_is_given(&emitter->velocity))
            continue;
        BW_TRY(bw_curve_vector_at(&emitter->velocity, time, &velocity, err));
        BwStamp stamp =
            stamp_of_emitter(emitter, coverage_of_emitter(scene, fields, n), fields->domain->grid);
        prescribe(&stamp, velocity, fields, prescribed);
    }
    return prescribe_pumps(scene, fields, time, prescribed, err);
}

BwResult bw_scene_force_at(const BwForceDef *def, const BwSceneDef *scene, double time, BwForce *force,
                           BwError *err)
{
    *force = (BwForce){.shape = def->shape.kind != BW_SHAPE_NONE ? &def->shape : NULL,
                       .field = def->field,
                       .dimension = scene->dimension,
                       .scale = def->scale,
                       .phase = (float)(time * (double)def->speed),
                       .shift = noise_shift(scene->seed),
                       .axis = scene->dimension == 3 ? bw_vec3(0.0f, 1.0f, 0.0f) : bw_vec3(0.0f, 0.0f, 1.0f),
                       .radius = def->radius};
    BW_TRY(bw_curve_vector_at(&def->acceleration, time, &force->acceleration, err));
    BW_TRY(bw_curve_vector_at(&def->center, time, &force->center, err));
    if (bw_curve_is_given(&def->axis))
        BW_TRY(bw_curve_vector_at(&def->axis, time, &force->axis, err));
    return bw_curve_number_at(&def->strength, time, 0.0f, &force->strength, err);
}
