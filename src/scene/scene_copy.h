// A scene of one's own: a deep copy of a BwSceneDef, down to keys, texts and parts of shapes, in one arena.
// Two things cannot be copied and are shared instead: contents of shapes' files, and the sandbox of a script
// whose functions the scene calls. Both live until the last who shares them is gone. Functions that a C
// caller wrote stay the caller's, with what their `user` points to.
#pragma once

#include "base/memory.h"
#include <billow/scene.h>

// All zero but the arena's allocator is a valid empty one.
typedef struct BwSceneCopy {
    BwArena arena;
    BwSceneDef def;
    struct BwSharedFile *files;     // newest first
    struct BwSharedScript *scripts; // newest first, each once
} BwSceneCopy;

// Copies a scene that was checked. Fails when memory is short; what was copied so far is freed by destroy.
BwResult bw_scene_copy(BwSceneCopy *copy, const BwSceneDef *def, BwError *err);
void bw_scene_copy_destroy(BwSceneCopy *copy);
