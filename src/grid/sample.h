// Interpolation between samples: trilinear (bilinear in 2-D) at every location, as in Cline et al. 2005, fig.
// 5: samples that are missing are dropped and the weights of the rest made to sum to one again.
#pragma once

#include "grid/field.h"

// A place in the grid: cells from the low corner of `cell`. Exact at any distance from the origin.
typedef struct BwPlace {
    int32_t cell[3];
    float offset[3];
} BwPlace;

// Where the samples of a location sit in their cell, in cells.
static inline float bw_location_shift(BwLocation location, int axis)
{
    static const unsigned char is_half[] = {7, 6, 5, 3, 1, 2, 4, 0}; // bit a: half a cell along axis a
    return is_half[location] >> axis & 1 ? 0.5f : 0.0f;
}

// The axis a face location is normal to, or -1.
static inline int bw_location_normal(BwLocation location)
{
    return location >= BW_AT_FACE_X && location <= BW_AT_FACE_Z ? (int)location - (int)BW_AT_FACE_X : -1;
}

// The value at a place. `valid` tells which samples exist (NULL: those of live cells); faces on a far wall
// exist where the cell before them does. Gives false, and leaves *value alone, when all samples around are
// missing.
bool bw_sample(const BwField *field, const BwMask *valid, BwPlace place, float *value);

// The same for kernels: `local` counts cells from the first cell of the tile in `slot`; near places go by
// linked neighbours, far ones by the hash.
bool bw_sample_local(const BwField *field, const BwMask *valid, int32_t slot, const float local[3],
                     float *value);

// One sample, by the same rule.
bool bw_fetch(const BwField *field, const BwMask *valid, const int32_t cell[3], float *value);
