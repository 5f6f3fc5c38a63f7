// The walks through a tree of triangles that a step asks for a million times: the nearest one, and the first
// that a segment meets. They are compiled for each instruction set (cmake/cpus.cmake); a tree keeps those of
// the processor at work.
#pragma once

#include "solid/triangle_tree.h"

typedef BwNearest BwTreeNearestFn(const BwTriangleTree *tree, BwVec3 point, float bound);
typedef float BwTreeMeetFn(const BwTriangleTree *tree, BwVec3 from, BwVec3 to);

// As bw_triangle_tree_nearest and bw_triangle_tree_meet.
BwTreeNearestFn bw_tree_walk_nearest;
BwTreeMeetFn bw_tree_walk_meet;
