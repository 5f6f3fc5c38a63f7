// Subgrid friction, in three passes over the tiles: which edges are open, the strain in cells, the friction.
// The last two go up through the grid together, a layer of tiles apart, so that the velocity comes from
// memory once. Work goes by rows of eight cells; rows beside come by pointer, from the 26 tiles around.
//
// Invariant: what one sample loses its neighbours on the line get, so every weight belongs to a line of three
// samples and is the same for all three.
#include "operate/subgrid.h"

#include "grid/bits.h"
#include "grid/rows.h"
#include <math.h>
#include <string.h>

// Each kernel is compiled for 2-D and 3-D, for tiles among open ones and others, and for each component.
#define KERNEL static inline __attribute__((always_inline))

typedef float Row __attribute__((vector_size(32)));
typedef int32_t RowBits __attribute__((vector_size(32)));
typedef int32_t Bits __attribute__((vector_size(64)));

static int edge_of(int a, int b)
{
    return 3 - a - b;
}

BwResult bw_subgrid_create(BwSubgrid *subgrid, BwGrid *grid, bool has_no_slip, BwError *err)
{
    *subgrid = (BwSubgrid){0};
    BwResult result = bw_notes_create(&subgrid->is_open, grid, err);
    if (result == BW_OK)
        result = bw_notes_create(&subgrid->has_lines, grid, err);
    for (int a = 0; a < grid->dimension && has_no_slip && result == BW_OK; a++)
        result = bw_mask_create(&subgrid->constrained[a], grid, err);
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
    bw_notes_destroy(&subgrid->is_open);
    bw_notes_destroy(&subgrid->has_lines);
    for (int a = 0; a < 3; a++) {
        bw_mask_destroy(&subgrid->edge[a]);
        bw_mask_destroy(&subgrid->constrained[a]);
        for (int b = 0; b < 3; b++)
            bw_mask_destroy(&subgrid->line[a][b]);
    }
}

typedef struct Job {
    BwSubgrid *subgrid;
    const BwDomain *domain;
    const BwVelocity *from;
    BwVelocity *to;
    BwField *kappa;             // half of it, in cells
    float scale, viscous, most; // half of kappa: per |S| h, less so much, and at most
    int64_t first;              // place in the grid's order of the first tile to work on
} Job;

// Fills in a tile's edges between the axes a and b and returns which are open in all layers.
static uint64_t find_edges_between(const Job *job, int32_t slot, int a, int b)
{
    const BwGrid *grid = job->domain->grid;
    const BwMask *flow = job->domain->flow;
    uint64_t *edge = bw_mask_tile(&job->subgrid->edge[edge_of(a, b)], slot), all = ~UINT64_C(0);
    const uint64_t *flow_a = bw_mask_tile(&flow[a], slot), *flow_b = bw_mask_tile(&flow[b], slot);
    for (int k = 0; k < grid->layers; k++) {
        edge[k] = flow_a[k] & flow_b[k] & bw_bits_beside(grid, &flow[a], slot, 2 * b, k) &
                  bw_bits_beside(grid, &flow[b], slot, 2 * a, k);
        all &= edge[k];
    }
    return all;
}

static uint64_t constrained_in_tile(const Job *job, int32_t slot)
{
    uint64_t any = 0;
    for (int a = 0; a < job->domain->grid->dimension && job->subgrid->constrained[a].store.grid != NULL; a++)
        for (int k = 0; k < job->domain->grid->layers; k++)
            any |= bw_mask_tile(&job->subgrid->constrained[a], slot)[k];
    return any;
}

static void find_edges(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        uint64_t all = ~constrained_in_tile(job, slot);
        for (int a = 0; a < grid->dimension; a++)
            for (int b = a + 1; b < grid->dimension; b++)
                all &= find_edges_between(job, slot, a, b);
        *bw_note(&job->subgrid->is_open, slot) = all == ~UINT64_C(0);
    }
}

enum { BESIDE = 6 };

// Whether all lines exist of which the tile has a sample: it is open, and so are those beside it. Its lines
// are not written down then.
static bool has_all_lines(const Job *job, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    const BwNotes *is_open = &job->subgrid->is_open;
    uint64_t all = *bw_note(is_open, slot);
    for (int side = 0; side < 2 * grid->dimension; side++)
        all &= *bw_note(is_open, grid->tiles[slot].neighbour[bw_side_neighbour[side]]);
    return all != 0;
}

static uint64_t constrained_on_lines(const BwGrid *grid, const BwMask *constrained, int32_t slot, int axis,
                                     int k)
{
    return bw_mask_tile(constrained, slot)[k] | bw_bits_beside(grid, constrained, slot, 2 * axis, k) |
           bw_bits_beside(grid, constrained, slot, 2 * axis + 1, k);
}

KERNEL void find_lines_along(const Job *job, int32_t slot, int a, int b)
{
    const BwGrid *grid = job->domain->grid;
    const BwMask *mask = a == b ? &job->domain->flow[a] : &job->subgrid->edge[edge_of(a, b)];
    const BwMask *constrained = &job->subgrid->constrained[a];
    uint64_t *line = bw_mask_tile(&job->subgrid->line[a][b], slot);
    for (int k = 0; k < grid->layers; k++)
        line[k] = bw_mask_tile(mask, slot)[k] & bw_bits_beside(grid, mask, slot, 2 * b + 1, k);
    for (int k = 0; k < grid->layers && a == b; k++)
        line[k] &= bw_bits_beside(grid, mask, slot, 2 * b, k);
    for (int k = 0; k < grid->layers && constrained->store.grid != NULL; k++)
        line[k] &= ~constrained_on_lines(grid, constrained, slot, b, k);
}

static void find_lines(const Job *job, int32_t slot)
{
    for (int a = 0; a < job->domain->grid->dimension; a++) {
        find_lines_along(job, slot, a, 0);
        find_lines_along(job, slot, a, 1);
        if (job->domain->grid->dimension == 3)
            find_lines_along(job, slot, a, 2);
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
KERNEL Row squares_with_x(const StrainReach *s, int b, int j, int k, bool is_whole)
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
KERNEL Row squares_yz(const StrainReach *s, int j, int k, bool is_whole)
{
    Row shear = (row_at(&s->u[1], 0, j, k) - row_at(&s->u[1], 0, j, k - 1)) +
                (row_at(&s->u[2], 0, j, k) - row_at(&s->u[2], 0, j - 1, k));
    if (!is_whole)
        shear = where_row(bits_at(&s->edge[0], 0, j, k), shear);
    return shear * shear;
}

KERNEL Row squares_of_stretch(const StrainReach *s, bool is_deep, int j, int k)
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

KERNEL Row kappa_of_square(const Job *job, Row square)
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
KERNEL void find_kappa(const Job *job, const StrainReach *s, float *kappa, bool is_deep, bool is_whole)
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
static bool has_all_edges(const Job *job, int32_t slot)
{
    static const int high[7] = {14, 16, 17, 22, 23, 25, 26};
    const BwNotes *is_open = &job->subgrid->is_open;
    uint64_t all = *bw_note(is_open, slot);
    for (int n = 0; n < 7; n++)
        all &= *bw_note(is_open, job->domain->grid->tiles[slot].neighbour[high[n]]);
    return all != 0;
}

static void find_kappa_of_tile(const Job *job, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    float *kappa = bw_field_tile(job->kappa, slot);
    StrainReach s;
    for (int a = 0; a < grid->dimension; a++)
        s.u[a] = reach_of(&job->from->u[a], slot);
    bool is_whole = grid->dimension == 3 && has_all_edges(job, slot);
    for (int e = grid->dimension == 3 ? 0 : 2; e < 3 && !is_whole; e++)
        s.edge[e] = mask_reach_of(&job->subgrid->edge[e], slot);
    if (grid->dimension == 2)
        find_kappa(job, &s, kappa, false, false);
    else if (is_whole)
        find_kappa(job, &s, kappa, true, true);
    else
        find_kappa(job, &s, kappa, true, false);
}

static void kappa_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = job->domain->grid->order[job->first + n];
        uint64_t *has_lines = bw_note(&job->subgrid->has_lines, slot);
        *has_lines = has_all_lines(job, slot);
        if (*has_lines == 0)
            find_lines(job, slot);
        find_kappa_of_tile(job, slot);
    }
}

// kappa around a tile, in cells: the tile's own and that of the six beside it.
typedef struct CellKappa {
    BwStar own, beside[BESIDE];
} CellKappa;

// What friction on one component of a tile reads. `line` has the words of the masks of one axis: the tile's
// own, and those of the tiles at its low and high end.
typedef struct LineReach {
    BwStar u;
    const CellKappa *kappa;
    const uint64_t *line[3], *line_low[3], *line_high[3];
} LineReach;

static CellKappa cell_kappa_of(const BwField *kappa, int32_t slot)
{
    const BwGrid *grid = kappa->store.grid;
    CellKappa cells = {.own = bw_star(kappa, slot)};
    for (int side = 0; side < 2 * grid->dimension; side++)
        cells.beside[side] = bw_star(kappa, grid->tiles[slot].neighbour[bw_side_neighbour[side]]);
    return cells;
}

static inline BwRows shift_low(BwRows rows, BwRows ends)
{
    return __builtin_shufflevector(rows, ends, 23, 0, 1, 2, 3, 4, 5, 6, 31, 8, 9, 10, 11, 12, 13, 14);
}

static inline BwRows shift_high(BwRows rows, BwRows ends)
{
    return __builtin_shufflevector(rows, ends, 1, 2, 3, 4, 5, 6, 7, 16, 9, 10, 11, 12, 13, 14, 15, 24);
}

static inline BwRows second_half_and_first(BwRows a, BwRows b)
{
    return __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23);
}

// What follows on two rows at both ends, each in the lanes where its own tile has it: the first of the tile
// at the high end, the last of that at the low end.
static inline BwRows ends_of(const float *low, const float *high, int at)
{
    return __builtin_shufflevector(bw_rows_load(low + at), bw_rows_load(high + at), 16, 17, 18, 19, 4, 5, 6,
                                   7, 24, 25, 26, 27, 12, 13, 14, 15);
}

// kappa at the faces of a component: the mean of the cells at both sides, of which the field has the halves.
KERNEL BwRows face_kappa(const BwStar *cells, int component, int at)
{
    BwRows own = bw_rows_load(cells->center + at);
    return own + (component == 0   ? bw_rows_x_low(cells, own, at)
                  : component == 1 ? bw_rows_y_low(cells, own, at)
                                   : bw_rows_z_low(cells, at));
}

// The same at the ends of two rows.
KERNEL BwRows face_kappa_of_ends(const CellKappa *cells, int component, int at)
{
    const BwStar *low = &cells->beside[0], *high = &cells->beside[1];
    BwRows ends = ends_of(low->center, high->center, at);
    if (component == 0)
        return ends + shift_low(ends, bw_rows_load(cells->own.center + at));
    if (component == 1)
        return ends + second_half_and_first((at & 56) == 0 ? ends_of(low->y_low, high->y_low, at + 48)
                                                           : ends_of(low->center, high->center, at - 16),
                                            ends);
    return ends + (at < 64 ? ends_of(low->z_low, high->z_low, at + 448)
                           : ends_of(low->center, high->center, at - 64));
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

// Lines across the ends of two rows, in the lanes of ends_of: the first bits of the row at the high end, the
// last of that at the low end.
static inline uint64_t bits_of_ends(uint64_t low, uint64_t high)
{
    return (low & 0xf0f0f0f0f0f0f0f0) | (high & 0x0f0f0f0f0f0f0f0f);
}

// Of all that follows there is a version with `is_whole` known to the compiler: most tiles have all of their
// lines. Friction along x on two rows.
KERNEL BwRows along_x(const LineReach *r, int component, BwRows u, BwRows kappa, int at, bool is_whole)
{
    BwRows ends = ends_of(r->u.x_low, r->u.x_high, at);
    BwRows q = weighted(kappa, shift_low(u, ends), u, shift_high(u, ends));
    BwRows q_ends =
        weighted(face_kappa_of_ends(r->kappa, component, at), shift_low(ends, u), ends, shift_high(ends, u));
    if (!is_whole) {
        int k = at >> 6, shift = at & 63;
        q = where(r->line[0][k] >> shift, q);
        q_ends = where(bits_of_ends(r->line_low[0][k], r->line_high[0][k]) >> shift, q_ends);
    }
    return spread(shift_low(q, q_ends), q, shift_high(q, q_ends));
}

enum { PAIRS = BW_TILE / 2 }; // of rows in a layer

// Friction along x and y on layer k: to[p] is that of pair p of rows.
KERNEL void along_layer(const LineReach *r, int component, const BwRows kappa[PAIRS], int k, BwRows to[PAIRS],
                        bool is_whole)
{
    int at = 64 * k;
    BwRows u[PAIRS + 2], q[PAIRS + 2]; // with a pair below and above, whose outer row is not used
    u[0] = bw_rows_load(r->u.y_low + at + 48), u[PAIRS + 1] = bw_rows_load(r->u.y_high + at);
#pragma GCC unroll 4
    for (int p = 0; p < PAIRS; p++)
        u[p + 1] = bw_rows_load(r->u.center + at + 16 * p);
#pragma GCC unroll 6
    for (int p = 0; p < PAIRS + 2; p++) {
        BwRows kappa_p = p == 0           ? face_kappa(&r->kappa->beside[2], component, at + 48)
                         : p == PAIRS + 1 ? face_kappa(&r->kappa->beside[3], component, at)
                                          : kappa[p - 1];
        q[p] = weighted(kappa_p, second_half_and_first(u[p > 0 ? p - 1 : p], u[p]), u[p],
                        second_half_and_first(u[p], u[p < PAIRS + 1 ? p + 1 : p]));
        if (!is_whole)
            q[p] = where(p == 0           ? r->line_low[1][k] >> 48
                         : p == PAIRS + 1 ? r->line_high[1][k]
                                          : r->line[1][k] >> (16 * (p - 1)),
                         q[p]);
    }
#pragma GCC unroll 4
    for (int p = 0; p < PAIRS; p++)
        to[p] = u[p + 1] + along_x(r, component, u[p + 1], kappa[p], at + 16 * p, is_whole) +
                spread(second_half_and_first(q[p], q[p + 1]), q[p + 1],
                       second_half_and_first(q[p + 1], q[p + 2]));
}

static inline const float *layer_of(const BwStar *star, int k)
{
    return k < 0         ? star->z_low + 64 * (k + BW_TILE)
           : k < BW_TILE ? star->center + 64 * k
                         : star->z_high + 64 * (k - BW_TILE);
}

// kappa at the faces of layer k, from -1 to 8, and the weighted differences along z there.
KERNEL void lines_along_z(const LineReach *r, int component, int k, BwRows kappa[PAIRS], BwRows q[PAIRS],
                          bool is_whole)
{
    const BwStar *cells = &r->kappa->own;
    int at = 64 * (k & 7);
    if (k < 0 || k >= BW_TILE)
        cells = &r->kappa->beside[k < 0 ? 4 : 5];
    const float *low = layer_of(&r->u, k - 1), *own = layer_of(&r->u, k), *high = layer_of(&r->u, k + 1);
    uint64_t line = is_whole ? 0 : k < 0 ? r->line_low[2][7] : k < 8 ? r->line[2][k] : r->line_high[2][0];
#pragma GCC unroll 4
    for (int p = 0; p < PAIRS; p++) {
        kappa[p] = face_kappa(cells, component, at + 16 * p);
        q[p] = weighted(kappa[p], bw_rows_load(low + 16 * p), bw_rows_load(own + 16 * p),
                        bw_rows_load(high + 16 * p));
        if (!is_whole)
            q[p] = where(line >> (16 * p), q[p]);
    }
}

KERNEL void friction_flat(const LineReach *r, int component, float *to)
{
    BwRows kappa[PAIRS], sum[PAIRS];
    for (int p = 0; p < PAIRS; p++)
        kappa[p] = face_kappa(&r->kappa->own, component, 16 * p);
    along_layer(r, component, kappa, 0, sum, false);
    for (int p = 0; p < PAIRS; p++)
        bw_rows_store(to + 16 * p, sum[p]);
}

// Layer after layer, that along z a layer ahead.
KERNEL void friction_deep(const LineReach *r, int component, float *to, bool is_whole)
{
    BwRows kappa[PAIRS], ahead[PAIRS], q_low[PAIRS], q[PAIRS], q_high[PAIRS], sum[PAIRS];
    lines_along_z(r, component, -1, kappa, q_low, is_whole);
    lines_along_z(r, component, 0, kappa, q, is_whole);
    for (int k = 0; k < BW_TILE; k++) {
        along_layer(r, component, kappa, k, sum, is_whole);
        lines_along_z(r, component, k + 1, ahead, q_high, is_whole);
#pragma GCC unroll 4
        for (int p = 0; p < PAIRS; p++) {
            bw_rows_store(to + 64 * k + 16 * p, sum[p] + spread(q_low[p], q[p], q_high[p]));
            q_low[p] = q[p], q[p] = q_high[p], kappa[p] = ahead[p];
        }
    }
}

KERNEL void friction(const LineReach *r, int component, float *to, bool is_deep, bool is_whole)
{
    if (!is_deep)
        friction_flat(r, component, to);
    else if (is_whole)
        friction_deep(r, component, to, true);
    else
        friction_deep(r, component, to, false);
}

static const uint64_t *lines_of(const Job *job, const BwMask *line, int32_t slot)
{
    static const uint64_t all[BW_TILE] = {~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0),
                                          ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)};
    return *bw_note(&job->subgrid->has_lines, slot) != 0 ? all : bw_mask_tile(line, slot);
}

static void friction_on_component(const Job *job, int a, int32_t slot, const CellKappa *cells, bool is_whole)
{
    const BwGrid *grid = job->domain->grid;
    const int32_t *neighbour = grid->tiles[slot].neighbour;
    LineReach r = {.u = bw_star(&job->from->u[a], slot), .kappa = cells};
    is_whole = is_whole && grid->dimension == 3;
    for (int b = 0; b < grid->dimension && !is_whole; b++) {
        const BwMask *line = &job->subgrid->line[a][b];
        r.line[b] = lines_of(job, line, slot);
        r.line_low[b] = lines_of(job, line, neighbour[bw_side_neighbour[2 * b]]);
        r.line_high[b] = lines_of(job, line, neighbour[bw_side_neighbour[2 * b + 1]]);
    }
    float *to = bw_field_tile(&job->to->u[a], slot);
    if (a == 0)
        friction(&r, 0, to, grid->dimension == 3, is_whole);
    else if (a == 1)
        friction(&r, 1, to, grid->dimension == 3, is_whole);
    else
        friction(&r, 2, to, true, is_whole);
}

static void friction_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = job->domain->grid->order[job->first + n];
        bool is_whole = *bw_note(&job->subgrid->has_lines, slot) != 0;
        CellKappa cells = cell_kappa_of(job->kappa, slot);
        for (int a = 0; a < job->domain->grid->dimension; a++)
            friction_on_component(job, a, slot, &cells, is_whole);
    }
}

static void for_tiles(Job *job, int64_t begin, int64_t end, BwRangeFn *fn)
{
    job->first = begin;
    bw_parallel_for(job->domain->pool, end - begin, 16, fn, job);
}

// Where some layers of tiles end that begin with a tile: as few as give all workers something to do.
static int64_t end_of_block(const BwGrid *grid, int64_t begin)
{
    enum { TILES = 256 };
    int64_t end = begin + TILES < grid->tile_count ? begin + TILES : grid->tile_count;
    while (end < grid->tile_count &&
           grid->tiles[grid->order[end]].coord.z == grid->tiles[grid->order[end - 1]].coord.z)
        end++;
    return end;
}

// Friction reads kappa up to a layer of tiles beside: it follows a block behind, or, where the last layer is
// beside the first, at the end.
static void friction_behind_kappa(Job *job)
{
    const BwGrid *grid = job->domain->grid;
    int64_t done = 0;
    for (int64_t begin = 0, end = 0; begin < grid->tile_count; begin = end) {
        end = end_of_block(grid, begin);
        for_tiles(job, begin, end, kappa_range);
        if (grid->period[2] == 0) {
            for_tiles(job, done, begin, friction_range);
            done = begin;
        }
    }
    for_tiles(job, done, grid->tile_count, friction_range);
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
               .scale = 0.125f * law.factor * law.dt / h,
               .viscous = 0.125f * law.viscosity * law.dt / (h * h),
               .most = 0.03125f / (float)grid->dimension};
    bw_parallel_for(domain->pool, grid->tile_count, 32, find_edges, &job);
    friction_behind_kappa(&job);
}
