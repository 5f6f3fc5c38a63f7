// The strain in the cells of a tile, and the coefficient of friction that it asks for. Work goes by rows of
// eight cells; rows beside come by pointer, from the 26 tiles around.
#include "operate/subgrid_job.h"

#include <math.h>
#include <string.h>

typedef float Row __attribute__((vector_size(32)));
typedef int32_t RowBits __attribute__((vector_size(32)));

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
BW_KERNEL Row squares_with_x(const StrainReach *s, int b, int j, int k, bool is_whole)
{
    int j0 = j - (b == 1), k0 = k - (b == 2);
    Row u = row_at(&s->u[0], 0, j, k), before = row_at(&s->u[0], 0, j0, k0), v = row_at(&s->u[b], 0, j, k);
    Row low = (u - before) + (v - row_x_low(&s->u[b], v, j, k));
    Row high = (row_x_high(&s->u[0], u, j, k) - row_x_high(&s->u[0], before, j0, k0)) +
               (row_x_high(&s->u[b], v, j, k) - v);
    if (!is_whole) {
        const MaskReach *edge = &s->edge[bw_edge_between(0, b)];
        unsigned bits = bits_at(edge, 0, j, k), next = bits >> 1 | (bits_at(edge, 1, j, k) & 1) << 7;
        low = where_row(bits, low), high = where_row(next, high);
    }
    return low * low + high * high;
}

// The same of v and w, on the edges along x.
BW_KERNEL Row squares_yz(const StrainReach *s, int j, int k, bool is_whole)
{
    Row shear = (row_at(&s->u[1], 0, j, k) - row_at(&s->u[1], 0, j, k - 1)) +
                (row_at(&s->u[2], 0, j, k) - row_at(&s->u[2], 0, j - 1, k));
    if (!is_whole)
        shear = where_row(bits_at(&s->edge[0], 0, j, k), shear);
    return shear * shear;
}

BW_KERNEL Row squares_of_stretch(const StrainReach *s, bool is_deep, int j, int k)
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

BW_KERNEL Row kappa_of_square(const BwSubgridJob *job, Row square)
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
BW_KERNEL void find_kappa(const BwSubgridJob *job, const StrainReach *s, float *kappa, bool is_deep,
                          bool is_whole)
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
static bool has_all_edges(const BwSubgridJob *job, int32_t slot)
{
    static const int high[7] = {14, 16, 17, 22, 23, 25, 26};
    const BwNotes *is_open = &job->subgrid->is_open;
    uint64_t all = *bw_note(is_open, slot);
    for (int n = 0; n < 7; n++)
        all &= *bw_note(is_open, job->domain->grid->tiles[slot].neighbour[high[n]]);
    return all != 0;
}

void bw_subgrid_kappa_of_tile(const BwSubgridJob *job, int32_t slot)
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
