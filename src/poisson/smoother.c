// Red-black Gauss-Seidel, the smoother of the multigrid cycle. A colour's sweep reads the other colour only,
// so the order of tiles does not matter.
#include "poisson/smoother.h"

#include <string.h>

typedef struct Sweep {
    const BwLevel *level;
    int color;
} Sweep;

// Levels with fewer tiles than this are not worth waking the pool for.
enum { TILES_ALONE = 96 };

void bw_pyramid_run(const BwPyramid *pyramid, int64_t count, BwRangeFn *fn, void *job)
{
    if (count < TILES_ALONE)
        bw_parallel_for(NULL, count, TILES_ALONE, fn, job);
    else
        bw_parallel_for(pyramid->pool, count, BW_POISSON_GRAIN, fn, job);
}

double bw_coupling_sum(const BwLevel *level, int32_t first, int32_t end)
{
    double sum = 0.0;
    for (int32_t l = first; l < end; l++)
        sum += (double)(level->couplings[l].weight * level->x[level->couplings[l].other]);
    return sum;
}

double bw_coupling_weight(const BwLevel *level, int32_t first, int32_t end)
{
    double sum = 0.0;
    for (int32_t l = first; l < end; l++)
        sum += (double)level->couplings[l].weight;
    return sum;
}

// The right side of one colour with what couplings beyond the stencil bring; for residuals their part of the
// diagonal is taken off.
const float *bw_right_with_couplings(const BwLevel *level, int32_t t, int color, bool is_residual,
                                     float *scratch)
{
    int32_t first_node = t * level->cells + color * level->half;
    const float *b = level->b + first_node;
    if (level->explicit_first[t] == level->explicit_first[t + 1])
        return b;
    memcpy(scratch, b, (size_t)level->half * sizeof *scratch);
    for (int32_t n = level->explicit_first[t]; n < level->explicit_first[t + 1]; n++) {
        int32_t place = level->explicit_node[n] - first_node;
        if (place < 0 || place >= level->half)
            continue;
        int32_t first = level->explicit_coupling_first[n], end = level->explicit_coupling_first[n + 1];
        double sum = bw_coupling_sum(level, first, end);
        if (is_residual)
            sum -= bw_coupling_weight(level, first, end) * (double)level->x[first_node + place];
        scratch[place] += (float)sum;
    }
    return scratch;
}

static void relax_extras(const BwLevel *level, int32_t t, int color)
{
    int64_t first_node = ((int64_t)level->count + 1) * level->cells;
    for (int32_t e = level->extra_first[t]; e < level->extra_first[t + 1]; e++) {
        if (bw_color_of(level->extra_cell[e]) != color)
            continue;
        double sum = bw_coupling_sum(level, level->coupling_first[e], level->coupling_first[e + 1]);
        level->x[first_node + e] = (level->b[first_node + e] + (float)sum) * level->extra_inverse[e];
    }
}

static void relax_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Sweep *job = context;
    const BwLevel *level = job->level;
    _Alignas(BW_ALIGN) float scratch[BW_TILE_CELLS_MAX / 2];
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        const float *b = bw_right_with_couplings(level, t, job->color, false, scratch);
        bw_red_black_relax(level, t, job->color, level->x, b,
                           level->x + (int64_t)t * level->cells + job->color * level->half);
        relax_extras(level, t, job->color);
    }
}

// The first colour from x = 0, and the other colour made zero where the next sweep passes over it.
static void relax_tiles_first(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Sweep *job = context;
    const BwLevel *level = job->level;
    int64_t first_node = ((int64_t)level->count + 1) * level->cells;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        float *x = level->x + (int64_t)t * level->cells;
        bw_red_black_relax_first(level, t, 0, level->b + (int64_t)t * level->cells, x);
        if (level->filled[t][1] != 0xffff)
            memset(x + level->half, 0, (size_t)level->half * sizeof *x);
        for (int32_t e = level->extra_first[t]; e < level->extra_first[t + 1]; e++)
            level->x[first_node + e] = bw_color_of(level->extra_cell[e]) == 0
                                           ? level->b[first_node + e] * level->extra_inverse[e]
                                           : 0.0f;
    }
}

void bw_smooth(const BwPyramid *pyramid, const BwLevel *level, int color)
{
    Sweep job = {.level = level, .color = color};
    bw_pyramid_run(pyramid, level->count, relax_tiles, &job);
}

void bw_smooth_first(const BwPyramid *pyramid, const BwLevel *level)
{
    Sweep job = {.level = level};
    bw_pyramid_run(pyramid, level->count, relax_tiles_first, &job);
}
