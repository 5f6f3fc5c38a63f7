// Room is looked for at the points of a lattice over a shape. Where it cannot be told there is some: doubts
// must be sure.
#include "scene/room.h"

#include "scene/curve.h"
#include "scene/extent.h"
#include "scene/gas.h"
#include <billow/shape.h>

#include <math.h>

// Points of a lattice over a length: two a cell, at least four, and not too many.
enum { LATTICE_LEAST = 4, LATTICE_MOST = 48 };

bool bw_box_is_outside(const BwSceneDef *def, BwBox box)
{
    const BwWallsDef *walls = &def->walls;
    return def->has_walls && !bw_box_is_empty(box) &&
           (box.low.x >= walls->max.x || box.high.x <= walls->min.x || box.low.y >= walls->max.y ||
            box.high.y <= walls->min.y ||
            (def->dimension == 3 && (box.low.z >= walls->max.z || box.high.z <= walls->min.z)));
}

static bool may_change(const BwCurve *curve)
{
    return bw_curve_is_given(curve) && curve->kind != BW_CURVE_CONSTANT;
}

static bool may_move(const BwMotionDef *motion)
{
    return bw_curve_is_given(&motion->velocity) || bw_curve_is_given(&motion->spin) ||
           may_change(&motion->position) || may_change(&motion->rotation);
}

// How deep a point is in an obstacle as it stands at the start, m; below 0 outside of it, or where it cannot
// be told.
static float depth_in(const BwObstacleDef *obstacle, BwVec3 point)
{
    const BwMotionDef *motion = &obstacle->motion;
    BwPose pose = bw_pose_identity();
    BwVec3 turn;
    if (bw_curve_vector_at(&motion->position, 0.0, &pose.position, NULL) != BW_OK ||
        bw_curve_vector_at(&motion->rotation, 0.0, &turn, NULL) != BW_OK)
        return -INFINITY;
    if (bw_curve_is_given(&motion->rotation))
        pose.rotation = bw_quat_turn(turn, bw_length(turn));
    return -bw_shape_distance(&obstacle->shape, bw_pose_to_local(pose, point));
}

// The middle of one of the parts that a box is cut into.
static BwVec3 lattice_point(BwBox box, const int count[3], int n)
{
    BwVec3 size = bw_sub(box.high, box.low);
    return bw_add(box.low, bw_vec3(size.x * ((float)(n % count[0]) + 0.5f) / (float)count[0],
                                   size.y * ((float)(n / count[0] % count[1]) + 0.5f) / (float)count[1],
                                   size.z * ((float)(n / count[0] / count[1]) + 0.5f) / (float)count[2]));
}

// Whether there may be room within a distance of a point, m. Smoke comes into cells, also those that a
// surface cuts.
static bool has_room(const BwSceneDef *def, BwVec3 point, float around, bool later)
{
    around += bw_is_gas(def->fluid) ? def->cell : 0.0f;
    if (bw_box_is_outside(def, (BwBox){point, point}))
        return false;
    for (int n = 0; n < def->obstacle_count; n++) {
        const BwObstacleDef *obstacle = &def->obstacles[n];
        if (!(later && may_move(&obstacle->motion)) && depth_in(obstacle, point) > around)
            return false;
    }
    return true;
}

static int lattice_count(const BwSceneDef *def, float length)
{
    return (int)fminf(fmaxf(2.0f * length / def->cell, LATTICE_LEAST), LATTICE_MOST);
}

// A lattice may be too coarse to find anything of the shape: then it is not buried. A fill that a fine one
// does not find is. Flat shapes, which have no inside, are looked for around points. It looks no further than
// to the first point with room.
static bool is_buried_within(const BwSceneDef *def, const BwShape *shape, BwBox box, bool later)
{
    BwVec3 size = bw_sub(box.high, box.low);
    int x = lattice_count(def, size.x), y = lattice_count(def, size.y);
    int z = def->dimension == 3 ? lattice_count(def, size.z) : 1;
    float near = bw_shape_is_flat(shape)
                     ? bw_length(bw_vec3(size.x / (float)x, size.y / (float)y, size.z / (float)z))
                     : 0.0f;
    bool is_fine = x < LATTICE_MOST && y < LATTICE_MOST && z < LATTICE_MOST && !later, is_seen = false;
    for (int n = 0; n < x * y * z; n++) {
        BwVec3 point = lattice_point(box, (const int[3]){x, y, z}, n);
        float distance = bw_shape_distance(shape, point);
        if (!(distance < near))
            continue;
        is_seen = true;
        if (has_room(def, point, fmaxf(distance, 0.0f), later))
            return false;
    }
    return is_seen || is_fine;
}

bool bw_shape_is_buried(const BwSceneDef *def, const BwShape *shape, bool later)
{
    BwBox box = bw_shape_bounds(shape);
    if (bw_box_is_outside(def, box))
        return false;
    if (def->has_walls)
        box = bw_box_intersection(box, (BwBox){def->walls.min, def->walls.max});
    if (def->dimension == 2)
        box.low.z = box.high.z = 0.0f;
    return bw_box_is_finite(box) && is_buried_within(def, shape, box, later);
}

// Most shapes are between the walls, and need no lattice.
static bool reaches_outside(const BwSceneDef *def, BwBox box)
{
    const BwWallsDef *walls = &def->walls;
    return box.low.x < walls->min.x || box.high.x > walls->max.x || box.low.y < walls->min.y ||
           box.high.y > walls->max.y ||
           (def->dimension == 3 && (box.low.z < walls->min.z || box.high.z > walls->max.z));
}

double bw_shape_part_outside(const BwSceneDef *def, const BwShape *shape)
{
    BwBox box = bw_shape_bounds(shape);
    int count[3] = {LATTICE_MOST, LATTICE_MOST, def->dimension == 3 ? LATTICE_MOST : 1}, all = 0, outside = 0;
    if (def->dimension == 2)
        box.low.z = box.high.z = 0.0f;
    if (!def->has_walls || !bw_box_is_finite(box) || !reaches_outside(def, box))
        return 0.0;
    for (int n = 0; n < count[0] * count[1] * count[2]; n++) {
        BwVec3 point = lattice_point(box, count, n);
        if (!(bw_shape_distance(shape, point) < 0.0f))
            continue;
        all++;
        outside += bw_box_is_outside(def, (BwBox){point, point});
    }
    return all > 0 ? (double)outside / all : 0.0;
}
