// The velocity of a frame that has none on its grid, as those that are kept for pictures, from its particles:
// in each cell the mean of those in it.
#pragma once

#include "base/memory.h"
#include <billow/frame.h>

typedef struct BwParticleVelocity {
    BwAllocator allocator;
    float *values;   // of the three components, tile after tile each; NaN where no particle is
    int32_t *counts; // of particles in a cell
    int64_t value_capacity, count_capacity;
    BwFrameField fields[3];
} BwParticleVelocity;

// Fills the fields from the particles "water"; leaves `fields[0].values` NULL where the frame has none with a
// velocity.
BwResult bw_particle_velocity_set(BwParticleVelocity *velocity, const BwFrame *frame, BwError *err);
void bw_particle_velocity_free(BwParticleVelocity *velocity);
