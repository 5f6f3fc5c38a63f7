// Voxels as cubes: the sides between full ones and empty ones become triangles.
#pragma once

#include "solid/mesh_read.h"

enum { BW_VOXELS_SIDE_MAX = 1024, BW_VOXELS_MAX = 1 << 28 };

// Adds the surface of the voxels that are not 0, x fastest. Voxel i, j, k is the cube from (i, j, k) to
// (i + 1, j + 1, k + 1).
BwResult bw_mesh_add_voxels(BwMesh *mesh, const uint8_t *full, const long long size[3], BwError *err);

// A drawing in characters (voxel_drawing.c), and whether a file begins as one.
bool bw_voxel_drawing_begins(const BwFileBytes *file);
BwResult bw_mesh_read_voxel_drawing(BwMesh *mesh, const BwFileBytes *file, BwError *err);
