// Memory of one solver, kept from step to step. Blocks are handed out until the next reset, which gives them
// all back at once and keeps the bytes, so that a run in its stride allocates nothing and touches no fresh
// page.
#pragma once

#include "base/memory.h"

typedef struct BwWorkspace {
    BwAllocator allocator;
    struct BwWorkspaceBlock *newest;
    size_t used; // bytes handed out since the last reset
} BwWorkspace;

// Forgets what was handed out. After a step that needed several blocks they become one of their size.
void bw_workspace_reset(BwWorkspace *workspace);
void bw_workspace_free(BwWorkspace *workspace);

// Memory aligned for vectors, not cleared; NULL when memory is short. A size of 0 gives a valid pointer.
void *bw_workspace_alloc(BwWorkspace *workspace, size_t size);
void *bw_workspace_alloc_zeroed(BwWorkspace *workspace, size_t size);
