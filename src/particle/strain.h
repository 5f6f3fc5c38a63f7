// Elastic strain of a liquid, which its particles carry. With b the left Cauchy-Green tensor, the square of
// how the liquid around a particle has been stretched since it was at rest, the strain is E = (b - 1) / 2;
// the stress 2 G E is that of a neo-Hookean solid of shear modulus G, whose pressure the projection finds.
//
// A step that moves places by f = 1 + dt grad u makes b to f b f', so that a block that turns as a whole
// turns its strain with it and a body that gets back to its shape is free of strain, however large it was in
// between. b keeps a determinant of 1. What is above the yield fades (Goktekin, Bargteil and O'Brien 2004, A
// Method for Animating Viscoelastic Fluids): d|E|/dt = -flow (|E| - yield).
//
// On the grid components are staggered as the strain rate is: the diagonal at cell centres, the others at the
// edges along the third axis (Cline, Cardon and Egbert 2005, fig. 11), with a rim (grid/padded.h).
#pragma once

#include "grid/padded.h"
#include "particle/particles.h"

// A rate on the grid: components in the order of the particles' columns; the weight of those at cells, and at
// edges along each axis, 1 where they are known and else 0; and half of the rotation's rate, of edges alone:
// how the lower component changes along the higher axis, less the reverse.
enum {
    BW_STRAIN_SHEAR = 3, // and the axis of the edge
    BW_STRAIN_COMPONENTS = 6,
    BW_STRAIN_WEIGHT = 6,
    BW_STRAIN_EDGE_WEIGHT = 7, // and the axis
    BW_STRAIN_SPIN = 10,       // and the axis
    BW_STRAIN_RATE_VALUES = 13,
};

// No component is larger.
#define BW_STRAIN_MAX 1e4f

// What E means for the yield: the law of a step.
typedef struct BwYield {
    float strain; // 1, above which it flows; may be infinite
    float keep;   // 1, part of what is above that is left after the step
} BwYield;

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
