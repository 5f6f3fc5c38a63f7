// Marching cubes on one cube of nodes: the polygons that its surface makes in it (Lorensen and Cline 1987).
// They are traced along the cube's faces. On a face whose corners are inside and outside in turn, the two
// inside are joined where the bilinear surface joins them (asymptotic decider, Nielson and Hamann 1991),
// which both cubes at the face see alike: the mesh has no holes. No triangle has a diagonal on a face of the
// cube, which the cube beside might have as well: every edge of the mesh has two triangles, every vertex one
// fan of them.
#pragma once

#include <billow/vec.h>

#include <stdbool.h>
#include <stdint.h>

// Corner c of a cube is at (c & 1, c >> 1 & 1, c >> 2). Edge e goes along axis e / 4 from the corner
// bw_edge_corner[e].
extern const int bw_edge_corner[12];

enum { BW_POLYGONS_MAX = 4, BW_POLYGON_SIDES_MAX = 12 };

typedef struct BwPolygons {
    int8_t count;
    int8_t sides[BW_POLYGONS_MAX];
    // The edges they go along, counter-clockwise seen from outside of the liquid.
    int8_t edges[BW_POLYGONS_MAX][BW_POLYGON_SIDES_MAX];
} BwPolygons;

// The polygons of a cube whose corners inside are the bits of `inside`; `level` is below 0 there, and looked
// at only on faces of which two opposite corners are inside.
void bw_cube_polygons(BwPolygons *polygons, unsigned inside, const float level[8]);

// The polygons of all cubes that need no levels.
typedef struct BwCubeTable {
    bool is_ambiguous[256]; // a face has two opposite corners inside
    BwPolygons polygons[256];
} BwCubeTable;

void bw_cube_table_fill(BwCubeTable *table);

// A polygon is made of triangles around one of its corners or, where all such have a diagonal on a face,
// around a vertex in its middle: -1. `corners` are its vertices.
bool bw_polygon_needs_middle(const int8_t *edges, int sides);
int bw_polygon_apex(const int8_t *edges, int sides, const BwVec3 *corners);
