// What liquid_sources.c (what the sources of a liquid are) and liquid_emission.c (the particles that they
// emit) ask of each other.
#pragma once

#include "solvers/liquid.h"

BwLiquidEmission bw_liquid_emission(const BwEmitterDef *emitter);

// m, between particles as they are seeded; and m^3, of one of them.
float bw_liquid_spacing(const BwLiquid *liquid);
double bw_liquid_seed_volume(const BwLiquid *liquid);
