// Keeps the number of particles in a cell within bounds, where the flow has gathered or thinned them out:
// in crowded cells two become one, inside the liquid one becomes two. Volume, momentum and the centre of mass
// of what is merged or split stay the same.
#pragma once

#include "particle/particles.h"

typedef struct BwResampling {
    const BwField *phi;  // m, of the liquid's surface
    const BwField *open; // 1, of a cell's volume that is outside of solids
    const BwMask *whole; // cells that may have few particles, for the grid carries what they lack; or NULL
    int fewest, most;    // particles in a cell
} BwResampling;

// Tells whether anything has changed; if so, the particles must be sorted next.
BwResult bw_particles_resample(BwParticles *particles, const BwResampling *resampling, bool *has_changed,
                               BwError *err);
