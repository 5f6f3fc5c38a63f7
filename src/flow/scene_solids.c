// Obstacles follow the curves of their motion.
#include "flow/scene_solids.h"

#include "scene/curve.h"
#include "solid/motion.h"
#include <math.h>
#include <string.h>

// Slip and heat of the obstacles at a time.
static BwResult look_up_surfaces(BwSceneSolids *solids, double time, BwError *err)
{
    const BwSceneDef *scene = solids->scene;
    float slip = scene->has_walls ? scene->walls.slip : 1.0f;
    for (int n = 0; n < scene->obstacle_count; n++) {
        const BwObstacleDef *obstacle = &scene->obstacles[n];
        BW_TRY(bw_curve_number_at(&obstacle->slip, time, slip, &solids->poses[n].slip, err));
        BW_TRY(bw_curve_number_at(&obstacle->temperature, time, NAN, &solids->poses[n].temperature, err));
    }
    return BW_OK;
}

BwResult bw_scene_solids_create(BwSceneSolids *solids, const BwSceneDef *scene, BwAllocator allocator,
                                BwError *err)
{
    size_t count = (size_t)scene->obstacle_count, shown = count + (size_t)scene->body_count;
    *solids = (BwSceneSolids){.scene = scene, .allocator = allocator};
    solids->poses = bw_alloc_zeroed(&allocator, count * sizeof *solids->poses, BW_ALIGN);
    solids->in_frame = bw_alloc_zeroed(&allocator, shown * sizeof *solids->in_frame, BW_ALIGN);
    if ((count > 0 && solids->poses == NULL) || (shown > 0 && solids->in_frame == NULL))
        return bw_fail_memory(err);
    for (size_t n = 0; n < count; n++) {
        BwSolidPose *solid = &solids->poses[n];
        solid->shape = &scene->obstacles[n].shape;
        BW_TRY(bw_motion_start(&scene->obstacles[n].motion, &solid->pose, err));
        solid->before = solid->pose;
    }
    return look_up_surfaces(solids, 0.0, err);
}

void bw_scene_solids_destroy(BwSceneSolids *solids)
{
    if (solids->scene == NULL)
        return;
    size_t count = (size_t)solids->scene->obstacle_count, shown = count + (size_t)solids->scene->body_count;
    bw_free(&solids->allocator, solids->poses, count * sizeof *solids->poses, BW_ALIGN);
    bw_free(&solids->allocator, solids->in_frame, shown * sizeof *solids->in_frame, BW_ALIGN);
}

// What curves of place and rotation give of a pose; velocities and spins cannot jump.
static BwPose looked_up(const BwMotionDef *motion, BwPose pose)
{
    BwPose plain = bw_pose_identity();
    return (BwPose){bw_curve_is_given(&motion->position) ? pose.position : plain.position,
                    bw_curve_is_given(&motion->rotation) ? pose.rotation : plain.rotation};
}

// How far a solid has jumped in the step that began at `time`, m; 0 where it has moved at a speed.
static BwResult find_jump(const BwSceneSolids *solids, int n, double time, double dt, float *distance,
                          BwError *err)
{
    const BwMotionDef *motion = &solids->scene->obstacles[n].motion;
    const BwSolidPose *solid = &solids->poses[n];
    BwPose low = looked_up(motion, solid->before), high = looked_up(motion, solid->pose);
    float radius = bw_shape_reach(solid->shape);
    *distance = 0.0f;
    if (!(bw_pose_way(low, high, radius) > BW_JUMP_CELLS * solids->scene->cell))
        return BW_OK;
    return bw_motion_find_jump(motion, low, high, radius, time, dt, distance, err);
}

static BwResult note_jump(BwSceneSolids *solids, int n, double time, double dt, BwError *err)
{
    float distance;
    BW_TRY(find_jump(solids, n, time, dt, &distance, err));
    solids->poses[n].has_jumped = distance > 0.0f;
    if (distance > 0.0f && solids->first_jump.distance == 0.0f)
        solids->first_jump = (BwSolidJump){n, time + dt, distance, distance / (float)dt};
    return BW_OK;
}

BwResult bw_scene_solids_move(BwSceneSolids *solids, double time, double dt, BwError *err)
{
    for (int n = 0; n < solids->scene->obstacle_count; n++) {
        BwSolidPose *solid = &solids->poses[n];
        solid->before = solid->pose;
        BW_TRY(bw_motion_advance(&solids->scene->obstacles[n].motion, &solid->pose, time, dt, err));
        BW_TRY(note_jump(solids, n, time, dt, err));
    }
    return look_up_surfaces(solids, time + dt, err);
}

// The pose that leads to `pose` by the same displacement and turn as lead on to `after`.
static BwPose pose_before(BwPose pose, BwPose after)
{
    if (memcmp(&pose, &after, sizeof pose) == 0)
        return pose;
    BwQuat turn = bw_quat_mul(after.rotation, bw_quat_conjugate(pose.rotation));
    return (BwPose){.position = bw_sub(pose.position, bw_sub(after.position, pose.position)),
                    .rotation = bw_quat_mul(bw_quat_conjugate(turn), pose.rotation)};
}

BwResult bw_scene_solids_look_ahead(BwSceneSolids *solids, double time, double dt, BwError *err)
{
    for (int n = 0; n < solids->scene->obstacle_count; n++) {
        BwSolidPose *solid = &solids->poses[n];
        BwPose after = solid->pose;
        BW_TRY(bw_motion_advance(&solids->scene->obstacles[n].motion, &after, time, dt, err));
        solid->before = pose_before(solid->pose, after);
    }
    return look_up_surfaces(solids, time + dt, err);
}

bool bw_scene_solids_have_moved(const BwSceneSolids *solids)
{
    for (int n = 0; n < solids->scene->obstacle_count; n++) {
        const BwSolidPose *solid = &solids->poses[n];
        if (memcmp(&solid->before, &solid->pose, sizeof solid->pose) != 0)
            return true;
    }
    return false;
}

static bool is_fixed(const BwCurve *curve)
{
    return curve->kind == BW_CURVE_NONE || curve->kind == BW_CURVE_CONSTANT;
}

bool bw_scene_solids_may_move(const BwSceneDef *scene)
{
    for (int n = 0; n < scene->obstacle_count; n++) {
        const BwMotionDef *motion = &scene->obstacles[n].motion;
        if (!is_fixed(&motion->position) || !is_fixed(&motion->rotation) ||
            motion->velocity.kind != BW_CURVE_NONE || motion->spin.kind != BW_CURVE_NONE)
            return true;
    }
    return false;
}

void bw_scene_solids_show(BwSceneSolids *solids, BwFrame *frame)
{
    for (int n = 0; n < solids->scene->obstacle_count; n++) {
        const BwObstacleDef *obstacle = &solids->scene->obstacles[n];
        solids->in_frame[n] =
            (BwFrameSolid){.shape = &obstacle->shape,
                           .pose = solids->poses[n].pose,
                           .color = {obstacle->color[0], obstacle->color[1], obstacle->color[2]},
                           .is_glass = obstacle->is_glass};
    }
    frame->solids = solids->in_frame;
    frame->solid_count = solids->scene->obstacle_count;
}
