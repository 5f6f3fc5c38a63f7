// Waves of all directions, their lengths evenly spread over three octaves, with the same mean slope each.
#include "render/ripples.h"

#include "base/extremes.h"
#include "render/optics.h"
#include "scene/noise.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

#define OCTAVES      3.0
#define LENGTH_CELLS 2.0     // by default, of the longest: the shortest that cells know
#define GOLDEN_ANGLE 2.39996 // rad: no two directions are alike
#define TENSION      7.3e-5  // m^3/s^2, surface tension of water over its density
#define GUST_LENGTHS 6.0     // of the longest wave, in a cell of the noise
#define GUST_SECONDS 3.0     // in which it changes
#define GUST_SHARE   1.2f
#define GUST_MEAN    1.06f // by which it makes slopes steeper, square root of the mean of squares

// The angular frequency of a wave on deep water.
static double frequency(double wave_number, double gravity)
{
    return sqrt(wave_number * (gravity + TENSION * wave_number * wave_number));
}

BwResult bw_ripples_set(BwRipples *ripples, const BwSceneDef *scene, const BwWater *water, double time,
                        float pixel, BwError *err)
{
    const BwLookDef *look = &scene->look;
    double h = (double)water->cell, longest = LENGTH_CELLS * (double)scene->cell;
    float pull[4];
    *ripples = (BwRipples){.spread = pixel, .gust_time = time / GUST_SECONDS};
    if (!(look->ripples > 0.0f))
        return BW_OK;
    BW_TRY(bw_curve_at(&scene->gravity, time, pull, err));
    double gravity = (double)bw_length(bw_vec3(pull[0], pull[1], pull[2]));
    if (look->ripple_length > 0.0f)
        longest = (double)look->ripple_length;
    ripples->gust = h / (GUST_LENGTHS * longest);
    ripples->gust_x = water->origin[0] / (GUST_LENGTHS * longest);
    ripples->gust_z = water->origin[2] / (GUST_LENGTHS * longest);
    for (int n = 0; n < BW_RIPPLE_COUNT; n++) {
        double length = longest * exp2(-OCTAVES * n / BW_RIPPLE_COUNT), k = 2.0 * pi / length;
        double x = k * cos(GOLDEN_ANGLE * n), z = k * sin(GOLDEN_ANGLE * n);
        double phase = x * water->origin[0] + z * water->origin[2] - frequency(k, gravity) * time + n;
        ripples->waves[n] =
            (BwRipple){(float)(x * h), (float)(z * h), (float)fmod(phase, 2.0 * pi),
                       look->ripples * sqrtf(2.0f / BW_RIPPLE_COUNT) / GUST_MEAN, (float)(length / h)};
    }
    ripples->count = BW_RIPPLE_COUNT;
    return BW_OK;
}

void bw_ripples_slope(const BwRipples *ripples, const float place[3], float distance, float slope[2])
{
    float pixel = ripples->spread * distance;
    double x = ripples->gust_x + ripples->gust * (double)place[0],
           z = ripples->gust_z + ripples->gust * (double)place[2];
    float gust = bw_larger(1.0f + GUST_SHARE * bw_noise(x, 0.0, z, ripples->gust_time), 0.0f);
    slope[0] = slope[1] = 0.0f;
    for (int n = 0; n < ripples->count; n++) {
        const BwRipple *wave = &ripples->waves[n];
        float shown = bw_smaller(bw_larger(0.5f * wave->length / bw_larger(pixel, 1e-6f) - 1.0f, 0.0f), 1.0f);
        if (shown == 0.0f)
            continue;
        float s = gust * shown * wave->slope * cosf(wave->x * place[0] + wave->z * place[2] + wave->phase);
        float k = sqrtf(wave->x * wave->x + wave->z * wave->z);
        slope[0] += s * wave->x / k;
        slope[1] += s * wave->z / k;
    }
}

void bw_ripples_tilt(const BwRipples *ripples, const float origin[3], BwVec3 direction, BwCrossing *crossing)
{
    float up = crossing->normal.y, slope[2];
    if (ripples->count == 0 || !(up > 0.0f))
        return;
    const float place[3] = {origin[0] + crossing->t * direction.x, origin[1] + crossing->t * direction.y,
                            origin[2] + crossing->t * direction.z};
    bw_ripples_slope(ripples, place, crossing->t, slope);
    BwVec3 normal =
        bw_normalize(bw_sub(crossing->normal, bw_vec3(up * up * slope[0], 0.0f, up * up * slope[1])));
    if (!(bw_dot(normal, crossing->face) > 0.0f))
        return;
    float side = bw_dot(crossing->face, direction) < 0.0f ? 1.0f : -1.0f;
    crossing->normal =
        bw_mul(bw_turn_off(bw_mul(normal, side), bw_mul(crossing->face, side), direction), side);
}
