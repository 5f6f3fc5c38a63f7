// Frames made by formula for tests and benchmarks of pictures: a plume of curled billows, or any density
// given as a function of place. The caller frees them with puff_free.
#pragma once

#include <billow/frame.h>
#include <billow/scene.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef float PuffDensity(const void *context, float x, float y, float z); // in metres

typedef struct Puff {
    BwFrame frame;
    BwFrameField field;
    BwTileCoord *tiles;
    uint64_t (*live)[8];
    float *values;
} Puff;

// Tiles from `low` on, `count` of them along each axis; all cells live. Places given to `density` are
// relative to the low corner, so the same smoke can be put anywhere.
static inline Puff *puff_make(float cell, const int32_t low[3], const int32_t count[3], PuffDensity *density,
                              const void *context)
{
    Puff *puff = calloc(1, sizeof *puff);
    int layers = count[2] > 0 ? BW_TILE : 1;
    int32_t depth = count[2] > 0 ? count[2] : 1;
    size_t tile_count = (size_t)count[0] * (size_t)count[1] * (size_t)depth, cells = 64 * (size_t)layers;
    puff->tiles = malloc((tile_count + 1) * sizeof *puff->tiles);
    puff->live = malloc((tile_count + 1) * sizeof *puff->live);
    puff->values = malloc((tile_count * cells + 1) * sizeof *puff->values);
    memset(puff->live, 0xff, tile_count * sizeof *puff->live);
    for (size_t t = 0; t < tile_count; t++) {
        int32_t at[3] = {(int32_t)t % count[0], (int32_t)t / count[0] % count[1],
                         (int32_t)t / count[0] / count[1]};
        puff->tiles[t] = (BwTileCoord){low[0] + at[0], low[1] + at[1], low[2] + at[2]};
        for (size_t n = 0; n < cells; n++) {
            float x = (float)(8 * at[0] + (int32_t)(n & 7)) + 0.5f;
            float y = (float)(8 * at[1] + (int32_t)(n >> 3 & 7)) + 0.5f;
            float z = (float)(8 * at[2] + (int32_t)(n >> 6)) + 0.5f;
            puff->values[t * cells + n] = density(context, cell * x, cell * y, cell * z);
        }
    }
    puff->field = (BwFrameField){"density", "1", BW_AT_CELL, 0.0f, puff->values, false};
    puff->frame = (BwFrame){.dimension = layers == 1 ? 2 : 3,
                            .layers = layers,
                            .cell_size = cell,
                            .tile_count = (int32_t)tile_count,
                            .tiles = puff->tiles,
                            .live = (const uint64_t(*)[8])puff->live,
                            .fields = &puff->field,
                            .field_count = 1};
    return puff;
}

static inline void puff_free(Puff *puff)
{
    free(puff->tiles);
    free(puff->live);
    free(puff->values);
    free(puff);
}

static inline float puff_random(int32_t x, int32_t y, int32_t z)
{
    uint32_t h = (uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return (float)((h ^ h >> 15) >> 8) / 8388608.0f - 1.0f;
}

// Value noise, -1 to 1, smooth over lengths of 1.
static inline float puff_noise(float x, float y, float z)
{
    float fx = floorf(x), fy = floorf(y), fz = floorf(z), sum = 0.0f;
    float u = x - fx, v = y - fy, w = z - fz;
    u = u * u * u * (u * (6.0f * u - 15.0f) + 10.0f);
    v = v * v * v * (v * (6.0f * v - 15.0f) + 10.0f);
    w = w * w * w * (w * (6.0f * w - 15.0f) + 10.0f);
    for (int n = 0; n < 8; n++) {
        float weight = (n & 1 ? u : 1.0f - u) * (n & 2 ? v : 1.0f - v) * (n & 4 ? w : 1.0f - w);
        sum +=
            weight * puff_random((int32_t)fx + (n & 1), (int32_t)fy + (n >> 1 & 1), (int32_t)fz + (n >> 2));
    }
    return sum;
}

// A plume over a source at (0.5, 0.12, 0.5), 1 m wide and 2 m high: a column that widens with height, its rim
// folded into billows by warped noise, with holes.
static inline float puff_plume(const void *context, float x, float y, float z)
{
    (void)context;
    float warp = 0.10f * fminf(fmaxf(y - 0.1f, 0.0f), 0.8f);
    float wx = x + warp * puff_noise(4.0f * x, 4.0f * y + 7.0f, 4.0f * z) +
               0.4f * warp * puff_noise(11.0f * x, 11.0f * y, 11.0f * z + 3.0f);
    float wz = z + warp * puff_noise(4.0f * x + 31.0f, 4.0f * y, 4.0f * z + 5.0f) +
               0.4f * warp * puff_noise(11.0f * x + 9.0f, 11.0f * y, 11.0f * z);
    float bend = 0.06f * sinf(4.0f * y) * y, rise = fmaxf(y - 0.1f, 0.0f);
    float away = sqrtf((wx - 0.5f - bend) * (wx - 0.5f - bend) + (wz - 0.5f) * (wz - 0.5f));
    float radius = 0.08f + 0.11f * rise + 0.07f * rise * fabsf(sinf(5.0f * rise + 1.5f));
    float billow = 0.0f, size = 1.0f, frequency = 6.0f;
    for (int octave = 0; octave < 4; octave++) {
        billow +=
            size *
            (1.0f - 2.0f * fabsf(puff_noise(frequency * wx, frequency * (y - 0.3f * away), frequency * wz)));
        size *= 0.5f;
        frequency *= 2.1f;
    }
    float edge = (radius * (1.0f + 0.35f * billow) - away) / (0.012f + 0.02f * rise);
    float top = fminf(fmaxf((1.75f + 0.1f * billow - y) / 0.08f, 0.0f), 1.0f);
    float bottom = fminf(fmaxf((y - 0.06f) / 0.04f, 0.0f), 1.0f);
    float density = fminf(fmaxf(edge, 0.0f), 1.0f) * top * bottom;
    return density * (1.0f - 0.45f * fminf(rise, 1.5f)) * (0.75f + 0.25f * billow);
}
