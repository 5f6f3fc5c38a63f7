// Liquid that sources put into a level set: a shape full of it, or what streams out of one in a step.
#pragma once

#include "domain/domain.h"

// A shape, moved along a way.
typedef struct BwLevelStamp {
    const BwShape *shape;
    BwVec3 way;        // m, that the stream has come in the step; 0: the shape as it stands
    float overlap;     // m, by which it reaches on into what came out before
    bool has_velocity; // of the new liquid, which is then told to the faces around
    BwVec3 velocity;   // m/s
} BwLevelStamp;

// Adds the liquid of a stamp to phi, in m, up to +-band.
void bw_level_add(BwField *phi, BwVelocity *velocity, const BwDomain *domain, const BwLevelStamp *stamp,
                  float band);

// Cells outside, beside inflow sides of the box (domain->inflow): goes on in them with the surface inside, as
// at a wall, where nothing comes in; fills them, where something does.
void bw_level_close_inflow(BwField *phi, const BwDomain *domain);
void bw_level_fill_inflow(BwField *phi, const BwDomain *domain);
