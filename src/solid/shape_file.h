// What a shape from a file holds once it is read: triangles, or points, in a tree, and grids of distances.
// They live in a frame where the whole has size one, so that files in millimetres and in kilometres are
// measured alike.
#pragma once

#include "solid/distance_grid.h"
#include "solid/mesh_read.h"
#include <billow/shape.h>

#include <stdatomic.h>

enum { BW_SHAPE_WARNING = 240 };

struct BwShapeFile {
    BwAllocator allocator;
    atomic_int owners;
    uint64_t hash; // of the file's bytes
    BwVec3 middle; // a point p of the file is at (p - middle) / unit
    float unit;
    BwBox bounds; // in the file's units
    BwTriangleTree tree;
    BwDistanceGrid grid; // close around
    BwDistanceGrid wide; // coarse, one and a half times the size on each side; its inside is not asked
    char warning[BW_SHAPE_WARNING]; // "": nothing to tell
};

// How far the surface stands off from the file's triangles or points, in metres.
static inline float bw_shape_file_offset(const BwShape *shape)
{
    return shape->kind == BW_SHAPE_POINTS ? shape->radius : 0.5f * shape->thickness;
}

// In the file's units; `span` bounds the distance, `slope` and `meet` are as those of shapes.
float bw_shape_file_distance(const BwShapeFile *file, BwVec3 point);
BwDistanceBounds bw_shape_file_distance_bounds(const BwShapeFile *file, BwVec3 point);
bool bw_shape_file_slope(const BwShapeFile *file, BwVec3 point, BwVec3 *slope, float *distance);
bool bw_shape_file_normal(const BwShapeFile *file, BwVec3 point, float bound, BwVec3 *normal);
float bw_shape_file_gap(const BwShapeFile *file, BwVec3 point, float bound);
float bw_shape_file_meet(const BwShapeFile *file, BwVec3 from, BwVec3 to);

// Whether a shape is one closed surface of triangles, moved or not: then whatever leads inside crosses one,
// and asking for that is many times cheaper than asking for distances near the surface.
bool bw_shape_is_triangles(const BwShape *shape);

// bw_shape_distance with flat shapes as plates: `half` metres to either side of their plane.
float bw_shape_plate_distance(const BwShape *shape, BwVec3 point, float half);

// As bw_shape_meet, of such a shape; where the way begins is not looked at.
float bw_shape_cross(const BwShape *shape, BwVec3 from, BwVec3 to);

// The direction in which the distance to such a shape rises fastest, of length one, and the distance, which
// is found on the way, to within its bounds. False where it is too far off to tell: then it has to be
// measured.
bool bw_shape_slope(const BwShape *shape, BwVec3 point, BwVec3 *slope, float *distance);

// The normal of such a shape where a point is nearest to its surface, as if what is round in its triangles
// were round; of length one, outwards. False beyond `bound`.

bool bw_shape_smooth_normal(const BwShape *shape, BwVec3 point, float bound, BwVec3 *normal);

// The distance from a point to the triangles of such a shape, without a sign; where it is more than `bound`,
// that or anything in between.
float bw_shape_gap(const BwShape *shape, BwVec3 point, float bound);

// Makes triangles of a file's bytes, for each kind of shape that has a file.
BwResult bw_shape_file_read(BwMesh *mesh, const BwShape *shape, const char *path, const BwFileBytes *bytes,
                            BwError *err);
