// Reading a field at many places around one tile. The samples around the tile are copied into a padded block
// of plain memory, as far as the places reach; then each place is a corner of the block and what lies beyond
// it towards the next sample.
//
// Beyond the box of samples (advect/sample_box.h) a block repeats the last one inside. Where nothing else is
// missing that equals to drop what is missing, but for places with no sample around at all.
#pragma once

#include "advect/sample_box.h"

enum {
    BW_REACH_NARROW = BW_TILE / 2, // samples around the tile that a narrow block holds
    BW_REACH_MAX = BW_TILE,        // and a wide one
    BW_INTERPOLATION_CELLS =
        (BW_TILE + 2 * BW_REACH_MAX) * (BW_TILE + 2 * BW_REACH_MAX) * (BW_TILE + 2 * BW_REACH_MAX),
};

// How samples lie in a block: those around a tile are counted from `margin` before it. Rows of a narrow block
// are a line of the cache each, so that what most paths need stays in the nearest one.
typedef struct BwBlockShape {
    int margin, row, layer;
} BwBlockShape;

static inline BwBlockShape bw_block_shape(int reach)
{
    int margin = reach <= BW_REACH_NARROW ? BW_REACH_NARROW : BW_REACH_MAX, row = BW_TILE + 2 * margin;
    return (BwBlockShape){margin, row, row * row};
}

// How many samples before and after the tile along each axis places need.
typedef struct BwBlockExtent {
    int below[3], above[3];
} BwBlockExtent;

typedef struct BwInterpolationBlock {
    _Alignas(BW_ALIGN) float value[BW_INTERPOLATION_CELLS];  // times the weight, where there are weights
    _Alignas(BW_ALIGN) float weight[BW_INTERPOLATION_CELLS]; // 1 where a sample exists, else 0
    bool is_full;                                            // all exist, the weights are not set
    float background;
    int reach;                    // samples around the tile that it can hold; tells its shape
    BwBlockExtent extent;         // those that it does hold: rows and layers beyond that are not set
    float sum[BW_TILE_CELLS_MAX]; // of the weights at each place
} BwInterpolationBlock;

// Places as a block of a given location sees them.
typedef struct BwBlockPoints {
    _Alignas(BW_ALIGN) float part[3][BW_TILE_CELLS_MAX]; // beyond the corner towards the next sample, 0 to 1
    int32_t corner[BW_TILE_CELLS_MAX];                   // index in a block of the shape that `reach` has
    float low[3], high[3];                               // the least and the largest along each axis
    uint8_t is_outside[BW_TILE_CELLS_MAX];               // no sample of the box is around
    bool has_outside;                                    // is so of any place; else the above is not set
    int reach;            // samples around the tile that the block must hold: the most of the extent
    BwBlockExtent extent; // the same side by side
    bool is_near;         // a block can hold those
} BwBlockPoints;

// `at` counts cells from the tile's first one. The reach is no less than `reach_min`, that of a block which
// is there already; 0: none is.
void bw_block_points_find(BwBlockPoints *places, const BwGrid *grid, const BwSampleBox *samples, int32_t slot,
                          float *const at[3], BwStencil stencil, int reach_min);

// Copies the values around a tile; missing tiles give the background. `is_full` as bw_sample_box_is_full
// tells.
void bw_interpolation_gather(BwInterpolationBlock *block, const BwField *field, const BwSampleBox *samples,
                             bool is_full, int32_t slot, int reach);

// The same no farther than such places need.
void bw_interpolation_gather_for(BwInterpolationBlock *block, const BwField *field,
                                 const BwSampleBox *samples, bool is_full, int32_t slot,
                                 const BwBlockPoints *places);

// Whether a block holds what such places need.
bool bw_interpolation_holds(const BwInterpolationBlock *block, const BwBlockPoints *places);

// Lets a block for some places hold what others need too, where its shape can.
void bw_block_points_join(BwBlockPoints *places, const BwBlockPoints *others);

// Below, the places must have been found for a block of the same shape that reaches as far.

// Trilinear samples without the missing ones (Cline, Cardon and Egbert 2005). Where none is around, the
// fallback, or without one the background.
void bw_interpolate_linear(BwInterpolationBlock *block, const BwGrid *grid, const BwBlockPoints *places,
                           const float *fallback, float *out);

// Limited cubics where all the samples they need exist, else as above; of places found for cubics.
void bw_interpolate_cubic(BwInterpolationBlock *block, const BwGrid *grid, const BwBlockPoints *places,
                          const float *fallback, float *out);

// The smallest and largest of the samples that bw_interpolate_linear reads; low above high where none exists.
void bw_interpolate_range(const BwInterpolationBlock *block, const BwGrid *grid, const BwBlockPoints *places,
                          float *low, float *high);

// Both at once.
void bw_interpolate_linear_and_range(BwInterpolationBlock *block, const BwGrid *grid,
                                     const BwBlockPoints *places, const float *fallback, float *out,
                                     float *low, float *high);
