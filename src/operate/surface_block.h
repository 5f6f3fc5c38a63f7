// The points of a liquid's surface around a tile: a padded block of phi, where it changes its sign between
// centres, and how much a point counts for the curvature at another. Lengths are in cells, places count from
// the centre of the block's first cell.
#pragma once

#include "base/extremes.h"
#include "grid/block.h"
#include "operate/curvature.h"

// A point at the distance r counts (1 - r^2 / 32 w^2)^16, nearly a Gaussian of width w, and nothing beyond
// the reach; the block has as many cells around any foot. On a flat surface with a point a cell, the fit and
// the average then have the right sign for ripples of any length. They would not with a greater width, nor
// with weights such as (1 - r^2)^2: ripples two cells long would grow.
#define BW_SURFACE_REACH 3.0f
#define BW_SURFACE_WIDTH 1.05f

// A point of the surface, between a cell and that before it along an axis.
typedef struct BwSurfacePoint {
    BwVec3 place, normal;
    float share; // of the surface that it stands for, see below
    float part;  // of the way from the low cell
    uint16_t at, low;
} BwSurfacePoint;

// A tile and what is around it. Large: not for the stack.
typedef struct BwSurfaceBlock {
    _Alignas(BW_ALIGN) float phi[BW_BLOCK_CELLS];
    float wall[BW_BLOCK_CELLS];         // distance to the nearest wall or solid
    float kappa[BW_BLOCK_CELLS];        // what is averaged
    float motion[3][BW_BLOCK_CELLS];    // at low faces
    BwVec3 normal[BW_BLOCK_CELLS];      // of cells beside the surface
    uint8_t open[BW_BLOCK_CELLS];       // 2: live and in no solid; 1: live
    uint8_t crossed[BW_BLOCK_CELLS];    // bit a: the surface passes between the cell and that before it
    uint8_t beside[BW_BLOCK_CELLS];     // the surface passes between the cell and any next to it
    uint16_t first[BW_BLOCK_CELLS + 1]; // of a cell's points
    BwSurfacePoint points[3 * BW_BLOCK_CELLS];
    bool has_walls;
} BwSurfaceBlock;

// Where the surface is that belongs to a cell beside it, and its normal.
typedef struct BwSurfaceFoot {
    BwVec3 place, normal, motion;
    int low[3], high[3]; // cells around, both ends included
} BwSurfaceFoot;

// To the next cell of a block along each axis.
static const int bw_block_stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};

// Of the sixteen cells a side.
static inline int bw_block_coordinate(int at, int axis)
{
    return at >> (4 * axis) & 15;
}

// Looks around a tile: phi, what is open, points, normals. Points of a noisy phi are where linear
// interpolation has phi = 0, as the pressure solve does; otherwise the bend of phi counts as well. Walls and
// solids apart, for not everybody asks.
void bw_surface_block_gather(BwSurfaceBlock *block, const BwCurvatureDef *def, int32_t slot);
void bw_surface_block_find_walls(BwSurfaceBlock *block, const BwCurvatureDef *def, int32_t slot);

// How phi bends along an axis at a cell that has open ones on both sides, else 0.
float bw_surface_bend(const BwSurfaceBlock *block, int at, int axis);

BwSurfaceFoot bw_surface_foot(const BwSurfaceBlock *block, int at, int dimension);

// What a place of the surface, with its normal, counts for a foot: by its distance, by how alike the normals
// are, and by how steep the way to it is. Drops that have just come off the surface count for nothing there.
static inline float bw_surface_weight(const BwSurfaceFoot *foot, BwVec3 place, BwVec3 normal)
{
    BwVec3 way = bw_sub(place, foot->place);
    float square = bw_dot(way, way), likeness = bw_dot(normal, foot->normal);
    if (square >= BW_SURFACE_REACH * BW_SURFACE_REACH || likeness <= 0.0f)
        return 0.0f;
    float steepness = bw_dot(way, foot->normal) / (0.5f + 0.5f * sqrtf(square));
    float nearness = bw_larger(1.0f - steepness * steepness, 0.0f);
    float root = 1.0f - square * (1.0f / (32.0f * BW_SURFACE_WIDTH * BW_SURFACE_WIDTH));
    float fourth = root * root * root * root;
    return nearness * likeness * (fourth * fourth * fourth * fourth);
}

// The same for a point. There are |n_a| of those between cells along axis a on each unit of the surface: with
// a share of |n_a| each, all together count n.n = 1, whichever way the surface faces.
static inline float bw_surface_point_weight(const BwSurfaceFoot *foot, const BwSurfacePoint *point)
{
    return point->share * bw_surface_weight(foot, point->place, point->normal);
}
