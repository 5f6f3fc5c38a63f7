// Skies over the directions of a hemisphere, as an octahedron that is flattened to a square (Praun and Hoppe
// 2003).
#include "render/sky.h"

#include "base/extremes.h"
#include "scene/noise.h"

#define BRIGHT 1.6f // times the light from all around: there is none of it from below

// The studio, times the light from all around. Boxes lie in the plane of a ceiling one high.
#define ROOM_LOW   0.55f
#define ROOM_HIGH  0.95f
#define BOX_BRIGHT 2.0f
#define BOX_RIM    0.4f // wide, so that ripples do not turn its edge into a pattern

// A day: shares of the light from all around that the zenith has, and of white that clouds have.
#define CLOUD_BRIGHT 2.6f
#define CLOUD_LOW    -0.02f // of the noise, where clouds begin and where they are dense
#define CLOUD_HIGH   0.42f
#define HAZE         0.35f // sine of the height up to which the horizon's light is seen

static float ramp(float low, float high, float x)
{
    float t = bw_smaller(bw_larger((x - low) / (high - low), 0.0f), 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

// The direction of a place of the map, of -1 to 1 along both sides.
static BwVec3 direction_at(float u, float v)
{
    float x = 0.5f * (u + v), z = 0.5f * (u - v);
    return bw_normalize(bw_vec3(x, 1.0f - fabsf(x) - fabsf(z), z));
}

// A rectangle with a soft rim: 1 inside, 0 outside.
static float box(float x, float z, float half_x, float half_z)
{
    return (1.0f - ramp(half_x - BOX_RIM, half_x + BOX_RIM, fabsf(x))) *
           (1.0f - ramp(half_z - BOX_RIM, half_z + BOX_RIM, fabsf(z)));
}

// A large box above, a little towards the lamp, a strip behind it and one across.
static float studio_at(BwVec3 direction, BwVec3 lamp)
{
    float length = sqrtf(lamp.x * lamp.x + lamp.z * lamp.z);
    float ax = length > 1e-3f ? lamp.x / length : 1.0f, az = length > 1e-3f ? lamp.z / length : 0.0f;
    float up = bw_larger(direction.y, 0.02f);
    float along = (direction.x * ax + direction.z * az) / up;
    float across = (direction.z * ax - direction.x * az) / up;
    float boxes = box(along - 0.45f, across, 0.7f, 0.95f) +
                  0.8f * box(along + 2.2f, across - 0.3f, 0.5f, 1.6f) +
                  0.6f * box(along - 0.3f, fabsf(across) - 2.6f, 1.1f, 0.45f);
    return ROOM_LOW + (ROOM_HIGH - ROOM_LOW) * ramp(0.0f, 1.0f, direction.y) +
           BOX_BRIGHT * boxes * ramp(0.05f, 0.25f, direction.y);
}

// How much of the sky clouds cover: layers of noise on a flat sheet above, thinner towards the horizon.
static float clouds_at(BwVec3 direction)
{
    float up = direction.y + 0.12f, share = 1.0f, sum = 0.0f;
    double x = (double)(0.9f * direction.x / up), z = (double)(0.9f * direction.z / up);
    for (int n = 0; n < 3; n++) {
        sum += share * bw_noise(x, z, 0.37 * n, 5.5);
        share *= 0.5f;
        x = 2.03 * x + 1.7;
        z = 2.03 * z - 0.6;
    }
    return ramp(CLOUD_LOW, CLOUD_HIGH, sum) * ramp(0.0f, 0.2f, direction.y);
}

static void day_at(const BwSky *sky, BwVec3 direction, float light[3])
{
    float high = ramp(-HAZE, 1.0f, direction.y), haze = 1.0f - ramp(0.0f, HAZE, direction.y);
    float clouds = 0.8f * clouds_at(direction);
    float white = CLOUD_BRIGHT * (sky->zenith[0] + sky->zenith[1] + sky->zenith[2]) / 3.0f;
    for (int c = 0; c < 3; c++) {
        float blue = sky->zenith[c] + (1.0f - high) * 0.8f * (sky->horizon[c] - sky->zenith[c]);
        float above = blue + clouds * (white - blue);
        light[c] = above + haze * (sky->horizon[c] - above);
    }
}

void bw_sky_fill(BwSky *sky, BwSkyLook look, const BwRig *rig, const float horizon[3])
{
    const float blue[3] = {0.45f, 0.85f, 1.5f};
    BwVec3 lamp = rig->lamp_count > 0 ? rig->lamps[0].direction : bw_vec3(0.0f, 1.0f, 0.0f);
    sky->look = look;
    for (int c = 0; c < 3; c++) {
        sky->horizon[c] = horizon[c];
        sky->zenith[c] = BRIGHT * blue[c] * rig->sky[c];
    }
    for (int j = 0; j < BW_SKY_SIDE; j++)
        for (int i = 0; i < BW_SKY_SIDE; i++) {
            BwVec3 direction = direction_at(2.0f * (float)i / (float)(BW_SKY_SIDE - 1) - 1.0f,
                                            2.0f * (float)j / (float)(BW_SKY_SIDE - 1) - 1.0f);
            float *light = sky->light[j][i], share = BRIGHT;
            if (look == BW_SKY_DAY) {
                day_at(sky, direction, light);
                continue;
            }
            if (look == BW_SKY_STUDIO)
                share = BRIGHT * studio_at(direction, lamp);
            for (int c = 0; c < 3; c++)
                light[c] = share * rig->sky[c];
        }
}

void bw_sky_look_up(const BwSky *sky, BwVec3 direction, float light[3])
{
    float y = bw_larger(direction.y, 0.0f), sum = fabsf(direction.x) + y + fabsf(direction.z);
    float x = direction.x / sum, z = direction.z / sum;
    float u = 0.5f * (x + z + 1.0f) * (float)(BW_SKY_SIDE - 1),
          v = 0.5f * (x - z + 1.0f) * (float)(BW_SKY_SIDE - 1);
    int i = (int)bw_smaller(bw_larger(u, 0.0f), (float)(BW_SKY_SIDE - 2)),
        j = (int)bw_smaller(bw_larger(v, 0.0f), (float)(BW_SKY_SIDE - 2));
    u -= (float)i;
    v -= (float)j;
    for (int c = 0; c < 3; c++) {
        float low = sky->light[j][i][c] + u * (sky->light[j][i + 1][c] - sky->light[j][i][c]);
        float high = sky->light[j + 1][i][c] + u * (sky->light[j + 1][i + 1][c] - sky->light[j + 1][i][c]);
        light[c] = low + v * (high - low);
    }
}
