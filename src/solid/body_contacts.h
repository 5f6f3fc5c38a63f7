// Bodies that meet walls, obstacles and each other. Points of a body's surface that are inside of something
// are met by impulses along the way out, with some bounce and friction, and the body is moved out by the
// deepest of them. One pair after another in a fixed order, so that results do not depend on threads.
#pragma once

#include "solid/rigid_body.h"

// An obstacle, as it stands and stood a step ago.
typedef struct BwBodyObstacle {
    const BwShape *shape;
    BwPose pose, before;
} BwBodyObstacle;

// What bodies are in.
typedef struct BwBodyRoom {
    const BwBodyObstacle *obstacles;
    int obstacle_count;
    bool is_closed[BW_SIDE_COUNT]; // sides of the box
    BwBox box;                     // m
    int dimension;
    double dt; // s, of the obstacles' step
} BwBodyRoom;

void bw_bodies_collide(BwRigidBody *bodies, int count, const BwBodyRoom *room);
