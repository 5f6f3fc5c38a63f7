// The obstacles of a scene: where they stand from step to step, and how a frame shows them.
#pragma once

#include "domain/domain.h"
#include <billow/frame.h>

// Shorter jumps are those of a motion that was sampled, and fluid bears them.
#define BW_JUMP_CELLS 2.0f

// An obstacle whose motion jumps: it goes from one place to another in no time, and so in one step.
typedef struct BwSolidJump {
    int obstacle;   // its number in the scene, from 0
    double time;    // s, at the end of the step
    float distance; // m; 0: there was none
    float speed;    // m/s, what the step makes of it
} BwSolidJump;

typedef struct BwSceneSolids {
    const BwSceneDef *scene;
    BwAllocator allocator;
    BwSolidPose *poses;     // scene->obstacle_count of them
    BwFrameSolid *in_frame; // as many, and room for the bodies
    BwSolidJump first_jump; // since the world was made
} BwSceneSolids;

// The solids as they stand at time 0. After a failure destroy frees what was made.
BwResult bw_scene_solids_create(BwSceneSolids *solids, const BwSceneDef *scene, BwAllocator allocator,
                                BwError *err);
void bw_scene_solids_destroy(BwSceneSolids *solids);

// Moves them on from `time` by dt.
BwResult bw_scene_solids_move(BwSceneSolids *solids, double time, double dt, BwError *err);

// Leaves them where they are and gives them the speed of the step from `time` to come.
BwResult bw_scene_solids_look_ahead(BwSceneSolids *solids, double time, double dt, BwError *err);

// Whether any stands elsewhere than before the last move.
bool bw_scene_solids_have_moved(const BwSceneSolids *solids);

// Whether any obstacle of a scene ever may: its place, turn or speed is more than a constant place.
bool bw_scene_solids_may_move(const BwSceneDef *scene);

// The frame's list of solids, which stays ours.
void bw_scene_solids_show(BwSceneSolids *solids, BwFrame *frame);
