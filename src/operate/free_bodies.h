// Bodies of liquid in free flight, which touch no wall, solid or source. What acts inside a body (pressure,
// surface tension, viscosity) gives it no momentum as a whole. On the grid it gives some: the pressure pushes
// a face as if it were full of liquid, where particles near it stand for more or less of it, most of all at
// the moment when two surfaces meet. That momentum is taken off the velocity of the body evenly, which
// changes neither its divergence nor how it turns. One that lies on sides of the box that it slides along is
// free along them.
//
// A body is all liquid whose particles give a velocity to faces of cells that are connected.
#pragma once

#include "operate/components.h"

typedef struct BwFreeBodies {
    BwAllocator allocator;
    BwMask cells; // beside the faces that particles give a velocity to
    BwComponents components;
    uint8_t *bound; // by part; of a body by its first: a bit an axis that something outside holds it along
    int64_t bound_capacity;
    double (*sums)[6]; // by part: by axis momentum and weight
    int64_t sum_capacity;
} BwFreeBodies;

BwResult bw_free_bodies_create(BwFreeBodies *bodies, const BwAllocator *allocator, BwGrid *grid,
                               BwError *err);
void bw_free_bodies_destroy(BwFreeBodies *bodies);

// How forces inside the liquid have changed its velocity.
typedef struct BwInnerChange {
    const BwMask *held;       // by axis, the faces that particles give a velocity to
    const BwVelocity *weight; // of the particles on them; any unit
    const BwVelocity *before;
} BwInnerChange;

// Takes off the momentum that the change gave to free bodies, along the axes that they are free along.
BwResult bw_free_bodies_keep_momentum(BwFreeBodies *bodies, const BwDomain *domain,
                                      const BwInnerChange *change, BwVelocity *velocity, BwError *err);
