// Poses from curves.
#include "solid/motion.h"

#include <math.h>

static BwResult vector_at(const BwCurve *curve, double time, BwVec3 *vector, BwError *err)
{
    float value[4];
    BW_TRY(bw_curve_at(curve, time, value, err));
    *vector = bw_vec3(value[0], value[1], value[2]);
    return BW_OK;
}

static BwResult look_up(const BwMotionDef *motion, BwPose *pose, double time, BwError *err)
{
    BwVec3 vector;
    if (bw_curve_is_given(&motion->position))
        BW_TRY(vector_at(&motion->position, time, &pose->position, err));
    if (bw_curve_is_given(&motion->rotation)) {
        BW_TRY(vector_at(&motion->rotation, time, &vector, err));
        pose->rotation = bw_quat_turn(vector, bw_length(vector));
    }
    return BW_OK;
}

static float reach_along(float low, float high)
{
    float reach = fmaxf(fabsf(low), fabsf(high));
    return isfinite(reach) ? reach : 0.0f;
}

float bw_shape_reach(const BwShape *shape)
{
    BwBox box = bw_shape_bounds(shape);
    return bw_length(bw_vec3(reach_along(box.low.x, box.high.x), reach_along(box.low.y, box.high.y),
                             reach_along(box.low.z, box.high.z)));
}

BwResult bw_motion_at(const BwMotionDef *motion, double time, BwPose *pose, BwError *err)
{
    *pose = bw_pose_identity();
    return look_up(motion, pose, time, err);
}

BwResult bw_motion_start(const BwMotionDef *motion, BwPose *pose, BwError *err)
{
    return bw_motion_at(motion, 0.0, pose, err);
}

// Many small turns let the length drift from one.
static BwQuat unit(BwQuat q)
{
    float scale = 1.0f / sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (BwQuat){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

BwResult bw_motion_advance(const BwMotionDef *motion, BwPose *pose, double time, double dt, BwError *err)
{
    BwVec3 vector;
    if (bw_curve_is_given(&motion->velocity)) {
        BW_TRY(vector_at(&motion->velocity, time + 0.5 * dt, &vector, err));
        pose->position = bw_add(pose->position, bw_mul(vector, (float)dt));
    }
    if (bw_curve_is_given(&motion->spin)) {
        BW_TRY(vector_at(&motion->spin, time + 0.5 * dt, &vector, err));
        pose->rotation =
            unit(bw_quat_mul(bw_quat_turn(vector, bw_length(vector) * (float)dt), pose->rotation));
    }
    return look_up(motion, pose, time + dt, err);
}

// The difference of two unit quaternions is half of the turn between them; both signs are the same turn.
float bw_pose_way(BwPose a, BwPose b, float radius)
{
    BwQuat p = a.rotation, q = b.rotation;
    float sign = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w < 0.0f ? -1.0f : 1.0f;
    float x = p.x - sign * q.x, y = p.y - sign * q.y, z = p.z - sign * q.z, w = p.w - sign * q.w;
    return bw_length(bw_sub(a.position, b.position)) + 2.0f * radius * sqrtf(x * x + y * y + z * z + w * w);
}

// A motion with a speed halves its way with the step; of a jump one half keeps it all. So many halves tell
// even a solid that starts from rest from one that jumps.
enum { JUMP_HALVES = 5 };

BwResult bw_motion_find_jump(const BwMotionDef *motion, BwPose low, BwPose high, float radius, double time,
                             double dt, float *distance, BwError *err)
{
    float way = bw_pose_way(low, high, radius);
    BwPose middle;
    for (int half = 0; half < JUMP_HALVES; half++) {
        dt *= 0.5;
        BW_TRY(bw_motion_at(motion, time + dt, &middle, err));
        if (bw_pose_way(low, middle, radius) > bw_pose_way(middle, high, radius)) {
            high = middle;
        } else {
            low = middle;
            time += dt;
        }
    }
    *distance = bw_pose_way(low, high, radius) > 0.5f * way ? way : 0.0f;
    return BW_OK;
}
