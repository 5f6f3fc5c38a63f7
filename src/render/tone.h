// From light to bytes: exposure, a film-like curve, sRGB, and a fixed dither so that gradients do not band.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

// Narkowicz (2016), "ACES filmic tone mapping curve": a toe that keeps shadows deep, a shoulder that lets
// white smoke roll off instead of clipping. 0 to 1 out of any light.
static inline float bw_tone_curve(float light)
{
    float y = light * (2.51f * light + 0.03f) / (light * (2.43f * light + 0.59f) + 0.14f);
    return fminf(fmaxf(y, 0.0f), 1.0f);
}

// The light that the curve turns into y, for colours that are asked for as they should appear.
static inline float bw_tone_inverse(float y)
{
    float a = 2.51f - 2.43f * y, b = 0.03f - 0.59f * y, c = -0.14f * y;
    return (-b + sqrtf(b * b - 4.0f * a * c)) / (2.0f * a);
}

static inline float bw_srgb_encode(float linear)
{
    return linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1.0f / 2.4f) - 0.055f;
}

static inline float bw_srgb_decode(float encoded)
{
    return encoded <= 0.04045f ? encoded / 12.92f : powf((encoded + 0.055f) / 1.055f, 2.4f);
}

// What comes out of the curve and sRGB, for light from 2^-14 to 2^5 in 64 parts of each octave: a straight
// line over a part is within 2e-5 of them, a two-hundredth of a byte's step.
enum { BW_TONE_FIRST = 127 - 14, BW_TONE_OCTAVES = 19, BW_TONE_PARTS = 64 };

typedef struct BwToneTable {
    float values[BW_TONE_OCTAVES * BW_TONE_PARTS + 1];
} BwToneTable;

static inline float bw_float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void bw_tone_table_fill(BwToneTable *table)
{
    for (uint32_t n = 0; n <= BW_TONE_OCTAVES * BW_TONE_PARTS; n++) {
        float light = bw_float_of_bits((BW_TONE_FIRST << 23) + (n << 17));
        table->values[n] = bw_srgb_encode(bw_tone_curve(light));
    }
}

// The parts of an octave are the first six bits of the mantissa, and the rest says how far into the part.
static inline float bw_tone_look_up(const BwToneTable *table, float light)
{
    const float darkest = bw_float_of_bits(BW_TONE_FIRST << 23);
    uint32_t bits;
    memcpy(&bits, &light, sizeof bits);
    if (!(light >= darkest))
        return light > 0.0f ? table->values[0] * light / darkest : 0.0f;
    uint32_t part = (bits >> 17) - (BW_TONE_FIRST << 6);
    if (part >= BW_TONE_OCTAVES * BW_TONE_PARTS)
        return table->values[BW_TONE_OCTAVES * BW_TONE_PARTS];
    float low = table->values[part], high = table->values[part + 1];
    return low + (high - low) * (float)(bits & 0x1ffff) * (1.0f / 131072.0f);
}

// Interleaved gradient noise (Jimenez 2014), 0 to 1: neighbouring pixels differ much, so that the eye
// averages it away, and the same pixel gets the same number in every frame and on every thread.
static inline float bw_pixel_noise(int x, int y)
{
    float n = 0.06711056f * (float)x + 0.00583715f * (float)y;
    n = 52.9829189f * (n - floorf(n));
    return n - floorf(n);
}

// A byte for a display value of 0 to 1. Values that are whole bytes stay so: the dither is just under half a
// step.
static inline uint8_t bw_dithered_byte(float value, float noise)
{
    return (uint8_t)(255.0f * value + 0.5f + 0.98f * (noise - 0.5f));
}
