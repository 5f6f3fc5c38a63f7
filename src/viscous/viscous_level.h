// One level of the multigrid pyramid under the viscous solve. Unknowns are the face velocities of the liquid,
// all components together:
//
//     shift_a u_a + sum over axes b of (t_ab(c) - t_ab(c + e_b)) = right side,
//
// where a line (a, b) of cell c joins u_a(c - e_b) to u_a(c), and t_ab is the force that it carries:
//
//     t_aa = normal_a (u_a(c) - u_a(c - e_a)),
//     t_ab = s_ab E,   E = s_ab (u_a(c) - u_a(c - e_b)) + s_ba (u_b(c) - u_b(c - e_a)).
//
// So the matrix is shift + D' S D, symmetric and positive, and what moves as a rigid body feels none of D on
// any level. Coarse levels have the same form: sums of the masses of the finer one, spread by the transposed
// interpolation of their places, and of its weights, spread far less.
//
// Values are kept tile after tile, eight cells in a row, in plain arrays; tile 0 is nobody's and zero. Along
// a periodic axis of an odd number of tiles it is the tiles that shrink from level to level, not their
// number: `extent` says how many of their cells are in use.
#pragma once

#include "base/pool.h"
#include "grid/grid.h"
#include "poisson/workspace.h"

// Tiles a block of parallel work, also of reductions.
#define BW_VISCOUS_GRAIN 8

// The components of one vector; the third is NULL in 2-D.
typedef struct BwViscousVector {
    float *u[3];
} BwViscousVector;

typedef struct BwWideVector {
    double *u[3];
} BwWideVector;

// The cells of a tile that hold unknowns lie in this box, high end excluded; empty: high[0] is 0.
typedef struct BwTileBox {
    uint8_t low[3], high[3];
} BwTileBox;

typedef struct BwViscousLevel {
    BwPool *pool;
    BwWorkspace *workspace;
    int dimension, layers, cells;
    int extent[3];
    int32_t period[3];  // tiles, 0: not periodic
    int32_t count;      // tiles 1 to count
    BwTileCoord *coord; // ascending by z, then y, then x; from the period's first tile on where periodic
    int32_t (*around)[27];
    int32_t (*finer)[64]; // on coarse levels: tiles of the finer one, four an axis, from one before the own
    int32_t *coarser;     // on fine levels: the tile of the next that holds the first cell
    BwTileBox *box;
    int64_t unknowns;

    float *mass[3];     // of the liquid, in cells of the finest level
    float *wall[3];     // what surfaces that the liquid sticks to add to the diagonal
    float *shift[3];    // both
    float *normal[3];   // weights of the lines (a, a)
    float *shear[3][3]; // s_ab of the lines (a, b); on coarse levels s_ba is the same array
    float *inverse[3];  // of the diagonal; 0 where there is no unknown
    float *force[3][3]; // t_ab
    BwViscousVector x, b, step, residual;
} BwViscousLevel;

// Memory of a level whose count and coordinates are known; all values are zero.
BwResult bw_viscous_level_reserve(BwViscousLevel *level, bool is_finest, BwError *err);

// Tables of neighbours. The tile of a coordinate, brought into the period, or 0.
void bw_viscous_level_link(BwViscousLevel *level);
int32_t bw_viscous_level_find(const BwViscousLevel *level, int32_t x, int32_t y, int32_t z);

// Shift, inverse diagonal, boxes and number of unknowns from masses, walls and weights. A face without mass
// holds no unknown.
void bw_viscous_level_finish(BwViscousLevel *level);

// The level under one: false in *is_coarser where there is none that is worth it.
BwResult bw_viscous_coarsen(BwViscousLevel *fine, BwViscousLevel *coarse, bool *is_coarser, BwError *err);

// b of the coarse level from the residual of the fine one; and x of the fine one corrected by the coarse x.
void bw_viscous_restrict(const BwViscousLevel *fine, const BwViscousLevel *coarse);
void bw_viscous_prolong(const BwViscousLevel *fine, const BwViscousLevel *coarse);

// Where samples are along an axis, in cells of their own index: on the low face, or in the middle; weights of
// strain also in the middle of the cell before.
typedef enum BwPlaceAlong {
    BW_ON_FACE,
    BW_IN_CELL,
    BW_WEIGHT_IN_CELL,
    BW_WEIGHT_IN_CELL_BEFORE
} BwPlaceAlong;

// Sums of fine values into those of a box of one tile of the coarse level, by the transposed interpolation.
void bw_viscous_gather(const BwViscousLevel *fine, const BwViscousLevel *coarse, int32_t t,
                       const BwTileBox *box, const float *from, const BwPlaceAlong place[3], float *to);

// The same for floor division of cells by powers of two.
static inline int32_t bw_tile_of_place(int32_t place, int extent)
{
    return place >= 0 ? place / extent : -((extent - 1 - place) / extent);
}

// The tile beside one across its low (-1) or high (1) end along an axis.
static inline int32_t bw_viscous_beside(const BwViscousLevel *level, int32_t t, int axis, int direction)
{
    static const int stride[3] = {1, 3, 9};
    return level->around[t][13 + direction * stride[axis]];
}
