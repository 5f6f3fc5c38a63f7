// Signed distance and bounds of shapes. Every analytic kind is exact: round kinds are measured in the half
// plane (distance from the axis, height along it), where they are a point, a box, a triangle or a segment.
// Combinations take the smaller or the larger distance: the sign is right, the size is a bound.
#include <billow/shape.h>

#include "base/error.h"
#include "base/extremes.h"
#include "solid/plain_distance.h"
#include "solid/shape_file.h"

const char *bw_shape_name(BwShapeKind kind)
{
    static const char *const names[] = {"none",
#define X(name, text) text,
                                        BW_SHAPES(X)
#undef X
    };
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

// A point of a round shape: `radius` away from the axis, `height` along it from the axis's origin.
typedef struct HalfPlane {
    float radius, height;
} HalfPlane;

static HalfPlane to_half_plane(BwVec3 point, BwVec3 origin, BwVec3 axis)
{
    BwVec3 offset = bw_sub(point, origin);
    float height = bw_dot(offset, axis);
    return (HalfPlane){bw_length(bw_sub(offset, bw_mul(axis, height))), height};
}

static float cylinder_distance(const BwShape *shape, BwVec3 p)
{
    BwVec3 along = bw_sub(shape->b, shape->a);
    float half_length = 0.5f * bw_length(along);
    HalfPlane q = to_half_plane(p, shape->a, bw_normalize(along));
    return bw_corner_distance(q.radius - shape->radius, fabsf(q.height - half_length) - half_length,
                              -INFINITY);
}

static float segment_distance(BwVec3 from, BwVec3 to, BwVec3 p)
{
    BwVec3 along = bw_sub(to, from), offset = bw_sub(p, from);
    float t = bw_smaller(bw_larger(bw_dot(offset, along) / bw_dot(along, along), 0.0f), 1.0f);
    return bw_length(bw_sub(offset, bw_mul(along, t)));
}

static float torus_distance(const BwShape *shape, BwVec3 p)
{
    HalfPlane q = to_half_plane(p, shape->a, bw_normalize(shape->b));
    return hypotf(q.radius - shape->radius, q.height) - shape->thickness;
}

// In the half plane a cone is the triangle of its base centre, its rim and its tip.
static float cone_distance(const BwShape *shape, BwVec3 p)
{
    BwVec3 along = bw_sub(shape->b, shape->a);
    float length = bw_length(along);
    HalfPlane q = to_half_plane(p, shape->a, bw_normalize(along));
    BwVec3 at = bw_vec3(q.radius, q.height, 0.0f), rim = bw_vec3(shape->radius, 0.0f, 0.0f);
    float to_base = hypotf(bw_larger(q.radius - shape->radius, 0.0f), q.height);
    float to_side = segment_distance(rim, bw_vec3(0.0f, length, 0.0f), at);
    bool inside = q.height > 0.0f && q.radius * length < shape->radius * (length - q.height);
    float nearest = bw_smaller(to_base, to_side);
    return inside ? -nearest : nearest;
}

// Flat shapes are plates of a thickness: half of it to either side of their plane.
static float disc_distance(const BwShape *shape, BwVec3 p, float half)
{
    HalfPlane q = to_half_plane(p, shape->a, bw_normalize(shape->b));
    float out = q.radius - shape->radius, over = fabsf(q.height) - half;
    return bw_smaller(bw_larger(out, over), 0.0f) + hypotf(bw_larger(out, 0.0f), bw_larger(over, 0.0f));
}

// The two directions of a rectangle's sides: the first is level, the second as upright as the normal allows.
// A rectangle that faces up has x and -z.
static void rectangle_sides(const BwShape *shape, BwVec3 *first, BwVec3 *second)
{
    BwVec3 normal = bw_normalize(shape->b);
    BwVec3 level = bw_cross(bw_vec3(0.0f, 1.0f, 0.0f), normal);
    *first = bw_length(level) > 1e-6f ? bw_normalize(level) : bw_vec3(1.0f, 0.0f, 0.0f);
    *second = bw_cross(normal, *first);
}

static float rectangle_distance(const BwShape *shape, BwVec3 p, float half)
{
    BwVec3 first, second, offset = bw_sub(p, shape->a);
    rectangle_sides(shape, &first, &second);
    float x = fabsf(bw_dot(offset, first)) - 0.5f * shape->size[0];
    float y = fabsf(bw_dot(offset, second)) - 0.5f * shape->size[1];
    float z = fabsf(bw_dot(offset, bw_normalize(shape->b))) - half;
    return bw_smaller(bw_larger(x, bw_larger(y, z)), 0.0f) +
           bw_length(bw_vec3(bw_larger(x, 0.0f), bw_larger(y, 0.0f), bw_larger(z, 0.0f)));
}

static float combined_distance(const BwShape *shape, BwVec3 p, float half)
{
    if (shape->part_count == 0)
        return INFINITY;
    float distance = bw_shape_plate_distance(&shape->parts[0], p, half);
    for (int n = 1; n < shape->part_count; n++) {
        float other = bw_shape_plate_distance(&shape->parts[n], p, half);
        if (shape->kind == BW_SHAPE_UNION)
            distance = bw_smaller(distance, other);
        else
            distance = bw_larger(distance, shape->kind == BW_SHAPE_DIFFERENCE ? -other : other);
    }
    return distance;
}

static float rotated_distance(const BwShape *shape, BwVec3 p, float half)
{
    BwQuat back = bw_quat_turn(shape->b, -shape->angle);
    return bw_shape_plate_distance(shape->parts, bw_quat_rotate(back, p), half);
}

static float file_distance(const BwShape *shape, BwVec3 p)
{
    if (shape->content == NULL)
        return INFINITY;
    float distance = bw_shape_file_distance(shape->content, bw_mul(p, 1.0f / shape->factor));
    return shape->factor * distance - bw_shape_file_offset(shape);
}

float bw_shape_plate_distance(const BwShape *shape, BwVec3 p, float half)
{
    switch (shape->kind) {
    case BW_SHAPE_SPHERE:
        return bw_sphere_distance(shape->a, shape->radius, p);
    case BW_SHAPE_BOX:
        return bw_box_distance(shape->a, shape->b, p);
    case BW_SHAPE_CYLINDER:
        return cylinder_distance(shape, p);
    case BW_SHAPE_CAPSULE:
        return segment_distance(shape->a, shape->b, p) - shape->radius;
    case BW_SHAPE_PLANE:
        return bw_dot(bw_sub(p, shape->a), bw_normalize(shape->b));
    case BW_SHAPE_TORUS:
        return torus_distance(shape, p);
    case BW_SHAPE_CONE:
        return cone_distance(shape, p);
    case BW_SHAPE_DISC:
        return disc_distance(shape, p, half);
    case BW_SHAPE_RECTANGLE:
        return rectangle_distance(shape, p, half);
    case BW_SHAPE_UNION:
    case BW_SHAPE_INTERSECTION:
    case BW_SHAPE_DIFFERENCE:
        return combined_distance(shape, p, half);
    case BW_SHAPE_TRANSLATE:
        return bw_shape_plate_distance(shape->parts, bw_sub(p, shape->a), half);
    case BW_SHAPE_ROTATE:
        return rotated_distance(shape, p, half);
    case BW_SHAPE_SCALE:
        return shape->factor *
               bw_shape_plate_distance(shape->parts, bw_mul(p, 1.0f / shape->factor), half / shape->factor);
    case BW_SHAPE_MESH:
    case BW_SHAPE_HEIGHTMAP:
    case BW_SHAPE_VOXELS:
    case BW_SHAPE_WRAPPED:
    case BW_SHAPE_POINTS:
        return file_distance(shape, p);
    case BW_SHAPE_NONE:
        break;
    }
    return INFINITY;
}

float bw_shape_distance(const BwShape *shape, BwVec3 p)
{
    return shape != NULL ? bw_shape_plate_distance(shape, p, 0.0f) : INFINITY;
}

// Whether some part of a combination is flat, or with `all` every one.
static bool parts_are_flat(const BwShape *shape, bool all)
{
    for (int n = 0; n < shape->part_count; n++)
        if (bw_shape_is_flat(&shape->parts[n]) != all)
            return !all;
    return all && shape->part_count > 0;
}

bool bw_shape_is_flat(const BwShape *shape)
{
    if (shape == NULL)
        return false;
    switch (shape->kind) {
    case BW_SHAPE_DISC:
    case BW_SHAPE_RECTANGLE:
        return true;
    case BW_SHAPE_UNION:
        return parts_are_flat(shape, true);
    case BW_SHAPE_INTERSECTION:
        return parts_are_flat(shape, false);
    case BW_SHAPE_DIFFERENCE: // of the first, which the others only cut
    case BW_SHAPE_TRANSLATE:
    case BW_SHAPE_ROTATE:
    case BW_SHAPE_SCALE:
        return shape->part_count > 0 && bw_shape_is_flat(shape->parts);
    default:
        return false;
    }
}

bool bw_shape_is_triangles(const BwShape *shape)
{
    switch (shape->kind) {
    case BW_SHAPE_MESH:
    case BW_SHAPE_HEIGHTMAP:
    case BW_SHAPE_VOXELS:
    case BW_SHAPE_WRAPPED:
        return shape->content != NULL && shape->content->grid.is_closed &&
               bw_shape_file_offset(shape) == 0.0f;
    case BW_SHAPE_TRANSLATE:
    case BW_SHAPE_ROTATE:
    case BW_SHAPE_SCALE:
        return bw_shape_is_triangles(shape->parts);
    default:
        return false;
    }
}

float bw_shape_cross(const BwShape *shape, BwVec3 from, BwVec3 to)
{
    return bw_shape_meet(shape, from, to, -INFINITY);
}

bool bw_shape_slope(const BwShape *shape, BwVec3 p, BwVec3 *slope, float *distance)
{
    if (!bw_shape_is_triangles(shape))
        return false;
    switch (shape->kind) {
    case BW_SHAPE_TRANSLATE:
        return bw_shape_slope(shape->parts, bw_sub(p, shape->a), slope, distance);
    case BW_SHAPE_ROTATE:
        if (!bw_shape_slope(shape->parts, bw_quat_rotate(bw_quat_turn(shape->b, -shape->angle), p), slope,
                            distance))
            return false;
        *slope = bw_quat_rotate(bw_quat_turn(shape->b, shape->angle), *slope);
        return true;
    case BW_SHAPE_SCALE:
        if (!bw_shape_slope(shape->parts, bw_mul(p, 1.0f / shape->factor), slope, distance))
            return false;
        break;
    default:
        if (!bw_shape_file_slope(shape->content, bw_mul(p, 1.0f / shape->factor), slope, distance))
            return false;
    }
    *distance *= shape->factor;
    return true;
}

bool bw_shape_smooth_normal(const BwShape *shape, BwVec3 p, float bound, BwVec3 *normal)
{
    if (!bw_shape_is_triangles(shape))
        return false;
    switch (shape->kind) {
    case BW_SHAPE_TRANSLATE:
        return bw_shape_smooth_normal(shape->parts, bw_sub(p, shape->a), bound, normal);
    case BW_SHAPE_SCALE:
        return bw_shape_smooth_normal(shape->parts, bw_mul(p, 1.0f / shape->factor), bound / shape->factor,
                                      normal);
    case BW_SHAPE_ROTATE:
        if (!bw_shape_smooth_normal(shape->parts, bw_quat_rotate(bw_quat_turn(shape->b, -shape->angle), p),
                                    bound, normal))
            return false;
        *normal = bw_quat_rotate(bw_quat_turn(shape->b, shape->angle), *normal);
        return true;
    default:
        return bw_shape_file_normal(shape->content, bw_mul(p, 1.0f / shape->factor), bound / shape->factor,
                                    normal);
    }
}

float bw_shape_gap(const BwShape *shape, BwVec3 p, float bound)
{
    switch (shape->kind) {
    case BW_SHAPE_TRANSLATE:
        return bw_shape_gap(shape->parts, bw_sub(p, shape->a), bound);
    case BW_SHAPE_ROTATE:
        return bw_shape_gap(shape->parts, bw_quat_rotate(bw_quat_turn(shape->b, -shape->angle), p), bound);
    case BW_SHAPE_SCALE:
        return shape->factor *
               bw_shape_gap(shape->parts, bw_mul(p, 1.0f / shape->factor), bound / shape->factor);
    default:
        return shape->factor *
               bw_shape_file_gap(shape->content, bw_mul(p, 1.0f / shape->factor), bound / shape->factor);
    }
}

static const float not_met = 2.0f;

// Follows the segment by steps as long as the distance allows (sphere tracing, Hart 1996).
static float meet_by_distance(const BwShape *shape, BwVec3 from, BwVec3 to, float touch)
{
    enum { STEPS_MAX = 160 };
    BwVec3 along = bw_sub(to, from);
    float length = bw_length(along), at = 0.0f;
    for (int step = 0; step < STEPS_MAX && at <= length; step++) {
        float share = length > 0.0f ? at / length : 0.0f;
        float distance = bw_shape_distance(shape, bw_add(from, bw_mul(along, share)));
        if (distance < touch)
            return share;
        at += distance;
    }
    return not_met;
}

// Sheets with a thickness and balls about points are met where their distance says so; triangles themselves
// by crossing one, unless the way begins inside.
static float meet_file(const BwShape *shape, BwVec3 from, BwVec3 to, float touch)
{
    if (shape->content == NULL)
        return not_met;
    if (bw_shape_file_offset(shape) > 0.0f)
        return meet_by_distance(shape, from, to, touch);
    BwDistanceBounds distance = isinf(touch) ? (BwDistanceBounds){0} : bw_shape_distance_bounds(shape, from);
    if (distance.low < touch && (distance.high < touch || file_distance(shape, from) < touch))
        return 0.0f;
    // A distance far out may be a twentieth too long.
    if (0.95f * distance.low > bw_length(bw_sub(to, from)))
        return not_met;
    float scale = 1.0f / shape->factor;
    return bw_shape_file_meet(shape->content, bw_mul(from, scale), bw_mul(to, scale));
}

float bw_shape_meet(const BwShape *shape, BwVec3 from, BwVec3 to, float touch)
{
    BwQuat back;
    float scale, first = not_met;
    if (shape == NULL)
        return not_met;
    switch (shape->kind) {
    case BW_SHAPE_MESH:
    case BW_SHAPE_HEIGHTMAP:
    case BW_SHAPE_VOXELS:
    case BW_SHAPE_WRAPPED:
    case BW_SHAPE_POINTS:
        return meet_file(shape, from, to, touch);
    case BW_SHAPE_UNION:
        for (int n = 0; n < shape->part_count; n++)
            first = fminf(first, bw_shape_meet(&shape->parts[n], from, to, touch));
        return first;
    case BW_SHAPE_TRANSLATE:
        return bw_shape_meet(shape->parts, bw_sub(from, shape->a), bw_sub(to, shape->a), touch);
    case BW_SHAPE_ROTATE:
        back = bw_quat_turn(shape->b, -shape->angle);
        return bw_shape_meet(shape->parts, bw_quat_rotate(back, from), bw_quat_rotate(back, to), touch);
    case BW_SHAPE_SCALE:
        scale = 1.0f / shape->factor;
        return bw_shape_meet(shape->parts, bw_mul(from, scale), bw_mul(to, scale), touch * scale);
    default:
        return meet_by_distance(shape, from, to, touch);
    }
}

static BwBox box_around(BwVec3 center, BwVec3 reach)
{
    return (BwBox){bw_sub(center, reach), bw_add(center, reach)};
}

static BwBox everything(void)
{
    return (BwBox){bw_vec3(-INFINITY, -INFINITY, -INFINITY), bw_vec3(INFINITY, INFINITY, INFINITY)};
}

static BwBox nothing(void)
{
    return (BwBox){bw_vec3(INFINITY, INFINITY, INFINITY), bw_vec3(-INFINITY, -INFINITY, -INFINITY)};
}

// How far a flat disc of radius 1 reaches along each coordinate axis.
static BwVec3 disc_reach(BwVec3 axis)
{
    BwVec3 n = bw_normalize(axis);
    return bw_vec3(sqrtf(fmaxf(1.0f - n.x * n.x, 0.0f)), sqrtf(fmaxf(1.0f - n.y * n.y, 0.0f)),
                   sqrtf(fmaxf(1.0f - n.z * n.z, 0.0f)));
}

// From a disc at the shape's `a` to one at its `b`.
static BwBox bounds_between_discs(const BwShape *shape, float radius_a, float radius_b)
{
    BwVec3 reach = disc_reach(bw_sub(shape->b, shape->a));
    return bw_box_union(box_around(shape->a, bw_mul(reach, radius_a)),
                        box_around(shape->b, bw_mul(reach, radius_b)));
}

static BwBox capsule_bounds(const BwShape *shape)
{
    BwVec3 reach = bw_vec3(shape->radius, shape->radius, shape->radius);
    return bw_box_union(box_around(shape->a, reach), box_around(shape->b, reach));
}

// A half space has a side only where its normal runs along an axis.
static BwBox plane_bounds(const BwShape *shape)
{
    BwBox box = everything();
    const float normal[3] = {shape->b.x, shape->b.y, shape->b.z},
                point[3] = {shape->a.x, shape->a.y, shape->a.z};
    float *low[3] = {&box.low.x, &box.low.y, &box.low.z}, *high[3] = {&box.high.x, &box.high.y, &box.high.z};
    for (int axis = 0; axis < 3; axis++) {
        if (normal[(axis + 1) % 3] != 0.0f || normal[(axis + 2) % 3] != 0.0f)
            continue;
        *(normal[axis] > 0.0f ? high : low)[axis] = point[axis];
    }
    return box;
}

static BwBox torus_bounds(const BwShape *shape)
{
    BwVec3 tube = bw_vec3(shape->thickness, shape->thickness, shape->thickness);
    return box_around(shape->a, bw_add(bw_mul(disc_reach(shape->b), shape->radius), tube));
}

static BwBox rectangle_bounds(const BwShape *shape)
{
    BwVec3 first, second;
    rectangle_sides(shape, &first, &second);
    float a = 0.5f * shape->size[0], b = 0.5f * shape->size[1];
    return box_around(shape->a, bw_vec3(fabsf(first.x) * a + fabsf(second.x) * b,
                                        fabsf(first.y) * a + fabsf(second.y) * b,
                                        fabsf(first.z) * a + fabsf(second.z) * b));
}

static BwBox combined_bounds(const BwShape *shape)
{
    BwBox box = shape->part_count > 0 ? bw_shape_bounds(&shape->parts[0]) : nothing();
    for (int n = 1; n < shape->part_count && shape->kind != BW_SHAPE_DIFFERENCE; n++) {
        BwBox part = bw_shape_bounds(&shape->parts[n]);
        box = shape->kind == BW_SHAPE_UNION ? bw_box_union(box, part) : bw_box_intersection(box, part);
    }
    return box;
}

static BwBox rotated_bounds(const BwShape *shape)
{
    BwBox box = bw_shape_bounds(shape->parts), turned = nothing();
    if (bw_box_is_empty(box))
        return box;
    BwVec3 size = bw_sub(box.high, box.low);
    if (!isfinite(size.x + size.y + size.z))
        return everything();
    BwQuat turn = bw_quat_turn(shape->b, shape->angle);
    for (int corner = 0; corner < 8; corner++) {
        BwVec3 at = bw_vec3(corner & 1 ? box.high.x : box.low.x, corner & 2 ? box.high.y : box.low.y,
                            corner & 4 ? box.high.z : box.low.z);
        BwVec3 moved = bw_quat_rotate(turn, at);
        turned = bw_box_union(turned, (BwBox){moved, moved});
    }
    return turned;
}

static BwBox file_bounds(const BwShape *shape)
{
    if (shape->content == NULL)
        return nothing();
    BwBox box = shape->content->bounds;
    float offset = bw_shape_file_offset(shape);
    BwVec3 reach = bw_vec3(offset, offset, offset);
    return (BwBox){bw_sub(bw_mul(box.low, shape->factor), reach),
                   bw_add(bw_mul(box.high, shape->factor), reach)};
}

BwBox bw_shape_bounds(const BwShape *shape)
{
    if (shape == NULL)
        return nothing();
    BwVec3 round = bw_vec3(shape->radius, shape->radius, shape->radius);
    BwBox part;
    switch (shape->kind) {
    case BW_SHAPE_SPHERE:
        return box_around(shape->a, round);
    case BW_SHAPE_BOX:
        return (BwBox){shape->a, shape->b};
    case BW_SHAPE_CYLINDER:
        return bounds_between_discs(shape, shape->radius, shape->radius);
    case BW_SHAPE_CAPSULE:
        return capsule_bounds(shape);
    case BW_SHAPE_PLANE:
        return plane_bounds(shape);
    case BW_SHAPE_TORUS:
        return torus_bounds(shape);
    case BW_SHAPE_CONE:
        return bounds_between_discs(shape, shape->radius, 0.0f);
    case BW_SHAPE_DISC:
        return box_around(shape->a, bw_mul(disc_reach(shape->b), shape->radius));
    case BW_SHAPE_RECTANGLE:
        return rectangle_bounds(shape);
    case BW_SHAPE_UNION:
    case BW_SHAPE_INTERSECTION:
    case BW_SHAPE_DIFFERENCE:
        return combined_bounds(shape);
    case BW_SHAPE_TRANSLATE:
        part = bw_shape_bounds(shape->parts);
        return (BwBox){bw_add(part.low, shape->a), bw_add(part.high, shape->a)};
    case BW_SHAPE_ROTATE:
        return rotated_bounds(shape);
    case BW_SHAPE_SCALE:
        part = bw_shape_bounds(shape->parts);
        return (BwBox){bw_mul(part.low, shape->factor), bw_mul(part.high, shape->factor)};
    case BW_SHAPE_MESH:
    case BW_SHAPE_HEIGHTMAP:
    case BW_SHAPE_VOXELS:
    case BW_SHAPE_WRAPPED:
    case BW_SHAPE_POINTS:
        return file_bounds(shape);
    case BW_SHAPE_NONE:
        break;
    }
    return nothing();
}
