// Light at the surface of water, and in it: Snell's law, Fresnel's equations, Beer and Lambert's law.
#pragma once

#include "render/falloff.h"
#include <billow/vec.h>

#include <math.h>

#define BW_WATER_INDEX 1.333f // of refraction, against air
#define BW_GRAZING     0.02f  // sine of what a reflected ray rises above its surface at least

// The share of unpolarised light that is reflected at a surface. `ratio` is the index on the side of the ray
// over that on the other; `cosine` is that of the angle to the normal. 1 where all of it is. *cosine_out
// becomes the cosine on the other side.
static inline float bw_fresnel(float ratio, float cosine, float *cosine_out)
{
    float square = 1.0f - ratio * ratio * (1.0f - cosine * cosine);
    *cosine_out = 0.0f;
    if (square <= 0.0f)
        return 1.0f;
    float out = sqrtf(square);
    float across = (ratio * cosine - out) / (ratio * cosine + out);
    float along = (cosine - ratio * out) / (cosine + ratio * out);
    *cosine_out = out;
    return 0.5f * (across * across + along * along);
}

// The direction of a ray behind a surface; `normal` is against the ray.
static inline BwVec3 bw_refract(BwVec3 direction, BwVec3 normal, float ratio, float cosine, float cosine_out)
{
    return bw_normalize(bw_add(bw_mul(direction, ratio), bw_mul(normal, ratio * cosine - cosine_out)));
}

static inline BwVec3 bw_reflect(BwVec3 direction, BwVec3 normal, float cosine)
{
    return bw_add(direction, bw_mul(normal, 2.0f * cosine));
}

// A smooth normal may have a ray reflected into its own triangle, at the rim of what is seen. It is turned as
// far as it takes for the reflected ray to come off. `face` is that of the triangle; both are against the
// ray.
static inline BwVec3 bw_turn_off(BwVec3 normal, BwVec3 face, BwVec3 ray)
{
    BwVec3 back = bw_sub(ray, bw_mul(normal, 2.0f * bw_dot(ray, normal)));
    float least = fminf(BW_GRAZING, -bw_dot(ray, face)), rise = bw_dot(back, face);
    if (rise >= least)
        return normal;
    back = bw_normalize(bw_add(back, bw_mul(face, least - rise)));
    return bw_normalize(bw_sub(back, ray));
}
