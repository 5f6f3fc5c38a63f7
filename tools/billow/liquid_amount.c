// Each fill is sampled on a lattice over its bounds. A sample counts where no later fill and no solid that
// stands has it too.
#include "liquid_amount.h"

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

LiquidAmount liquid_amount(const BwSceneDef *scene)
{
    double volume = 0.0, cell = pow((double)scene->cell, scene->dimension);
    for (int n = 0; n < scene->fill_count; n++) {
        BwBox box = fill_bounds(scene, n);
        if (bw_box_is_empty(box))
            continue;
        if (!bw_box_is_finite(box))
            return (LiquidAmount){.is_known = false};
        volume += fill_volume(scene, n, box);
    }
    return (LiquidAmount){.is_known = true,
                          .volume = volume,
                          .cells = volume / cell,
                          .particles =
                              volume / cell * pow(scene->liquid.particles_per_cell, scene->dimension)};
}
