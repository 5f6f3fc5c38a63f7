// The solver of dye, a fluid that is not part of Billow: a whole example of one.
#pragma once

#include "solvers/solver.h"

extern const BwSolverType dye_solver;
