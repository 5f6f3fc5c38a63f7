// Each fill is sampled on a lattice over its bounds. A sample counts where no later fill and no solid that
// stands has it too.
#include "liquid_amount.h"

#include "operate/emit.h"
#include "scene/curve.h"
#include "scene/extent.h"
#include <billow/shape.h>

#include <math.h>

// Along each axis.
enum { SAMPLES = 32, FLAT_SAMPLES = 256 };

static bool stands(const BwMotionDef *motion)
{
    return !bw_curve_is_given(&motion->position) && !bw_curve_is_given(&motion->velocity) &&
           !bw_curve_is_given(&motion->rotation) && !bw_curve_is_given(&motion->spin);
}

static bool is_inside(const BwShape *shape, BwVec3 point)
{
    return bw_shape_distance(shape, point) < 0.0f;
}

static bool is_solid(const BwSceneDef *scene, BwVec3 point)
{
    const BwVec3 *low = &scene->walls.min, *high = &scene->walls.max;
    bool is_out = point.x < low->x || point.x > high->x || point.y < low->y || point.y > high->y ||
                  (scene->dimension == 3 && (point.z < low->z || point.z > high->z));
    if (scene->has_walls && is_out)
        return true;
    for (int n = 0; n < scene->obstacle_count; n++)
        if (stands(&scene->obstacles[n].motion) && is_inside(&scene->obstacles[n].shape, point))
            return true;
    return false;
}

// The last fill that has the point, -1: none.
static int fill_at(const BwSceneDef *scene, BwVec3 point)
{
    int n = scene->fill_count - 1;
    while (n >= 0 && !is_inside(&scene->fills[n].shape, point))
        n--;
    return n;
}

static BwBox fill_bounds(const BwSceneDef *scene, int fill)
{
    BwBox box = bw_shape_bounds(&scene->fills[fill].shape);
    if (scene->has_walls)
        box = bw_box_intersection(box, (BwBox){scene->walls.min, scene->walls.max});
    if (scene->dimension == 2)
        box.low.z = 0.0f, box.high.z = 1.0f;
    return box;
}

// A fill's own part of the volume, m^3.
static double fill_volume(const BwSceneDef *scene, int fill, BwBox box)
{
    bool is_flat = scene->dimension == 2;
    int along = is_flat ? FLAT_SAMPLES : SAMPLES, layers = is_flat ? 1 : SAMPLES, count = 0;
    BwVec3 size = bw_sub(box.high, box.low);
    for (int n = 0; n < along * along * layers; n++) {
        int i = n % along, j = n / along % along, k = n / (along * along);
        BwVec3 point = bw_vec3(box.low.x + size.x * ((float)i + 0.5f) / (float)along,
                               box.low.y + size.y * ((float)j + 0.5f) / (float)along,
                               is_flat ? 0.0f : box.low.z + size.z * ((float)k + 0.5f) / (float)layers);
        count += fill_at(scene, point) == fill && !is_solid(scene, point);
    }
    return (double)size.x * (double)size.y * (double)size.z * count / ((double)along * along * layers);
}

static LiquidAmount amount_of(const BwSceneDef *scene, double volume)
{
    double cells = volume / pow((double)scene->cell, scene->dimension);
    return (LiquidAmount){.is_known = true,
                          .volume = volume,
                          .cells = cells,
                          .particles = cells * pow(scene->liquid.particles_per_cell, scene->dimension)};
}

LiquidAmount liquid_amount(const BwSceneDef *scene)
{
    double volume = 0.0;
    for (int n = 0; n < scene->fill_count; n++) {
        BwBox box = fill_bounds(scene, n);
        if (bw_box_is_empty(box))
            continue;
        if (!bw_box_is_finite(box))
            return (LiquidAmount){.is_known = false};
        volume += fill_volume(scene, n, box);
    }
    return amount_of(scene, volume);
}

// Moments at which curves are looked up.
enum { MOMENTS = 64 };

static double seconds_of(const BwSceneDef *scene)
{
    return scene->duration > 0.0 ? scene->duration : scene->frames / scene->fps;
}

static BwBox room_of(const BwSceneDef *scene)
{
    const float far = 1e6f;
    BwBox all = {{-far, -far, -far}, {far, far, far}};
    return scene->has_walls ? (BwBox){scene->walls.min, scene->walls.max} : all;
}

static double flow_of_emitter(const BwSceneDef *scene, const BwEmitterDef *emitter, double time)
{
    BwVec3 velocity = {0};
    float flow = 0.0f;
    if (emitter->kind == BW_EMIT_BLOB || !bw_is_on(emitter->start, emitter->stop, time))
        return 0.0;
    if (bw_curve_is_given(&emitter->flow))
        return bw_curve_number_at(&emitter->flow, time, 0.0f, &flow, NULL) == BW_OK ? (double)flow : 0.0;
    bool is_known = bw_curve_vector_at(&emitter->velocity, time, &velocity, NULL) == BW_OK;
    if (!is_known || !(bw_length(velocity) > 0.0f))
        return 0.0;
    return (double)bw_length(velocity) *
           bw_shape_projected_area(&emitter->shape, bw_normalize(velocity), room_of(scene), scene->dimension);
}

static double flow_of_side(const BwSceneDef *scene, int side, double time)
{
    const BwWallSideDef *def = &scene->walls.side[side];
    float kind = (float)def->kind, inward[3] = {0};
    BwVec3 velocity = {0};
    BwBox room = room_of(scene);
    if (bw_curve_number_at(&def->kind_curve, time, kind, &kind, NULL) != BW_OK ||
        (BwWallKind)kind != BW_WALL_INFLOW ||
        bw_curve_vector_at(&def->velocity, time, &velocity, NULL) != BW_OK)
        return 0.0;
    inward[side / 2] = side % 2 == 0 ? 1.0f : -1.0f;
    BwVec3 direction = bw_vec3(inward[0], inward[1], inward[2]);
    BwShape part = def->part.kind != BW_SHAPE_NONE ? def->part : bw_box(room.low, room.high);
    double area = bw_shape_projected_area(&part, direction, room, scene->dimension);
    return fmax((double)bw_dot(velocity, direction), 0.0) * area;
}

LiquidAmount liquid_amount_at_end(const BwSceneDef *scene)
{
    LiquidAmount amount = liquid_amount(scene);
    double seconds = seconds_of(scene), volume = amount.volume;
    BwVec3 size = bw_sub(scene->walls.max, scene->walls.min);
    double room = (double)size.x * (double)size.y * (scene->dimension == 3 ? (double)size.z : 1.0);
    for (int n = 0; n < MOMENTS; n++) {
        double time = seconds * (n + 0.5) / MOMENTS;
        for (int e = 0; e < scene->emitter_count; e++)
            volume += flow_of_emitter(scene, &scene->emitters[e], time) * seconds / MOMENTS;
        for (int side = 0; side < 2 * scene->dimension && scene->has_walls; side++)
            volume += flow_of_side(scene, side, time) * seconds / MOMENTS;
    }
    if (volume == amount.volume || !amount.is_known)
        return amount;
    return amount_of(scene, scene->has_walls ? fmin(volume, room) : volume);
}
