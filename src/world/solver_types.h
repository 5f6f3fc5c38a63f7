// The solvers of all fluids, as compiled for the instruction set at work.
#pragma once

#include "solvers/solver.h"

// That of a scene's fluid; *type is NULL where there is none. Fails where BILLOW_CPU names what is not to be
// had.
BwResult bw_solver_type_find(const BwSolverType **type, const BwSceneDef *scene, BwError *err);
