// Red-black Gauss-Seidel on one level of the pyramid, and the couplings of its nodes beyond the stencil.
#pragma once

#include "poisson/red_black.h"

// One colour of a level, from what the other has.
void bw_smooth(const BwPyramid *pyramid, const BwLevel *level, int color);

// The first colour from x = 0; the other becomes zero where the next sweep passes over it.
void bw_smooth_first(const BwPyramid *pyramid, const BwLevel *level);

// Of a range of explicit couplings: the sum of weight times x of the other node, and that of the weights.
double bw_coupling_sum(const BwLevel *level, int32_t first, int32_t end);
double bw_coupling_weight(const BwLevel *level, int32_t first, int32_t end);

// The right side of one colour of a tile with what couplings beyond the stencil bring; for residuals their
// part of the diagonal is taken off. May be the level's own, or in the scratch.
const float *bw_right_with_couplings(const BwLevel *level, int32_t t, int color, bool is_residual,
                                     float *scratch);

// Work on the tiles of a level; of a small one by the caller's thread alone.
void bw_pyramid_run(const BwPyramid *pyramid, int64_t count, BwRangeFn *fn, void *job);
