// From the grid back to the particles, and the particles along the grid's velocity.
//
// A particle takes the velocity at its place, and its gradient there (apic); or, of flip, what the step has
// changed in the velocity at its place, mixed with a little of the velocity itself (Zhu and Bridson 2005).
//
// Then it moves. Where the velocity changes little from cell to cell (grid/straightness.h) it goes straight
// on by the grid's velocity at its start, as in the leapfrog method, which keeps angular momentum
// (operate/turning.h). Elsewhere it follows the velocity of the middle of the step by Runge and Kutta's
// method of order three (Ralston 1962), in as many parts of the step as keep each shorter than a cell and a
// half. Last it comes past walls and solids (particle/collide.h).
#pragma once

#include "particle/collide.h"

typedef struct BwAdvance {
    const BwVelocity *velocity; // m/s, that they take; NULL: they keep theirs and do not move by it
    const BwVelocity *path;     // m/s, that they follow, extrapolated as far as particles move
    const BwVelocity *before;   // before the step; NULL: particles take the velocity as it is
    float flip;                 // 1, the share of the change that flip takes; the rest is the velocity itself
    const BwVelocity *shift;    // m/s, that moves particles besides, over dt, from where they start
    const BwMask *crammed;      // cells beside solids whose particles are pushed off them, besides; or NULL
    const BwField *phi;         // m, of the liquid's surface; NULL: nothing falls by itself
    const BwField *share;       // 1, that particles fill around cells' centres; NULL: drops keep their strain
    BwVec3 fall;                // m/s, that gravity gives a particle in the step
    bool holds_together;        // what is loose at the surface falls towards it, whichever way that is
    unsigned lets_go;           // sides of the box, a bit each, that particles come off in cells beside them
    const BwMask *liquid;       // that are not among these; with a velocity
    bool is_curved;             // they follow the path even where it changes little
    float dt;
    BwCollision collision;
} BwAdvance;

// Memory of the workers.
typedef struct BwAdvancer BwAdvancer;
BwResult bw_advancer_create(BwAdvancer **advancer, const BwAllocator *allocator, BwPool *pool, BwError *err);
void bw_advancer_destroy(BwAdvancer *advancer);

// Changes velocities and places; places may leave their tiles (particle/sort.h).
void bw_particles_advance(BwParticles *particles, BwAdvancer *advancer, const BwAdvance *advance);

// Only the first half: velocities, and gradients where there are any.
void bw_particles_take_velocity(BwParticles *particles, BwAdvancer *advancer, const BwVelocity *velocity);
