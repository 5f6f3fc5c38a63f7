/// A frame: what a world looks like at one moment, as named fields on sparse tiles, with the solids that
/// stand in it. Solvers make frames; meshing, volumes, pictures and the viewer read them and nothing else.
/// ```c
/// const BwFrame *frame = NULL; // of bw_world_view_frame
/// const BwFrameField *density = bw_frame_field(frame, "density");
/// BwTileCoord at = {0, 2, 0}; // cells 0 to 7 along x, 16 to 23 along y
/// int32_t tile = bw_frame_find_tile(frame, at);
/// if (density != NULL && tile >= 0) {
///     const float *cells = density->values + (size_t)tile * 64 * (size_t)frame->layers;
///     printf("%g in cell (3, 17, 0)\n", (double)cells[3 + 8 * 1]);
/// }
/// ```
#pragma once

#include <billow/base.h>
#include <billow/shape.h>
#include <billow/vec.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Side of a tile in cells. In 2-D a tile is one layer thick.
#define BW_TILE 8

/// Where in its cell a sample sits. Cell (i, j, k) owns its low faces and its low corner.
typedef enum BwLocation {
    BW_AT_CELL,   // ((i + 1/2) h, (j + 1/2) h, (k + 1/2) h)
    BW_AT_FACE_X, // (i h, (j + 1/2) h, (k + 1/2) h)
    BW_AT_FACE_Y,
    BW_AT_FACE_Z,
    BW_AT_EDGE_X, // ((i + 1/2) h, j h, k h): edges run along their axis
    BW_AT_EDGE_Y,
    BW_AT_EDGE_Z,
    BW_AT_NODE, // (i h, j h, k h)
} BwLocation;

/// A tile's place: it covers the cells 8 x to 8 x + 7, and so on. In 2-D z is 0.
typedef struct BwTileCoord {
    int32_t x, y, z;
} BwTileCoord;

/// One field of a frame. Vectors are three fields: "u", "v", "w".
typedef struct BwFrameField {
    // "density", "temperature", "u", "v", "w", "pressure"; where smoke has colours "color_r", "color_g",
    // "color_b", from 0 to 1, and 0 where there is none of it; "fluid" and "solid" are 1 in such cells. With
    // obstacles in smoke: "open_u" and so on, the share of the face that solids leave open, and "solid_u" and
    // so on, their speed on the rest.
    const char *name;
    const char *unit; // "1", "K", "m/s", "Pa"
    BwLocation location;
    float background; // the value where there is no tile
    const float
        *values; // tile after tile in the order of `tiles`, 64 * layers each, i fastest, then j, then k
} BwFrameField;

/// A solid as it stands in this frame.
typedef struct BwFrameSolid {
    const BwShape *shape;
    BwPose pose;
    float color[3];
} BwFrameSolid;

typedef struct BwFrame {
    int number;      // 0 is the start
    double time;     // s
    int dimension;   // 2 or 3
    int layers;      // of a tile: 8, or 1 in 2-D
    float cell_size; // m
    bool has_walls;
    BwBox walls; // m, when has_walls

    int32_t tile_count;
    const BwTileCoord *tiles;  // ascending by z, then y, then x
    const uint64_t (*live)[8]; // per tile, one word a layer: bit 8 j + i is set where the cell is live
    const BwFrameField *fields;
    int field_count;
    const BwFrameSolid *solids;
    int solid_count;
} BwFrame;

/// The field of that name, or NULL. Here and below a frame that is NULL holds nothing.
BW_API const BwFrameField *bw_frame_field(const BwFrame *frame, const char *name);

/// Index of the tile at that place, or -1. Logarithmic.
BW_API int32_t bw_frame_find_tile(const BwFrame *frame, BwTileCoord coord);

/// 64 bits that change when any value, tile or name of the frame does; equal on every run of the same build.
BW_API uint64_t bw_frame_hash(const BwFrame *frame);

#ifdef __cplusplus
}
#endif
