// What a frame or a checkpoint holds, told in a few lines.
#pragma once

#include <billow/base.h>

// Whether the file is one of ours: a frame or a checkpoint.
bool is_cache_file(const char *path);
int tell_cache_file(const char *path);

// The particles, columns and meshes of the last frame that a run kept; nothing where it has none, or where no
// frame can be read.
BwResult tell_last_frame(const char *folder, BwError *err);
