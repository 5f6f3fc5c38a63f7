// Particles that keep a level set true (Enright, Fedkiw, Ferziger and Mitchell 2002, A Hybrid Particle Level
// Set Method; chapter 3 of Fedkiw 2003). They stand near the surface, on both of its sides, and move with the
// flow; one that is found on the other side by more than its radius tells that the level set has strayed, and
// pulls it back. They carry nothing else: their radius is in BW_PARTICLE_VOLUME, in cells, below 0 for those
// inside; BW_PARTICLE_U is scratch.
#pragma once

#include "domain/domain.h"
#include "particle/particles.h"

typedef struct BwLevelSeeding {
    int per_axis;        // particles in a cell along each axis: 4, that is 16 in 2-D and 64 in 3-D
    bool inside_only;    // none outside, as Foster and Fedkiw 2001 had it
    const BwMask *valid; // cells that may have any; NULL: all that are live
    uint64_t seed;       // of the random places; another each time
} BwLevelSeeding;

// Cells within that distance of the surface have particles, in cells.
#define BW_LEVEL_PARTICLES_BAND 3.0f

// Fills up cells near the surface that have too few particles, takes some from those that have too many, and
// all that are far from it and on their own side.
BwResult bw_level_particles_seed(BwParticles *particles, const BwField *phi, const BwLevelSeeding *seeding,
                                 BwError *err);

// Moves them along a velocity, by Runge and Kutta's method of order three, and sorts them.
BwResult bw_level_particles_move(BwParticles *particles, const BwVelocity *velocity, float dt, BwError *err);

// Gives phi back what escaped particles know of it; to be done whenever phi has changed.
void bw_level_particles_correct(BwParticles *particles, BwField *phi);

// Takes away those that are on the wrong side only because phi was changed on purpose since it was `before`,
// as sources do.
BwResult bw_level_particles_forget(BwParticles *particles, const BwField *before, const BwField *phi,
                                   BwError *err);

// Takes away those of the outside that have escaped to where no cell around is outside any more: air that the
// liquid has closed over is gone, and is not to be held open where nothing but these particles tell of it.
BwResult bw_level_particles_release(BwParticles *particles, const BwField *phi, BwError *err);

// Makes the particles' radii touch the surface where they may: a tenth to half of a cell.
void bw_level_particles_set_radii(BwParticles *particles, const BwField *phi);
