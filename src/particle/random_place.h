// Random places that depend on a cell alone, whoever asks for them.
#pragma once

#include <stdint.h>

// How far from its middle a particle may start in its equal share of a cell, of that: enough that no rows
// show in a splash, and so little that a surface begins flat.
#define BW_JITTER 0.5f

// A random number from 0 to 1, drawn to the middle by that.
static inline float bw_jittered(float random)
{
    return 0.5f + BW_JITTER * (random - 0.5f);
}

// Three numbers from 0 to 1 that depend on a cell and a part of it.
static inline void bw_random_place(uint64_t seed, const int32_t cell[3], int part, float place[3])
{
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)(uint32_t)part;
    for (int a = 0; a < 3; a++)
        state = (state ^ (uint64_t)(uint32_t)cell[a]) * UINT64_C(0xbf58476d1ce4e5b9) + (state >> 29);
    for (int a = 0; a < 3; a++) {
        state += UINT64_C(0x9e3779b97f4a7c15);
        uint64_t mixed = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
        place[a] = (float)(mixed >> 40) * 0x1p-24f;
    }
}
