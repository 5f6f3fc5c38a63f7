// Frames for the tests of volumes: a few tiles with gaps between them, some cells not live, and values that
// can be told from the cell alone. Compiles as C and as C++.
#pragma once

#include <billow/frame.h>

#include <stdlib.h>

enum { VOLUME_TILES_MAX = 600, VOLUME_FIELDS = 9, VOLUME_COLOR = 3, VOLUME_U = 6 };

typedef struct VolumeFrame {
    BwFrame frame;
    BwFrameField fields[VOLUME_FIELDS]; // density, temperature, solid, colour, u, v, w
    BwTileCoord tiles[VOLUME_TILES_MAX];
    uint64_t live[VOLUME_TILES_MAX][8];
    float values[VOLUME_FIELDS][VOLUME_TILES_MAX * 512];
} VolumeFrame;

static inline uint32_t volume_hash(int32_t i, int32_t j, int32_t k, uint32_t seed)
{
    uint32_t h =
        (uint32_t)i * 73856093u ^ (uint32_t)j * 19349663u ^ (uint32_t)k * 83492791u ^ seed * 2654435761u;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    return h ^ h >> 13;
}

static inline bool volume_is_live(int32_t i, int32_t j, int32_t k)
{
    return volume_hash(i, j, k, 99) % 5 != 0;
}

// From -1 to 1, plus the field's background.
static inline float volume_value(const BwFrameField *field, int32_t i, int32_t j, int32_t k)
{
    uint32_t seed = 0;
    for (const char *letter = field->name; *letter != '\0'; letter++)
        seed = 31u * seed + (uint32_t)(unsigned char)*letter;
    return field->background + (float)(volume_hash(i, j, k, seed) >> 8) / 8388608.0f - 1.0f;
}

static inline void volume_fill_cell(VolumeFrame *volume, int32_t tile, int n)
{
    BwFrame *frame = &volume->frame;
    BwTileCoord at = volume->tiles[tile];
    int32_t i = 8 * at.x + (n & 7), j = 8 * at.y + (n >> 3 & 7), k = frame->layers * at.z + (n >> 6);
    if (volume_is_live(i, j, k))
        volume->live[tile][n >> 6] |= (uint64_t)1 << (n & 63);
    for (int f = 0; f < frame->field_count; f++)
        volume->values[f][tile * 64 * frame->layers + n] = volume_value(&volume->fields[f], i, j, k);
}

// The tiles must be in the order of frames. The caller frees it.
static inline VolumeFrame *volume_make(int dimension, const BwTileCoord *tiles, int32_t count)
{
    static const BwFrameField fields[VOLUME_FIELDS] = {
        {"density", "1", BW_AT_CELL, 0.0f, NULL, false},
        {"temperature", "K", BW_AT_CELL, 293.15f, NULL, false},
        {"solid", "1", BW_AT_CELL, 0.0f, NULL, false},
        {"color_r", "1", BW_AT_CELL, 0.0f, NULL, false},
        {"color_g", "1", BW_AT_CELL, 0.0f, NULL, false},
        {"color_b", "1", BW_AT_CELL, 0.0f, NULL, false},
        {"u", "m/s", BW_AT_FACE_X, 0.25f, NULL, false},
        {"v", "m/s", BW_AT_FACE_Y, -0.5f, NULL, false},
        {"w", "m/s", BW_AT_FACE_Z, 0.75f, NULL, false},
    };
    VolumeFrame *volume = (VolumeFrame *)calloc(1, sizeof *volume);
    BwFrame *frame = &volume->frame;
    frame->number = 7;
    frame->time = 0.29166666666666669;
    frame->dimension = dimension;
    frame->layers = dimension == 3 ? 8 : 1;
    frame->cell_size = 0.02f;
    frame->tile_count = count;
    frame->tiles = volume->tiles;
    frame->live = (const uint64_t(*)[8])volume->live;
    frame->fields = volume->fields;
    frame->field_count = dimension == 3 ? VOLUME_FIELDS : VOLUME_FIELDS - 1;
    for (int f = 0; f < frame->field_count; f++) {
        volume->fields[f] = fields[f];
        volume->fields[f].values = volume->values[f];
    }
    for (int32_t tile = 0; tile < count; tile++) {
        volume->tiles[tile] = tiles[tile];
        for (int n = 0; n < 64 * frame->layers; n++)
            volume_fill_cell(volume, tile, n);
    }
    return volume;
}

static const BwTileCoord volume_tiles_near[] = {{-2, 0, -1}, {-1, 0, -1}, {0, 3, 0}, {-2, 0, 1}, {-2, 0, 2}};
static const BwTileCoord volume_tiles_far[] = {{12500, 12501, -12600}, {12500, 12501, -12599}};
static const BwTileCoord volume_tiles_flat[] = {{-1, 0, 0}, {0, 0, 0}, {0, 4, 0}};
