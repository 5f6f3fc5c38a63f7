// The tiles of a system, their open faces, and its operator in double.
#include "poisson/poisson_tiles.h"

#include <math.h>
#include <string.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

static const _Alignas(BW_ALIGN) float no_coefficient[BW_TILE_CELLS_MAX];

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
    tiles->norms = bw_workspace_alloc(tiles->workspace, ((size_t)tiles->count + 1) * sizeof *tiles->norms);
    if (tiles->tile == NULL || number_of_slot == NULL || tiles->norms == NULL)
        return bw_fail_memory(err);
    tiles->tile[0] = (BwPoissonTile){.label = -1};
    int32_t count = 0;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        int32_t slot = grid->order[n];
        if (holds_unknowns(tiles->system, slot)) {
            number_of_slot[slot] = ++count;
            tiles->tile[count].slot = slot;
            tiles->tile[count].uniform = 0.0f;
        }
    }
    for (int32_t t = 1; t <= count; t++) {
        const int32_t *neighbour = grid->tiles[tiles->tile[t].slot].neighbour;
        for (int n = 0; n < BW_BESIDE_COUNT; n++)
            tiles->tile[t].beside[n] = number_of_slot[neighbour[bw_side_neighbour[n]]];
        if (tiles->layers == 1)
            tiles->tile[t].beside[BW_Z_LOW] = tiles->tile[t].beside[BW_Z_HIGH] = 0;
    }
    return BW_OK;
}

// Bit n: value n of a layer equals `wanted`, or is positive where none is wanted.
static uint64_t bits_of(const float *values, float wanted)
{
    uint64_t bits = 0;
#ifdef __AVX512F__
    __m512 compared = _mm512_set1_ps(wanted);
    for (int n = 0; n < BW_TILE_LAYER; n += 16) {
        __m512 v = _mm512_loadu_ps(values + n);
        __mmask16 mask = wanted > 0.0f ? _mm512_cmp_ps_mask(v, compared, _CMP_EQ_OQ)
                                       : _mm512_cmp_ps_mask(v, compared, _CMP_GT_OQ);
        bits |= (uint64_t)mask << n;
    }
#else
    for (int n = 0; n < BW_TILE_LAYER; n++)
        bits |= (uint64_t)(wanted > 0.0f ? values[n] == wanted : values[n] > 0.0f) << n;
#endif
    return bits;
}

#define COLUMN_FIRST 0x0101010101010101u

BwFaceBits bw_poisson_face_bits(const BwPoissonTiles *tiles, int32_t t, const BwPoissonStar *star, int axis,
                                int k, float wanted)
{
    const BwPoissonTile *tile = &tiles->tile[t];
    const uint64_t *own = tile->unknown;
    const uint64_t *before = tiles->tile[tile->beside[2 * axis]].unknown;
    const uint64_t *behind = tiles->tile[tile->beside[2 * axis + 1]].unknown;
    const float *face = star->face[axis], *high = star->face_high[axis];
    int last = tiles->layers - 1;
    uint64_t low = bits_of(face + 64 * k, wanted);
    if (axis == 2)
        return (BwFaceBits){low, bits_of(k < last ? face + 64 * (k + 1) : high, wanted),
                            k > 0 ? own[k - 1] : before[last], k < last ? own[k + 1] : behind[0]};
    uint64_t next = bits_of(high + 64 * k, wanted);
    if (axis == 1)
        return (BwFaceBits){low, low >> 8 | next << 56, own[k] << 8 | before[k] >> 56,
                            own[k] >> 8 | behind[k] << 56};
    return (BwFaceBits){low, (low >> 1 & ~(COLUMN_FIRST << 7)) | (next & COLUMN_FIRST) << 7,
                        (own[k] << 1 & ~COLUMN_FIRST) | (before[k] >> 7 & COLUMN_FIRST),
                        (own[k] >> 1 & ~(COLUMN_FIRST << 7)) | (behind[k] & COLUMN_FIRST) << 7};
}

static void find_open_faces(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    BwPoissonTiles *tiles = context;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        BwPoissonTile *tile = &tiles->tile[t];
        BwPoissonStar star = bw_poisson_star(tiles, t);
        for (int k = 0; k < tiles->layers; k++) {
            uint64_t fixed = star.mass != NULL ? bits_of(star.mass + 64 * k, 0.0f) : 0;
            for (int axis = 0; axis < 3; axis++) {
                BwFaceBits f = bw_poisson_face_bits(tiles, t, &star, axis, k, 0.0f);
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
                          .uniform = tiles->tile[t].uniform,
                          .layers = tiles->layers};
    for (int axis = 0; axis < 3; axis++) {
        const BwField *face = system->face[axis];
        bool is_there = axis < system->grid->dimension;
        star.face[axis] = is_there ? bw_field_tile(face, slot) : no_coefficient;
        star.face_high[axis] =
            is_there ? bw_field_tile(face, neighbour[bw_side_neighbour[2 * axis + 1]]) : no_coefficient;
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

// Eight cells of a row, in double.
typedef double Row __attribute__((vector_size(64)));
typedef float NarrowRow __attribute__((vector_size(32)));
typedef int64_t RowBits __attribute__((vector_size(64)));

static inline Row row_load(const double *values)
{
    Row row;
    memcpy(&row, values, sizeof row);
    return row;
}

static inline Row row_widen(const float *values)
{
    NarrowRow row;
    memcpy(&row, values, sizeof row);
    return __builtin_convertvector(row, Row);
}

static inline void row_store(double *values, Row row)
{
    memcpy(values, &row, sizeof row);
}

// Keeps the cells whose bit is set.
static inline Row row_keep(Row row, uint64_t bits)
{
    static const RowBits bit_of_lane = {1, 2, 4, 8, 16, 32, 64, 128};
    RowBits all = {(int64_t)bits, (int64_t)bits, (int64_t)bits, (int64_t)bits,
                   (int64_t)bits, (int64_t)bits, (int64_t)bits, (int64_t)bits};
    return (Row)((RowBits)row & ((all & bit_of_lane) != 0));
}

static inline Row row_from_low(Row row, Row before)
{
    return __builtin_shufflevector(row, before, 15, 0, 1, 2, 3, 4, 5, 6);
}

static inline Row row_from_high(Row row, Row behind)
{
    return __builtin_shufflevector(row, behind, 1, 2, 3, 4, 5, 6, 7, 8);
}

// Coefficients of a row's six faces.
typedef struct FaceRows {
    Row face[BW_BESIDE_COUNT];
} FaceRows;

static inline FaceRows face_rows(const BwPoissonStar *star, int j, int k)
{
    int at = 64 * k + 8 * j, last = star->layers - 1;
    FaceRows a;
    a.face[BW_X_LOW] = row_widen(star->face[0] + at);
    a.face[BW_X_HIGH] = row_from_high(a.face[BW_X_LOW], row_widen(star->face_high[0] + at));
    a.face[BW_Y_LOW] = row_widen(star->face[1] + at);
    a.face[BW_Y_HIGH] = row_widen(j < BW_TILE - 1 ? star->face[1] + at + 8 : star->face_high[1] + 64 * k);
    a.face[BW_Z_LOW] = row_widen(star->face[2] + at);
    a.face[BW_Z_HIGH] = row_widen(k < last ? star->face[2] + at + 64 : star->face_high[2] + 8 * j);
    return a;
}

// A value on row j of layer k, before cells without unknown are taken out.
static inline Row apply_row(const BwPoissonStar *star, int j, int k)
{
    int at = 64 * k + 8 * j, last = star->layers - 1;
    Row c = row_load(star->center + at);
    Row x_low = row_from_low(c, row_load(star->beside[BW_X_LOW] + at));
    Row x_high = row_from_high(c, row_load(star->beside[BW_X_HIGH] + at));
    Row y_low = row_load(j > 0 ? star->center + at - 8 : star->beside[BW_Y_LOW] + at + 56);
    Row y_high = row_load(j < BW_TILE - 1 ? star->center + at + 8 : star->beside[BW_Y_HIGH] + at - 56);
    Row z_low = row_load(k > 0 ? star->center + at - 64 : star->beside[BW_Z_LOW] + 64 * last + 8 * j);
    Row z_high = row_load(k < last ? star->center + at + 64 : star->beside[BW_Z_HIGH] + 8 * j);
    // Uniform tiles are most of a large fluid; not to read their coefficients halves the bytes of this loop.
    if (star->uniform > 0.0f) {
        Row flat = (c - x_low) + (c - x_high) + (c - y_low) + (c - y_high);
        return (double)star->uniform * (last == 0 ? flat : flat + (c - z_low) + (c - z_high));
    }
    FaceRows a = face_rows(star, j, k);
    Row sum = a.face[BW_X_LOW] * (c - x_low) + a.face[BW_X_HIGH] * (c - x_high) +
              a.face[BW_Y_LOW] * (c - y_low) + a.face[BW_Y_HIGH] * (c - y_high) +
              a.face[BW_Z_LOW] * (c - z_low) + a.face[BW_Z_HIGH] * (c - z_high);
    return star->mass != NULL ? row_widen(star->mass + at) * c + sum : sum;
}

void bw_poisson_apply(const BwPoissonStar *star, double *restrict out)
{
    for (int k = 0; k < star->layers; k++)
        for (int j = 0; j < BW_TILE; j++)
            row_store(out + 64 * k + 8 * j, row_keep(apply_row(star, j, k), star->unknown[k] >> (8 * j)));
}

void bw_poisson_diagonal(const BwPoissonStar *star, double *restrict out)
{
    for (int k = 0; k < star->layers; k++)
        for (int j = 0; j < BW_TILE; j++) {
            FaceRows a = face_rows(star, j, k);
            Row sum = a.face[0] + a.face[1] + a.face[2] + a.face[3] + a.face[4] + a.face[5];
            if (star->mass != NULL)
                sum += row_widen(star->mass + 64 * k + 8 * j);
            row_store(out + 64 * k + 8 * j, row_keep(sum, star->unknown[k] >> (8 * j)));
        }
}

// What a cell of a region without a fixed value gives up; one number for tiles of one part.
static double shift_of(const BwPoissonTiles *tiles, int32_t t, int cell)
{
    int32_t region = bw_poisson_region(tiles, t, cell);
    return region < 0 ? 0.0 : tiles->shift[region];
}

static void right_minus(const BwPoissonTiles *tiles, const BwPoissonTile *tile, double shift,
                        double *restrict out)
{
    const float *right = bw_field_tile(tiles->system->right, tile->slot);
    for (int row = 0; row < tiles->cells / BW_TILE; row++) {
        uint64_t bits = tile->unknown[row >> 3] >> (8 * (row & 7));
        row_store(out + 8 * row, row_keep(row_widen(right + 8 * row) - shift, bits));
    }
}

void bw_poisson_right_plain(const BwPoissonTiles *tiles, const BwPoissonTile *tile, double *restrict out)
{
    right_minus(tiles, tile, 0.0, out);
}

void bw_poisson_right(const BwPoissonTiles *tiles, int32_t t, double *restrict out)
{
    const BwPoissonTile *tile = &tiles->tile[t];
    right_minus(tiles, tile, tile->label < 0 ? shift_of(tiles, t, 0) : 0.0, out);
    if (tile->label >= 0)
        for (int n = 0; n < tiles->cells; n++)
            out[n] -= bw_bit(tile->unknown, n) ? shift_of(tiles, t, n) : 0.0;
}

void bw_poisson_residual(const BwPoissonTiles *tiles, int32_t t, double *restrict out)
{
    BwPoissonStar star = bw_poisson_star_of_x(tiles, t);
    bw_poisson_right(tiles, t, out);
    for (int k = 0; k < tiles->layers; k++)
        for (int j = 0; j < BW_TILE; j++) {
            double *row = out + 64 * k + 8 * j;
            row_store(row, row_load(row) - row_keep(apply_row(&star, j, k), star.unknown[k] >> (8 * j)));
        }
}

BwPoissonNorms bw_poisson_norms_of(const double *values, int count)
{
    Row square = {0}, max = {0};
    for (int n = 0; n < count; n += BW_TILE) {
        Row row = row_load(values + n);
        Row size = (Row)((RowBits)row & INT64_MAX);
        RowBits is_larger = size > max;
        max = (Row)(((RowBits)size & is_larger) | ((RowBits)max & ~is_larger));
        square += row * row;
    }
    BwPoissonNorms norms = {0};
    for (int lane = 0; lane < BW_TILE; lane++) {
        norms.square += square[lane];
        norms.max = fmax(norms.max, max[lane]);
    }
    return norms;
}

typedef struct NormJob {
    const BwPoissonTiles *tiles;
    BwPoissonTileFn *fn;
    void *context;
    BwPoissonNorms *norms; // by tile
} NormJob;

static void norms_of_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const NormJob *job = context;
    double values[BW_TILE_CELLS_MAX];
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        job->fn(job->tiles, t, values, job->context);
        job->norms[t] = bw_poisson_norms_of(values, job->tiles->cells);
    }
}

BwPoissonNorms bw_poisson_norms(const BwPoissonTiles *tiles, BwPoissonTileFn *fn, void *context)
{
    NormJob job = {tiles, fn, context, tiles->norms};
    bw_parallel_for(tiles->pool, tiles->count, BW_POISSON_GRAIN, norms_of_tiles, &job);
    BwPoissonNorms sum = {0};
    for (int32_t t = 1; t <= tiles->count; t++) {
        sum.square += tiles->norms[t].square;
        sum.max = fmax(sum.max, tiles->norms[t].max);
    }
    return sum;
}

static void right_of_tile(const BwPoissonTiles *tiles, int32_t t, double *values, void *context)
{
    (void)context;
    bw_poisson_right(tiles, t, values);
}

static void residual_of_tile(const BwPoissonTiles *tiles, int32_t t, double *values, void *context)
{
    (void)context;
    bw_poisson_residual(tiles, t, values);
}

BwPoissonNorms bw_poisson_right_norms(const BwPoissonTiles *tiles)
{
    return bw_poisson_norms(tiles, right_of_tile, NULL);
}

BwPoissonNorms bw_poisson_residual_norms(const BwPoissonTiles *tiles)
{
    return bw_poisson_norms(tiles, residual_of_tile, NULL);
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
