// How straight the paths of particles are in a step, 0 to 1: as far as the velocity changes little from cell
// to cell. `differences` is the sum of the squares of its differences between cells, in cells a step.
#pragma once

#include "base/extremes.h"

#define BW_STRAIGHT_DIFFERENCES 0.1f
#define BW_CURVED_DIFFERENCES   0.3f

static inline float bw_straightness(float differences)
{
    float part =
        (BW_CURVED_DIFFERENCES - differences) * (1.0f / (BW_CURVED_DIFFERENCES - BW_STRAIGHT_DIFFERENCES));
    return bw_larger(bw_smaller(part, 1.0f), 0.0f);
}
