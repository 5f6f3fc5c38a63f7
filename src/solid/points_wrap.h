// A closed surface around scattered points.
#pragma once

#include "solid/mesh.h"

// Nodes of the grid that the surface is found on, at most.
enum { BW_WRAP_NODES_MAX = 1 << 25 };

// Puts triangles that enclose what the points of a mesh lie on in place of all that it has. Points no farther
// apart than twice the radius, in the file's units, are bridged.
BwResult bw_points_wrap(BwMesh *mesh, float radius, BwError *err);
