// Subgrid friction, in three passes over the tiles: which lines exist, the strain in cells, the friction.
// Work goes by rows of eight cells; rows beside come by pointer, from the 26 tiles around.
//
// Invariant: what one sample loses its neighbours on the line get, so every weight belongs to a line of three
// samples and is the same for all three.
#include "operate/subgrid.h"

#include "grid/bits.h"
#include "grid/rows.h"
#include <math.h>
#include <string.h>

typedef float Row __attribute__((vector_size(32)));
typedef int32_t RowBits __attribute__((vector_size(32)));
typedef int32_t Bits __attribute__((vector_size(64)));

static int edge_of(int a, int b)
{
    return 3 - a - b;
}

BwResult bw_subgrid_create(BwSubgrid *subgrid, BwGrid *grid, bool walls_hold, BwError *err)
{
    *subgrid = (BwSubgrid){0};
    BwResult result = BW_OK;
    for (int a = 0; a < grid->dimension && walls_hold && result == BW_OK; a++)
        result = bw_mask_create(&subgrid->held[a], grid, err);
    for (int a = 0; a < grid->dimension; a++)
        for (int b = 0; b < grid->dimension && result == BW_OK; b++) {
            result = bw_mask_create(&subgrid->line[a][b], grid, err);
            if (a < b && result == BW_OK)
                result = bw_mask_create(&subgrid->edge[edge_of(a, b)], grid, err);
        }
    if (result != BW_OK)
        bw_subgrid_destroy(subgrid);
    return result;
}

void bw_subgrid_destroy(BwSubgrid *subgrid)
{
    for (int a = 0; a < 3; a++) {
        bw_mask_destroy(&subgrid->edge[a]);
        bw_mask_destroy(&subgrid->held[a]);
        for (int b = 0; b < 3; b++)
            bw_mask_destroy(&subgrid->line[a][b]);
    }
}

typedef struct Job {
    BwSubgrid *subgrid;
    const BwDomain *domain;
    const BwVelocity *from;
    BwVelocity *to;
    BwField *kappa;             // in cells
    float scale, viscous, most; // kappa: per |S| h, less so much, and at most
} Job;

static void find_edges(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    const BwMask *flow = job->domain->flow;
    for (int64_t n = begin; n < end; n++)
        for (int a = 0; a < grid->dimension; a++)
            for (int b = a + 1; b < grid->dimension; b++) {
                int32_t slot = grid->order[n];
                uint64_t *edge = bw_mask_tile(&job->subgrid->edge[edge_of(a, b)], slot);
                const uint64_t *flow_a = bw_mask_tile(&flow[a], slot), *flow_b = bw_mask_tile(&flow[b], slot);
                for (int k = 0; k < grid->layers; k++)
                    edge[k] = flow_a[k] & flow_b[k] & bw_bits_beside(grid, &flow[a], slot, 2 * b, k) &
                              bw_bits_beside(grid, &flow[b], slot, 2 * a, k);
            }
}

static uint64_t held_on_lines(const BwGrid *grid, const BwMask *held, int32_t slot, int axis, int k)
{
    return bw_mask_tile(held, slot)[k] | bw_bits_beside(grid, held, slot, 2 * axis, k) |
           bw_bits_beside(grid, held, slot, 2 * axis + 1, k);
}

static void find_lines(const Job *job, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    for (int a = 0; a < grid->dimension; a++)
        for (int b = 0; b < grid->dimension; b++) {
            uint64_t *line = bw_mask_tile(&job->subgrid->line[a][b], slot);
            const BwMask *mask = a == b ? &job->domain->flow[a] : &job->subgrid->edge[edge_of(a, b)];
            const uint64_t *own = bw_mask_tile(mask, slot);
            for (int k = 0; k < grid->layers; k++) {
                line[k] = own[k] & bw_bits_beside(grid, mask, slot, 2 * b + 1, k);
                if (a == b)
                    line[k] &= bw_bits_beside(grid, mask, slot, 2 * b, k);
                if (job->subgrid->held[a].store.grid != NULL)
                    line[k] &= ~held_on_lines(grid, &job->subgrid->held[a], slot, b, k);
            }
        }
}

// A tile's values, or words of a mask, and those of all the tiles around.
typedef struct Reach {
    const float *tile[27];
} Reach;

typedef struct MaskReach {
    const uint64_t *tile[27];
} MaskReach;

static Reach reach_of(const BwField *field, int32_t slot)
{
    Reach reach;
    const int32_t *neighbour = field->store.grid->tiles[slot].neighbour;
    for (int n = 0; n < 27; n++)
        reach.tile[n] = bw_field_tile(field, n == 13 ? slot : neighbour[n]);
    return reach;
}

static MaskReach mask_reach_of(const BwMask *mask, int32_t slot)
{
    MaskReach reach;
    const int32_t *neighbour = mask->store.grid->tiles[slot].neighbour;
    for (int n = 0; n < 27; n++)
        reach.tile[n] = bw_mask_tile(mask, n == 13 ? slot : neighbour[n]);
    return reach;
}

// Row j of layer k, each from -8 to 15; `dx` tiles aside.
static inline Row row_at(const Reach *reach, int dx, int j, int k)
{
    Row row;
    const float *tile = reach->tile[13 + dx + 3 * (j >> 3) + 9 * (k >> 3)];
    memcpy(&row, __builtin_assume_aligned(tile + 8 * (j & 7) + 64 * (k & 7), 32), sizeof row);
    return row;
}

static inline Row row_x_low(const Reach *reach, Row row, int j, int k)
{
    return __builtin_shufflevector(row_at(reach, -1, j, k), row, 7, 8, 9, 10, 11, 12, 13, 14);
}

static inline Row row_x_high(const Reach *reach, Row row, int j, int k)
{
    return __builtin_shufflevector(row, row_at(reach, 1, j, k), 1, 2, 3, 4, 5, 6, 7, 8);
}

static inline unsigned bits_at(const MaskReach *reach, int dx, int j, int k)
{
    return (unsigned)(reach->tile[13 + dx + 3 * (j >> 3) + 9 * (k >> 3)][k & 7] >> (8 * (j & 7))) & 0xff;
}

static inline Row where_row(unsigned bits, Row row)
{
    const RowBits lane = {1, 2, 4, 8, 16, 32, 64, 128};
    RowBits set = (lane & (int32_t)bits) != 0;
    return (Row)((RowBits)row & set);
}

// What the strain in a tile reads; where it is whole, nothing closes any edge.
typedef struct StrainReach {
    Reach u[3];
    MaskReach edge[3];
} StrainReach;

// Squares of twice the shear of u_a and u_b, a = x, on the edges of row j and layer k: the sum of those at
// the low and at the high x of each cell. Row (j0, k0) is the one before along b.
static inline Row squares_with_x(const StrainReach *s, int b, int j, int k, bool is_whole)
{
    int j0 = j - (b == 1), k0 = k - (b == 2);
    Row u = row_at(&s->u[0], 0, j, k), before = row_at(&s->u[0], 0, j0, k0), v = row_at(&s->u[b], 0, j, k);
    Row low = (u - before) + (v - row_x_low(&s->u[b], v, j, k));
    Row high = (row_x_high(&s->u[0], u, j, k) - row_x_high(&s->u[0], before, j0, k0)) +
               (row_x_high(&s->u[b], v, j, k) - v);
    if (!is_whole) {
        const MaskReach *edge = &s->edge[edge_of(0, b)];
        unsigned bits = bits_at(edge, 0, j, k), next = bits >> 1 | (bits_at(edge, 1, j, k) & 1) << 7;
        low = where_row(bits, low), high = where_row(next, high);
    }
    return low * low + high * high;
}

// The same of v and w, on the edges along x.
static inline Row squares_yz(const StrainReach *s, int j, int k, bool is_whole)
{
    Row shear = (row_at(&s->u[1], 0, j, k) - row_at(&s->u[1], 0, j, k - 1)) +
                (row_at(&s->u[2], 0, j, k) - row_at(&s->u[2], 0, j - 1, k));
    if (!is_whole)
        shear = where_row(bits_at(&s->edge[0], 0, j, k), shear);
    return shear * shear;
}

static inline Row squares_of_stretch(const StrainReach *s, bool is_deep, int j, int k)
{
    Row u = row_at(&s->u[0], 0, j, k), x = row_x_high(&s->u[0], u, j, k) - u,
        y = row_at(&s->u[1], 0, j + 1, k) - row_at(&s->u[1], 0, j, k);
    Row sum = x * x + y * y;
    if (is_deep) {
        Row z = row_at(&s->u[2], 0, j, k + 1) - row_at(&s->u[2], 0, j, k);
        sum += z * z;
    }
    return sum;
}

// b where the bits of `is_b` are set, else a.
static inline Row choose(RowBits is_b, Row a, Row b)
{
    return (Row)(((RowBits)a & ~is_b) | ((RowBits)b & is_b));
}

static inline Row kappa_of_square(const Job *job, Row square)
{
    const Row none = {0};
    for (int n = 0; n < BW_TILE; n++)
        square[n] = sqrtf(square[n]);
    Row kappa = job->scale * square - job->viscous;
    kappa = choose(kappa < 0.0f, kappa, none);
    return choose(kappa > job->most, kappa, job->most + none);
}

// kappa of all cells of a tile, from |S|^2: stretching as it is, of shear the mean over the four edges
// around.
static inline void find_kappa(const Job *job, const StrainReach *s, float *kappa, bool is_deep, bool is_whole)
{
    Row behind[BW_TILE] = {0}; // of edges at the low z of the cells
    for (int j = 0; j < BW_TILE && is_deep; j++)
        behind[j] = squares_with_x(s, 2, j, 0, is_whole) + squares_yz(s, j, 0, is_whole) +
                    squares_yz(s, j + 1, 0, is_whole);
    for (int k = 0; k < (is_deep ? BW_TILE : 1); k++) {
        Row below = squares_with_x(s, 1, 0, k, is_whole);
        Row yz = is_deep ? squares_yz(s, 0, k + 1, is_whole) : below;
#pragma GCC unroll 8
        for (int j = 0; j < BW_TILE; j++) {
            Row above = squares_with_x(s, 1, j + 1, k, is_whole), sum = below + above;
            if (is_deep) {
                Row yz_above = squares_yz(s, j + 1, k + 1, is_whole),
                    ahead = squares_with_x(s, 2, j, k + 1, is_whole) + yz + yz_above;
                sum += behind[j] + ahead;
                behind[j] = ahead;
                yz = yz_above;
            }
            below = above;
            sum = kappa_of_square(job, 0.25f * sum + 2.0f * squares_of_stretch(s, is_deep, j, k));
            memcpy(__builtin_assume_aligned(kappa + 64 * k + 8 * j, sizeof sum), &sum, sizeof sum);
        }
    }
}

// Whether no edge of the tile is closed, nor any of the tiles at its high sides.
static bool has_all_edges(const StrainReach *s, const BwGrid *grid)
{
    static const int high[8] = {13, 14, 16, 17, 22, 23, 25, 26};
    uint64_t all = ~UINT64_C(0);
    for (int e = grid->dimension == 3 ? 0 : 2; e < 3; e++)
        for (int n = 0; n < (grid->dimension == 3 ? 8 : 4); n++)
            for (int k = 0; k < grid->layers; k++)
                all &= s->edge[e].tile[high[n]][k];
    return all == ~UINT64_C(0);
}

static void find_kappa_of_tile(const Job *job, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    float *kappa = bw_field_tile(job->kappa, slot);
    StrainReach s;
    for (int a = 0; a < grid->dimension; a++)
        s.u[a] = reach_of(&job->from->u[a], slot);
    for (int e = grid->dimension == 3 ? 0 : 2; e < 3; e++)
        s.edge[e] = mask_reach_of(&job->subgrid->edge[e], slot);
    if (grid->dimension == 2)
        find_kappa(job, &s, kappa, false, false);
    else if (has_all_edges(&s, grid))
        find_kappa(job, &s, kappa, true, true);
    else
        find_kappa(job, &s, kappa, true, false);
}

static void kappa_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t n = begin; n < end; n++) {
        find_lines(job, job->domain->grid->order[n]);
        find_kappa_of_tile(job, job->domain->grid->order[n]);
    }
}

enum { BESIDE = 6 };
static const int beside_link[BESIDE] = {12, 14, 10, 16, 4, 22}; // as BwSide

// kappa around a tile, in cells: the tile's own and that of the six beside it.
typedef struct CellKappa {
    BwStar own, beside[BESIDE];
} CellKappa;

// kappa at the faces of one component, laid out as tiles are; of those beside only the rim is filled in.
typedef struct FaceKappa {
    _Alignas(BW_ALIGN) float own[BW_TILE * BW_TILE_LAYER];
    float beside[BESIDE][BW_TILE * BW_TILE_LAYER];
} FaceKappa;

// What friction on one component of a tile reads. `line` has the words of the masks of one axis: the tile's
// own, and those of the tiles at its low and high end.
typedef struct LineReach {
    BwStar u, kappa;
    const uint64_t *line[3], *line_low[3], *line_high[3];
} LineReach;

static CellKappa cell_kappa_of(const BwField *kappa, int32_t slot)
{
    const BwGrid *grid = kappa->store.grid;
    CellKappa cells = {.own = bw_star(kappa, slot)};
    for (int side = 0; side < 2 * grid->dimension; side++)
        cells.beside[side] = bw_star(kappa, grid->tiles[slot].neighbour[beside_link[side]]);
    return cells;
}

// The mean of the cells at both sides of each face.
static inline void average(const BwStar *cells, int component, int at, float *face)
{
    BwRows own = bw_rows_load(cells->center + at);
    BwRows low = component == 0   ? bw_rows_x_low(cells, own, at)
                 : component == 1 ? bw_rows_y_low(cells, own, at)
                                  : bw_rows_z_low(cells, at);
    bw_rows_store(face + at, 0.5f * (low + own));
}

static inline void fill_face_kappa(const CellKappa *cells, const BwGrid *grid, int component, FaceKappa *face)
{
    for (int at = 0; at < grid->tile_cells; at += 16) {
        average(&cells->own, component, at, face->own);
        average(&cells->beside[0], component, at, face->beside[0]);
        average(&cells->beside[1], component, at, face->beside[1]);
    }
    for (int at = 0; at < grid->tile_cells; at += 64) {
        average(&cells->beside[2], component, at + 48, face->beside[2]);
        average(&cells->beside[3], component, at, face->beside[3]);
    }
    for (int at = 0; at < 64 && grid->dimension == 3; at += 16) {
        average(&cells->beside[4], component, at + 448, face->beside[4]);
        average(&cells->beside[5], component, at, face->beside[5]);
    }
}

static inline BwRows where(uint64_t bits, BwRows rows)
{
    const Bits lane = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    return (BwRows)((Bits)rows & ((lane & (int32_t)(bits & 0xffff)) != 0));
}

// The weighted second difference of lines of three samples; none where a line does not exist.
static inline BwRows weighted(BwRows kappa, BwRows low, BwRows own, BwRows high)
{
    return kappa * ((low - own) + (high - own));
}

static inline BwRows spread(BwRows low, BwRows own, BwRows high)
{
    return (own - low) + (own - high);
}

// Along x on two rows. All loops over rows come twice, with `is_whole` known to the compiler: most tiles have
// all of their lines.
static inline BwRows along_x(const LineReach *r, int at, bool is_whole)
{
    BwRows u = bw_rows_load(r->u.center + at), kappa = bw_rows_load(r->kappa.center + at);
    BwRows left = bw_rows_load(r->u.x_low + at), right = bw_rows_load(r->u.x_high + at);
    BwRows low = bw_rows_x_low(&r->u, u, at), high = bw_rows_x_high(&r->u, u, at);
    BwRows lower = __builtin_shufflevector(u, left, 22, 23, 0, 1, 2, 3, 4, 5, 30, 31, 8, 9, 10, 11, 12, 13),
           higher =
               __builtin_shufflevector(u, right, 2, 3, 4, 5, 6, 7, 16, 17, 10, 11, 12, 13, 14, 15, 24, 25);
    BwRows q_low = weighted(bw_rows_x_low(&r->kappa, kappa, at), lower, low, u),
           q = weighted(kappa, low, u, high),
           q_high = weighted(bw_rows_x_high(&r->kappa, kappa, at), u, high, higher);
    if (!is_whole) {
        int k = at >> 6, shift = at & 63;
        uint64_t own = r->line[0][k];
        q_low = where(bw_bits_x_low(own, r->line_low[0][k]) >> shift, q_low);
        q = where(own >> shift, q);
        q_high = where(bw_bits_x_high(own, r->line_high[0][k]) >> shift, q_high);
    }
    return u + spread(q_low, q, q_high);
}

static inline BwRows second_half_and_first(BwRows a, BwRows b)
{
    return __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23);
}

// Along y on a layer: its four pairs of rows, and one below and above.
static inline void along_y(const LineReach *r, int k, float *to, bool is_whole)
{
    int at = 64 * k;
    BwRows u[6], q[6];
    for (int p = 0; p < 6; p++)
        u[p] = bw_rows_load(p == 0   ? r->u.y_low + at + 48
                            : p == 5 ? r->u.y_high + at
                                     : r->u.center + at + 16 * (p - 1));
    for (int p = 0; p < 6; p++) { // the outer row of the first and of the last pair is not used
        BwRows kappa = bw_rows_load(p == 0   ? r->kappa.y_low + at + 48
                                    : p == 5 ? r->kappa.y_high + at
                                             : r->kappa.center + at + 16 * (p - 1));
        q[p] = weighted(kappa, second_half_and_first(u[p > 0 ? p - 1 : p], u[p]), u[p],
                        second_half_and_first(u[p], u[p < 5 ? p + 1 : p]));
        if (!is_whole)
            q[p] = where(p == 0   ? r->line_low[1][k] >> 48
                         : p == 5 ? r->line_high[1][k]
                                  : r->line[1][k] >> (16 * (p - 1)),
                         q[p]);
    }
    for (int p = 1; p < 5; p++) {
        float *row = to + at + 16 * (p - 1);
        bw_rows_store(row, bw_rows_load(row) + spread(second_half_and_first(q[p - 1], q[p]), q[p],
                                                      second_half_and_first(q[p], q[p + 1])));
    }
}

static inline const float *layer_rows(const BwStar *star, int k, int at)
{
    return k < 0   ? star->z_low + 64 * (k + 8) + at
           : k < 8 ? star->center + 64 * k + at
                   : star->z_high + 64 * (k - 8) + at;
}

static inline uint64_t layer_bits(const LineReach *r, int k, int at)
{
    return (k < 0 ? r->line_low[2][7] : k < 8 ? r->line[2][k] : r->line_high[2][0]) >> at;
}

// Along z on a column of pairs of rows.
static inline void along_z(const LineReach *r, int at, float *to, bool is_whole)
{
    BwRows low = bw_rows_load(layer_rows(&r->u, -2, at)), own = bw_rows_load(layer_rows(&r->u, -1, at));
    BwRows q_low = {0}, q = {0};
#pragma GCC unroll 10
    for (int k = -1; k < BW_TILE + 1; k++) {
        BwRows high = bw_rows_load(layer_rows(&r->u, k + 1, at));
        BwRows q_high = weighted(bw_rows_load(layer_rows(&r->kappa, k, at)), low, own, high);
        if (!is_whole)
            q_high = where(layer_bits(r, k, at), q_high);
        if (k > 0) {
            float *row = to + 64 * (k - 1) + at;
            bw_rows_store(row, bw_rows_load(row) + spread(q_low, q, q_high));
        }
        low = own, own = high, q_low = q, q = q_high;
    }
}

static inline void rub(const LineReach *r, const BwGrid *grid, float *to, bool is_whole)
{
    for (int at = 0; at < grid->tile_cells; at += 16)
        bw_rows_store(to + at, along_x(r, at, is_whole));
    for (int k = 0; k < grid->layers; k++)
        along_y(r, k, to, is_whole);
    for (int at = 0; at < 64 && grid->dimension == 3; at += 16)
        along_z(r, at, to, is_whole);
}

// Whether all lines exist that end in the tile.
static bool has_all_lines(const LineReach *r, const BwGrid *grid)
{
    uint64_t all = ~UINT64_C(0);
    for (int k = 0; k < grid->layers; k++) {
        all &= r->line[0][k] & (r->line_low[0][k] | ~(BW_COLUMN << 7)) & (r->line_high[0][k] | ~BW_COLUMN);
        all &= r->line[1][k] & (r->line_low[1][k] | ~(BW_ROW << 56)) & (r->line_high[1][k] | ~BW_ROW);
        if (grid->dimension == 3)
            all &= r->line[2][k];
    }
    if (grid->dimension == 3)
        all &= r->line_low[2][7] & r->line_high[2][0];
    return all == ~UINT64_C(0);
}

static void rub_component(const Job *job, int a, int32_t slot, const CellKappa *cells, FaceKappa *face)
{
    const BwGrid *grid = job->domain->grid;
    const int32_t *neighbour = grid->tiles[slot].neighbour;
    LineReach r = {.u = bw_star(&job->from->u[a], slot),
                   .kappa = {face->own, face->beside[0], face->beside[1], face->beside[2], face->beside[3],
                             face->beside[4], face->beside[5]}};
    for (int b = 0; b < grid->dimension; b++) {
        const BwMask *line = &job->subgrid->line[a][b];
        r.line[b] = bw_mask_tile(line, slot);
        r.line_low[b] = bw_mask_tile(line, neighbour[beside_link[2 * b]]);
        r.line_high[b] = bw_mask_tile(line, neighbour[beside_link[2 * b + 1]]);
    }
    if (a == 0)
        fill_face_kappa(cells, grid, 0, face);
    else if (a == 1)
        fill_face_kappa(cells, grid, 1, face);
    else
        fill_face_kappa(cells, grid, 2, face);
    float *to = bw_field_tile(&job->to->u[a], slot);
    if (has_all_lines(&r, grid))
        rub(&r, grid, to, true);
    else
        rub(&r, grid, to, false);
}

static void rub_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    FaceKappa face;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = job->domain->grid->order[n];
        CellKappa cells = cell_kappa_of(job->kappa, slot);
        for (int a = 0; a < job->domain->grid->dimension; a++)
            rub_component(job, a, slot, &cells, &face);
    }
}

void bw_subgrid_friction(BwSubgrid *subgrid, const BwDomain *domain, const BwVelocity *from, BwVelocity *to,
                         BwField *work, BwSubgridLaw law)
{
    const BwGrid *grid = domain->grid;
    float h = grid->cell_size;
    Job job = {.subgrid = subgrid,
               .domain = domain,
               .from = from,
               .to = to,
               .kappa = work,
               .scale = 0.25f * law.factor * law.dt / h,
               .viscous = 0.25f * law.viscosity * law.dt / (h * h),
               .most = 0.0625f / (float)grid->dimension};
    bw_parallel_for(domain->pool, grid->tile_count, 32, find_edges, &job);
    bw_parallel_for(domain->pool, grid->tile_count, 16, kappa_range, &job);
    bw_parallel_for(domain->pool, grid->tile_count, 16, rub_range, &job);
}
