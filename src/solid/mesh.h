// Triangles as files give them: corners by index, in any order, whole or broken. Mending joins equal points
// and says what is wrong; measuring is done elsewhere (triangle_tree.h).
#pragma once

#include "base/memory.h"
#include <billow/vec.h>

// What a mesh may have at most; a file that asks for more is refused before memory is.
enum { BW_MESH_TRIANGLES_MAX = 1 << 24, BW_MESH_POINTS_MAX = 1 << 25 };

typedef struct BwMeshTriangle {
    int32_t corner[3]; // counter-clockwise seen from outside
} BwMeshTriangle;

typedef struct BwMesh {
    BwAllocator allocator;
    const char *name; // of the file, for messages
    BwVec3 *points;
    BwMeshTriangle *triangles;
    int64_t point_count, point_capacity;
    int64_t triangle_count, triangle_capacity;
} BwMesh;

BwResult bw_mesh_add_point(BwMesh *mesh, BwVec3 point, BwError *err);
BwResult bw_mesh_add_triangle(BwMesh *mesh, int32_t a, int32_t b, int32_t c, BwError *err);
void bw_mesh_free(BwMesh *mesh);

// What mending found.
typedef struct BwMeshReport {
    int64_t without_area;  // triangles that are lines or points; they are dropped
    int64_t doubled;       // triangles that are there before, facing the same way; they are dropped
    int64_t open_edges;    // edges with a triangle on one side only: rims of holes and of sheets
    int64_t crowded_edges; // edges with more than two triangles
    int64_t turned;        // triangles that faced the other way than their neighbours; they are turned
} BwMeshReport;

// Joins points that are equal, drops triangles without area and all but one of those that are equal, and
// turns those that disagree with most of the surface they belong to.
BwResult bw_mesh_mend(BwMesh *mesh, BwMeshReport *report, BwError *err);
