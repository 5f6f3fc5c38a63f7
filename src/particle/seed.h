// Seeding: particles where there is liquid at the start. A cell is divided into equal parts, each of which
// gets one particle, in its centre or anywhere in it. Where the surface of a shape or a solid cuts a part,
// its particle stands for the share that is inside of the shape and outside of the solid, and is in it: so a
// shape has its volume, and a flat one is flat, wherever it ends in a cell.
#pragma once

#include "domain/domain.h"
#include "particle/particles.h"

typedef struct BwSeedShape {
    const BwShape *shape;
    BwVec3 velocity; // m/s
    BwParticleLoad load;
} BwSeedShape;

typedef struct BwSeeding {
    const BwSeedShape *shapes; // of those that hold a point the last one counts
    int shape_count;
    const BwSolidPose *solids;
    int solid_count;
    int per_axis;     // parts of a cell along each axis
    bool is_jittered; // anywhere in the part; else in its centre
    uint64_t seed;
    const BwMask *core; // cells that get no particles, though they are full; NULL: none
} BwSeeding;

// Finds the cells that get all of their particles.
void bw_seeding_find_whole(const BwSeeding *seeding, const BwDomain *domain, BwMask *whole);

// Sets the velocity of the shapes, in cells whose centre is in one of them.
void bw_seeding_set_velocity(const BwSeeding *seeding, const BwDomain *domain, BwVelocity *velocity);

// Adds particles in all awake tiles; there must be none yet.
BwResult bw_particles_seed(BwParticles *particles, const BwGrid *grid, const BwSeeding *seeding,
                           BwError *err);
