// What a file for other programs holds, told in a few lines: OpenVDB (.vdb), VTK (.vti, .vtp, .vts, .vtm,
// .pvd), PLY, OBJ and glTF (.glb).
#pragma once

#include <billow/base.h>

#include <stdbool.h>

// The files of this kind, as a message names them.
#define EXPORT_FILES ".vdb, .vti, .vtp, .vts, .vtm, .pvd, .ply, .obj, .glb"

// Whether the file is one of those by how it begins, or is called as one of them.
bool is_export_file(const char *path);

// Fails where it is called so and holds something else.
int tell_export_file(const char *path);

// Whether a file of that kind, by its name, is whole: it ends as it must, and holds what it tells of. Fails
// where it is not.
BwResult check_export_file(const char *path, BwError *err);

// Whether the file holds what no text does, and so no scene.
bool is_binary_file(const char *path);
