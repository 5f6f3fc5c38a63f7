// The share of a cell that is inside of a level set.
#pragma once

#include "base/extremes.h"

#include <stdbool.h>

// Linear weights of the centre of an eighth of a cell, along an axis: of the cell's centre, and of the one
// beside it.
#define BW_PART_OWN    0.75f
#define BW_PART_BESIDE 0.25f

// That of the cell's parts, in each of which the surface is taken to be flat; `at` is its sample of phi.
static inline float bw_inside_share(const float *restrict at, const int stride[3], int axes, float h)
{
    float share = 0.0f;
    for (int part = 0; part < 1 << axes; part++) {
        float phi = 0.0f;
        for (int corner = 0; corner < 1 << axes; corner++) {
            float weight = 1.0f;
            int place = 0;
            for (int a = 0; a < axes; a++) {
                bool is_beside = corner >> a & 1;
                weight *= is_beside ? BW_PART_BESIDE : BW_PART_OWN;
                place += is_beside ? (part >> a & 1 ? stride[a] : -stride[a]) : 0;
            }
            phi += weight * at[place];
        }
        share += bw_smaller(bw_larger(0.5f - 2.0f * phi / h, 0.0f), 1.0f);
    }
    return share / (float)(1 << axes);
}
