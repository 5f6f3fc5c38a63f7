/// A frame: what a world looks like at one moment, as named fields on sparse tiles, particles, columns of
/// water and surfaces, with the solids that stand in it. Solvers make frames; meshing, volumes, pictures and
/// the viewer read them and nothing else.
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
    // "density", "temperature", "u", "v", "w", "pressure"; of liquids "phi", the signed distance to the
    // surface, m, below 0 inside; where smoke has colours, or a liquid carries them, "color_r", "color_g",
    // "color_b", from 0 to 1, and 0 where there is none of it; "age", s, of liquids; "fluid" and "solid" are
    // 1 in such cells. With obstacles in smoke: "open_u" and so on, the share of the face that solids leave
    // open, and "solid_u" and so on, their speed on the rest.
    const char *name;
    const char *unit; // "1", "K", "m/s", "Pa"; NULL: "1"
    BwLocation location;
    float background; // the value where there is no tile
    const float
        *values;    // tile after tile in the order of `tiles`, 64 * layers each, i fastest, then j, then k
    bool is_detail; // pictures do not show it: bw_frame_save leaves it out; default false
} BwFrameField;

/// A solid as it stands in this frame.
typedef struct BwFrameSolid {
    const BwShape *shape; // of kind BW_SHAPE_NONE where the solid was removed
    BwPose pose;
    float color[3];
    bool is_glass;  // drawn as clear; default false
    float darkened; // 1, what burning has taken of the scene's colour for it, 0 to 1; default 0
} BwFrameSolid;

/// Numbers that go with each particle, column or vertex: one or three of a kind, floats or whole numbers.
/// "velocity" (3, m/s), "color" (3, from 0 to 1), "temperature" (K), "age" (s since it came) and "source" (a
/// whole number, see docs/sources.md) mean the same in every set.
typedef struct BwFrameAttribute {
    const char *name;        // letters, digits and underscores
    const char *unit;        // "1", "m/s", ...
    int components;          // 1 or 3
    const float *values;     // the components of the first, of the second, ...; or
    const int32_t *integers; // where `values` is NULL
} BwFrameAttribute;

/// Particles. A place is kept relative to a tile, so that a splash a kilometre from the origin is as exact as
/// one at it; bw_frame_particle_place puts the two together. The tiles are those of the particles, which may
/// be where no fields are, in any order.
typedef struct BwFrameParticles {
    const char *name; // "water", "spray"; letters, digits and underscores
    float radius;     // m, as large as one is drawn
    int32_t tile_count;
    const BwTileCoord *tiles;
    int64_t count;
    const int32_t *tile;     // of each particle, an index into `tiles`
    const BwVec3 *positions; // m, from the low corner of its tile; in 2-D z is 0
    const BwFrameAttribute *attributes;
    int attribute_count;
} BwFrameParticles;

/// Columns of shallow water over the x-z plane, x fastest. Column (i, k) stands in the middle of the cell
/// (low[0] + i, low[1] + k) of squares with side cell_size. In 2-D count[1] is 1.
typedef struct BwFrameColumns {
    const char *name;
    float cell_size; // m
    int32_t low[2], count[2];
    const float *heights; // m, of the surface, as a y coordinate
    // Where there is a "depth" (1, m), a column of which it is not above 0 is dry, and its height the
    // ground's.
    const BwFrameAttribute *attributes;
    int attribute_count;
} BwFrameColumns;

/// A surface of triangles.
typedef struct BwFrameMesh {
    const char *name;
    double origin[3]; // m, what vertices count from
    int32_t vertex_count, triangle_count;
    const BwVec3 *vertices;             // m
    const int32_t (*triangles)[3];      // vertices, counter-clockwise seen from outside
    const BwFrameAttribute *attributes; // of the vertices
    int attribute_count;
} BwFrameMesh;

typedef struct BwFrame {
    int number;      // 0 is the start
    double time;     // s
    int dimension;   // 2 or 3
    int layers;      // of a tile: 8, or 1 in 2-D
    float cell_size; // m
    bool has_walls;
    BwBox walls;      // m, when has_walls
    uint8_t sides[6]; // of them, left right bottom top back front: what each is, 1 + BwWallKind; 0: not told

    int32_t tile_count;
    const BwTileCoord *tiles;  // ascending by z, then y, then x
    const uint64_t (*live)[8]; // per tile, one word a layer: bit 8 j + i is set where the cell is live
    const BwFrameField *fields;
    int field_count;
    const BwFrameSolid *solids;
    int solid_count;
    int body_count; // of the solids, the last ones: bodies, which a liquid moves; default 0

    const BwFrameParticles *particles;
    const BwFrameColumns *columns;
    const BwFrameMesh *meshes;
    int particle_set_count, column_set_count, mesh_count;
} BwFrame;

/// The field of that name, or NULL. Here and below a frame that is NULL holds nothing.
BW_API const BwFrameField *bw_frame_field(const BwFrame *frame, const char *name);
BW_API const BwFrameParticles *bw_frame_particles(const BwFrame *frame, const char *name);
BW_API const BwFrameColumns *bw_frame_columns(const BwFrame *frame, const char *name);
BW_API const BwFrameMesh *bw_frame_mesh(const BwFrame *frame, const char *name);

/// The attribute of that name in a list of them, or NULL.
BW_API const BwFrameAttribute *bw_frame_attribute(const BwFrameAttribute *attributes, int count,
                                                  const char *name);

/// Where particle n of a set is, m; NaN where there is no such particle.
BW_API void bw_frame_particle_place(const BwFrame *frame, const BwFrameParticles *particles, int64_t n,
                                    double place[3]);

/// The value of a field at a point (m), interpolated linearly between its samples, wherever in their cells
/// they sit. Samples are the background where there is no tile, and at the centres of cells that are not
/// live. In 2-D z does not count. Fails when the frame has no such field, or the point is not finite.
BW_API BwResult bw_frame_sample(const BwFrame *frame, const char *name, const double point[3], float *value,
                                BwError *err);

/// Copies a field's samples of the cells low[a] <= cell < high[a] into the caller's memory, i fastest, then
/// j, then k; the background as above. In 2-D all fluid is at k = 0. `count` is how many floats `values` has
/// room for, and must be that of the box.
BW_API BwResult bw_frame_copy_dense(const BwFrame *frame, const char *name, const int32_t low[3],
                                    const int32_t high[3], float *values, int64_t count, BwError *err);

/// Index of the tile at that place, or -1. Logarithmic.
BW_API int32_t bw_frame_find_tile(const BwFrame *frame, BwTileCoord coord);

/// 64 bits that change when any value, tile or name of the frame does; equal on every run of the same build.
/// Of a solid they tell where it stands, its colour and whether it was removed, not its shape. 0 for what is
/// no frame: lists that are not there, counts below 0, tiles out of order.
BW_API uint64_t bw_frame_hash(const BwFrame *frame);

#ifdef __cplusplus
}
#endif
