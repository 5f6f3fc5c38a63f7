// Particles as a frame shows them: places in metres from their tile, velocities, identities, volumes, and
// what else they carry.
#pragma once

#include "particle/particles.h"

// Memory of a frame's particles, kept from frame to frame. All zero is a valid empty one.
typedef struct BwParticleFrame {
    BwTileCoord *tiles;
    int32_t *tile;
    BwVec3 *positions, *velocities;
    BwVec3 *colors; // NULL, as ages: they carry none
    float *volumes, *ages;
    int64_t tiles_capacity, tile_capacity, position_capacity, velocity_capacity, color_capacity,
        volume_capacity, age_capacity;
    BwFrameAttribute attributes[7];
    BwFrameParticles set;
} BwParticleFrame;

// Fills in the set, which points into this memory and into the particles: until they change. `unit` is the
// volume of what a particle is seeded with, m^3, and `time` what their ages count to, s.
BwResult bw_particles_show(const BwParticles *particles, const char *name, float unit, double time,
                           BwParticleFrame *frame, BwError *err);
void bw_particle_frame_free(BwParticleFrame *frame, const BwAllocator *allocator);
