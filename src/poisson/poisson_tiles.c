// The tiles of a system, their open faces, and its operator in double.
#include "poisson/poisson_tiles.h"

#include "grid/wide_lanes.h"
#include <math.h>
#include <string.h>

static const _Alignas(BW_ALIGN) float no_coefficient[BW_TILE_CELLS_MAX];

static bool holds_unknowns(const BwPoisson *system, int32_t slot)
{
    const uint64_t *unknown = bw_mask_tile(system->unknown, slot);
    uint64_t any = 0;
    for (int k = 0; k < system->grid->layers; k++)
        any |= unknown[k];
    return any != 0;
}

// Which tiles of the grid hold unknowns, by place in its order.
typedef struct Search {
    const BwPoissonTiles *tiles;
    bool *is_held;
    const int32_t *number_of_slot;
} Search;

static double find_held(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Search *job = context;
    int64_t count = 0;
    for (int64_t n = begin; n < end; n++) {
        job->is_held[n] = holds_unknowns(job->tiles->system, job->tiles->system->grid->order[n]);
        count += job->is_held[n];
    }
    return (double)count;
}

// Fills in a tile's neighbours and unknowns; gives how many those are.
static double take_up_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Search *job = context;
    const BwPoissonTiles *tiles = job->tiles;
    int64_t count = 0;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        BwPoissonTile *tile = &tiles->tile[t];
        const int32_t *neighbour = tiles->system->grid->tiles[tile->slot].neighbour;
        for (int n = 0; n < BW_BESIDE_COUNT; n++)
            tile->beside[n] = job->number_of_slot[neighbour[bw_side_neighbour[n]]];
        if (tiles->layers == 1)
            tile->beside[BW_Z_LOW] = tile->beside[BW_Z_HIGH] = 0;
        memset(tile->unknown, 0, sizeof tile->unknown);
        memcpy(tile->unknown, bw_mask_tile(tiles->system->unknown, tile->slot),
               (size_t)tiles->layers * sizeof(uint64_t));
        for (int k = 0; k < tiles->layers; k++)
            count += __builtin_popcountll(tile->unknown[k]);
    }
    return (double)count;
}

static BwResult number_tiles(BwPoissonTiles *tiles, BwError *err)
{
    const BwGrid *grid = tiles->system->grid;
    int32_t *number_of_slot =
        bw_workspace_alloc_zeroed(tiles->workspace, (size_t)grid->slot_count * sizeof(int32_t));
    Search job = {tiles, bw_workspace_alloc(tiles->workspace, (size_t)grid->tile_count), number_of_slot};
    if (number_of_slot == NULL || job.is_held == NULL)
        return bw_fail_memory(err);
    tiles->count = (int32_t)bw_parallel_sum(tiles->pool, grid->tile_count, 64, find_held, &job);
    tiles->tile = bw_workspace_alloc(tiles->workspace, ((size_t)tiles->count + 1) * sizeof *tiles->tile);
    tiles->norms = bw_workspace_alloc(tiles->workspace, ((size_t)tiles->count + 1) * sizeof *tiles->norms);
    if (tiles->tile == NULL || tiles->norms == NULL)
        return bw_fail_memory(err);
    tiles->tile[0] = (BwPoissonTile){.label = -1};
    for (int32_t n = 0, count = 0; n < grid->tile_count; n++)
        if (job.is_held[n]) {
            int32_t slot = grid->order[n];
            number_of_slot[slot] = ++count;
            tiles->tile[count].slot = slot;
            tiles->tile[count].uniform = 0.0f;
        }
    tiles->unknowns = (int64_t)bw_parallel_sum(tiles->pool, tiles->count, 64, take_up_tiles, &job);
    return BW_OK;
}

// Bit n: value n of a layer equals `wanted`, or is positive where none is wanted.
static uint64_t bits_of(const float *values, float wanted)
{
    uint64_t bits = 0;
    for (int n = 0; n < BW_TILE_LAYER; n += BW_LANES) {
        BwLanes v = bw_lanes_load_any(values + n);
        bits |= bw_lanes_bits(wanted > 0.0f ? v == wanted : v > wanted) << n;
    }
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
            tile->open[0][k] = tile->open[1][k] = tile->open[2][k] = tile->fixed[k] = 0;
            if (tile->unknown[k] == 0)
                continue; // many layers of scattered drops
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

// The lanes before and behind those at `at` of a row: in the row, or in that of the tile beside.
static inline BwWideLanes before_in_row(const double *own, const double *x_low, int at)
{
    bool is_first = (at & 7) == 0;
    return bw_wide_load(is_first ? x_low + at + (BW_TILE - BW_WIDE_LANES) : own + at - BW_WIDE_LANES);
}

static inline BwWideLanes behind_in_row(const double *own, const double *x_high, int at)
{
    bool is_last = (at & 7) + BW_WIDE_LANES == BW_TILE;
    return bw_wide_load(is_last ? x_high + at - (BW_TILE - BW_WIDE_LANES) : own + at + BW_WIDE_LANES);
}

// Coefficients of the six faces of lanes.
typedef struct LaneFaces {
    BwWideLanes face[BW_BESIDE_COUNT];
} LaneFaces;

static inline LaneFaces faces_at(const BwPoissonStar *star, int at)
{
    int last = star->layers - 1, k = at >> 6;
    bool is_last_lane = (at & 7) + BW_WIDE_LANES == BW_TILE, is_last_row = (at & 56) == 56;
    LaneFaces a;
    a.face[BW_X_LOW] = bw_wide_load_floats(star->face[0] + at);
    a.face[BW_X_HIGH] = bw_wide_shift_back(
        a.face[BW_X_LOW],
        bw_wide_load_floats(is_last_lane ? star->face_high[0] + at - (BW_TILE - BW_WIDE_LANES)
                                         : star->face[0] + at + BW_WIDE_LANES));
    a.face[BW_Y_LOW] = bw_wide_load_floats(star->face[1] + at);
    a.face[BW_Y_HIGH] =
        bw_wide_load_floats(is_last_row ? star->face_high[1] + at - 56 : star->face[1] + at + 8);
    a.face[BW_Z_LOW] = bw_wide_load_floats(star->face[2] + at);
    a.face[BW_Z_HIGH] =
        bw_wide_load_floats(k < last ? star->face[2] + at + 64 : star->face_high[2] + (at & 63));
    return a;
}

// A value on the lanes from `at` on, before cells without unknown are taken out.
static inline BwWideLanes apply_at(const BwPoissonStar *star, int at)
{
    int last = star->layers - 1, k = at >> 6;
    bool is_first_row = (at & 56) == 0, is_last_row = (at & 56) == 56;
    const double *own = star->center + at;
    BwWideLanes c = bw_wide_load(own);
    BwWideLanes x_low = bw_wide_shift_on(before_in_row(star->center, star->beside[BW_X_LOW], at), c);
    BwWideLanes x_high = bw_wide_shift_back(c, behind_in_row(star->center, star->beside[BW_X_HIGH], at));
    BwWideLanes y_low = bw_wide_load(is_first_row ? star->beside[BW_Y_LOW] + at + 56 : own - 8);
    BwWideLanes y_high = bw_wide_load(is_last_row ? star->beside[BW_Y_HIGH] + at - 56 : own + 8);
    BwWideLanes z_low = bw_wide_load(k > 0 ? own - 64 : star->beside[BW_Z_LOW] + 64 * last + at);
    BwWideLanes z_high = bw_wide_load(k < last ? own + 64 : star->beside[BW_Z_HIGH] + (at & 63));
    // Uniform tiles are most of a large fluid; not to read their coefficients halves the bytes of this loop.
    if (star->uniform > 0.0f) {
        BwWideLanes flat = (c - x_low) + (c - x_high) + (c - y_low) + (c - y_high);
        return (double)star->uniform * (last == 0 ? flat : flat + (c - z_low) + (c - z_high));
    }
    LaneFaces a = faces_at(star, at);
    BwWideLanes sum = a.face[BW_X_LOW] * (c - x_low) + a.face[BW_X_HIGH] * (c - x_high) +
                      a.face[BW_Y_LOW] * (c - y_low) + a.face[BW_Y_HIGH] * (c - y_high) +
                      a.face[BW_Z_LOW] * (c - z_low) + a.face[BW_Z_HIGH] * (c - z_high);
    return star->mass != NULL ? bw_wide_load_floats(star->mass + at) * c + sum : sum;
}

// The bits of the lanes from `at` on.
static inline uint64_t unknown_at(const uint64_t *unknown, int at)
{
    return unknown[at >> 6] >> (at & 63);
}

void bw_poisson_apply(const BwPoissonStar *star, double *restrict out)
{
    for (int at = 0; at < BW_TILE_LAYER * star->layers; at += BW_WIDE_LANES)
        bw_wide_store(out + at, bw_wide_keep(apply_at(star, at), unknown_at(star->unknown, at)));
}

void bw_poisson_diagonal(const BwPoissonStar *star, double *restrict out)
{
    for (int at = 0; at < BW_TILE_LAYER * star->layers; at += BW_WIDE_LANES) {
        LaneFaces a = faces_at(star, at);
        BwWideLanes sum = a.face[0] + a.face[1] + a.face[2] + a.face[3] + a.face[4] + a.face[5];
        if (star->mass != NULL)
            sum += bw_wide_load_floats(star->mass + at);
        bw_wide_store(out + at, bw_wide_keep(sum, unknown_at(star->unknown, at)));
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
    for (int at = 0; at < tiles->cells; at += BW_WIDE_LANES)
        bw_wide_store(out + at,
                      bw_wide_keep(bw_wide_load_floats(right + at) - shift, unknown_at(tile->unknown, at)));
}

void bw_poisson_right_plain(const BwPoissonTiles *tiles, const BwPoissonTile *tile, double *restrict out)
{
    right_minus(tiles, tile, 0.0, out);
}

void bw_poisson_right(const BwPoissonTiles *tiles, int32_t t, double *restrict out)
{
    const BwPoissonTile *tile = &tiles->tile[t];
    right_minus(tiles, tile, tile->label < 0 ? shift_of(tiles, t, 0) : 0.0, out);
    if (tile->label >= 0 && tiles->region_count > 0)
        for (int n = 0; n < tiles->cells; n++)
            out[n] -= bw_bit(tile->unknown, n) ? shift_of(tiles, t, n) : 0.0;
}

void bw_poisson_residual(const BwPoissonTiles *tiles, int32_t t, double *restrict out)
{
    BwPoissonStar star = bw_poisson_star_of_x(tiles, t);
    bw_poisson_right(tiles, t, out);
    for (int at = 0; at < tiles->cells; at += BW_WIDE_LANES)
        bw_wide_store(out + at, bw_wide_load(out + at) -
                                    bw_wide_keep(apply_at(&star, at), unknown_at(star.unknown, at)));
}

BwPoissonNorms bw_poisson_norms_of(const double *values, int count)
{
    enum { PARTS = BW_TILE / BW_WIDE_LANES }; // of a row: eight sums, however many lanes there are
    BwWideLanes square[PARTS] = {0}, max[PARTS] = {0};
    for (int n = 0; n < count; n += BW_TILE)
        for (int part = 0; part < PARTS; part++) {
            BwWideLanes value = bw_wide_load(values + n + part * BW_WIDE_LANES);
            BwWideLanes size = (BwWideLanes)((BwWideBits)value & INT64_MAX);
            BwWideBits is_larger = size > max[part];
            max[part] = (BwWideLanes)(((BwWideBits)size & is_larger) | ((BwWideBits)max[part] & ~is_larger));
            square[part] += value * value;
        }
    BwPoissonNorms norms = {0};
    for (int lane = 0; lane < BW_TILE; lane++) {
        norms.square += square[lane / BW_WIDE_LANES][lane % BW_WIDE_LANES];
        norms.max = fmax(norms.max, max[lane / BW_WIDE_LANES][lane % BW_WIDE_LANES]);
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

typedef struct Clearing {
    const BwPoisson *system;
    bool keeps_unknowns;
} Clearing;

static void clear_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Clearing *job = context;
    const BwGrid *grid = job->system->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        double *x = bw_wide_field_tile(job->system->x, slot);
        const uint64_t *unknown = bw_mask_tile(job->system->unknown, slot);
        if (!job->keeps_unknowns) {
            memset(x, 0, (size_t)grid->tile_cells * sizeof *x);
            continue;
        }
        for (int at = 0; at < grid->tile_cells; at += BW_WIDE_LANES)
            if (unknown[at >> 6] != UINT64_MAX)
                bw_wide_store(x + at, bw_wide_keep(bw_wide_load(x + at), unknown_at(unknown, at)));
    }
}

void bw_poisson_clear_x(const BwPoissonTiles *tiles, bool keep_unknowns)
{
    Clearing job = {tiles->system, keep_unknowns};
    bw_parallel_for(tiles->pool, tiles->system->grid->tile_count, BW_POISSON_GRAIN, clear_tiles, &job);
}
