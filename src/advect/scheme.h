// The schemes of advection as one table. A new one is a row of scheme.c, and its kernel in
// advect/interpolation.c where it reads other samples than those there are.
#pragma once

#include "advect/interpolation.h"

// How a set of fields is advected from one end of its paths to the other.
typedef enum BwScheme { BW_SCHEME_LINEAR, BW_SCHEME_CUBIC, BW_SCHEME_MACCORMACK, BW_SCHEME_COUNT } BwScheme;

// Values at places of a block (bw_interpolate_linear and the like); and those with the smallest and the
// largest of the samples around.
typedef void BwSampleFn(BwInterpolationBlock *block, const BwGrid *grid, const BwBlockPoints *places,
                        const float *fallback, float *out);
typedef void BwSampleRangeFn(BwInterpolationBlock *block, const BwGrid *grid, const BwBlockPoints *places,
                             const float *fallback, float *out, float *low, float *high);

typedef struct BwSchemeTraits {
    const char *name;
    BwStencil stencil;           // what is read around the end of a path
    BwSampleFn *sample;          // what is there
    BwSampleRangeFn *with_range; // the same in a first pass whose correction is limited; NULL: not limited
    int passes;                  // 1: back; 2: back and ahead again, and half of the difference taken away
    int trace_order;             // of the Runge-Kutta step that paths are traced by, 2 or 3
    bool keeps_totals; // whether fields that are amounts should be held to their totals, tile by tile
} BwSchemeTraits;

extern const BwSchemeTraits bw_schemes[BW_SCHEME_COUNT];
