// Particles that sources add in a step. Each starts at a place and at a moment of the step, and is put where
// it has got to when the step is over. They stand behind those that the core has emitted, and the next
// bw_particles_sort sorts them in.
#pragma once

#include "particle/collide.h"

typedef struct BwArrivals {
    BwParticles *particles;
    const BwCollision *collision;
    int64_t room; // for so many more
    int32_t slot; // the tile whose solids stand in `collider`; 0: none yet
    BwCollider collider;
    double volume; // of those that were added, 1 for as much as a particle is seeded with
} BwArrivals;

typedef struct BwArrival {
    double start[3];        // cells of the grid, from its origin
    BwVec3 velocity;        // m/s, that it carries on
    BwVec3 way;             // m, from its start to the end of the step
    BwVec3 change, along;   // m/s, 1/m: by how much the velocity changes along the stream
    const BwVelocity *flow; // NULL, or what it is given and moves by instead, m/s
    float seconds;          // that it moves by that
    BwParticleLoad load;
} BwArrival;

// Makes room for so many. The collision outlives the arrivals.
BwResult bw_arrivals_begin(BwArrivals *arrivals, BwParticles *particles, const BwCollision *collision,
                           int64_t count, BwError *err);

// Adds one; false where its start is not awake, outside of the bounds or in a solid: then there is none.
bool bw_arrivals_add(BwArrivals *arrivals, const BwArrival *arrival);
