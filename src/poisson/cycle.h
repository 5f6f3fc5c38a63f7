// One multigrid cycle on the pyramid.
#pragma once

#include "poisson/red_black.h"

// x of level 0 from its b, starting from zero: x = M b with M symmetric and close to the inverse.
void bw_pyramid_cycle(const BwPyramid *pyramid);
