/// Shapes as plain data: what emitters fill, what obstacles are, where forces act. A scene script builds them
/// with constructors (`sphere { ... }`), a C caller by filling the struct. Operations receive them as data,
/// never as callbacks.
#pragma once

#include <billow/base.h>
#include <billow/vec.h>

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

/// One shape, or several combined. Which fields count depends on the kind; lengths in metres.
typedef struct BwShape {
    BwShapeKind kind;
    BwVec3 a; // centre (sphere, torus, disc, rectangle), min (box), from (cylinder, capsule, cone: its
              // base), a point (plane), the move (translate)
    BwVec3 b; // max (box; z may be infinite in 2-D), to (cylinder, capsule, cone: its tip), normal (plane,
              // disc, rectangle), axis (torus, rotate)
    float radius;     // sphere, cylinder, capsule, torus (of its middle line), cone (of its base), disc
    float thickness;  // torus: radius of the tube
    float size[2];    // rectangle: full lengths of its sides
    float angle;      // rotate: radians about `b`, right-handed, about the origin
    float factor;     // scale: about the origin; mesh, heightmap, voxels and points: size of a file unit in m
    const char *file; // mesh, heightmap, voxels, points: path, relative to the scene file
    const struct BwShape
        *parts; // union, intersection, difference (first minus the rest); translate, rotate, scale: one
    int part_count;
} BwShape;

/// Signed distance in metres from a point to the surface, negative inside. Exact for each analytic kind; for
/// combinations a bound that has the right sign and is zero on the surface. In 2-D scenes pass z = 0.
/// Flat kinds (disc, rectangle) have no inside: their distance is never negative. The first side of a
/// rectangle is level, the second as upright as the normal allows. Shapes from files (mesh, heightmap,
/// voxels, points) have no inside yet.
BW_API float bw_shape_distance(const BwShape *shape, BwVec3 point);

/// A box that holds the whole inside of the shape; infinite sides where the shape is (plane).
BW_API BwBox bw_shape_bounds(const BwShape *shape);

/// The name a scene uses for this kind: "sphere".
BW_API const char *bw_shape_name(BwShapeKind kind);

#ifdef __cplusplus
}
#endif
