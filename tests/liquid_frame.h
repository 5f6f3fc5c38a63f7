// Frames of liquids made by formula, for tests and benchmarks of pictures: a level set given as a function of
// place, in a box, and particles where they are asked for. The caller frees them with liquid_free.
#pragma once

#include "puff.h"

typedef struct Liquid {
    Puff *puff;
    BwFrameField fields[3];
    float *u, *v;
    BwFrameParticles water;
    BwTileCoord tile;
    int32_t *tiles;
    BwVec3 *positions, *velocities;
    BwFrameAttribute velocity;
} Liquid;

// `phi` in metres; the tiles are those of the puff, and the walls are around all of them.
static inline Liquid *liquid_make(float cell, const int32_t low[3], const int32_t count[3], PuffDensity *phi,
                                  const void *context)
{
    Liquid *liquid = calloc(1, sizeof *liquid);
    float side = (float)BW_TILE * cell;
    Puff *puff = liquid->puff = puff_make(cell, low, count, phi, context);
    size_t cells = (size_t)puff->frame.tile_count * 64 * (size_t)puff->frame.layers;
    for (size_t n = 0; n < cells; n++)
        puff->values[n] = fminf(fmaxf(puff->values[n], -3.0f * cell), 3.0f * cell);
    liquid->u = calloc(cells, sizeof *liquid->u);
    liquid->v = calloc(cells, sizeof *liquid->v);
    liquid->fields[0] = (BwFrameField){"phi", "m", BW_AT_CELL, 3.0f * cell, puff->values, false};
    liquid->fields[1] = (BwFrameField){"u", "m/s", BW_AT_FACE_X, 0.0f, liquid->u, false};
    liquid->fields[2] = (BwFrameField){"v", "m/s", BW_AT_FACE_Y, 0.0f, liquid->v, false};
    puff->frame.fields = liquid->fields;
    puff->frame.field_count = 3;
    puff->frame.has_walls = true;
    puff->frame.walls.low = bw_vec3(side * (float)low[0], side * (float)low[1], side * (float)low[2]);
    puff->frame.walls.high =
        bw_add(puff->frame.walls.low,
               bw_vec3(side * (float)count[0], side * (float)count[1], side * (float)count[2]));
    return liquid;
}

// Gives the frame particles named "water"; the caller fills in places, from the low corner of the box, and
// velocities.
static inline void liquid_add_particles(Liquid *liquid, int64_t count, float radius)
{
    BwFrame *frame = &liquid->puff->frame;
    liquid->tile = frame->tiles[0];
    liquid->tiles = calloc((size_t)count, sizeof *liquid->tiles);
    liquid->positions = calloc((size_t)count, sizeof *liquid->positions);
    liquid->velocities = calloc((size_t)count, sizeof *liquid->velocities);
    liquid->velocity = (BwFrameAttribute){"velocity", "m/s", 3, &liquid->velocities[0].x, NULL};
    liquid->water = (BwFrameParticles){.name = "water",
                                       .radius = radius,
                                       .tile_count = 1,
                                       .tiles = &liquid->tile,
                                       .count = count,
                                       .tile = liquid->tiles,
                                       .positions = liquid->positions,
                                       .attributes = &liquid->velocity,
                                       .attribute_count = 1};
    frame->particles = &liquid->water;
    frame->particle_set_count = 1;
}

static inline void liquid_free(Liquid *liquid)
{
    free(liquid->u);
    free(liquid->v);
    free(liquid->tiles);
    free(liquid->positions);
    free(liquid->velocities);
    puff_free(liquid->puff);
    free(liquid);
}

// A splash in a tank 2 m long, 1 m high and deep: waves around a crown, a ball of water above it, and drops.
static inline float liquid_splash(const void *context, float x, float y, float z)
{
    (void)context;
    float dx = x - 0.9f, dz = z - 0.5f, away = sqrtf(dx * dx + dz * dz), angle = atan2f(dz, dx);
    float level = 0.35f + 0.02f * sinf(7.0f * x + 2.0f * z) + 0.012f * sinf(13.0f * z - 5.0f * x) +
                  0.02f * puff_noise(9.0f * x, 3.0f, 9.0f * z) +
                  0.05f * sinf(22.0f * away) * expf(-3.0f * away);
    float surface = 0.9f * (y - level);
    float rim = 0.2f + 0.012f * sinf(9.0f * angle), height = 0.5f + 0.04f * sinf(9.0f * angle);
    float lean = rim + 0.25f * fmaxf(y - level, 0.0f);
    float crown = fmaxf(fabsf(away - lean) - 0.022f, y - height);
    float by = y - 0.78f, ball = sqrtf((x - 0.95f) * (x - 0.95f) + by * by + dz * dz) - 0.11f;
    // The crown and the pool flow into one another.
    float blend = fmaxf(0.06f - fabsf(surface - crown), 0.0f) / 0.06f;
    return fminf(fminf(surface, crown) - 0.015f * blend * blend, ball);
}

// Particles thrown off the rim of the crown, and as many again in the pool.
static inline void liquid_add_spray(Liquid *liquid, int64_t count, float radius)
{
    liquid_add_particles(liquid, count, radius);
    for (int64_t n = 0; n < count; n++) {
        int32_t m = (int32_t)n;
        float a = 3.14159265f * puff_random(m, 1, 0), r = 0.5f + 0.5f * puff_random(m, 2, 0);
        float away = 0.22f + 0.5f * r * r, y = 0.35f + 0.45f * (0.5f + 0.5f * puff_random(m, 3, 0));
        liquid->velocities[n] = bw_vec3(3.0f * away * cosf(a), 3.0f * (y - 0.35f), 3.0f * away * sinf(a));
        liquid->positions[n] = bw_vec3(0.9f + away * cosf(a), y, 0.5f + away * sinf(a));
        if (n % 2 == 0) {
            liquid->positions[n] =
                bw_vec3(1.0f + puff_random(m, 4, 0), 0.34f * (0.5f + 0.5f * puff_random(m, 5, 0)),
                        0.5f + 0.5f * puff_random(m, 6, 0));
            liquid->velocities[n] = bw_vec3(0.3f, 0.0f, 0.0f);
        }
    }
}
