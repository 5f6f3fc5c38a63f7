// Smooth noise over space and time, for texture: gradient noise (Perlin 1985, 2002) on a lattice in four
// dimensions. Pure arithmetic on integers and floats, so it is the same everywhere.
#pragma once

#include <math.h>
#include <stdint.h>

static inline uint32_t bw_noise_hash(int32_t x, int32_t y, int32_t z, int32_t t)
{
    uint32_t h = (uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^ (uint32_t)z * 0xcb1ab31fu ^
                 (uint32_t)t * 0x165667b1u;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return h ^ h >> 15;
}

// One of 32 gradients: three of the four components are 1 or -1.
static inline float bw_noise_gradient(uint32_t hash, const float offset[4])
{
    float sum = 0.0f;
    uint32_t skipped = hash & 3;
    for (uint32_t n = 0; n < 4; n++)
        if (n != skipped)
            sum += hash >> (2 + n) & 1 ? offset[n] : -offset[n];
    return sum;
}

static inline float bw_noise_fade(float t)
{
    return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
}

// The coordinate's cell, wrapped to 32 bits, and the place in it.
static inline int32_t bw_noise_cell(double at, float *inside)
{
    double low = floor(at);
    *inside = (float)(at - low);
    return (int32_t)(uint32_t)(int64_t)fmod(low, 4294967296.0);
}

// About -1 to 1, 0 at every lattice point, with one feature per unit of each argument. Smooth to the second
// derivative.
static inline float bw_noise(double x, double y, double z, double t)
{
    const double at[4] = {x, y, z, t};
    int32_t cell[4];
    float inside[4], weight[4], sum = 0.0f;
    for (int n = 0; n < 4; n++) {
        cell[n] = bw_noise_cell(at[n], &inside[n]);
        weight[n] = bw_noise_fade(inside[n]);
    }
    for (int corner = 0; corner < 16; corner++) {
        float share = 1.0f, offset[4];
        int32_t c[4];
        for (int n = 0; n < 4; n++) {
            int high = corner >> n & 1;
            c[n] = (int32_t)((uint32_t)cell[n] + (uint32_t)high);
            offset[n] = inside[n] - (float)high;
            share *= high ? weight[n] : 1.0f - weight[n];
        }
        sum += share * bw_noise_gradient(bw_noise_hash(c[0], c[1], c[2], c[3]), offset);
    }
    return sum;
}
