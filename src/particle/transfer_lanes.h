// The arithmetic of the transfer to the grid (particle/transfer.h), over lanes of particles (grid/lanes.h):
// what each particle adds to the samples around it. The sums themselves are taken particle after particle, in
// the order in which they stand, whatever the lanes.
#pragma once

#include "grid/lanes.h"
#include "particle/particles.h"

// A block, in samples: a tile and one more at each end.
enum {
    BW_TRANSFER_SIDE = BW_TILE + 2,
    BW_TRANSFER_LAYER = BW_TRANSFER_SIDE * BW_TRANSFER_SIDE,
};

// What a group of particles adds to the samples of one location around each. Of every row of two samples
// along x, near and far in y, then in z, a particle has four numbers, from bw_addend_of on: momentum and
// weight of one sample, momentum and weight of the other.
typedef struct BwAddends {
    _Alignas(BW_ALIGN) float row[4][4 * BW_LANES];
    _Alignas(BW_ALIGN) int32_t first[BW_LANES]; // the particle's first sample, in the block
} BwAddends;

static inline int bw_addend_of(int lane)
{
    return BW_LANES == 1 ? 0 : lane % 4 * BW_LANES + lane / 4 * 4;
}

// Four numbers of each lane, side by side: those of lanes 0, 4, 8, ..., then 1, 5, 9, ..., as transposing
// within quarters of a vector gives them.
#if BW_LANES == 16
#define BW_MERGE_LOW   0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define BW_MERGE_HIGH  2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define BW_MERGE_EVENS 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define BW_MERGE_ODDS  2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#elif BW_LANES == 8
#define BW_MERGE_LOW   0, 8, 1, 9, 4, 12, 5, 13
#define BW_MERGE_HIGH  2, 10, 3, 11, 6, 14, 7, 15
#define BW_MERGE_EVENS 0, 1, 8, 9, 4, 5, 12, 13
#define BW_MERGE_ODDS  2, 3, 10, 11, 6, 7, 14, 15
#elif BW_LANES == 4
#define BW_MERGE_LOW   0, 4, 1, 5
#define BW_MERGE_HIGH  2, 6, 3, 7
#define BW_MERGE_EVENS 0, 1, 4, 5
#define BW_MERGE_ODDS  2, 3, 6, 7
#endif

static inline void bw_store_fours(float *to, BwLanes a, BwLanes b, BwLanes c, BwLanes d)
{
#if BW_LANES == 1
    memcpy(to, (const float[4]){a[0], b[0], c[0], d[0]}, 4 * sizeof *to);
#else
    BwLanes ab_low = __builtin_shufflevector(a, b, BW_MERGE_LOW),
            ab_high = __builtin_shufflevector(a, b, BW_MERGE_HIGH),
            cd_low = __builtin_shufflevector(c, d, BW_MERGE_LOW),
            cd_high = __builtin_shufflevector(c, d, BW_MERGE_HIGH);
    bw_lanes_store(to, __builtin_shufflevector(ab_low, cd_low, BW_MERGE_EVENS));
    bw_lanes_store(to + BW_LANES, __builtin_shufflevector(ab_low, cd_low, BW_MERGE_ODDS));
    bw_lanes_store(to + 2 * BW_LANES, __builtin_shufflevector(ab_high, cd_high, BW_MERGE_EVENS));
    bw_lanes_store(to + 3 * BW_LANES, __builtin_shufflevector(ab_high, cd_high, BW_MERGE_ODDS));
#endif
}

// A group of particles. Places are in their tile, so no sample lies outside of its block.
typedef struct BwTransferLanes {
    BwLanes place[3];
    BwLanes volume, speed, slope[3]; // of the velocity component at hand
} BwTransferLanes;

// Where places are among the samples of a location, and the first of those.
static inline __attribute__((always_inline)) void bw_transfer_parts(const BwTransferLanes *lanes, int axis,
                                                                    int axes, BwLanes part[3], int32_t *first)
{
    BwLaneBits step = {0};
    int stride = 1;
    for (int a = 0; a < axes; a++, stride *= BW_TRANSFER_SIDE) {
        BwLanes at = lanes->place[a] - (a == axis ? 0.0f : 0.5f) + 1.0f; // never below 0
        BwLaneBits low = __builtin_convertvector(at, BwLaneBits);
        part[a] = at - __builtin_convertvector(low, BwLanes);
        step += low * stride;
    }
    memcpy(first, &step, sizeof step);
}

// The velocity component of an axis.
static inline __attribute__((always_inline)) void bw_transfer_component(const BwTransferLanes *lanes,
                                                                        int axis, int axes,
                                                                        BwAddends *addends)
{
    BwLanes part[3];
    bw_transfer_parts(lanes, axis, axes, part, addends->first);
    BwLanes left = 1.0f - part[0], near_x = -part[0] * lanes->slope[0], far_x = left * lanes->slope[0];
    for (int k = 0; k < (axes == 3 ? 2 : 1); k++) {
        BwLanes weight_z = lanes->volume, speed_z = lanes->speed;
        if (axes == 3) {
            weight_z *= k == 0 ? 1.0f - part[2] : part[2];
            speed_z += lanes->slope[2] * ((float)k - part[2]);
        }
        for (int j = 0; j < 2; j++) {
            BwLanes weight = weight_z * (j == 0 ? 1.0f - part[1] : part[1]);
            BwLanes base = speed_z + lanes->slope[1] * ((float)j - part[1]);
            BwLanes one = 1.0f + base * 0.0f; // a velocity that is no number leaves no weight that is one
            bw_store_fours(addends->row[2 * k + j], weight * left * (near_x + base), weight * left * one,
                           weight * part[0] * (far_x + base), weight * part[0] * one);
        }
    }
}

// The share of liquid around the centres of cells. It has no momentum: a particle's four numbers are the
// shares of a row of two samples, and of the next row along y.
static inline __attribute__((always_inline)) void bw_transfer_share(const BwTransferLanes *lanes, int axes,
                                                                    BwAddends *addends)
{
    BwLanes part[3];
    bw_transfer_parts(lanes, -1, axes, part, addends->first);
    for (int k = 0; k < (axes == 3 ? 2 : 1); k++) {
        BwLanes weight = lanes->volume, left = 1.0f - part[0];
        if (axes == 3)
            weight *= k == 0 ? 1.0f - part[2] : part[2];
        BwLanes near = weight * (1.0f - part[1]), far = weight * part[1];
        bw_store_fours(addends->row[k], near * left, near * part[0], far * left, far * part[0]);
    }
}
