// Sorting particles that have moved: each goes to the tile and the cell that it is in now.
#pragma once

#include "particle/core.h"

// A particle that goes farther than the tiles beside its own.
typedef struct BwFarMove {
    int32_t slot, particle; // where it goes; where it stands in the columns
} BwFarMove;

// Room for particles that are added before the next sort: in the columns beyond `count`, each with its cell
// in `cell` and its tile in `far`.
BwResult bw_particles_add_room(BwParticles *particles, int64_t added, BwError *err);

typedef struct BwParticlesGone {
    int64_t count;
    double volume;         // of as much as particles are seeded with
    double by_side[2 * 3]; // the same through each side of the box
} BwParticlesGone;

// Where particles go over to the core.
typedef struct BwParticleSink {
    BwCore *core;
    float unit;            // cells, the volume of a seeded particle
    float cells_per_speed; // s/m: of the step that has moved them
} BwParticleSink;

// Puts particles whose places have left their tile's 0 to 8 cells into the tiles that they are in, wakes
// tiles that are not awake, and removes those beyond the grid's bounds, of which it tells. Those that get
// into the core, where there is one, go over to it. On failure the particles can only be destroyed or loaded.
BwResult bw_particles_sort(BwParticles *particles, const BwParticleSink *sink, BwParticlesGone *gone,
                           BwError *err);
