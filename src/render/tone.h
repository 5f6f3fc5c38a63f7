// From light to bytes: exposure, a film-like curve, sRGB, and a fixed dither so that gradients do not band.
#pragma once

#include <math.h>
#include <stdint.h>

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
