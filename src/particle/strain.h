// The elastic strain of a liquid that its particles carry (particle/strain_law.h).
//
// On the grid components are staggered as the strain rate is: the diagonal at cell centres, the others at the
// edges along the third axis (Cline, Cardon and Egbert 2005, fig. 11), with a rim (grid/padded.h).
#pragma once

#include "grid/padded.h"
#include "particle/particles.h"
#include "particle/strain_law.h"

// The particles' strain times their volume in cells, on the grid. Each particle gives to the samples that it
// takes a rate from, and as much as it takes, so that the force of the strain loses the energy that the
// strain gains. `unit` is the volume of a seeded particle; `sums` is scratch.
void bw_strain_to_grid(const BwParticles *particles, float unit, const BwPadded *rate, const BwPadded *sums,
                       const BwPadded *strain);

// The energy of the particles' strain over the modulus, as so many seeded particles: that of a neo-Hookean
// solid, tr(b - 1) / 2.
double bw_strain_energy(const BwParticles *particles);

// The particles' strain after a step of dt, from the velocity's gradient at their places: means of the
// samples of a rate that have a weight.
void bw_strain_advance(BwParticles *particles, const BwPadded *rate, float dt, BwYield yield);
