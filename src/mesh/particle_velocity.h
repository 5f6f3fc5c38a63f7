// The velocity of a frame that has none on its grid, as those that are kept for pictures, from its particles:
// in each cell the mean of those in it.
#pragma once

#include "base/memory.h"
#include <billow/frame.h>

// Over the particles of a cell.
typedef struct BwSpeedSum {
    float speed[3];
    int32_t count;
} BwSpeedSum;

typedef struct BwParticleVelocity {
    BwAllocator allocator;
    float *values;    // of the three components, tile after tile each; NaN where no particle is
    BwSpeedSum *sums; // of each cell
    int64_t value_capacity, sum_capacity;
    BwFrameField fields[3];
} BwParticleVelocity;

// Fills the fields from the particles "water"; leaves `fields[0].values` NULL where the frame has none with a
// velocity.
BwResult bw_particle_velocity_set(BwParticleVelocity *velocity, const BwFrame *frame, BwError *err);
void bw_particle_velocity_free(BwParticleVelocity *velocity);
