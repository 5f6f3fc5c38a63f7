// Connected components of few unknowns, such as drops that have left their liquid. Most of their tiles are
// nearly empty, and multigrid would sweep over all of their cells; a direct solve takes microseconds.
#pragma once

#include "poisson/poisson_tiles.h"

// Solves all such components for x and takes their unknowns out of the tiles, so that what is left is for
// another method. Needs the regions. `norms` are of the true residual on what was solved.
BwResult bw_poisson_solve_small(BwPoissonTiles *tiles, BwPoissonNorms *norms, BwError *err);
