// A tree of boxes over triangles. It answers three questions about a soup of them: how far is the nearest, is
// this point inside, does this segment meet one.
//
// Nodes have up to eight children, and triangles come in packs of eight: what is asked of one is asked of all
// eight at once, in loops that compilers turn into vector instructions.
//
// Inside is told by the generalized winding number (Jacobson, Kavan and Sorkine 2013): the share of all
// directions in which the surface is seen from its back. It is 1 inside a closed surface, 0 outside, and goes
// smoothly from one to the other across a hole, so that holes and crossings need no repair. Far parts of the
// tree count as one dipole each (Barill, Dickson, Schmidt, Levin and Jacobson 2018).
#pragma once

#include "solid/mesh.h"

enum { BW_TREE_WIDTH = 8 };

// What a few sums of floats may be off by, of distances to boxes.
#define BW_TREE_ROUNDING 1e-5f

typedef struct BwTreeNode {
    float low[3][BW_TREE_WIDTH], high[3][BW_TREE_WIDTH]; // boxes of its children
    int32_t child[BW_TREE_WIDTH];                        // a node, or the complement of a pack
    int32_t count;                                       // of children, which come first
} BwTreeNode;

// What a node's children look like from afar.
typedef struct BwTreeDipoles {
    float middle[3][BW_TREE_WIDTH]; // of a child's triangles, weighted by area
    float reach[BW_TREE_WIDTH];     // of its triangles from there
    float area[3][BW_TREE_WIDTH];   // sum of area times normal
} BwTreeDipoles;

typedef struct BwTreeTriangle {
    BwVec3 corner[3];
    int32_t number; // in the mesh
} BwTreeTriangle;

// The triangles of a leaf. The last one stands in the places that are left over, where it changes nothing.
typedef struct BwTreePack {
    float corner[3][3][BW_TREE_WIDTH]; // corner, axis, triangle
    float per_side2[3][BW_TREE_WIDTH]; // one over the square of each side's length, from its corner on
    float per_normal2[BW_TREE_WIDTH];  // and of the cross product of two sides
    int32_t number[BW_TREE_WIDTH];     // in the mesh
    int32_t count;
} BwTreePack;

typedef struct BwNearest {
    float distance;   // `bound` where none is nearer
    int32_t triangle; // -1: none; else its pack times the width plus its place there
} BwNearest;

typedef struct BwTriangleTree BwTriangleTree;

// The questions of every path past a mesh, as compiled for the processor at work (solid/tree_walk.h).
typedef struct BwTreeWalk {
    BwNearest (*nearest)(const BwTriangleTree *tree, BwVec3 point, float bound);
    float (*meet)(const BwTriangleTree *tree, BwVec3 from, BwVec3 to);
} BwTreeWalk;

struct BwTriangleTree {
    BwAllocator allocator;
    BwBox box; // around all
    BwTreeNode *nodes;
    BwTreeDipoles *dipoles; // one for each node
    BwTreePack *packs;
    int64_t node_count, node_capacity, dipole_capacity;
    int64_t pack_count, pack_capacity;
    int64_t triangle_count;
    BwVec3 (*normals)[3]; // at corners, by number; NULL: not asked for
    BwTreeWalk walk;
};

// The mesh may go afterwards. A triangle may be a point.
BwResult bw_triangle_tree_create(BwTriangleTree *tree, const BwMesh *mesh, BwError *err);
void bw_triangle_tree_destroy(BwTriangleTree *tree);

// Finds the normals at corners, for bw_triangle_tree_normal; of the mesh that the tree was made of.
BwResult bw_triangle_tree_smooth(BwTriangleTree *tree, const BwMesh *mesh, BwError *err);

// The triangle nearest to a point.
BwNearest bw_triangle_tree_nearest(const BwTriangleTree *tree, BwVec3 point, float bound);

BwTreeTriangle bw_tree_triangle(const BwTriangleTree *tree, int64_t triangle);

// The point of a triangle that is nearest to a point; and its normal, of length one if it has an area.
BwVec3 bw_triangle_foot(const BwTreeTriangle *triangle, BwVec3 point);
BwVec3 bw_triangle_normal(const BwTreeTriangle *triangle);

// The normal where a point is nearest to the triangles: those of the corners, blended. False where it is not
// known, or no triangle is nearer than `bound`.
bool bw_triangle_tree_normal(const BwTriangleTree *tree, BwVec3 point, float bound, BwVec3 *normal);

// How far a point is from the box around all triangles: none is nearer. 0 inside of it.
float bw_triangle_tree_outside(const BwTriangleTree *tree, BwVec3 point);

// The side of a triangle that a point is on: -1 behind it, 1 before it, 0 where the triangle's nearest bit is
// a corner or a side, which do not tell.
int bw_triangle_side(const BwTreeTriangle *triangle, BwVec3 point);

// 1 inside, 0 outside, in between near holes; -1 inside of a surface that is inside out.
float bw_triangle_tree_winding(const BwTriangleTree *tree, BwVec3 point);

static inline bool bw_triangle_tree_is_inside(const BwTriangleTree *tree, BwVec3 point)
{
    return fabsf(bw_triangle_tree_winding(tree, point)) > 0.5f;
}

// The share of the way between two points at which the first triangle is met; 2 where none is.
float bw_triangle_tree_meet(const BwTriangleTree *tree, BwVec3 from, BwVec3 to);
