// The pyramid under a pressure system: level 0 are its own tiles, each further level has cells twice as wide.
// Single precision throughout: it serves a preconditioner.
//
// Cells of a tile are kept by colour, like the fields of a chess board: first the 256 (2-D: 32) whose i + j +
// k is even, then the odd ones. A sweep over one colour then reads one half and writes the other, with every
// lane of its vectors in use and half the bytes. Four rows of four cells of a colour make a group of sixteen,
// one vector or several (grid/lanes.h); the neighbours of lanes are, in the other half,
//
//     x: the same lanes, and the lanes one further, to the left in rows where the colour starts with the
//        first cell of the row (`same` is then the high neighbour), to the right in the others,
//     y: the row before and behind, four places on,
//     z: the layer before and behind, thirty-two places on.
//
// A coarse cell stands for the fine unknowns in it that are connected within it, usually all. Where a thin
// wall crosses it there are several such parts: the largest is the cell itself, the others are *extras*,
// unknowns listed after the tiles and coupled to others by explicit couplings. Red-black colouring survives,
// for a part is only coupled to parts of the neighbour cells.
#pragma once

#include "poisson/colors.h"
#include "poisson/poisson_tiles.h"

#define BW_LEVELS_MAX 24

// At most so many unknowns are solved directly: the factor then costs less than a sweep over a few tiles.
#define BW_DIRECT_MAX 96

// Rows of a tile's coefficient block, each `cells` floats by colour. The first two belong to the neighbour in
// the same lane and to the one in the next lane.
enum {
    BW_COUPLING_SAME,
    BW_COUPLING_SHIFTED,
    BW_COUPLING_Y_LOW,
    BW_COUPLING_Y_HIGH,
    BW_COUPLING_Z_LOW,
    BW_COUPLING_Z_HIGH,
    BW_COUPLING_EXTRA,   // of the diagonal beyond the six couplings
    BW_COUPLING_INVERSE, // of the whole diagonal; 0 where there is no unknown
    BW_COUPLING_MASS,    // only in systems that have mass
    BW_COUPLING_ROWS
};

typedef struct BwCoupling {
    int32_t other; // node
    float weight;
} BwCoupling;

// A node of a tile that does not go to the coarse cell around it: `coarse` is an extra, or -1 for a node
// without couplings, which needs no correction.
typedef struct BwException {
    int32_t node, coarse;
} BwException;

// A tile whose faces are all closed or of one coefficient, and open between any two unknowns: what voxels
// give. Sweeps need but the inverse diagonal, for cells without unknown are zero; differences need to know
// which faces count.
typedef struct BwMasked {
    float inverse[BW_TILE_CELLS_MAX];          // by place
    uint16_t open[BW_BESIDE_COUNT][2][16];     // by row of a block, colour and group: the cell's face counts
    uint64_t linked[BW_BESIDE_COUNT][BW_TILE]; // by side, in the order of cells: to an unknown
    uint64_t fixed[BW_BESIDE_COUNT][BW_TILE];  // to a fixed value
} BwMasked;

// A node is a cell of a tile (tile * cells + place by colour) or an extra ((count + 1) * cells + its number).
typedef struct BwLevel {
    int layers, cells, half; // of a tile; half = cells / 2
    int rows;                // of a coefficient block
    int32_t count;           // tiles 1 to count; tile 0 is nobody's and zero
    BwTileCoord *coord;      // counted from the period's first tile where periodic
    int32_t period[3];       // cells, 0 where not periodic
    int32_t (*beside)[BW_BESIDE_COUNT];
    int32_t (*child)[8]; // tiles of the finer level, 0 where none
    int32_t *parent;     // tile of the coarser level
    float *uniform;      // the one coefficient of the tile, or 0: it has a block
    int32_t *masked;     // index of a uniform tile's masks, -1: it needs none; NULL: no tile does
    BwMasked *masks;
    bool *is_inner; // uniform without masks, and all cells across its faces hold unknowns
    int32_t *block; // index of the coefficient block
    float *blocks;
    uint16_t (*filled)[2]; // by colour: groups of sixteen that hold unknowns
    float *x, *b;          // by node; on level 0 they are the vectors of the outer iteration
    int64_t unknowns;

    int32_t extra_count;
    int32_t *extra_first; // by tile; [count + 2]
    int32_t *extra_cell;  // the cell each is part of, i + 8 j + 64 k
    int32_t *extra_tile;
    float *extra_diagonal; // beyond its couplings
    float *extra_mass;     // part of it
    float *extra_inverse;
    int32_t *extra_coarse; // where each goes on the next level, or -1

    int64_t coupling_count;
    int32_t *coupling_first; // by extra; [extra_count + 1]
    BwCoupling *couplings;
    int32_t *explicit_first; // by tile; [count + 2]: cells with couplings, in order of their places
    int32_t *explicit_node;
    int32_t *explicit_coupling_first; // by such cell; [their count + 1]

    int32_t *exception_first; // by tile; [count + 2]
    BwException *exceptions;
} BwLevel;

typedef struct BwPyramid {
    BwPool *pool;
    BwWorkspace *workspace;
    int level_count;
    BwLevel level[BW_LEVELS_MAX];
    // Direct solve on the last level, where it is small enough: an LDL^T factor.
    int32_t direct_count; // 0: too large, swept instead
    int32_t *direct_node;
    double *direct_factor, *direct_value;
} BwPyramid;

// Memory of a level, by stages of building; `count`, then `uniform`, then `extra_count` must be known.
BwResult bw_level_reserve_tiles(const BwPyramid *pyramid, BwLevel *level, BwError *err);
BwResult bw_level_reserve_blocks(const BwPyramid *pyramid, BwLevel *level, BwError *err);
BwResult bw_level_reserve_values(const BwPyramid *pyramid, BwLevel *level, BwError *err);
void *bw_level_alloc(const BwPyramid *pyramid, size_t count, size_t size);

BwResult bw_pyramid_build(BwPyramid *pyramid, const BwPoissonTiles *tiles, BwError *err);

// Its first and last stage: level 0 from the system, and the direct factor of the last level.
BwResult bw_pyramid_build_finest(BwPyramid *pyramid, const BwPoissonTiles *tiles, BwError *err);
BwResult bw_pyramid_build_direct(BwPyramid *pyramid, BwError *err);
// x from b on the last level, where there is such a factor.
void bw_pyramid_solve_direct(const BwPyramid *pyramid);

// The next level from the one before; its topology, unknowns and coefficients.
BwResult bw_level_coarsen(const BwPyramid *pyramid, BwLevel *fine, BwLevel *coarse, BwError *err);

// The coefficients of a tile in the order of its cells, i + 8 j + 64 k, and plain directions; for building.
typedef struct BwTileCouplings {
    _Alignas(BW_ALIGN) float coupling[BW_BESIDE_COUNT][BW_TILE_CELLS_MAX];
    float extra[BW_TILE_CELLS_MAX], mass[BW_TILE_CELLS_MAX];
    float unknown[BW_TILE_CELLS_MAX]; // 1 or 0
} BwTileCouplings;

void bw_level_load_couplings(const BwLevel *level, int32_t t, BwTileCouplings *couplings);
// Into the tile's block; fills in inverse and `filled`.
void bw_level_store_couplings(BwLevel *level, int32_t t, const BwTileCouplings *couplings);

static inline const BwMasked *bw_level_masks(const BwLevel *level, int32_t t)
{
    return level->masked != NULL && level->masked[t] >= 0 ? &level->masks[level->masked[t]] : NULL;
}

static inline float *bw_level_block(const BwLevel *level, int32_t t)
{
    return level->blocks + (int64_t)level->block[t] * level->rows * level->cells;
}

// Colour of a cell i + 8 j + 64 k, and its place in the tile by colour.
static inline int bw_color_of(int cell)
{
    return (cell ^ cell >> 3 ^ cell >> 6) & 1;
}

static inline int bw_place_of(int cell, int half)
{
    return bw_color_of(cell) * half + (cell >> 1);
}

static inline int bw_cell_of(int place, int half)
{
    int color = place >= half;
    int pair = place - color * half;
    return 2 * pair + ((pair >> 2 ^ pair >> 5 ^ color) & 1);
}

static inline bool bw_is_extra(const BwLevel *level, int32_t node)
{
    return node >= (level->count + 1) * level->cells;
}

static inline int bw_node_color(const BwLevel *level, int32_t node)
{
    int32_t first = (level->count + 1) * level->cells;
    if (node >= first)
        return bw_color_of(level->extra_cell[node - first]);
    return node % level->cells >= level->half;
}

static inline int64_t bw_level_nodes(const BwLevel *level)
{
    return ((int64_t)level->count + 1) * level->cells + level->extra_count;
}

static inline bool bw_level_has_unknown(const BwLevel *level, int32_t t, int cell)
{
    if (t == 0)
        return false;
    int place = bw_place_of(cell, level->half);
    const BwMasked *masks = bw_level_masks(level, t);
    if (masks != NULL)
        return masks->inverse[place] > 0.0f;
    return level->uniform[t] > 0.0f ||
           bw_level_block(level, t)[BW_COUPLING_INVERSE * level->cells + place] > 0.0f;
}

// The node across one side of a cell.
static inline int32_t bw_node_beside(const BwLevel *level, int32_t t, int cell, int side)
{
    static const int step[3] = {1, 8, 64};
    int place = cell >> (3 * (side / 2)) & 7, sign = side % 2 ? 1 : -1;
    bool is_inside = side % 2 ? place < 7 : place > 0;
    int other = cell + (is_inside ? sign : -7 * sign) * step[side / 2];
    return (is_inside ? t : level->beside[t][side]) * level->cells + bw_place_of(other, level->half);
}
