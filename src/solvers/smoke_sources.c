// What a scene puts into smoke and takes out of it: fills and functions of place at the start, emitters,
// sinks and pumps in every step. Curves are looked up once a step and reach the operations as plain numbers.
#include "solvers/smoke.h"

#include "operate/measure.h"
#include <math.h>

static BwResult number_at(const BwCurve *curve, double time, float *value, BwError *err)
{
    float values[4];
    BW_TRY(bw_curve_at(curve, time, values, err));
    *value = values[0];
    return BW_OK;
}

static BwStamp stamp_of(const BwShape *shape, float value, float neutral)
{
    return (BwStamp){.shape = shape, .pose = bw_pose_identity(), .value = value, .neutral = neutral};
}

// Sets the flow inside a shape. Faces that nothing may pass are set again by their walls.
static void stamp_velocity(BwSmoke *smoke, const BwShape *shape, const float velocity[3])
{
    for (int a = 0; a < smoke->grid->dimension; a++) {
        BwStamp stamp = stamp_of(shape, velocity[a], 0.0f);
        BwField *u = &smoke->velocity.u[a];
        bw_stamp(&smoke->domain, u, &smoke->domain.flow[a], &stamp);
    }
}

// Scene functions run one at a time, so this loop is a plain one.
static BwResult fill_from_function(BwSmoke *smoke, const BwPlaceCurve *curve, BwField *field, int component,
                                   BwError *err)
{
    if (curve->function == NULL)
        return BW_OK;
    const BwGrid *grid = smoke->grid;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        const BwGridTile *tile = &grid->tiles[grid->order[n]];
        float *values = bw_field_tile(field, grid->order[n]);
        for (int c = 0; c < grid->tile_cells; c++) {
            if (!bw_bit(tile->live, c))
                continue;
            float value[4] = {0};
            BwVec3 point = bw_sample_position(grid, tile->coord, c, field->location);
            BW_TRY(curve->function(curve->user, point, value, err));
            values[c] = value[component];
        }
    }
    return BW_OK;
}

BwResult bw_smoke_fill(BwSmoke *smoke, BwError *err)
{
    const BwSceneDef *scene = smoke->scene;
    for (int a = 0; a < smoke->grid->dimension; a++)
        BW_TRY(fill_from_function(smoke, &scene->initial.velocity, &smoke->velocity.u[a], a, err));
    BW_TRY(fill_from_function(smoke, &scene->initial.density, &smoke->density, 0, err));
    BW_TRY(fill_from_function(smoke, &scene->initial.temperature, &smoke->temperature, 0, err));
    for (int n = 0; n < scene->fill_count; n++) {
        const BwFillDef *fill = &scene->fills[n];
        BwStamp density = stamp_of(&fill->shape, fill->density, 0.0f);
        bw_stamp(&smoke->domain, &smoke->density, &smoke->domain.open, &density);
        if (!isnan(fill->temperature)) {
            BwStamp heat = stamp_of(&fill->shape, fill->temperature, scene->smoke.ambient);
            bw_stamp(&smoke->domain, &smoke->temperature, &smoke->domain.open, &heat);
        }
        const float velocity[3] = {fill->velocity.x, fill->velocity.y, fill->velocity.z};
        stamp_velocity(smoke, &fill->shape, velocity);
    }
    return BW_OK;
}

static bool is_on(double start, double stop, double time)
{
    return time >= start && time < stop;
}

// Far enough for anything a scene means, near enough to count: what has no end is cut off there.
static const int32_t endless_cells = 512;

int bw_smoke_source_boxes(BwSmoke *smoke, double time)
{
    int count = 0;
    for (int n = 0; n < smoke->scene->emitter_count; n++) {
        const BwEmitterDef *emitter = &smoke->scene->emitters[n];
        if (is_on(emitter->start, emitter->stop, time))
            smoke->boxes[count++] =
                bw_shape_cells(smoke->grid, &emitter->shape, bw_pose_identity(), endless_cells);
    }
    return count;
}

static BwStampNoise noise_of(const BwNoiseDef *noise, double time)
{
    return (BwStampNoise){noise->amplitude, noise->size, (float)(time * (double)noise->speed)};
}

static BwResult emit_density(BwSmoke *smoke, const BwEmitterDef *emitter, double time, double dt,
                             BwStats *stats, BwError *err)
{
    bool is_rate = bw_curve_is_given(&emitter->density_rate);
    const BwCurve *curve = is_rate ? &emitter->density_rate : &emitter->density;
    if (!bw_curve_is_given(curve))
        return BW_OK;
    float value;
    BW_TRY(number_at(curve, time, &value, err));
    BwStamp stamp = stamp_of(&emitter->shape, is_rate ? value * (float)dt : value, 0.0f);
    stamp.kind = is_rate ? BW_STAMP_ADD : BW_STAMP_HOLD;
    stamp.noise = noise_of(&emitter->noise, time);
    stats->emitted += bw_stamp(&smoke->domain, &smoke->density, &smoke->domain.open, &stamp);
    return BW_OK;
}

static BwResult run_emitter(BwSmoke *smoke, const BwEmitterDef *emitter, double time, double dt,
                            BwStats *stats, BwError *err)
{
    BW_TRY(emit_density(smoke, emitter, time, dt, stats, err));
    if (bw_curve_is_given(&emitter->temperature)) {
        float value;
        BW_TRY(number_at(&emitter->temperature, time, &value, err));
        BwStamp stamp = stamp_of(&emitter->shape, value, smoke->scene->smoke.ambient);
        stamp.noise = noise_of(&emitter->noise, time);
        bw_stamp(&smoke->domain, &smoke->temperature, &smoke->domain.open, &stamp);
    }
    if (bw_curve_is_given(&emitter->velocity)) {
        float velocity[4];
        BW_TRY(bw_curve_at(&emitter->velocity, time, velocity, err));
        stamp_velocity(smoke, &emitter->shape, velocity);
    }
    return BW_OK;
}

BwResult bw_smoke_run_sources(BwSmoke *smoke, double time, double dt, BwStats *stats, BwError *err)
{
    const BwSceneDef *scene = smoke->scene;
    for (int n = 0; n < scene->emitter_count; n++)
        if (is_on(scene->emitters[n].start, scene->emitters[n].stop, time))
            BW_TRY(run_emitter(smoke, &scene->emitters[n], time, dt, stats, err));
    for (int n = 0; n < scene->sink_count; n++) {
        if (!is_on(scene->sinks[n].start, scene->sinks[n].stop, time))
            continue;
        BwStamp stamp = stamp_of(&scene->sinks[n].shape, 0.0f, 0.0f);
        stats->removed[BW_REMOVED_SINK] -=
            bw_stamp(&smoke->domain, &smoke->density, &smoke->domain.open, &stamp);
    }
    for (int n = 0; n < scene->pump_count; n++) {
        if (!is_on(scene->pumps[n].start, scene->pumps[n].stop, time))
            continue;
        float velocity[4];
        BW_TRY(bw_curve_at(&scene->pumps[n].velocity, time, velocity, err));
        stamp_velocity(smoke, &scene->pumps[n].shape, velocity);
    }
    return BW_OK;
}

static float length3(const float v[3])
{
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

BwResult bw_smoke_source_limits(const BwSmoke *smoke, double time, float *speed, float *acceleration,
                                BwError *err)
{
    const BwSceneDef *scene = smoke->scene;
    float gravity[4], value[4];
    BW_TRY(bw_curve_at(&scene->gravity, time, gravity, err));
    float heat_lift = bw_smoke_heat_lift(smoke, length3(gravity));
    *speed = *acceleration = 0.0f;
    for (int n = 0; n < scene->emitter_count; n++) {
        const BwEmitterDef *emitter = &scene->emitters[n];
        if (!is_on(emitter->start, emitter->stop, time))
            continue;
        BW_TRY(bw_curve_at(&emitter->velocity, time, value, err));
        *speed = fmaxf(*speed, length3(value));
        BW_TRY(bw_curve_at(&emitter->temperature, time, value, err));
        float heat = bw_curve_is_given(&emitter->temperature) ? fabsf(value[0] - scene->smoke.ambient) : 0.0f;
        *acceleration = fmaxf(*acceleration, heat_lift * heat);
    }
    for (int n = 0; n < scene->pump_count; n++) {
        BW_TRY(bw_curve_at(&scene->pumps[n].velocity, time, value, err));
        *speed = fmaxf(*speed, length3(value));
    }
    return BW_OK;
}
