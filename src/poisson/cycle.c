// The W-cycle that preconditions the pressure solve: two red-black sweeps down, two mirrored ones up, the
// next level visited once from the finest and twice from all others.
//
// Invariant: it is a symmetric operator. Residuals of the colour swept last are zero and are not computed.
#include "poisson/cycle.h"

#include "poisson/smoother.h"
#include <string.h>

// Sweeps on a last level that is too large for the direct solve.
enum { LAST_SWEEPS = 8 };

typedef struct CycleJob {
    const BwLevel *level, *coarse;
} CycleJob;

// Sums the residual of a fine tile's first colour into 4x4x4 coarse cells, in the order of cells.
static void sum_blocks(const BwLevel *level, const float *residual, float *sums)
{
    for (int k = 0; k < level->layers; k += 2)
        for (int j = 0; j < BW_TILE; j += 2) {
            const float *row = residual + 32 * k + 4 * j;
            for (int i = 0; i < 4; i++) {
                float low = row[i], high = row[4 + i];
                if (level->layers > 1) {
                    low += row[32 + i];
                    high += row[36 + i];
                }
                sums[8 * k + 2 * j + i] = low + high;
            }
        }
}

// Takes what goes elsewhere out of the residual of a fine tile and gives it there.
static void restrict_exceptions(const BwLevel *fine, const BwLevel *coarse, int32_t t, float *residual)
{
    for (int32_t n = fine->exception_first[t]; n < fine->exception_first[t + 1]; n++) {
        BwException exception = fine->exceptions[n];
        int32_t place = exception.node - t * fine->cells;
        if (place >= fine->half)
            continue;
        if (exception.coarse >= 0)
            coarse->b[exception.coarse] += residual[place];
        residual[place] = 0.0f;
    }
}

static void restrict_extras(const BwLevel *fine, const BwLevel *coarse, int32_t t)
{
    int64_t first_node = ((int64_t)fine->count + 1) * fine->cells;
    for (int32_t e = fine->extra_first[t]; e < fine->extra_first[t + 1]; e++) {
        if (bw_color_of(fine->extra_cell[e]) != 0 || fine->extra_coarse[e] < 0)
            continue;
        int32_t first = fine->coupling_first[e], end = fine->coupling_first[e + 1];
        double diagonal = (double)fine->extra_diagonal[e] + bw_coupling_weight(fine, first, end);
        double residual = (double)fine->b[first_node + e] + bw_coupling_sum(fine, first, end) -
                          diagonal * (double)fine->x[first_node + e];
        coarse->b[fine->extra_coarse[e]] += (float)residual;
    }
}

// Where the first cell of a child's part lies in the coarse tile.
static int octant_cell(int octant)
{
    return 4 * (octant & 1) + 32 * (octant >> 1 & 1) + 256 * (octant >> 2);
}

static void restrict_child(const BwLevel *fine, const BwLevel *coarse, int32_t t, int32_t child, int octant)
{
    _Alignas(BW_ALIGN) float scratch[BW_TILE_CELLS_MAX / 2], residual[BW_TILE_CELLS_MAX / 2];
    float sums[BW_TILE_LAYER];
    const float *b = bw_right_with_couplings(fine, child, 0, true, scratch);
    bw_red_black_residual(fine, child, 0, fine->x, b, residual);
    restrict_exceptions(fine, coarse, child, residual);
    sum_blocks(fine, residual, sums);
    float *out = coarse->b + (int64_t)t * coarse->cells;
    int first = octant_cell(octant);
    for (int n = 0; n < fine->cells >> (fine->layers == 1 ? 2 : 3); n++) {
        int cell = first + (n & 3) + 8 * (n >> 2 & 3) + 64 * (n >> 4);
        out[bw_place_of(cell, coarse->half)] += sums[n];
    }
}

static void restrict_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const CycleJob *job = context;
    const BwLevel *fine = job->level, *coarse = job->coarse;
    int64_t first_node = ((int64_t)coarse->count + 1) * coarse->cells;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        memset(coarse->b + (int64_t)t * coarse->cells, 0, (size_t)coarse->cells * sizeof(float));
        for (int32_t e = coarse->extra_first[t]; e < coarse->extra_first[t + 1]; e++)
            coarse->b[first_node + e] = 0.0f;
        for (int octant = 0; octant < 8; octant++) {
            int32_t child = coarse->child[t][octant];
            if (child == 0)
                continue;
            restrict_child(fine, coarse, t, child, octant);
            restrict_extras(fine, coarse, child);
        }
    }
}

// The correction of a fine tile's first colour, by place: each row of four coarse cells goes to four fine
// rows.
static void spread_blocks(const BwLevel *fine, const BwLevel *coarse, int32_t t, int octant,
                          float *correction)
{
    const float *x = coarse->x + (int64_t)fine->parent[t] * coarse->cells;
    for (int k = 0; k < (fine->layers + 1) / 2; k++)
        for (int j = 0; j < 4; j++) {
            int at = (octant_cell(octant) >> 1) + 4 * j + 32 * k;
            bool is_swapped = (j + k) & 1; // octants begin at even cells
            const float *first = x + at + (is_swapped ? coarse->half : 0);
            const float *second = x + at + (is_swapped ? 0 : coarse->half);
            const float row[4] = {first[0], second[0], first[1], second[1]};
            for (int n = 0; n < (fine->layers == 1 ? 2 : 4); n++)
                memcpy(correction + 64 * k + 8 * j + 4 * (n & 1) + 32 * (n >> 1), row, sizeof row);
        }
}

static void correct_extras(const BwLevel *fine, const BwLevel *coarse, int32_t t)
{
    int64_t first_node = ((int64_t)fine->count + 1) * fine->cells;
    for (int32_t e = fine->extra_first[t]; e < fine->extra_first[t + 1]; e++)
        if (bw_color_of(fine->extra_cell[e]) == 0 && fine->extra_coarse[e] >= 0)
            fine->x[first_node + e] += coarse->x[fine->extra_coarse[e]];
}

static void correct_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const CycleJob *job = context;
    const BwLevel *fine = job->level, *coarse = job->coarse;
    _Alignas(BW_ALIGN) float correction[BW_TILE_CELLS_MAX / 2];
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        BwTileCoord c = fine->coord[t];
        spread_blocks(fine, coarse, t, (c.x & 1) | (c.y & 1) << 1 | (c.z & 1) << 2, correction);
        for (int32_t n = fine->exception_first[t]; n < fine->exception_first[t + 1]; n++) {
            BwException exception = fine->exceptions[n];
            int32_t place = exception.node - t * fine->cells;
            if (place < fine->half)
                correction[place] = exception.coarse >= 0 ? coarse->x[exception.coarse] : 0.0f;
        }
        float *x = fine->x + (int64_t)t * fine->cells;
        unsigned filled = fine->filled[t][0];
        bool is_full = fine->uniform[t] > 0.0f && bw_level_masks(fine, t) == NULL;
        const float *inverse = is_full ? NULL : bw_level_inverse(fine, t);
        for (; filled != 0; filled &= filled - 1) {
            int first = 16 * __builtin_ctz(filled);
            for (int at = first; at < first + 16; at += BW_LANES) {
                BwLanes added = bw_lanes_load(correction + at);
                if (inverse != NULL)
                    added = bw_lanes_keep(added, bw_lanes_load(inverse + at) > 0.0f);
                bw_lanes_store(x + at, bw_lanes_load(x + at) + added);
            }
        }
        correct_extras(fine, coarse, t);
    }
}

static void solve_last(const BwPyramid *pyramid, const BwLevel *level)
{
    memset(level->x, 0, (size_t)bw_level_nodes(level) * sizeof *level->x);
    if (pyramid->direct_count > 0) {
        bw_pyramid_solve_direct(pyramid);
        return;
    }
    for (int n = 0; n < 2 * LAST_SWEEPS; n++)
        bw_smooth(pyramid, level, n & 1);
    for (int n = 2 * LAST_SWEEPS; n-- > 0;)
        bw_smooth(pyramid, level, n & 1);
}

static void visit(const BwPyramid *pyramid, int depth, bool is_from_zero);

static void correct_from_coarse(const BwPyramid *pyramid, int depth)
{
    const BwLevel *fine = &pyramid->level[depth], *coarse = fine + 1;
    CycleJob job = {.level = fine, .coarse = coarse};
    bw_pyramid_run(pyramid, coarse->count, restrict_tiles, &job);
    if (depth + 2 == pyramid->level_count)
        solve_last(pyramid, coarse);
    else {
        visit(pyramid, depth + 1, true);
        visit(pyramid, depth + 1, false);
    }
    bw_pyramid_run(pyramid, fine->count, correct_tiles, &job);
}

static void visit(const BwPyramid *pyramid, int depth, bool is_from_zero)
{
    const BwLevel *level = &pyramid->level[depth];
    if (is_from_zero)
        bw_smooth_first(pyramid, level);
    else
        bw_smooth(pyramid, level, 0);
    bw_smooth(pyramid, level, 1);
    bw_smooth(pyramid, level, 0);
    bw_smooth(pyramid, level, 1);
    correct_from_coarse(pyramid, depth);
    bw_smooth(pyramid, level, 1);
    bw_smooth(pyramid, level, 0);
    bw_smooth(pyramid, level, 1);
    bw_smooth(pyramid, level, 0);
}

void bw_pyramid_cycle(const BwPyramid *pyramid)
{
    if (pyramid->level_count == 1)
        solve_last(pyramid, &pyramid->level[0]);
    else
        visit(pyramid, 0, true);
}
