// Readers of mesh files. Bytes come from anywhere, so every number is looked at before it is used; a message
// names the file, the line or byte, what was found and what was wanted.
#pragma once

#include "solid/mesh.h"

typedef struct BwFileBytes {
    const char *name; // for messages
    const char *bytes;
    size_t size;
} BwFileBytes;

// Wavefront OBJ: points and faces. Faces with more than three corners become fans.
BwResult bw_mesh_read_obj(BwMesh *mesh, const BwFileBytes *file, BwError *err);

// Stanford PLY: ascii, and binary of either byte order.
BwResult bw_mesh_read_ply(BwMesh *mesh, const BwFileBytes *file, BwError *err);

// Stereolithography STL: ascii and binary.
BwResult bw_mesh_read_stl(BwMesh *mesh, const BwFileBytes *file, BwError *err);

// Lines of x, y, z; more numbers on a line are not looked at. Gives points only.
BwResult bw_mesh_read_xyz(BwMesh *mesh, const BwFileBytes *file, BwError *err);

// A drawing in characters, or a volume (NRRD, raw or text) whose voxels are full where their value is at or
// above the threshold. Voxel i, j, k is the cube from (i, j, k) to (i + 1, j + 1, k + 1).
BwResult bw_mesh_read_voxels(BwMesh *mesh, const BwFileBytes *file, float threshold, BwError *err);

// Everything else that Assimp knows, read by name in a process of its own, with limits on time and memory.
BwResult bw_mesh_read_assimp(BwMesh *mesh, const char *path, BwError *err);
