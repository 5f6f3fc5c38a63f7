// Where moving solids stand: poses from a scene's curves, step by step.
#pragma once

#include "base/error.h"
#include <billow/scene.h>

// From a shape's origin to the farthest of it, m; an axis along which it has no end, as a box of a flat scene
// along z, is left out.
float bw_shape_reach(const BwShape *shape);

// The pose that positions and rotations give at a time; velocities and spins are left out.
BwResult bw_motion_at(const BwMotionDef *motion, double time, BwPose *pose, BwError *err);

// The pose at time 0.
BwResult bw_motion_start(const BwMotionDef *motion, BwPose *pose, BwError *err);

// The pose dt later. Positions and rotations are looked up at the end of the step; velocities and spins are
// added up at its middle.
BwResult bw_motion_advance(const BwMotionDef *motion, BwPose *pose, double time, double dt, BwError *err);

// How far it is from one pose to another for what is `radius` from the origin, at most, m.
float bw_pose_way(BwPose a, BwPose b, float radius);

// How far positions and rotations jump between two poses that they give at `time` and dt later, m; 0 where
// they move at a speed.
BwResult bw_motion_find_jump(const BwMotionDef *motion, BwPose low, BwPose high, float radius, double time,
                             double dt, float *distance, BwError *err);
