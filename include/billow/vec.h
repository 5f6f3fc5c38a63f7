/// Small vectors and boxes by value. Lengths in metres unless a name says otherwise.
/// ```c
/// BwPose pose = {{0.0f, 1.0f, 0.0f}, bw_quat_turn(bw_vec3(0.0f, 1.0f, 0.0f), 1.5708f)};
/// BwVec3 corner = bw_pose_to_world(pose, bw_vec3(1.0f, 0.0f, 0.0f)); // (0, 1, -1)
/// printf("%g\n", (double)bw_length(bw_sub(corner, pose.position)));
/// ```
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct BwVec3 {
    float x, y, z;
} BwVec3;

/// An axis-aligned box. Empty when any low is above its high; infinite sides are allowed.
typedef struct BwBox {
    BwVec3 low, high;
} BwBox;

/// A rotation: w + xi + yj + zk with unit length.
typedef struct BwQuat {
    float x, y, z, w;
} BwQuat;

/// Where a rigid thing stands: rotate about its own origin, then move there.
typedef struct BwPose {
    BwVec3 position; // m
    BwQuat rotation;
} BwPose;

static inline BwVec3 bw_vec3(float x, float y, float z)
{
    BwVec3 v = {x, y, z};
    return v;
}

/// The component of a vector along axis 0, 1 or 2.
static inline float bw_component(BwVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static inline BwVec3 bw_add(BwVec3 a, BwVec3 b)
{
    return bw_vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline BwVec3 bw_sub(BwVec3 a, BwVec3 b)
{
    return bw_vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline BwVec3 bw_mul(BwVec3 a, float s)
{
    return bw_vec3(a.x * s, a.y * s, a.z * s);
}

static inline BwVec3 bw_min(BwVec3 a, BwVec3 b)
{
    return bw_vec3(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z));
}

static inline BwVec3 bw_max(BwVec3 a, BwVec3 b)
{
    return bw_vec3(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z));
}

static inline float bw_dot(BwVec3 a, BwVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline BwVec3 bw_cross(BwVec3 a, BwVec3 b)
{
    return bw_vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline float bw_length(BwVec3 a)
{
    return sqrtf(bw_dot(a, a));
}

/// The unit vector along a; the zero vector stays zero.
static inline BwVec3 bw_normalize(BwVec3 a)
{
    float length = bw_length(a);
    return length > 0.0f ? bw_mul(a, 1.0f / length) : a;
}

static inline BwQuat bw_quat_identity(void)
{
    BwQuat q = {0.0f, 0.0f, 0.0f, 1.0f};
    return q;
}

/// A turn by `angle` radians about `axis`, right-handed; the axis need not be of unit length.
static inline BwQuat bw_quat_turn(BwVec3 axis, float angle)
{
    BwVec3 n = bw_mul(bw_normalize(axis), (float)sin(0.5 * (double)angle)); // the same on every processor
    BwQuat q = {n.x, n.y, n.z, (float)cos(0.5 * (double)angle)};
    return q;
}

static inline BwQuat bw_quat_conjugate(BwQuat q)
{
    BwQuat c = {-q.x, -q.y, -q.z, q.w};
    return c;
}

/// The turn that does b first, then a.
static inline BwQuat bw_quat_mul(BwQuat a, BwQuat b)
{
    BwQuat q = {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
    return q;
}

static inline BwVec3 bw_quat_rotate(BwQuat q, BwVec3 v)
{
    BwVec3 r = bw_vec3(q.x, q.y, q.z);
    BwVec3 t = bw_mul(bw_cross(r, v), 2.0f);
    return bw_add(bw_add(v, bw_mul(t, q.w)), bw_cross(r, t));
}

static inline BwPose bw_pose_identity(void)
{
    BwPose pose = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
    return pose;
}

static inline BwVec3 bw_pose_to_world(BwPose pose, BwVec3 local)
{
    return bw_add(bw_quat_rotate(pose.rotation, local), pose.position);
}

static inline BwVec3 bw_pose_to_local(BwPose pose, BwVec3 world)
{
    return bw_quat_rotate(bw_quat_conjugate(pose.rotation), bw_sub(world, pose.position));
}

static inline bool bw_box_is_empty(BwBox box)
{
    return !(box.low.x <= box.high.x && box.low.y <= box.high.y && box.low.z <= box.high.z);
}

static inline BwBox bw_box_union(BwBox a, BwBox b)
{
    if (bw_box_is_empty(a))
        return b;
    if (bw_box_is_empty(b))
        return a;
    BwBox box = {bw_min(a.low, b.low), bw_max(a.high, b.high)};
    return box;
}

static inline BwBox bw_box_intersection(BwBox a, BwBox b)
{
    BwBox box = {bw_max(a.low, b.low), bw_min(a.high, b.high)};
    return box;
}
