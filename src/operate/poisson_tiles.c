// The tiles of a system, their open faces, and its operator in double.
#include "operate/poisson_tiles.h"

#include <math.h>
#include <string.h>

static const float no_coefficient[BW_TILE_CELLS_MAX];

// Neighbours of the grid in the order of BW_X_LOW to BW_Z_HIGH.
static const int grid_beside[BW_BESIDE_COUNT] = {12, 14, 10, 16, 4, 22};

static bool holds_unknowns(const BwPoisson *system, int32_t slot)
{
    const uint64_t *unknown = bw_mask_tile(system->unknown, slot);
    uint64_t any = 0;
    for (int k = 0; k < system->grid->layers; k++)
        any |= unknown[k];
    return any != 0;
}

static int32_t count_tiles(const BwPoisson *system)
{
    int32_t count = 0;
    for (int32_t n = 0; n < system->grid->tile_count; n++)
        count += holds_unknowns(system, system->grid->order[n]);
    return count;
}

static BwResult number_tiles(BwPoissonTiles *tiles, BwError *err)
{
    const BwGrid *grid = tiles->system->grid;
    tiles->count = count_tiles(tiles->system);
    tiles->tile = bw_workspace_alloc(tiles->workspace, ((size_t)tiles->count + 1) * sizeof *tiles->tile);
    int32_t *number_of_slot =
        bw_workspace_alloc_zeroed(tiles->workspace, (size_t)grid->slot_count * sizeof(int32_t));
    if (tiles->tile == NULL || number_of_slot == NULL)
        return bw_fail_memory(err);
    tiles->tile[0] = (BwPoissonTile){.label = -1};
    int32_t count = 0;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        int32_t slot = grid->order[n];
        if (holds_unknowns(tiles->system, slot)) {
            number_of_slot[slot] = ++count;
            tiles->tile[count].slot = slot;
        }
    }
    for (int32_t t = 1; t <= count; t++) {
        const int32_t *neighbour = grid->tiles[tiles->tile[t].slot].neighbour;
        for (int n = 0; n < BW_BESIDE_COUNT; n++)
            tiles->tile[t].beside[n] = number_of_slot[neighbour[grid_beside[n]]];
        if (tiles->layers == 1)
            tiles->tile[t].beside[BW_Z_LOW] = tiles->tile[t].beside[BW_Z_HIGH] = 0;
    }
    return BW_OK;
}

static uint64_t positive_bits(const float *values)
{
    uint64_t bits = 0;
    for (int n = 0; n < BW_TILE_LAYER; n++)
        bits |= (uint64_t)(values[n] > 0.0f) << n;
    return bits;
}

#define COLUMN_FIRST 0x0101010101010101u

// Which faces of layer k have a coefficient, and whether the cell across each holds an unknown: for both
// sides of an axis.
typedef struct LayerFaces {
    uint64_t low, high, unknown_low, unknown_high;
} LayerFaces;

static LayerFaces faces_along_x(const BwPoissonTile *tile, const BwPoissonStar *star,
                                const uint64_t *unknown_low, const uint64_t *unknown_high, int k)
{
    uint64_t low = positive_bits(star->face[0] + 64 * k), next = positive_bits(star->face_high[0] + 64 * k);
    return (LayerFaces){low, (low >> 1 & ~(COLUMN_FIRST << 7)) | (next & COLUMN_FIRST) << 7,
                        (tile->unknown[k] << 1 & ~COLUMN_FIRST) | (unknown_low[k] >> 7 & COLUMN_FIRST),
                        (tile->unknown[k] >> 1 & ~(COLUMN_FIRST << 7)) | (unknown_high[k] & COLUMN_FIRST)
                                                                             << 7};
}

static LayerFaces faces_along_y(const BwPoissonTile *tile, const BwPoissonStar *star,
                                const uint64_t *unknown_low, const uint64_t *unknown_high, int k)
{
    uint64_t low = positive_bits(star->face[1] + 64 * k), next = positive_bits(star->face_high[1] + 64 * k);
    return (LayerFaces){low, low >> 8 | next << 56, tile->unknown[k] << 8 | unknown_low[k] >> 56,
                        tile->unknown[k] >> 8 | unknown_high[k] << 56};
}

static LayerFaces faces_along_z(const BwPoissonTile *tile, const BwPoissonStar *star,
                                const uint64_t *unknown_low, const uint64_t *unknown_high, int k)
{
    int last = star->layers - 1;
    return (LayerFaces){positive_bits(star->face[2] + 64 * k),
                        positive_bits(k < last ? star->face[2] + 64 * (k + 1) : star->face_high[2]),
                        k > 0 ? tile->unknown[k - 1] : unknown_low[last],
                        k < last ? tile->unknown[k + 1] : unknown_high[0]};
}

static void find_open_faces(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    BwPoissonTiles *tiles = context;
    typedef LayerFaces FacesFn(const BwPoissonTile *, const BwPoissonStar *, const uint64_t *,
                               const uint64_t *, int);
    static FacesFn *const faces_along[3] = {faces_along_x, faces_along_y, faces_along_z};
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        BwPoissonTile *tile = &tiles->tile[t];
        BwPoissonStar star = bw_poisson_star(tiles, t);
        for (int k = 0; k < tiles->layers; k++) {
            uint64_t fixed = star.mass != NULL ? positive_bits(star.mass + 64 * k) : 0;
            for (int axis = 0; axis < 3; axis++) {
                LayerFaces f = faces_along[axis](tile, &star, tiles->tile[tile->beside[2 * axis]].unknown,
                                                 tiles->tile[tile->beside[2 * axis + 1]].unknown, k);
                tile->open[axis][k] = f.low & f.unknown_low & tile->unknown[k];
                fixed |= (f.low & ~f.unknown_low) | (f.high & ~f.unknown_high);
            }
            tile->fixed[k] = fixed & tile->unknown[k];
        }
    }
}

BwResult bw_poisson_tiles_build(BwPoissonTiles *tiles, const BwPoisson *system, BwPool *pool,
                                BwWorkspace *workspace, BwError *err)
{
    *tiles = (BwPoissonTiles){.system = system,
                              .pool = pool,
                              .workspace = workspace,
                              .layers = system->grid->layers,
                              .cells = system->grid->tile_cells};
    BW_TRY(number_tiles(tiles, err));
    for (int32_t t = 1; t <= tiles->count; t++) {
        BwPoissonTile *tile = &tiles->tile[t];
        memset(tile->unknown, 0, sizeof tile->unknown);
        memcpy(tile->unknown, bw_mask_tile(system->unknown, tile->slot),
               (size_t)tiles->layers * sizeof(uint64_t));
        for (int k = 0; k < tiles->layers; k++)
            tiles->unknowns += __builtin_popcountll(tile->unknown[k]);
    }
    bw_parallel_for(pool, tiles->count, BW_POISSON_GRAIN, find_open_faces, tiles);
    return BW_OK;
}

BwPoissonStar bw_poisson_star(const BwPoissonTiles *tiles, int32_t t)
{
    const BwPoisson *system = tiles->system;
    int32_t slot = tiles->tile[t].slot;
    const int32_t *neighbour = system->grid->tiles[slot].neighbour;
    BwPoissonStar star = {.mass = system->mass != NULL ? bw_field_tile(system->mass, slot) : NULL,
                          .unknown = tiles->tile[t].unknown,
                          .layers = tiles->layers};
    for (int axis = 0; axis < 3; axis++) {
        const BwField *face = system->face[axis];
        bool is_there = axis < system->grid->dimension;
        star.face[axis] = is_there ? bw_field_tile(face, slot) : no_coefficient;
        star.face_high[axis] =
            is_there ? bw_field_tile(face, neighbour[grid_beside[2 * axis + 1]]) : no_coefficient;
    }
    return star;
}

BwPoissonStar bw_poisson_star_of(const BwPoissonTiles *tiles, int32_t t, const double *vector)
{
    BwPoissonStar star = bw_poisson_star(tiles, t);
    star.center = vector + (int64_t)t * tiles->cells;
    for (int n = 0; n < BW_BESIDE_COUNT; n++)
        star.beside[n] = vector + (int64_t)tiles->tile[t].beside[n] * tiles->cells;
    return star;
}

BwPoissonStar bw_poisson_star_of_x(const BwPoissonTiles *tiles, int32_t t)
{
    const BwPoisson *system = tiles->system;
    BwPoissonStar star = bw_poisson_star(tiles, t);
    star.center = bw_wide_field_tile(system->x, tiles->tile[t].slot);
    for (int n = 0; n < BW_BESIDE_COUNT; n++)
        star.beside[n] = bw_wide_field_tile(system->x, tiles->tile[tiles->tile[t].beside[n]].slot);
    return star;
}

// One row of eight cells: its coefficients, low side first, each high side as the low side of the next.
typedef struct FaceRow {
    float x[BW_TILE + 1];
    const float *y_low, *y_high, *z_low, *z_high;
} FaceRow;

static inline FaceRow face_row(const BwPoissonStar *star, int j, int k)
{
    int at = 64 * k + 8 * j, last = star->layers - 1;
    FaceRow row;
    memcpy(row.x, star->face[0] + at, BW_TILE * sizeof(float));
    row.x[BW_TILE] = star->face_high[0][at];
    row.y_low = star->face[1] + at;
    row.y_high = j < BW_TILE - 1 ? row.y_low + 8 : star->face_high[1] + 64 * k;
    row.z_low = star->face[2] + at;
    row.z_high = k < last ? row.z_low + 64 : star->face_high[2] + 8 * j;
    return row;
}

void bw_poisson_apply(const BwPoissonStar *star, double *restrict out)
{
    int last = star->layers - 1;
    for (int k = 0; k <= last; k++)
        for (int j = 0; j < BW_TILE; j++) {
            int at = 64 * k + 8 * j;
            const double *c = star->center + at;
            const double *y_low = j > 0 ? c - 8 : star->beside[BW_Y_LOW] + at + 56;
            const double *y_high = j < BW_TILE - 1 ? c + 8 : star->beside[BW_Y_HIGH] + at - 56;
            const double *z_low = k > 0 ? c - 64 : star->beside[BW_Z_LOW] + 64 * last + 8 * j;
            const double *z_high = k < last ? c + 64 : star->beside[BW_Z_HIGH] + 8 * j;
            double x[BW_TILE + 2];
            x[0] = star->beside[BW_X_LOW][at + 7];
            memcpy(x + 1, c, BW_TILE * sizeof(double));
            x[BW_TILE + 1] = star->beside[BW_X_HIGH][at];
            FaceRow a = face_row(star, j, k);
            uint64_t unknown = star->unknown[k] >> (8 * j);
            for (int i = 0; i < BW_TILE; i++) {
                double sum =
                    (double)a.x[i] * (c[i] - x[i]) + (double)a.x[i + 1] * (c[i] - x[i + 2]) +
                    (double)a.y_low[i] * (c[i] - y_low[i]) + (double)a.y_high[i] * (c[i] - y_high[i]) +
                    (double)a.z_low[i] * (c[i] - z_low[i]) + (double)a.z_high[i] * (c[i] - z_high[i]);
                double mass = star->mass != NULL ? (double)star->mass[at + i] : 0.0;
                out[at + i] = unknown >> i & 1 ? mass * c[i] + sum : 0.0;
            }
        }
}

void bw_poisson_diagonal(const BwPoissonStar *star, double *restrict out)
{
    for (int k = 0; k < star->layers; k++)
        for (int j = 0; j < BW_TILE; j++) {
            int at = 64 * k + 8 * j;
            FaceRow a = face_row(star, j, k);
            uint64_t unknown = star->unknown[k] >> (8 * j);
            for (int i = 0; i < BW_TILE; i++) {
                double sum = (double)a.x[i] + (double)a.x[i + 1] + (double)a.y_low[i] + (double)a.y_high[i] +
                             (double)a.z_low[i] + (double)a.z_high[i];
                double mass = star->mass != NULL ? (double)star->mass[at + i] : 0.0;
                out[at + i] = unknown >> i & 1 ? mass + sum : 0.0;
            }
        }
}

// What a cell of a region without a fixed value gives up; one number for tiles of one part.
static double shift_of(const BwPoissonTiles *tiles, int32_t t, int cell)
{
    int32_t region = bw_poisson_region(tiles, t, cell);
    return region < 0 ? 0.0 : tiles->shift[region];
}

void bw_poisson_right(const BwPoissonTiles *tiles, int32_t t, double *restrict out)
{
    const BwPoissonTile *tile = &tiles->tile[t];
    const float *right = bw_field_tile(tiles->system->right, tile->slot);
    bool is_whole = tile->label < 0;
    double shift = shift_of(tiles, t, 0);
    for (int n = 0; n < tiles->cells; n++) {
        if (!is_whole)
            shift = shift_of(tiles, t, n);
        out[n] = bw_bit(tile->unknown, n) ? (double)right[n] - shift : 0.0;
    }
}

void bw_poisson_residual(const BwPoissonTiles *tiles, int32_t t, double *restrict out)
{
    double product[BW_TILE_CELLS_MAX];
    BwPoissonStar star = bw_poisson_star_of_x(tiles, t);
    bw_poisson_apply(&star, product);
    bw_poisson_right(tiles, t, out);
    for (int n = 0; n < tiles->cells; n++)
        out[n] -= product[n];
}

typedef void TileVectorFn(const BwPoissonTiles *tiles, int32_t t, double *restrict out);

typedef struct NormJob {
    const BwPoissonTiles *tiles;
    TileVectorFn *vector;
} NormJob;

static double square_of_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const NormJob *job = context;
    double values[BW_TILE_CELLS_MAX], sum = 0.0;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        job->vector(job->tiles, t, values);
        for (int n = 0; n < job->tiles->cells; n++)
            sum += values[n] * values[n];
    }
    return sum;
}

static double max_of_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const NormJob *job = context;
    double values[BW_TILE_CELLS_MAX], max = 0.0;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        job->vector(job->tiles, t, values);
        for (int n = 0; n < job->tiles->cells; n++)
            max = fabs(values[n]) > max ? fabs(values[n]) : max;
    }
    return max;
}

static BwPoissonNorms norms_of(const BwPoissonTiles *tiles, TileVectorFn *vector)
{
    NormJob job = {tiles, vector};
    return (BwPoissonNorms){
        bw_parallel_sum(tiles->pool, tiles->count, BW_POISSON_GRAIN, square_of_tiles, &job),
        bw_parallel_max(tiles->pool, tiles->count, BW_POISSON_GRAIN, max_of_tiles, &job)};
}

BwPoissonNorms bw_poisson_right_norms(const BwPoissonTiles *tiles)
{
    return norms_of(tiles, bw_poisson_right);
}

BwPoissonNorms bw_poisson_residual_norms(const BwPoissonTiles *tiles)
{
    return norms_of(tiles, bw_poisson_residual);
}

void bw_poisson_clear_x(const BwPoissonTiles *tiles, bool keep_unknowns)
{
    const BwGrid *grid = tiles->system->grid;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        int32_t slot = grid->order[n];
        double *x = bw_wide_field_tile(tiles->system->x, slot);
        const uint64_t *unknown = bw_mask_tile(tiles->system->unknown, slot);
        for (int k = 0; k < grid->layers; k++) {
            if (keep_unknowns && unknown[k] == UINT64_MAX)
                continue;
            for (int m = 0; m < BW_TILE_LAYER; m++)
                if (!keep_unknowns || !(unknown[k] >> m & 1))
                    x[64 * k + m] = 0.0;
        }
    }
}
