// The tiles that hold unknowns of a BwPoisson, numbered in the grid's order, with what all methods need:
// neighbours, open faces, connected regions, the true residual.
//
// Tile 0 is nobody's and always zero, as in the grid. Vectors of the methods are plain arrays, tile after
// tile; only x lives in the grid's own field, in double.
#pragma once

#include "poisson/poisson.h"
#include "poisson/workspace.h"

// Tiles a block of parallel work, also of reductions.
#define BW_POISSON_GRAIN 8

// In the order of bw_side_neighbour.
enum { BW_X_LOW, BW_X_HIGH, BW_Y_LOW, BW_Y_HIGH, BW_Z_LOW, BW_Z_HIGH, BW_BESIDE_COUNT };

typedef struct BwPoissonTile {
    int32_t slot;                    // in the grid
    int32_t beside[BW_BESIDE_COUNT]; // tiles across the faces, 0 where none holds unknowns
    int32_t first_part;              // of its connected parts; those of the next tile follow
    float uniform;                   // the one coefficient of all its faces, where that is known; else 0
    int32_t label;                   // index into `labels` of its cells, -1: one part only
    uint8_t joined;                  // a bit an axis: some low face to the tile before is open
    bool has_fixed;                  // some cell is
    uint64_t unknown[BW_TILE];       // one word a layer, bit 8 j + i
    uint64_t open[3][BW_TILE];       // low faces with a coefficient between two unknowns
    uint64_t fixed[BW_TILE];         // cells held by a mass or by a face to a fixed value
} BwPoissonTile;

typedef struct BwPoissonNorms {
    double square; // sum of squares
    double max;    // largest size
} BwPoissonNorms;

typedef struct BwPoissonTiles {
    const BwPoisson *system;
    BwPool *pool;
    BwWorkspace *workspace;
    int layers, cells; // of a tile
    int32_t count;
    BwPoissonTile *tile; // [0, count]
    int64_t unknowns;
    BwPoissonNorms *norms; // by tile, scratch of bw_poisson_norms

    // Connected parts of tiles, joined to regions where nothing fixes x. The right side of such a region must
    // sum to zero: `shift` is what each of its cells must give up.
    int32_t part_count;
    int32_t *region_of_part; // -1: something fixes x there
    int32_t *root_of_part;   // the first part of its connected component
    int32_t *cells_of_part;
    uint16_t *labels; // part within the tile, for cells of tiles with several parts
    int32_t region_count;
    double *shift, *cells_of_region; // by region
} BwPoissonTiles;

BwResult bw_poisson_tiles_build(BwPoissonTiles *tiles, const BwPoisson *system, BwPool *pool,
                                BwWorkspace *workspace, BwError *err);

// Finds the regions without a fixed value and their shifts.
BwResult bw_poisson_find_regions(BwPoissonTiles *tiles, BwError *err);

// The region a cell of a tile is in, or -1 where x is fixed.
static inline int32_t bw_poisson_region(const BwPoissonTiles *tiles, int32_t t, int cell)
{
    const BwPoissonTile *tile = &tiles->tile[t];
    int part = tile->label < 0 ? 0 : tiles->labels[tile->label + cell];
    return tiles->region_of_part[tile->first_part + part];
}

// What stands around a tile: values and coefficients by pointer.
typedef struct BwPoissonStar {
    const double *center, *beside[BW_BESIDE_COUNT];
    const float *face[3], *face_high[3]; // own low faces, and the neighbours' that are our high ones
    const float *mass;                   // or NULL
    const uint64_t *unknown;
    float uniform;
    int layers;
} BwPoissonStar;

// Coefficients of tile t, without values.
BwPoissonStar bw_poisson_star(const BwPoissonTiles *tiles, int32_t t);

// Faces of a tile's layer k along an axis: on the low and the high side of each cell, whether the coefficient
// is positive (or equals `wanted`, where that is positive), and whether the cell across holds an unknown.
typedef struct BwFaceBits {
    uint64_t low, high, unknown_low, unknown_high;
} BwFaceBits;

BwFaceBits bw_poisson_face_bits(const BwPoissonTiles *tiles, int32_t t, const BwPoissonStar *star, int axis,
                                int k, float wanted);

// The same with the values of a vector of ours, or with x.
BwPoissonStar bw_poisson_star_of(const BwPoissonTiles *tiles, int32_t t, const double *vector);
BwPoissonStar bw_poisson_star_of_x(const BwPoissonTiles *tiles, int32_t t);

// out = A value on one tile, zero where there is no unknown; and the diagonal of A alike.
void bw_poisson_apply(const BwPoissonStar *star, double *restrict out);
void bw_poisson_diagonal(const BwPoissonStar *star, double *restrict out);

// The right side of a tile as given, 0 where there is no unknown.
void bw_poisson_right_plain(const BwPoissonTiles *tiles, const BwPoissonTile *tile, double *restrict out);

// The right side of tile t, made compatible, and the true residual b - A x.
void bw_poisson_right(const BwPoissonTiles *tiles, int32_t t, double *restrict out);
void bw_poisson_residual(const BwPoissonTiles *tiles, int32_t t, double *restrict out);

// Norms of values made tile by tile: room for the values of one tile is given to fn, which fills it.
typedef void BwPoissonTileFn(const BwPoissonTiles *tiles, int32_t t, double *values, void *context);
BwPoissonNorms bw_poisson_norms(const BwPoissonTiles *tiles, BwPoissonTileFn *fn, void *context);
BwPoissonNorms bw_poisson_norms_of(const double *values, int count);

BwPoissonNorms bw_poisson_right_norms(const BwPoissonTiles *tiles);
BwPoissonNorms bw_poisson_residual_norms(const BwPoissonTiles *tiles);

// Makes x zero where there is no unknown, everywhere when nothing is to be kept.
void bw_poisson_clear_x(const BwPoissonTiles *tiles, bool keep_unknowns);

// Takes the mean out of x in every region without a fixed value.
BwResult bw_poisson_center_x(const BwPoissonTiles *tiles, BwError *err);

static inline bool bw_poisson_is_met(const BwPoissonOptions *options, BwPoissonNorms norms, double right_norm)
{
    return norms.square <= options->tolerance * options->tolerance * right_norm * right_norm &&
           !(options->bound > 0.0 && norms.max > options->bound);
}
