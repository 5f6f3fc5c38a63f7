// Worlds of fluids that are not in the world's own list: a fluid under construction, or one that a test
// brings.
#pragma once

#include "solvers/solver.h"

// As bw_world_create, with this solver in place of that of `scene.fluid`; NULL: that one. What the solver
// cannot do of the scene is for it to refuse.
BwResult bw_world_create_of(BwWorld **world, const BwWorldDef *def, const BwSolverType *type, BwError *err);
