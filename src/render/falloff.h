// exp(-x) without a call, so that loops over it become vectors. The relative error is below 6e-6, and the
// result is the same on every machine.
#pragma once

#include "render/volume.h"

#include <string.h>

// x is 0 or more; beyond 87 the result stays at exp(-87), which is nothing to light.
static inline float bw_falloff(float x)
{
    float y = (x < 87.0f ? x : 87.0f) * -1.44269504f; // 2^y
    int32_t whole = (int32_t)(y - 0.5f);              // y lies below zero: rounds to the nearest
    float f = 0.69314718f * (y - (float)whole);       // within +-0.3466
    // The series of the exponential: the next term is below 2.5e-6.
    float series =
        1.0f + f * (1.0f + f * (0.5f + f * (0.16666667f + f * (0.041666667f + f * 0.0083333333f))));
    int32_t bits = (whole + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return series * power;
}

// The same of eight numbers at once, bit for bit.
static inline BwFloat8 bw_falloff8(BwFloat8 x)
{
    const BwFloat8 most = {87.0f, 87.0f, 87.0f, 87.0f, 87.0f, 87.0f, 87.0f, 87.0f};
    BwInt8 is_far = x >= most;
    x = (BwFloat8)(((BwInt8)x & ~is_far) | ((BwInt8)most & is_far));
    BwFloat8 y = x * -1.44269504f;
    BwInt8 whole = __builtin_convertvector(y - 0.5f, BwInt8);
    BwFloat8 f = 0.69314718f * (y - __builtin_convertvector(whole, BwFloat8));
    BwFloat8 series =
        1.0f + f * (1.0f + f * (0.5f + f * (0.16666667f + f * (0.041666667f + f * 0.0083333333f))));
    return series * (BwFloat8)((whole + 127) << 23);
}
