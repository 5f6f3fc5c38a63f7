// What of a scene can set its fluid in motion, as the watch on runaway flows asks (world/runaway.h).
#pragma once

#include "flow/scene_solids.h"

// What can set a fluid in motion, for the watch on runaway flows (world/runaway.h).
typedef struct BwDrive {
    float speed;         // m/s, the fastest that sources and the air around move
    float imposed_speed; // m/s, the same of solids, inflows, lids and pumps, which press fluid through gaps
    float acceleration;  // m/s^2, the strongest
    float growth_rate;   // 1/s, acceleration for each m/s that the flow has
    float length;        // m, the longest way along which forces work; infinity: without end
    bool is_closed;      // no fluid comes or goes
    int blocked_emitter; // of a liquid: that has a wall or solid right before its mouth, from 1 on; 0: none
    // Of a liquid: the shares that lie where other liquid is and where solids are; NULL: none does. The share
    // of the volume that is faster; NULL: the fastest of it stands for all.
    double (*overlap)(void *fluid);
    double (*covered)(void *fluid);
    double (*share_above)(const void *fluid, float speed);
    void *fluid;
    BwSolidJump jump; // the first of an obstacle so far; what it does to the fluid counts as unexplained
    BwSolidJump nozzle_jump; // the same of an emitter
} BwDrive;

// Emitters, pumps, inflows, lids, forces and obstacles at a time. The obstacles have come to where they stand
// in `dt`; one that has jumped has no speed. Adds to what the drive holds already, and sets its length: that
// of the box, or of the tiles that are awake; infinite where the scene is periodic, or where forces work
// along closed paths.
BwResult bw_scene_drive(const BwSceneSolids *solids, const BwGrid *grid, float dt, double time,
                        BwDrive *drive, BwError *err);
