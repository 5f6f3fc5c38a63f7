// The velocity of a liquid in the air just above its surface, without divergence.
//
// A surface that rises goes on into air in a step, where the velocity is extrapolated: constant along the
// normal, so that it has a divergence. What moves by it is then stretched or squeezed, always the same way
// for what rises, and the liquid loses volume with every step, in proportion to its length. Here continuity
// is carried on instead: outward from the surface, each cell lets out what comes in.
#pragma once

#include "operate/extrapolate.h"

typedef struct BwLevelFlow {
    BwMask done, front; // cells that have no divergence; those that become so next
} BwLevelFlow;

BwResult bw_level_flow_create(BwLevelFlow *flow, BwGrid *grid, BwError *err);
void bw_level_flow_destroy(BwLevelFlow *flow);

// Changes the extrapolated velocity on passable faces that border no liquid, in cells up to `far` from the
// surface of domain->terms, m. Beside solids it stays as it is.
void bw_level_flow_out(BwLevelFlow *flow, const BwFaceMasks *faces, const BwDomain *domain, float far,
                       BwVelocity *velocity);
