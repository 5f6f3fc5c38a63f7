// The points of a liquid's surface around a tile: a padded block of phi, where it changes its sign between
// centres, and how much a point counts for the curvature at another. Lengths are in cells, places count from
// the centre of the block's first cell.
#pragma once

#include "grid/block.h"
#include "operate/curvature.h"

// A tile and what is around it.
typedef struct BwSurfaceBlock {
    _Alignas(BW_ALIGN) float phi[BW_BLOCK_CELLS];
    float wall[BW_BLOCK_CELLS];          // distance to the nearest wall or solid
    float kappa[BW_BLOCK_CELLS];         // of the last round, cells^-1
    BwVec3 normal[BW_BLOCK_CELLS];       // of cells beside the surface
    uint8_t open[BW_BLOCK_CELLS];        // 2: live and in no solid; 1: live
    uint8_t crossed[BW_BLOCK_CELLS + 8]; // bit a: the surface passes between the cell and that before it
    uint8_t beside[BW_BLOCK_CELLS + 8];  // the surface passes between the cell and any next to it
    bool has_walls;
    float motion[3][BW_BLOCK_CELLS]; // cells, at low faces
} BwSurfaceBlock;

// A point of the surface, between a cell and that before it.
typedef struct BwSurfacePoint {
    BwVec3 place, normal;
    int at, low;
    float part; // of the way from the low cell
} BwSurfacePoint;

// Where the surface is that belongs to a cell beside it, and its normal.
typedef struct BwSurfaceFoot {
    BwVec3 place, normal, motion;
    int low[3], high[3]; // cells around, both ends included
} BwSurfaceFoot;

// To the next cell of a block along each axis.
static const int bw_block_stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};

static inline int bw_block_coordinate(int at, int axis)
{
    return at / bw_block_stride[axis] % BW_BLOCK;
}

// Looks around a tile: phi, what is open, points, normals. Walls and solids apart, for not everybody asks.
void bw_surface_block_gather(BwSurfaceBlock *block, const BwCurvatureDef *def, int32_t slot);
void bw_surface_block_find_walls(BwSurfaceBlock *block, const BwCurvatureDef *def, int32_t slot);

// The point between a cell and that before it along an axis, where there is one. A straight one is where
// linear interpolation has phi = 0, as the pressure solve does; otherwise the bend of phi counts as well.
BwSurfacePoint bw_surface_point(const BwSurfaceBlock *block, int at, int axis, bool is_straight);

// How phi bends along an axis at a cell that has open ones on both sides, else 0.
float bw_surface_bend(const BwSurfaceBlock *block, int at, int axis);

BwSurfaceFoot bw_surface_foot(const BwSurfaceBlock *block, int at, int dimension);

// What a place of the surface, with its normal, counts for a foot: by its distance, by how alike the normals
// are, and by how steep the way to it is. Drops that have just come off the surface count for nothing there.
float bw_surface_weight(const BwSurfaceFoot *foot, BwVec3 place, BwVec3 normal);

// The same for a point between two cells along an axis. There are |n_a| of those along axis a on each unit of
// the surface: counting as much each, all together they count n.n = 1, whichever way the surface faces.
float bw_surface_point_weight(const BwSurfaceFoot *foot, const BwSurfacePoint *point, int axis);
