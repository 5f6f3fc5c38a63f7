// The bodies of a scene: nodes, motion, collisions, and how frames and stats show them.
#pragma once

#include "base/record.h"
#include "flow/scene_solids.h"
#include "operate/body_loads.h"
#include "solid/body_contacts.h"
#include <billow/world.h>

typedef struct BwSceneBodies {
    const BwSceneDef *scene; // NULL: there are none
    BwAllocator allocator;
    BwRigidBody *bodies; // scene->body_count of them, as of the next two
    BwBodyLoad *loads;
    BwBodyStats *told;
    BwBodyObstacle *obstacles; // scene->obstacle_count of them
} BwSceneBodies;

// The bodies as they are at time 0; nothing is made for scenes without any. After a failure destroy frees
// what was made.
BwResult bw_scene_bodies_create(BwSceneBodies *bodies, const BwSceneDef *scene, BwAllocator allocator,
                                BwError *err);
void bw_scene_bodies_destroy(BwSceneBodies *bodies);

// Moves them through a liquid, past the obstacles, in as many steps of their own as they need.
void bw_scene_bodies_move(BwSceneBodies *bodies, const BwBodyWater *water, const BwSceneSolids *solids,
                          double dt);

// After the obstacles in the frame's list of solids, which must have room for them.
void bw_scene_bodies_show(const BwSceneBodies *bodies, BwSceneSolids *solids, BwFrame *frame);
void bw_scene_bodies_tell(BwSceneBodies *bodies, BwStats *stats);

BwResult bw_scene_bodies_save(const BwSceneBodies *bodies, BwRecord *record, BwError *err);
BwResult bw_scene_bodies_load(BwSceneBodies *bodies, const BwRecord *record, BwError *err);
