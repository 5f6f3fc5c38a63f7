// Distances to a soup of triangles on a grid of nodes around it, so that a question far from the surface
// costs eight reads. Near the surface the tree is asked, with the grid's answer as a bound.
#pragma once

#include "base/watch.h"
#include "solid/distance_bounds.h"
#include "solid/triangle_tree.h"

enum { BW_THICK_SIZES = 7 };

// What sums of floats may be off by, where the whole has size one.
#define BW_DISTANCE_ROUNDING 1e-6f

typedef struct BwDistanceGrid {
    BwAllocator allocator;
    const BwTriangleTree *tree;
    BwVec3 low; // of the first node
    float spacing, nodes_per_length;
    int32_t size[3]; // nodes along each axis
    float *values;   // x fastest; negative inside

    bool has_inside; // else the triangles are sheets
    bool is_closed;  // the surface has no rim, so nothing but crossing it leads from one side to the other
    bool is_simple;  // closed, and at every node the nearest triangle tells the same as the winding number
    uint8_t *sides;  // where it is not simple: which sides of each triangle are inside; NULL: not known
    uint64_t *thick; // rows of bits, a cell each, for each of BW_THICK_SIZES (solid/local_thickness.c); NULL:
                     // not known
    uint8_t
        *kinds; // of cells, by their lowest node: BwDistanceKind (solid/smooth_distance.h); NULL: not known
    float (*bent)[4]; // of each node, its value and the bends of the edges from it on, where cells are smooth
} BwDistanceGrid;

struct BwBetween;

typedef struct BwDistanceGridDef {
    const BwTriangleTree *tree; // must stay where it is
    int nodes;                  // along the longest side
    int margin;                 // of those, around the triangles on each side
    bool has_inside, is_closed;
    BwTask *task;                   // that the measuring is part of; may be NULL
    double share_before, share_own; // of the task
} BwDistanceGridDef;

BwResult bw_distance_grid_create(BwDistanceGrid *grid, const BwDistanceGridDef *def, BwError *err);
void bw_distance_grid_destroy(BwDistanceGrid *grid);

static inline size_t bw_distance_grid_thick_bytes(const BwDistanceGrid *grid)
{
    return (size_t)BW_THICK_SIZES * (size_t)grid->size[1] * (size_t)grid->size[2] * sizeof *grid->thick;
}

// Whether the distance, with its sign, changes nowhere by more than one goes: it jumps across holes.
static inline bool bw_distance_grid_has_slope_one(const BwDistanceGrid *grid)
{
    return grid->is_closed || !grid->has_inside;
}

// The distance from which on it is taken as linear between nodes. Sheets and points have their surface at a
// distance of their own, so they are measured farther out.
static inline float bw_distance_grid_linear_from(const BwDistanceGrid *grid)
{
    const float from = 1.0f, from_sheets = 3.0f;
    return (grid->has_inside ? from : from_sheets) * grid->spacing;
}

// Signed distance. False outside of the grid.
bool bw_distance_grid_at(const BwDistanceGrid *grid, BwVec3 point, float *distance);

// The direction in which it rises fastest, and it itself, but for what it is off by where it is smooth. False
// where it rises nowhere, and outside of the grid.
bool bw_distance_grid_slope(const BwDistanceGrid *grid, BwVec3 point, BwVec3 *slope, float *distance);

// Bounds of it.
bool bw_distance_grid_bounds_at(const BwDistanceGrid *grid, BwVec3 point, BwDistanceBounds *bounds);

// For those who look where it is smooth: the nodes around a point, false outside of the grid; and whether the
// distance in a cell, given by its lowest node, is linear.
bool bw_distance_grid_between(const BwDistanceGrid *grid, BwVec3 point, struct BwBetween *between);
bool bw_distance_grid_is_far(const BwDistanceGrid *grid, int64_t cell);
