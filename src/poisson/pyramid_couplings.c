// A tile's coefficients between two forms: plain, in the order of cells and by direction, for building
// levels; and as levels keep them, by colour, where one number or a few bits stand for most tiles.
#include "poisson/pyramid.h"

#include <string.h>

// A uniform tile's couplings to cells that hold no unknown are part of its diagonal.
static void fix_rim(const BwLevel *level, int32_t t, BwTileCouplings *couplings)
{
    static const int step[3] = {1, 8, 64};
    for (int side = 0; side < (level->layers == 1 ? 4 : 6); side++) {
        int axis = side / 2;
        int across = (side % 2 ? -7 : 7) * step[axis];
        for (int n = 0; n < level->cells; n++) {
            if ((n >> (3 * axis) & 7) != (side % 2 ? 7 : 0) ||
                bw_level_has_unknown(level, level->beside[t][side], n + across))
                continue;
            couplings->extra[n] += couplings->coupling[side][n];
            couplings->coupling[side][n] = 0.0f;
        }
    }
}

static void load_uniform(const BwLevel *level, int32_t t, BwTileCouplings *couplings)
{
    for (int side = 0; side < BW_BESIDE_COUNT; side++) {
        float value = level->layers == 1 && side >= BW_Z_LOW ? 0.0f : level->uniform[t];
        for (int n = 0; n < level->cells; n++)
            couplings->coupling[side][n] = value;
    }
    for (int n = 0; n < level->cells; n++) {
        couplings->extra[n] = couplings->mass[n] = 0.0f;
        couplings->unknown[n] = 1.0f;
    }
    if (!level->is_inner[t])
        fix_rim(level, t, couplings);
}

static void load_masked(const BwLevel *level, const BwMasked *masks, float coupling,
                        BwTileCouplings *couplings)
{
    BwLanes all = bw_lanes_of(coupling);
    memset(couplings->mass, 0, sizeof couplings->mass);
    for (int at = 0; at < level->cells; at += BW_LANES) {
        int k = at >> 6, shift = at & 63;
        BwLanes extra = {0};
        uint64_t any = 0;
        for (int side = 0; side < BW_BESIDE_COUNT; side++) {
            uint64_t linked = masks->linked[side][k] >> shift, fixed = masks->fixed[side][k] >> shift;
            bw_lanes_store(couplings->coupling[side] + at, bw_lanes_keep(all, bw_lane_bits(linked)));
            extra += bw_lanes_keep(all, bw_lane_bits(fixed));
            any |= linked | fixed;
        }
        bw_lanes_store(couplings->extra + at, extra);
        bw_lanes_store(couplings->unknown + at, bw_lanes_keep(bw_lanes_of(1.0f), bw_lane_bits(any)));
    }
}

// A block's row in the order of cells, from cell 2 at on.
static void load_rows(const BwLevel *level, const float *row, int at, BwLanes *low, BwLanes *high)
{
    bw_colors_merge(bw_lanes_load(row + at), bw_lanes_load(row + level->half + at), at, low, high);
}

static void store_rows(const BwLevel *level, float *row, int at, BwLanes low, BwLanes high)
{
    BwLanes even, odd;
    bw_colors_split(low, high, at, &even, &odd);
    bw_lanes_store(row + at, even);
    bw_lanes_store(row + level->half + at, odd);
}

// Even cells of a row from a, odd ones from b; a row may begin within.
static BwLanes alternate(BwLanes a, BwLanes b, int cell)
{
    return bw_lanes_choose(bw_lane_bits(0x5555u >> (cell & 1)), a, b);
}

void bw_level_load_couplings(const BwLevel *level, int32_t t, BwTileCouplings *couplings)
{
    const BwMasked *masks = bw_level_masks(level, t);
    if (masks != NULL) {
        load_masked(level, masks, level->uniform[t], couplings);
        return;
    }
    if (level->uniform[t] > 0.0f) {
        load_uniform(level, t, couplings);
        return;
    }
    const float *block = bw_level_block(level, t);
    float *plain[BW_COUPLING_ROWS] = {NULL,
                                      NULL,
                                      couplings->coupling[2],
                                      couplings->coupling[3],
                                      couplings->coupling[4],
                                      couplings->coupling[5],
                                      couplings->extra,
                                      couplings->unknown,
                                      couplings->mass};
    for (int at = 0; at < level->half; at += BW_LANES) {
        BwLanes same[2], shifted[2], rows[2];
        load_rows(level, block + BW_COUPLING_SAME * level->cells, at, &same[0], &same[1]);
        load_rows(level, block + BW_COUPLING_SHIFTED * level->cells, at, &shifted[0], &shifted[1]);
        for (int n = 0; n < 2; n++) {
            int cell = 2 * at + BW_LANES * n;
            bw_lanes_store(couplings->coupling[BW_X_LOW] + cell, alternate(shifted[n], same[n], cell));
            bw_lanes_store(couplings->coupling[BW_X_HIGH] + cell, alternate(same[n], shifted[n], cell));
        }
        for (int row = BW_COUPLING_Y_LOW; row < level->rows; row++) {
            load_rows(level, block + row * level->cells, at, &rows[0], &rows[1]);
            for (int n = 0; n < 2; n++) {
                if (row == BW_COUPLING_INVERSE)
                    rows[n] = bw_lanes_keep(bw_lanes_of(1.0f), rows[n] > 0.0f);
                bw_lanes_store(plain[row] + 2 * at + BW_LANES * n, rows[n]);
            }
        }
        if (level->rows <= BW_COUPLING_MASS)
            memset(couplings->mass + 2 * at, 0, 2 * sizeof(BwLanes));
    }
}

// Sum of a cell's couplings and of the rest of its diagonal, inverted where it holds an unknown.
static BwLanes inverse_rows(const BwTileCouplings *couplings, int at)
{
    BwLanes diagonal = bw_lanes_load(couplings->extra + at);
    for (int side = 0; side < BW_BESIDE_COUNT; side++)
        diagonal += bw_lanes_load(couplings->coupling[side] + at);
    return bw_lanes_keep(bw_lanes_load(couplings->unknown + at) / diagonal, diagonal > 0.0f);
}

void bw_level_store_couplings(BwLevel *level, int32_t t, const BwTileCouplings *couplings)
{
    float *block = bw_level_block(level, t);
    level->filled[t][0] = level->filled[t][1] = 0;
    for (int at = 0; at < level->half; at += BW_LANES) {
        const float *x_low = couplings->coupling[BW_X_LOW] + 2 * at,
                    *x_high = couplings->coupling[BW_X_HIGH] + 2 * at;
        BwLanes low[2] = {bw_lanes_load(x_low), bw_lanes_load(x_low + BW_LANES)};
        BwLanes high[2] = {bw_lanes_load(x_high), bw_lanes_load(x_high + BW_LANES)};
        store_rows(level, block + BW_COUPLING_SAME * level->cells, at, alternate(high[0], low[0], 0),
                   alternate(high[1], low[1], BW_LANES));
        store_rows(level, block + BW_COUPLING_SHIFTED * level->cells, at, alternate(low[0], high[0], 0),
                   alternate(low[1], high[1], BW_LANES));
        const float *plain[BW_COUPLING_ROWS] = {
            [BW_COUPLING_Y_LOW] = couplings->coupling[2], [BW_COUPLING_Y_HIGH] = couplings->coupling[3],
            [BW_COUPLING_Z_LOW] = couplings->coupling[4], [BW_COUPLING_Z_HIGH] = couplings->coupling[5],
            [BW_COUPLING_EXTRA] = couplings->extra,       [BW_COUPLING_MASS] = couplings->mass};
        for (int row = BW_COUPLING_Y_LOW; row < level->rows; row++)
            if (plain[row] != NULL)
                store_rows(level, block + row * level->cells, at, bw_lanes_load(plain[row] + 2 * at),
                           bw_lanes_load(plain[row] + 2 * at + BW_LANES));
        float *inverse = block + BW_COUPLING_INVERSE * level->cells;
        store_rows(level, inverse, at, inverse_rows(couplings, 2 * at),
                   inverse_rows(couplings, 2 * at + BW_LANES));
        for (int color = 0; color < 2; color++) {
            BwLanes stored = bw_lanes_load(inverse + color * level->half + at);
            level->filled[t][color] |= (uint16_t)((bw_lanes_bits(stored > 0.0f) != 0) << (at / 16));
        }
    }
}
