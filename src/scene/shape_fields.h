// The words of shapes. A part of vocabulary.c, which alone includes it.
#pragma once

#include "scene/field_rows.h"

// Rows stay rows.
// clang-format off
#define DEF BwShape
#define RADIUS(meaning) {"radius", BW_FIELD_NUMBER, AT(radius), "m", ABOVE_ZERO, BW_REQUIRED, meaning}
#define POINT(name, field, flags, meaning)                                                                   \
    {name, BW_FIELD_VECTOR, AT(field), "m", ANY, BW_REQUIRED | (flags), meaning}
#define DIRECTION(name, meaning)                                                                             \
    {name, BW_FIELD_VECTOR, AT(b), "1", ANY, BW_REQUIRED | BW_DIRECTION, meaning}
#define MOVED_SHAPE                                                                                          \
    {"shape", BW_FIELD_PARTS, AT(parts), NULL, ANY, BW_REQUIRED | BW_ONE_PART, "what is moved"}
static const BwSceneField sphere_fields[] = {
    POINT("center", a, BW_IN_PLANE, "of the ball"),
    RADIUS(""),
};
static const BwSceneField box_fields[] = {
    POINT("min", a, BW_LOW_CORNER, "low corner"),
    POINT("max", b, BW_HIGH_CORNER, "high corner"),
};
static const BwSceneField from_to_fields[] = {
    POINT("from", a, 0, "one end of its axis"),
    POINT("to", b, 0, "the other end"),
    RADIUS("about the axis"),
};
static const BwSceneField cone_fields[] = {
    POINT("from", a, 0, "middle of its base"),
    POINT("to", b, 0, "its tip"),
    RADIUS("of its base"),
};
static const BwSceneField plane_fields[] = {
    POINT("point", a, 0, "any point of it"),
    DIRECTION("normal", "points out: the inside is all that is behind"),
};
static const BwSceneField torus_fields[] = {
    POINT("center", a, 0, "of the ring"),
    {"axis", BW_FIELD_VECTOR, AT(b), "1", ANY, BW_DIRECTION, "through its hole", {0, 1, 0}},
    RADIUS("from the axis to the middle of the tube"),
    {"thickness", BW_FIELD_NUMBER, AT(thickness), "m", ABOVE_ZERO, BW_REQUIRED, "radius of the tube"},
};
static const BwSceneField disc_fields[] = {
    POINT("center", a, 0, ""),
    DIRECTION("normal", "where it faces"),
    RADIUS(""),
};
static const BwSceneField rectangle_fields[] = {
    POINT("center", a, 0, ""),
    DIRECTION("normal", "where it faces"),
    {"size", BW_FIELD_PAIR, AT(size), "m", ABOVE_ZERO, BW_REQUIRED,
     "of the level side and of the upright one"},
};
#define FILE_AND_SCALE(unit)                                                                                 \
    {"file", BW_FIELD_TEXT, AT(file), NULL, ANY, BW_REQUIRED, "path, from the scene file's folder"},         \
    {"scale", BW_FIELD_NUMBER, AT(factor), "m", ABOVE_ZERO, 0, "size of one " unit, {1}}
static const BwSceneField mesh_fields[] = {
    FILE_AND_SCALE("unit of the file"),
    {"thickness", BW_FIELD_NUMBER, AT(thickness), "m", NOT_NEGATIVE, 0,
     "of its triangles as sheets; 0: they enclose an inside"},
};
static const BwSceneField heightmap_fields[] = {
    FILE_AND_SCALE("pixel"),
    {"height", BW_FIELD_NUMBER, AT(height), "m", ABOVE_ZERO, 0, "of white above black", {1}},
    {"detail", BW_FIELD_NUMBER, AT(detail), "m", NOT_NEGATIVE, 0,
     "mean height of what noise adds to smooth patches through the pixels, three times as fine"},
};
static const BwSceneField voxels_fields[] = {
    FILE_AND_SCALE("voxel"),
    {"threshold", BW_FIELD_NUMBER, AT(threshold), "1", ANY, 0, "value from which on a voxel is full", {0.5}},
};
static const BwSceneField points_fields[] = {
    FILE_AND_SCALE("unit of the file"),
    RADIUS("of a ball about each point"),
};
static const BwSceneField wrapped_fields[] = {
    FILE_AND_SCALE("unit of the file"),
    RADIUS("of a ball about each point: gaps of less than twice that are bridged"),
};
static const BwSceneField combined_fields[] = {
    {"parts", BW_FIELD_PARTS, AT(parts), NULL, ANY, BW_REQUIRED, "shapes, one after another"},
};
static const BwSceneField translate_fields[] = {
    MOVED_SHAPE,
    POINT("by", a, BW_IN_PLANE, "how far"),
};
static const BwSceneField rotate_fields[] = {
    MOVED_SHAPE,
    {"axis", BW_FIELD_VECTOR, AT(b), "1", ANY, BW_DIRECTION | BW_ABOUT_Z, "through the origin, right-handed",
     {0, 0, 1}},
    {"angle", BW_FIELD_NUMBER, AT(angle), "rad", ANY, BW_REQUIRED, "deg(30) turns degrees to radians"},
};
static const BwSceneField scale_fields[] = {
    MOVED_SHAPE,
    {"by", BW_FIELD_NUMBER, AT(factor), "1", ABOVE_ZERO, BW_REQUIRED, "about the origin"},
};
#undef DEF
// clang-format on
