// Kernels over one colour of one tile. Uniform tiles need no stored coefficients; in the others, vectors
// without unknowns are passed over: their values are zero and stay so.
#include "poisson/red_black.h"

// Whether the second row of a layer starts with a cell of the colour.
static inline bool is_odd_layer(int at, int color)
{
    return (at >> 5 ^ color) & 1;
}

static inline void relax_uniform(const BwColorStar *star, int last, int color, float coupling, float inverse,
                                 const float *restrict b, float *restrict out)
{
    for (int k = 0; k <= last; k++)
        for (int in_layer = 0; in_layer < 32; in_layer += BW_LANES) {
            int at = 32 * k + in_layer;
            BwAround n = bw_around(star, at, last, is_odd_layer(at, color));
            bw_lanes_store(out + at, (bw_lanes_load(b + at) + coupling * bw_around_sum(&n)) * inverse);
        }
}

// The places of a group of sixteen.
#define FOR_LANES_OF(group, at) for (int at = 16 * (group); at < 16 * (group) + 16; at += BW_LANES)

static void relax_masked(const BwColorStar *star, const BwLevel *level, int32_t t, int color,
                         const BwMasked *masks, const float *restrict b, float *restrict out)
{
    int last = level->layers - 1;
    float coupling = level->uniform[t];
    const float *inverse = masks->inverse + color * level->half;
    for (unsigned filled = level->filled[t][color]; filled != 0; filled &= filled - 1)
        FOR_LANES_OF(__builtin_ctz(filled), at)
        {
            BwAround n = bw_around(star, at, last, is_odd_layer(at, color));
            BwLanes sum = bw_lanes_load(b + at) + coupling * bw_around_sum(&n);
            bw_lanes_store(out + at, sum * bw_lanes_load(inverse + at));
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
    for (unsigned filled = level->filled[t][color]; filled != 0; filled &= filled - 1)
        FOR_LANES_OF(__builtin_ctz(filled), at)
        {
            BwAround n = bw_around(&star, at, last, is_odd_layer(at, color));
            BwLanes sum = bw_lanes_load(b + at) + bw_around_weighted(&n, row + at, level->cells);
            bw_lanes_store(out + at, sum * bw_lanes_load(row + BW_COUPLING_INVERSE * level->cells + at));
        }
}

void bw_red_black_relax_first(const BwLevel *level, int32_t t, int color, const float *b, float *out)
{
    const BwMasked *masks = bw_level_masks(level, t);
    if (level->uniform[t] > 0.0f && masks == NULL) {
        float inverse = bw_uniform_inverse(level, t);
        for (int at = 0; at < level->half; at += BW_LANES)
            bw_lanes_store(out + at, bw_lanes_load(b + at) * inverse);
        return;
    }
    const float *inverse = bw_level_inverse(level, t) + color * level->half;
    for (int at = 0; at < level->half; at += BW_LANES)
        bw_lanes_store(out + at, bw_lanes_load(b + at) * bw_lanes_load(inverse + at));
}

void bw_red_black_residual(const BwLevel *level, int32_t t, int color, const float *values, const float *b,
                           float *out)
{
    bw_red_black_apply(level, t, color, values, out);
    for (int at = 0; at < level->half; at += BW_LANES)
        bw_lanes_store(out + at, bw_lanes_load(b + at) - bw_lanes_load(out + at));
}

static inline BwLanes apply_uniform(const BwAround *n, BwLanes own, float coupling, float z_coupling)
{
    BwLanes xy = ((own - n->same) + (own - n->shifted)) + ((own - n->y_low) + (own - n->y_high));
    return coupling * xy + z_coupling * ((own - n->z_low) + (own - n->z_high));
}

// Of sides row and row + 1 of a block, the differences that count.
static inline BwLanes open_differences(BwLanes first, BwLanes second, const BwMasked *masks, int row,
                                       int color, int at)
{
    unsigned shift = (unsigned)at & 15;
    return bw_lanes_keep(first, bw_lane_bits((unsigned)masks->open[row][color][at >> 4] >> shift)) +
           bw_lanes_keep(second, bw_lane_bits((unsigned)masks->open[row + 1][color][at >> 4] >> shift));
}

static inline BwLanes apply_masked(const BwAround *n, BwLanes own, float coupling, const BwMasked *masks,
                                   int color, int at)
{
    BwLanes sum = open_differences(own - n->same, own - n->shifted, masks, 0, color, at);
    sum += open_differences(own - n->y_low, own - n->y_high, masks, 2, color, at);
    sum += open_differences(own - n->z_low, own - n->z_high, masks, 4, color, at);
    return coupling * sum;
}

static inline BwLanes apply_block(const BwAround *n, BwLanes own, const float *row, int cells)
{
    return bw_around_differences(n, own, row, cells) + bw_lanes_load(row + BW_COUPLING_EXTRA * cells) * own;
}

static void clear_group(float *out, int group)
{
    FOR_LANES_OF(group, at)
    bw_lanes_store(out + at, (BwLanes){0});
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
    BwSixteen product = {0};
    for (int group = 0; group < 2 * level->layers; group++) {
        if (!(level->filled[t][color] >> group & 1)) {
            clear_group(out, group);
            continue;
        }
        FOR_LANES_OF(group, at)
        {
            BwAround n = bw_around(&star, at, last, is_odd_layer(at, color));
            BwLanes own = bw_lanes_load(own_half + at);
            BwLanes result = masks != NULL ? apply_masked(&n, own, coupling, masks, color, at)
                             : is_uniform  ? apply_uniform(&n, own, coupling, z_coupling)
                                           : apply_block(&n, own, row + at, level->cells);
            bw_lanes_store(out + at, result);
            product.part[(at & 15) / BW_LANES] += own * result;
        }
    }
    return bw_sixteen_sum(&product);
}
