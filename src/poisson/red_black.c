// Kernels over one colour of one tile. Uniform tiles need no stored coefficients; in the others, vectors
// without unknowns are passed over: their values are zero and stay so.
#include "poisson/red_black.h"

static inline void relax_uniform(const BwColorStar *star, int last, int color, float coupling, float inverse,
                                 const float *restrict b, float *restrict out)
{
    for (int k = 0; k <= last; k++)
        for (int high = 0; high < 2; high++) {
            int at = 32 * k + 16 * high;
            BwAround n = (k + color) & 1 ? bw_around(star, k, last, high, true)
                                         : bw_around(star, k, last, high, false);
            bw_rows_store(out + at, (bw_rows_load(b + at) + coupling * bw_around_sum(&n)) * inverse);
        }
}

static void relax_masked(const BwColorStar *star, const BwLevel *level, int32_t t, int color,
                         const BwMasked *masks, const float *restrict b, float *restrict out)
{
    int last = level->layers - 1;
    float coupling = level->uniform[t];
    const float *inverse = masks->inverse + color * level->half;
    for (unsigned filled = level->filled[t][color]; filled != 0; filled &= filled - 1) {
        int v = __builtin_ctz(filled), k = v >> 1;
        BwAround n =
            (k + color) & 1 ? bw_around(star, k, last, v & 1, true) : bw_around(star, k, last, v & 1, false);
        BwRows sum = bw_rows_load(b + 16 * v) + coupling * bw_around_sum(&n);
        bw_rows_store(out + 16 * v, sum * bw_rows_load(inverse + 16 * v));
    }
}

void bw_red_black_relax(const BwLevel *level, int32_t t, int color, const float *values, const float *b,
                        float *out)
{
    BwColorStar star = bw_color_star(level, t, values, !color);
    int last = level->layers - 1;
    const BwMasked *masks = bw_level_masks(level, t);
    if (masks != NULL) {
        relax_masked(&star, level, t, color, masks, b, out);
        return;
    }
    if (level->uniform[t] > 0.0f) {
        relax_uniform(&star, last, color, level->uniform[t], bw_uniform_inverse(level, t), b, out);
        return;
    }
    const float *row = bw_level_block(level, t) + color * level->half;
    for (unsigned filled = level->filled[t][color]; filled != 0; filled &= filled - 1) {
        int v = __builtin_ctz(filled), k = v >> 1;
        BwAround n = (k + color) & 1 ? bw_around(&star, k, last, v & 1, true)
                                     : bw_around(&star, k, last, v & 1, false);
        BwRows sum = bw_rows_load(b + 16 * v) + bw_around_weighted(&n, row + 16 * v, level->cells);
        bw_rows_store(out + 16 * v, sum * bw_rows_load(row + BW_COUPLING_INVERSE * level->cells + 16 * v));
    }
}

void bw_red_black_relax_first(const BwLevel *level, int32_t t, int color, const float *b, float *out)
{
    const BwMasked *masks = bw_level_masks(level, t);
    if (level->uniform[t] > 0.0f && masks == NULL) {
        float inverse = bw_uniform_inverse(level, t);
        for (int at = 0; at < level->half; at += 16)
            bw_rows_store(out + at, bw_rows_load(b + at) * inverse);
        return;
    }
    const float *inverse = bw_level_inverse(level, t) + color * level->half;
    for (int at = 0; at < level->half; at += 16)
        bw_rows_store(out + at, bw_rows_load(b + at) * bw_rows_load(inverse + at));
}

void bw_red_black_residual(const BwLevel *level, int32_t t, int color, const float *values, const float *b,
                           float *out)
{
    bw_red_black_apply(level, t, color, values, out);
    for (int at = 0; at < level->half; at += 16)
        bw_rows_store(out + at, bw_rows_load(b + at) - bw_rows_load(out + at));
}

static inline BwRows apply_uniform(const BwAround *n, BwRows own, float coupling, float z_coupling)
{
    BwRows xy = ((own - n->same) + (own - n->shifted)) + ((own - n->y_low) + (own - n->y_high));
    return coupling * xy + z_coupling * ((own - n->z_low) + (own - n->z_high));
}

static inline BwRows apply_masked(const BwAround *n, BwRows own, float coupling, const BwMasked *masks,
                                  int color, int v)
{
    BwRows sum = bw_rows_keep(own - n->same, bw_lanes(masks->open[0][color][v])) +
                 bw_rows_keep(own - n->shifted, bw_lanes(masks->open[1][color][v]));
    sum += bw_rows_keep(own - n->y_low, bw_lanes(masks->open[2][color][v])) +
           bw_rows_keep(own - n->y_high, bw_lanes(masks->open[3][color][v]));
    sum += bw_rows_keep(own - n->z_low, bw_lanes(masks->open[4][color][v])) +
           bw_rows_keep(own - n->z_high, bw_lanes(masks->open[5][color][v]));
    return coupling * sum;
}

static inline BwRows apply_block(const BwAround *n, BwRows own, const float *row, int cells)
{
    return bw_around_differences(n, own, row, cells) + bw_rows_load(row + BW_COUPLING_EXTRA * cells) * own;
}

static double sum_of_lanes(BwRows rows)
{
    double sum = 0.0;
    for (int lane = 0; lane < 16; lane++)
        sum += (double)rows[lane];
    return sum;
}

double bw_red_black_apply(const BwLevel *level, int32_t t, int color, const float *values,
                          float *restrict out)
{
    BwColorStar star = bw_color_star(level, t, values, !color);
    const float *own_half = values + (int64_t)t * level->cells + color * level->half;
    int last = level->layers - 1;
    bool is_uniform = level->uniform[t] > 0.0f;
    const BwMasked *masks = bw_level_masks(level, t);
    float coupling = level->uniform[t], z_coupling = last == 0 ? 0.0f : coupling;
    const float *row = is_uniform ? NULL : bw_level_block(level, t) + color * level->half;
    BwRows product = {0};
    for (int v = 0; v < 2 * level->layers; v++) {
        int k = v >> 1;
        if (!(level->filled[t][color] >> v & 1)) {
            bw_rows_store(out + 16 * v, (BwRows){0});
            continue;
        }
        BwAround n = (k + color) & 1 ? bw_around(&star, k, last, v & 1, true)
                                     : bw_around(&star, k, last, v & 1, false);
        BwRows own = bw_rows_load(own_half + 16 * v);
        BwRows result = masks != NULL ? apply_masked(&n, own, coupling, masks, color, v)
                        : is_uniform  ? apply_uniform(&n, own, coupling, z_coupling)
                                      : apply_block(&n, own, row + 16 * v, level->cells);
        bw_rows_store(out + 16 * v, result);
        product += own * result;
    }
    return sum_of_lanes(product);
}
