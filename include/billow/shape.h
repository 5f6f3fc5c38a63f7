/// Shapes as plain data: what emitters fill, what obstacles are, where forces act. A scene script builds them
/// with constructors (`sphere { ... }`), a C caller with the functions of the same names, or by filling the
/// struct.
/// ```c
/// BwShape parts[2] = {bw_box(bw_vec3(-1, -1, -1), bw_vec3(1, 1, 1)), bw_sphere(bw_vec3(0, 0, 0), 1.2f)};
/// BwShape rounded = bw_intersection(parts, 2), turned = bw_rotate(&rounded, bw_vec3(0, 1, 0), 0.5f);
/// float inside = bw_shape_distance(&turned, bw_vec3(0.5f, 0, 0)); // below 0
/// ```
#pragma once

#include <billow/base.h>
#include <billow/vec.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of shape, with the name a scene uses.
#define BW_SHAPES(X)                                                                                         \
    X(SPHERE, "sphere")                                                                                      \
    X(BOX, "box")                                                                                            \
    X(CYLINDER, "cylinder")                                                                                  \
    X(CAPSULE, "capsule")                                                                                    \
    X(PLANE, "plane")                                                                                        \
    X(TORUS, "torus")                                                                                        \
    X(CONE, "cone")                                                                                          \
    X(DISC, "disc")                                                                                          \
    X(RECTANGLE, "rectangle")                                                                                \
    X(MESH, "mesh")                                                                                          \
    X(HEIGHTMAP, "heightmap")                                                                                \
    X(VOXELS, "voxels")                                                                                      \
    X(WRAPPED, "wrapped")                                                                                    \
    X(POINTS, "points")                                                                                      \
    X(UNION, "union")                                                                                        \
    X(INTERSECTION, "intersection")                                                                          \
    X(DIFFERENCE, "difference")                                                                              \
    X(TRANSLATE, "translate")                                                                                \
    X(ROTATE, "rotate")                                                                                      \
    X(SCALE, "scale")

typedef enum BwShapeKind {
    BW_SHAPE_NONE,
#define X(name, text) BW_SHAPE_##name,
    BW_SHAPES(X)
#undef X
} BwShapeKind;

/// The content of a shape's file, read and ready to be measured. Scene scripts load theirs; a C caller loads
/// one and points its shapes to it.
typedef struct BwShapeFile BwShapeFile;

/// One shape, or several combined. Which fields count depends on the kind; lengths in metres.
typedef struct BwShape {
    BwShapeKind kind;
    BwVec3 a; // centre (sphere, torus, disc, rectangle), min (box), from (cylinder, capsule, cone: its
              // base), a point (plane), the move (translate)
    BwVec3 b; // max (box; z may be infinite in 2-D), to (cylinder, capsule, cone: its tip), normal (plane,
              // disc, rectangle), axis (torus, rotate)
    float radius; // sphere, cylinder, capsule, torus (of its middle line), cone (of its base), disc, points
                  // and wrapped (of a ball about each)
    float thickness; // torus: radius of the tube; mesh: its triangles are sheets this thick; 0: they enclose
                     // an inside
    float size[2];   // rectangle: full lengths of its sides
    float angle;     // rotate: radians about `b`, right-handed, about the origin
    float factor; // scale: about the origin; mesh, heightmap, voxels, wrapped and points: size of a file unit
                  // in m
    float height; // heightmap: of white above black
    float
        detail; // heightmap: m, mean height of what noise adds to smooth patches between the pixels; 0: none
    float threshold;            // voxels: value from which on they are full
    const char *file;           // mesh, heightmap, voxels, wrapped, points: path, relative to the scene file
    const BwShapeFile *content; // of the file; NULL: not loaded, the shape has no inside
    const struct BwShape
        *parts; // union, intersection, difference (first minus the rest); translate, rotate, scale: one
    int part_count;
} BwShape;

static inline BwShape bw_shape_of_kind(BwShapeKind kind)
{
    BwShape shape;
    memset(&shape, 0, sizeof shape);
    shape.kind = kind;
    return shape;
}

static inline BwShape bw_sphere(BwVec3 center, float radius)
{
    BwShape shape = bw_shape_of_kind(BW_SHAPE_SPHERE);
    shape.a = center;
    shape.radius = radius;
    return shape;
}

static inline BwShape bw_box(BwVec3 min, BwVec3 max)
{
    BwShape shape = bw_shape_of_kind(BW_SHAPE_BOX);
    shape.a = min;
    shape.b = max;
    return shape;
}

static inline BwShape bw_shape_along(BwShapeKind kind, BwVec3 from, BwVec3 to, float radius)
{
    BwShape shape = bw_shape_of_kind(kind);
    shape.a = from;
    shape.b = to;
    shape.radius = radius;
    return shape;
}

static inline BwShape bw_cylinder(BwVec3 from, BwVec3 to, float radius)
{
    return bw_shape_along(BW_SHAPE_CYLINDER, from, to, radius);
}

static inline BwShape bw_capsule(BwVec3 from, BwVec3 to, float radius)
{
    return bw_shape_along(BW_SHAPE_CAPSULE, from, to, radius);
}

/// The radius is that of its base, at `from`.
static inline BwShape bw_cone(BwVec3 from, BwVec3 to, float radius)
{
    return bw_shape_along(BW_SHAPE_CONE, from, to, radius);
}

/// All that is on the side of the plane which the normal points away from.
static inline BwShape bw_plane(BwVec3 point, BwVec3 normal)
{
    return bw_shape_along(BW_SHAPE_PLANE, point, normal, 0.0f);
}

/// A tube of radius `thickness` along a circle.
static inline BwShape bw_torus(BwVec3 center, BwVec3 axis, float radius, float thickness)
{
    BwShape shape = bw_shape_along(BW_SHAPE_TORUS, center, axis, radius);
    shape.thickness = thickness;
    return shape;
}

static inline BwShape bw_disc(BwVec3 center, BwVec3 normal, float radius)
{
    return bw_shape_along(BW_SHAPE_DISC, center, normal, radius);
}

static inline BwShape bw_rectangle(BwVec3 center, BwVec3 normal, float width, float height)
{
    BwShape shape = bw_shape_along(BW_SHAPE_RECTANGLE, center, normal, 0.0f);
    shape.size[0] = width;
    shape.size[1] = height;
    return shape;
}

/// The inside of a mesh from a file; `factor` is the size of a file unit in metres. `content` is set once it
/// is loaded (bw_shape_file_load).
static inline BwShape bw_mesh(const char *file, float factor)
{
    BwShape shape = bw_shape_of_kind(BW_SHAPE_MESH);
    shape.file = file;
    shape.factor = factor;
    return shape;
}

static inline BwShape bw_shape_combined(BwShapeKind kind, const BwShape *parts, int part_count)
{
    BwShape shape = bw_shape_of_kind(kind);
    shape.parts = parts;
    shape.part_count = part_count;
    return shape;
}

/// Shapes made of others, which must live as long as this one is used by the caller.
static inline BwShape bw_union(const BwShape *parts, int part_count)
{
    return bw_shape_combined(BW_SHAPE_UNION, parts, part_count);
}

static inline BwShape bw_intersection(const BwShape *parts, int part_count)
{
    return bw_shape_combined(BW_SHAPE_INTERSECTION, parts, part_count);
}

/// The first without the rest.
static inline BwShape bw_difference(const BwShape *parts, int part_count)
{
    return bw_shape_combined(BW_SHAPE_DIFFERENCE, parts, part_count);
}

static inline BwShape bw_translate(const BwShape *part, BwVec3 by)
{
    BwShape shape = bw_shape_combined(BW_SHAPE_TRANSLATE, part, 1);
    shape.a = by;
    return shape;
}

/// About the origin, in radians, right-handed.
static inline BwShape bw_rotate(const BwShape *part, BwVec3 axis, float angle)
{
    BwShape shape = bw_shape_combined(BW_SHAPE_ROTATE, part, 1);
    shape.b = axis;
    shape.angle = angle;
    return shape;
}

/// About the origin.
static inline BwShape bw_scale(const BwShape *part, float factor)
{
    BwShape shape = bw_shape_combined(BW_SHAPE_SCALE, part, 1);
    shape.factor = factor;
    return shape;
}

/// Signed distance in metres from a point to the surface, negative inside; infinite where there is no shape.
/// Exact for each analytic kind; for combinations a bound that has the right sign and is zero on the surface.
/// In 2-D scenes pass z = 0. Flat kinds (disc, rectangle) have no inside: their distance is never negative.
/// The first side of a rectangle is level, the second as upright as the normal allows. Shapes from files are
/// exact up to a sixtieth of their size away from the surface; farther out a distance is at most one part in
/// twenty too long, and too short where two parts of the surface are equally near.
BW_API float bw_shape_distance(const BwShape *shape, BwVec3 point);

/// Whether the shape has an area and no volume: discs and rectangles, moved or combined.
BW_API bool bw_shape_is_flat(const BwShape *shape);

/// The share of the way between two points, 0 to 1, after which the shape is met, however thin it is there; 2
/// when it is not. `touch` is the distance in metres that counts as meeting it.
BW_API float bw_shape_meet(const BwShape *shape, BwVec3 from, BwVec3 to, float touch);

/// A box that holds the whole inside of the shape; infinite sides where the shape is (plane).
BW_API BwBox bw_shape_bounds(const BwShape *shape);

/// Reads the file of a mesh, heightmap, voxels, wrapped or points shape: `path` is where it is, and of the
/// shape what bears on its reading counts (kind, thickness, height, factor, threshold, radius of wrapped).
/// Fails when the file cannot be read or is not what it should be; the message names the line or byte. A NULL
/// allocator is malloc and free. The caller destroys the content after every shape that points to it.
BW_API BwResult bw_shape_file_load(BwShapeFile **file, const BwShape *shape, const char *path,
                                   const BwAllocator *allocator, BwError *err);

/// The same for large files: `watch`, which may be NULL, is told how far it has come and may end it.
BW_API BwResult bw_shape_file_load_watched(BwShapeFile **file, const BwShape *shape, const char *path,
                                           const BwAllocator *allocator, const BwWatch *watch, BwError *err);
BW_API void bw_shape_file_destroy(BwShapeFile *file);

/// One more owner of the content: it is freed when each of them has destroyed it. Worlds share what the
/// shapes of their scene point to, so that a caller may destroy its own. From any thread.
BW_API BwShapeFile *bw_shape_file_share(const BwShapeFile *file);

/// 64 bits that change when any byte of the file does.
BW_API uint64_t bw_shape_file_hash(const BwShapeFile *file);

/// Bytes of memory that the content holds.
BW_API size_t bw_shape_file_bytes(const BwShapeFile *file);

/// What is wrong with the file and was mended or lived with, or NULL.
BW_API const char *bw_shape_file_warning(const BwShapeFile *file);

/// The name a scene uses for this kind: "sphere".
BW_API const char *bw_shape_name(BwShapeKind kind);

#ifdef __cplusplus
}
#endif
