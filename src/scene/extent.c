// The room that a scene takes. Where it has no walls that is all of its sources and solids, along their whole
// motion, and where the fluid of its sources is likely to go.
#include "scene/extent.h"

#include "scene/fuel.h"
#include "scene/gas.h"
#include <billow/curve.h>
#include <billow/shape.h>

// A plume is framed up to this many times the size of what emits it.
#define GROWTH_MAX   10.0f
#define TIME_SAMPLES 9

// Liquid that falls for ever is framed while it is nearer to its sources and solids than so many times their
// size: farther away it is a speck, and makes all else one.
#define FALL_MAX 2.0f

// A view of the smoke alone: the room left about it, as a share of its size, the solids that belong to it,
// and the share of the box from which on the box is shown instead.
#define VIEW_RIM    0.06f
#define REACH_MORE  0.4f
#define NEAR_SHARE  0.5f
#define WHOLE_SHARE 0.6f

// How much of a box whose top lets smoke out is shown, of its height.
#define BELOW_TOP 0.8f

static float box_longest(BwBox box)
{
    BwVec3 size = bw_sub(box.high, box.low);
    return fmaxf(size.x, fmaxf(size.y, size.z));
}

static BwBox moved(BwBox box, BwVec3 by)
{
    return (BwBox){bw_add(box.low, by), bw_add(box.high, by)};
}

static double scene_seconds(const BwSceneDef *scene)
{
    if (scene->duration > 0.0)
        return scene->duration;
    return (scene->frames > 0 ? scene->frames : 120) / (scene->fps > 0.0 ? scene->fps : 24.0);
}

static BwResult vector_at(const BwCurve *curve, double time, BwVec3 *vector, BwError *err)
{
    float value[4];
    BW_TRY(bw_curve_at(curve, time, value, err));
    *vector = bw_vec3(value[0], value[1], value[2]);
    return BW_OK;
}

// The axis through its own origin that a solid turns about; `is_one` tells whether it is the same at all
// times.
static BwResult turning_axis(const BwMotionDef *motion, double seconds, BwVec3 *axis, bool *is_one,
                             BwError *err)
{
    *axis = bw_vec3(0.0f, 0.0f, 0.0f);
    *is_one = true;
    for (int n = 0; n < 2 * TIME_SAMPLES; n++) {
        BwVec3 turn;
        double time = seconds * (n / 2) / (TIME_SAMPLES - 1);
        BW_TRY(vector_at(n % 2 == 0 ? &motion->rotation : &motion->spin, time, &turn, err));
        BwVec3 along = bw_normalize(turn);
        if (bw_length(*axis) == 0.0f)
            *axis = along;
        *is_one = *is_one && bw_length(bw_cross(*axis, along)) < 1e-3f;
    }
    return BW_OK;
}

// Of all that a box passes as it turns about an axis through the origin: a cylinder.
static BwBox turned_about(BwBox box, BwVec3 axis)
{
    float low = INFINITY, high = -INFINITY, radius = 0.0f;
    for (int n = 0; n < 8; n++) {
        BwVec3 corner = bw_vec3(n & 1 ? box.high.x : box.low.x, n & 2 ? box.high.y : box.low.y,
                                n & 4 ? box.high.z : box.low.z);
        float along = bw_dot(corner, axis);
        low = fminf(low, along);
        high = fmaxf(high, along);
        radius = fmaxf(radius, bw_length(bw_sub(corner, bw_mul(axis, along))));
    }
    BwVec3 first = bw_mul(axis, low), last = bw_mul(axis, high);
    BwVec3 rim =
        bw_mul(bw_vec3(sqrtf(fmaxf(1.0f - axis.x * axis.x, 0.0f)), sqrtf(fmaxf(1.0f - axis.y * axis.y, 0.0f)),
                       sqrtf(fmaxf(1.0f - axis.z * axis.z, 0.0f))),
               radius);
    return bw_box_union((BwBox){bw_sub(first, rim), bw_add(first, rim)},
                        (BwBox){bw_sub(last, rim), bw_add(last, rim)});
}

// Where a solid that turns may be: around its axis, or in the sphere round its own origin where that changes.
static BwResult turned_bounds(BwBox *bounds, const BwMotionDef *motion, double seconds, BwError *err)
{
    BwVec3 axis;
    bool is_one;
    BW_TRY(turning_axis(motion, seconds, &axis, &is_one, err));
    float reach = fmaxf(bw_length(bounds->low), bw_length(bounds->high));
    if (!is_one)
        *bounds = (BwBox){{-reach, -reach, -reach}, {reach, reach, reach}};
    else if (bw_length(axis) > 0.0f)
        *bounds = turned_about(*bounds, axis);
    return BW_OK;
}

// Where a moving solid passes.
static BwResult swept_bounds(const BwShape *shape, const BwMotionDef *motion, double seconds, BwBox *box,
                             BwError *err)
{
    BwBox bounds = bw_shape_bounds(shape);
    *box = bw_box_empty();
    if (!bw_box_is_finite(bounds))
        return BW_OK;
    BW_TRY(turned_bounds(&bounds, motion, seconds, err));
    BwVec3 travelled = {0.0f, 0.0f, 0.0f};
    for (int n = 0; n < TIME_SAMPLES; n++) {
        BwVec3 position, velocity;
        double time = seconds * n / (TIME_SAMPLES - 1);
        BW_TRY(vector_at(&motion->position, time, &position, err));
        BW_TRY(vector_at(&motion->velocity, time, &velocity, err));
        *box = bw_box_union(*box, moved(bounds, bw_add(position, travelled)));
        travelled = bw_add(travelled, bw_mul(velocity, (float)seconds / (TIME_SAMPLES - 1)));
    }
    return BW_OK;
}

static BwResult solid_bounds(const BwSceneDef *scene, BwBox *box, BwError *err)
{
    double seconds = scene_seconds(scene);
    for (int n = 0; n < scene->obstacle_count; n++) {
        BwBox swept;
        const BwObstacleDef *obstacle = &scene->obstacles[n];
        BW_TRY(swept_bounds(&obstacle->shape, &obstacle->motion, seconds, &swept, err));
        *box = bw_box_union(*box, swept);
    }
    for (int n = 0; n < scene->body_count; n++) {
        BwBox bounds = bw_shape_bounds(&scene->bodies[n].shape);
        if (bw_box_is_finite(bounds))
            *box = bw_box_union(*box, moved(bounds, scene->bodies[n].position));
    }
    return BW_OK;
}

// A vector no longer than `length`.
static BwVec3 shortened(BwVec3 v, float length)
{
    float own = bw_length(v);
    return own > length ? bw_mul(v, length / own) : v;
}

// How far liquid that starts in `box` gets: it falls, or stays about where solids catch it.
static BwResult liquid_travel(const BwSceneDef *scene, BwBox box, BwVec3 velocity, BwVec3 *travel,
                              BwError *err)
{
    float seconds = (float)scene_seconds(scene);
    BwVec3 gravity;
    BW_TRY(vector_at(&scene->gravity, 0.0, &gravity, err));
    BwVec3 fall = bw_mul(bw_add(velocity, bw_mul(gravity, 0.5f * seconds)), seconds);
    bool is_caught = scene->obstacle_count > 0 || scene->body_count > 0;
    *travel = is_caught ? bw_vec3(0.0f, 0.0f, 0.0f)
                        : shortened(fall, FALL_MAX * fmaxf(box_longest(box), scene->cell));
    return BW_OK;
}

// How far smoke that leaves `box` gets: carried by its own speed and by the wind, and lifted by its heat at
// the speed sqrt(beta dT size) of a rising puff of that size.
static BwResult smoke_travel(const BwSceneDef *scene, BwBox box, BwVec3 velocity, float heat, BwVec3 *travel,
                             BwError *err)
{
    float size = fmaxf(box_longest(box), scene->cell);
    const BwSmokeDef *gas = bw_scene_gas(scene);
    BwVec3 gravity, wind;
    BW_TRY(vector_at(&scene->gravity, 0.0, &gravity, err));
    BW_TRY(vector_at(&gas->wind, 0.0, &wind, err));
    float rise = sqrtf(fmaxf(bw_scene_lift(scene, bw_length(gravity)) * (heat - gas->ambient) * size, 0.0f));
    BwVec3 up = bw_mul(bw_normalize(gravity), -rise);
    BwVec3 speed = bw_add(bw_add(velocity, wind), up);
    *travel = shortened(bw_mul(speed, (float)scene_seconds(scene)), GROWTH_MAX * size);
    return BW_OK;
}

// The box and where it travels to, wider at the far end: a plume spreads by about a sixth of its length.
static BwBox grown(BwBox box, BwVec3 travel)
{
    float spread = bw_length(travel) / 6.0f + 0.25f * box_longest(box);
    BwBox far = moved(box, travel);
    far.low = bw_sub(far.low, bw_vec3(spread, spread, spread));
    far.high = bw_add(far.high, bw_vec3(spread, spread, spread));
    // The spread is sideways and onwards, not back below the source.
    BwBox both = bw_box_union(box, far);
    if (travel.y > 0.0f)
        both.low.y = box.low.y;
    return both;
}

// Adds a source and the room that its fluid is likely to fill.
static BwResult add_source(const BwSceneDef *scene, const BwShape *shape, BwVec3 velocity, float heat,
                           BwBox *box, BwError *err)
{
    BwBox bounds = bw_shape_bounds(shape);
    if (!bw_box_is_finite(bounds))
        return BW_OK;
    BwVec3 travel = {0};
    BW_TRY(scene->fluid == BW_FLUID_LIQUID ? liquid_travel(scene, bounds, velocity, &travel, err)
                                           : smoke_travel(scene, bounds, velocity, heat, &travel, err));
    *box = bw_box_union(*box, grown(bounds, travel));
    return BW_OK;
}

static BwResult source_bounds(const BwSceneDef *scene, BwBox *box, BwError *err)
{
    for (int n = 0; n < scene->emitter_count; n++) {
        const BwEmitterDef *emitter = &scene->emitters[n];
        BwVec3 velocity, heat;
        double begin = isfinite(emitter->start) ? emitter->start : 0.0; // a spare may be on at any time
        BW_TRY(vector_at(&emitter->velocity, begin, &velocity, err));
        BW_TRY(vector_at(&emitter->temperature, begin, &heat, err));
        BW_TRY(add_source(scene, &emitter->shape, velocity, heat.x, box, err));
    }
    for (int n = 0; n < scene->fill_count; n++) {
        const BwFillDef *fill = &scene->fills[n];
        float heat = isnan(fill->temperature) ? 0.0f : fill->temperature;
        BW_TRY(add_source(scene, &fill->shape, fill->velocity, heat, box, err));
    }
    return BW_OK;
}

BwResult bw_scene_extent(BwBox *extent, const BwSceneDef *scene, BwError *err)
{
    *extent = bw_box_empty();
    if (scene->has_walls)
        *extent = (BwBox){scene->walls.min, scene->walls.max};
    if (bw_box_is_finite(*extent))
        return BW_OK;
    *extent = bw_box_empty();
    BW_TRY(source_bounds(scene, extent, err));
    return solid_bounds(scene, extent, err);
}

static BwBox widened(BwBox box, float by)
{
    BwVec3 rim = bw_vec3(by, by, by);
    return (BwBox){bw_sub(box.low, rim), bw_add(box.high, rim)};
}

static BwBox with_sources(const BwSceneDef *scene, BwBox box)
{
    for (int n = 0; n < scene->emitter_count; n++)
        if (bw_box_is_finite(bw_shape_bounds(&scene->emitters[n].shape)))
            box = bw_box_union(box, bw_shape_bounds(&scene->emitters[n].shape));
    for (int n = 0; n < scene->fill_count; n++)
        if (bw_box_is_finite(bw_shape_bounds(&scene->fills[n].shape)))
            box = bw_box_union(box, bw_shape_bounds(&scene->fills[n].shape));
    return box;
}

// The part of where liquid goes without walls that is not too far off.
static BwResult without_far_falls(const BwSceneDef *scene, BwBox *fluid, BwError *err)
{
    BwBox stage = with_sources(scene, bw_box_empty());
    if (scene->fluid != BW_FLUID_LIQUID || scene->has_walls || !bw_box_is_finite(stage))
        return BW_OK;
    BW_TRY(solid_bounds(scene, &stage, err));
    *fluid = bw_box_intersection(*fluid, widened(stage, FALL_MAX * box_longest(stage)));
    return BW_OK;
}

// Coarse cells dampen what they carry: smoke gets further from its sources on the scene's own.
static BwBox reaching_further(BwBox box, BwBox sources)
{
    if (!bw_box_is_finite(sources))
        return box;
    box.low = bw_sub(box.low, bw_mul(bw_sub(sources.low, box.low), REACH_MORE));
    box.high = bw_add(box.high, bw_mul(bw_sub(box.high, sources.high), REACH_MORE));
    return box;
}

// A solid beside the smoke is shown; one that reaches far away, as far as it stands beside it.
static BwResult add_near_solids(const BwSceneDef *scene, BwBox *box, BwError *err)
{
    BwBox near = widened(*box, NEAR_SHARE * box_longest(*box)), solids = bw_box_empty();
    BW_TRY(solid_bounds(scene, &solids, err));
    if (bw_box_is_finite(solids))
        *box = bw_box_union(*box, bw_box_intersection(solids, near));
    return BW_OK;
}

BwResult bw_scene_view(BwBox *view, bool *is_narrow, const BwSceneDef *scene, BwBox smoke, BwError *err)
{
    *is_narrow = false;
    *view = smoke;
    if (!bw_box_is_finite(smoke))
        return BW_OK;
    BW_TRY(without_far_falls(scene, &smoke, err));
    BwBox box = reaching_further(with_sources(scene, smoke), with_sources(scene, bw_box_empty()));
    BwBox walls = {scene->walls.min, scene->walls.max};
    BW_TRY(add_near_solids(scene, &box, err));
    *view = widened(box, VIEW_RIM * box_longest(box));
    bool is_boxed = scene->has_walls && bw_box_is_finite(walls);
    if (is_boxed) {
        if (scene->dimension == 2)
            walls.low.z = view->low.z, walls.high.z = view->high.z;
        *view = bw_box_intersection(*view, walls);
    }
    *is_narrow =
        !bw_box_is_empty(*view) && !(is_boxed && box_longest(*view) > WHOLE_SHARE * box_longest(walls));
    return BW_OK;
}

static bool smoke_leaves_above(const BwSceneDef *scene, BwBox box)
{
    const BwWallSideDef *top = &scene->walls.side[BW_TOP];
    bool is_open = top->kind == BW_WALL_OPEN || top->kind == BW_WALL_OUTFLOW;
    bool is_whole = top->part.kind == BW_SHAPE_NONE && !bw_curve_is_given(&top->kind_curve);
    return bw_is_gas(scene->fluid) && scene->has_walls && scene->dimension == 3 && is_open && is_whole &&
           box.high.y > scene->walls.max.y - scene->cell;
}

BwResult bw_scene_cut_open_top(BwBox *view, const BwSceneDef *scene, BwError *err)
{
    BwBox things = with_sources(scene, bw_box_empty());
    if (!smoke_leaves_above(scene, *view))
        return BW_OK;
    BW_TRY(solid_bounds(scene, &things, err));
    float high = view->low.y + BELOW_TOP * (view->high.y - view->low.y);
    view->high.y = fminf(fmaxf(high, things.high.y), view->high.y);
    return BW_OK;
}
