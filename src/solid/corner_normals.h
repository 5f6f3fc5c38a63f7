// Normals at the corners of a mesh's triangles, so that what is round in the mesh is drawn round.
#pragma once

#include "solid/mesh.h"

// The normal of each corner: the mean of the triangles around it that are no farther than a crease from its
// own, each by its angle there (Thuermer and Wuethrich 1998). Unit, out of what
// the whole mesh encloses, or zero where a triangle has no area.
BwResult bw_mesh_corner_normals(const BwMesh *mesh, BwVec3 (*normals)[3], BwError *err);
