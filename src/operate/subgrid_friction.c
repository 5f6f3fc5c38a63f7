// Friction on the samples of a tile, along lines of three samples that each give and take the same.
#include "operate/subgrid_job.h"

#include <string.h>

// Work goes by one row at a time, or by two where lanes are that many.
enum { UNIT = BW_LANES == 16 ? 16 : 8, UNITS = BW_TILE_LAYER / UNIT, RIM = UNIT == 16 ? 1 : 2 };
typedef float Unit __attribute__((vector_size(4 * UNIT)));
typedef int32_t UnitBits __attribute__((vector_size(4 * UNIT)));

// kappa around a tile, in cells: the tile's own and that of the six beside it.
typedef struct CellKappa {
    BwStar own, beside[6];
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

static inline Unit load(const float *from)
{
    Unit unit;
    memcpy(&unit, __builtin_assume_aligned(from, sizeof unit), sizeof unit);
    return unit;
}

static inline void store(float *to, Unit unit)
{
    memcpy(__builtin_assume_aligned(to, sizeof unit), &unit, sizeof unit);
}

// shift_low, shift_high: the samples one before and one behind along x, `ends` at the rim. row_below,
// row_above: those one row before and behind, of units side by side. ends_of: what follows on a row at both
// ends, in the lanes where its own tile has it: the first samples of the tile at the high end, the last of
// that at the low end.
#if BW_LANES == 16
static inline Unit shift_low(Unit rows, Unit ends)
{
    return __builtin_shufflevector(rows, ends, 23, 0, 1, 2, 3, 4, 5, 6, 31, 8, 9, 10, 11, 12, 13, 14);
}

static inline Unit shift_high(Unit rows, Unit ends)
{
    return __builtin_shufflevector(rows, ends, 1, 2, 3, 4, 5, 6, 7, 16, 9, 10, 11, 12, 13, 14, 15, 24);
}

static inline Unit row_below(Unit before, Unit own)
{
    return __builtin_shufflevector(before, own, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23);
}

static inline Unit row_above(Unit own, Unit behind)
{
    return row_below(own, behind);
}

static inline Unit ends_of(const float *low, const float *high, int at)
{
    return __builtin_shufflevector(load(low + at), load(high + at), 16, 17, 18, 19, 4, 5, 6, 7, 24, 25, 26,
                                   27, 12, 13, 14, 15);
}

static inline UnitBits lanes_of(uint64_t bits)
{
    return bw_lane_bits(bits);
}
#else
static inline Unit shift_low(Unit row, Unit ends)
{
    return __builtin_shufflevector(ends, row, 7, 8, 9, 10, 11, 12, 13, 14);
}

static inline Unit shift_high(Unit row, Unit ends)
{
    return __builtin_shufflevector(row, ends, 1, 2, 3, 4, 5, 6, 7, 8);
}

static inline Unit row_below(Unit before, Unit own)
{
    (void)own;
    return before;
}

static inline Unit row_above(Unit own, Unit behind)
{
    (void)own;
    return behind;
}

static inline Unit ends_of(const float *low, const float *high, int at)
{
    return __builtin_shufflevector(load(low + at), load(high + at), 8, 9, 10, 11, 4, 5, 6, 7);
}

static inline UnitBits lanes_of(uint64_t bits)
{
    const UnitBits lane = {1, 2, 4, 8, 16, 32, 64, 128};
    return (lane & (int32_t)(bits & 0xff)) != 0;
}
#endif

// What is before units along an axis.
BW_KERNEL Unit unit_before(const BwStar *star, Unit own, int axis, int at)
{
    if (axis == 0)
        return shift_low(own, load(star->x_low + at));
    if (axis == 1)
        return row_below(
            load((at & 56) == 0 ? star->y_low + at + (BW_TILE_LAYER - UNIT) : star->center + at - UNIT), own);
    return load(at < 64 ? star->z_low + at + 448 : star->center + at - 64);
}

// kappa at the faces of a component: the mean of the cells at both sides, of which the field has the halves.
BW_KERNEL Unit face_kappa(const BwStar *cells, int component, int at)
{
    Unit own = load(cells->center + at);
    return own + unit_before(cells, own, component, at);
}

// The same at the ends of rows.
BW_KERNEL Unit face_kappa_of_ends(const CellKappa *cells, int component, int at)
{
    const BwStar *low = &cells->beside[0], *high = &cells->beside[1];
    Unit ends = ends_of(low->center, high->center, at);
    if (component == 0)
        return ends + shift_low(ends, load(cells->own.center + at));
    if (component == 1)
        return ends + row_below((at & 56) == 0 ? ends_of(low->y_low, high->y_low, at + (BW_TILE_LAYER - UNIT))
                                               : ends_of(low->center, high->center, at - UNIT),
                                ends);
    return ends + (at < 64 ? ends_of(low->z_low, high->z_low, at + 448)
                           : ends_of(low->center, high->center, at - 64));
}

static inline Unit where(uint64_t bits, Unit rows)
{
    return (Unit)((UnitBits)rows & lanes_of(bits));
}

// The weighted second difference of lines of three samples; none where a line does not exist.
static inline Unit weighted(Unit kappa, Unit low, Unit own, Unit high)
{
    return kappa * ((low - own) + (high - own));
}

static inline Unit spread(Unit low, Unit own, Unit high)
{
    return (own - low) + (own - high);
}

// Lines across the ends of rows, in the lanes of ends_of: the first bits of the row at the high end, the
// last of that at the low end.
static inline uint64_t bits_of_ends(uint64_t low, uint64_t high)
{
    return (low & 0xf0f0f0f0f0f0f0f0) | (high & 0x0f0f0f0f0f0f0f0f);
}

// Of all that follows there is a version with `is_whole` known to the compiler: most tiles have all of their
// lines. Friction along x.
BW_KERNEL Unit along_x(const LineReach *r, int component, Unit u, Unit kappa, int at, bool is_whole)
{
    Unit ends = ends_of(r->u.x_low, r->u.x_high, at);
    Unit q = weighted(kappa, shift_low(u, ends), u, shift_high(u, ends));
    Unit q_ends =
        weighted(face_kappa_of_ends(r->kappa, component, at), shift_low(ends, u), ends, shift_high(ends, u));
    if (!is_whole) {
        int k = at >> 6, shift = at & 63;
        q = where(r->line[0][k] >> shift, q);
        q_ends = where(bits_of_ends(r->line_low[0][k], r->line_high[0][k]) >> shift, q_ends);
    }
    return spread(shift_low(q, q_ends), q, shift_high(q, q_ends));
}

// Friction along x and y on layer k: to[p] is that of unit p.
BW_KERNEL void along_layer(const LineReach *r, int component, const Unit kappa[UNITS], int k, Unit to[UNITS],
                           bool is_whole)
{
    int at = 64 * k;
    // With units below and above; of one of two rows the outer is not used.
    Unit u_all[UNITS + 2 * RIM], q_all[UNITS + 2], *u = u_all + RIM, *q = q_all + 1;
    for (int p = 0; p < RIM; p++) {
        u[p - RIM] = load(r->u.y_low + at + UNIT * (UNITS - RIM + p));
        u[UNITS + p] = load(r->u.y_high + at + UNIT * p);
    }
#pragma GCC unroll 8
    for (int p = 0; p < UNITS; p++)
        u[p] = load(r->u.center + at + UNIT * p);
#pragma GCC unroll 10
    for (int p = -1; p <= UNITS; p++) {
        Unit kappa_p = p < 0        ? face_kappa(&r->kappa->beside[2], component, at + UNIT * (UNITS - 1))
                       : p == UNITS ? face_kappa(&r->kappa->beside[3], component, at)
                                    : kappa[p];
        q[p] = weighted(kappa_p, row_below(u[p > -RIM ? p - 1 : p], u[p]), u[p],
                        row_above(u[p], u[p < UNITS + RIM - 1 ? p + 1 : p]));
        if (!is_whole)
            q[p] = where(p < 0        ? r->line_low[1][k] >> (UNIT * (UNITS - 1))
                         : p == UNITS ? r->line_high[1][k]
                                      : r->line[1][k] >> (UNIT * p),
                         q[p]);
    }
#pragma GCC unroll 8
    for (int p = 0; p < UNITS; p++)
        to[p] = u[p] + along_x(r, component, u[p], kappa[p], at + UNIT * p, is_whole) +
                spread(row_below(q[p - 1], q[p]), q[p], row_above(q[p], q[p + 1]));
}

static inline const float *layer_of(const BwStar *star, int k)
{
    return k < 0         ? star->z_low + 64 * (k + BW_TILE)
           : k < BW_TILE ? star->center + 64 * k
                         : star->z_high + 64 * (k - BW_TILE);
}

// kappa at the faces of layer k, from -1 to 8, and the weighted differences along z there.
BW_KERNEL void lines_along_z(const LineReach *r, int component, int k, Unit kappa[UNITS], Unit q[UNITS],
                             bool is_whole)
{
    const BwStar *cells = &r->kappa->own;
    int at = 64 * (k & 7);
    if (k < 0 || k >= BW_TILE)
        cells = &r->kappa->beside[k < 0 ? 4 : 5];
    const float *low = layer_of(&r->u, k - 1), *own = layer_of(&r->u, k), *high = layer_of(&r->u, k + 1);
    uint64_t line = is_whole ? 0 : k < 0 ? r->line_low[2][7] : k < 8 ? r->line[2][k] : r->line_high[2][0];
#pragma GCC unroll 8
    for (int p = 0; p < UNITS; p++) {
        kappa[p] = face_kappa(cells, component, at + UNIT * p);
        q[p] = weighted(kappa[p], load(low + UNIT * p), load(own + UNIT * p), load(high + UNIT * p));
        if (!is_whole)
            q[p] = where(line >> (UNIT * p), q[p]);
    }
}

BW_KERNEL void friction_flat(const LineReach *r, int component, float *to)
{
    Unit kappa[UNITS], sum[UNITS];
    for (int p = 0; p < UNITS; p++)
        kappa[p] = face_kappa(&r->kappa->own, component, UNIT * p);
    along_layer(r, component, kappa, 0, sum, false);
    for (int p = 0; p < UNITS; p++)
        store(to + UNIT * p, sum[p]);
}

// Layer after layer, that along z a layer ahead.
BW_KERNEL void friction_deep(const LineReach *r, int component, float *to, bool is_whole)
{
    Unit kappa[UNITS], ahead[UNITS], q_low[UNITS], q[UNITS], q_high[UNITS], sum[UNITS];
    lines_along_z(r, component, -1, kappa, q_low, is_whole);
    lines_along_z(r, component, 0, kappa, q, is_whole);
    for (int k = 0; k < BW_TILE; k++) {
        along_layer(r, component, kappa, k, sum, is_whole);
        lines_along_z(r, component, k + 1, ahead, q_high, is_whole);
#pragma GCC unroll 8
        for (int p = 0; p < UNITS; p++) {
            store(to + 64 * k + UNIT * p, sum[p] + spread(q_low[p], q[p], q_high[p]));
            q_low[p] = q[p], q[p] = q_high[p], kappa[p] = ahead[p];
        }
    }
}

BW_KERNEL void friction(const LineReach *r, int component, float *to, bool is_deep, bool is_whole)
{
    if (!is_deep)
        friction_flat(r, component, to);
    else if (is_whole)
        friction_deep(r, component, to, true);
    else
        friction_deep(r, component, to, false);
}

static const uint64_t *lines_of(const BwSubgridJob *job, const BwMask *line, int32_t slot)
{
    static const uint64_t all[BW_TILE] = {~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0),
                                          ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)};
    return *bw_note(&job->subgrid->has_lines, slot) != 0 ? all : bw_mask_tile(line, slot);
}

static void friction_on_component(const BwSubgridJob *job, int a, int32_t slot, const CellKappa *cells,
                                  bool is_whole)
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

void bw_subgrid_friction_on_tile(const BwSubgridJob *job, int32_t slot)
{
    bool is_whole = *bw_note(&job->subgrid->has_lines, slot) != 0;
    CellKappa cells = cell_kappa_of(job->kappa, slot);
    for (int a = 0; a < job->domain->grid->dimension; a++)
        friction_on_component(job, a, slot, &cells, is_whole);
}
