// A level set that grows or shrinks: the surface of each region moves along its normal, all of it alike. What
// a region has lost is given back so, and spread over its surface.
#pragma once

#include "operate/level_regions.h"

typedef struct BwLevelGrowth {
    double share; // 1, of what regions lack that they grow by
    double most;  // m, that a surface moves by
    double dt;    // s
    float band;   // m from the surface that it moves in
} BwLevelGrowth;

// Adds what moves the surfaces so to a velocity that they are to move by over dt, and counts what regions
// get.
BwResult bw_level_grow(BwVelocity *velocity, const BwField *phi, const BwDomain *domain,
                       BwLevelRegions *regions, const BwLevelGrowth *growth, BwError *err);
