// Whether a file of a mesh or of particles (PLY, OBJ, glTF) is whole: it holds as much as it says it does.
#pragma once

#include <billow/base.h>

#include <stdint.h>

typedef struct MeshCounts {
    int64_t vertices, faces;
} MeshCounts;

// Each fails with what was found and what was wanted where the file is damaged or cut.
BwResult mesh_count_ply(const char *path, MeshCounts *counts, BwError *err);
BwResult mesh_count_obj(const char *path, MeshCounts *counts, BwError *err);

// `generator` is the program that wrote it, as it says.
BwResult mesh_count_gltf(const char *path, MeshCounts *counts, char generator[64], BwError *err);
