// The multigrid cycle that preconditions the viscous solve.
#pragma once

#include "viscous/viscous_level.h"

#define BW_VISCOUS_LEVELS_MAX 16

typedef struct BwViscousPyramid {
    int level_count;
    BwViscousLevel level[BW_VISCOUS_LEVELS_MAX];
    // The last level's unknowns, by number, and the factor of its matrix; where it is small enough.
    int32_t direct_count;
    int64_t *direct_node; // component times all nodes, plus the node
    double *direct_factor, *direct_value;
} BwViscousPyramid;

// The levels under the first, which is there.
BwResult bw_viscous_pyramid_build(BwViscousPyramid *pyramid, BwError *err);

// x of the first level from its b: x = M b, M symmetric, positive and close to the inverse of the matrix.
void bw_viscous_cycle(const BwViscousPyramid *pyramid);

// The factor of the last level, and its solve.
BwResult bw_viscous_direct_build(BwViscousPyramid *pyramid, BwError *err);
void bw_viscous_direct_solve(const BwViscousPyramid *pyramid);

// At most so many unknowns are solved directly.
#define BW_VISCOUS_DIRECT_MAX 240
