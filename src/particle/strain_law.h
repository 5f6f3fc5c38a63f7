// What a step does to the elastic strain at a place of the liquid, wherever it is kept. With b the left
// Cauchy-Green tensor, the square of how the liquid there has been stretched since it was at rest, the strain
// is E = (b - 1) / 2; the stress 2 G E is that of a neo-Hookean solid of shear modulus G, whose pressure the
// projection finds.
//
// A step that moves places by f = 1 + dt grad u makes b to f b f', so that a block that turns as a whole
// turns its strain with it and a body that gets back to its shape is free of strain, however large it was in
// between. b keeps a determinant of 1. What is above the yield fades (Goktekin, Bargteil and O'Brien 2004, A
// Method for Animating Viscoelastic Fluids): d|E|/dt = -flow (|E| - yield).
#pragma once

#include <stdbool.h>

// Components, and a rate's values at a sample: the diagonal, and shear at the axis of its edge, in the order
// of the particles' columns; the weight of those at cells, and at edges along each axis, 1 where they are
// known and else 0; and half of the rotation's rate, of edges alone: how the lower component changes along
// the higher axis, less the reverse.
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

// How the velocity changes around a place, 1/s: half of the sum and of the difference of what the components
// do along each other's axes, as a rate has them.
typedef struct BwStretchRate {
    float diagonal[3], shear[3], spin[3];
    bool is_whole; // false: what is there has come off, and is free of strain
} BwStretchRate;

// The strain after a step of dt. In the plane its third row and column are 0, and stay so.
void bw_strain_step(float strain[BW_STRAIN_COMPONENTS], int axes, const BwStretchRate *rate, float dt,
                    BwYield yield);
