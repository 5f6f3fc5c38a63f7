// A bump allocator over blocks that outlive the reset. Invariant: only the newest block has room that may be
// handed out.
#include "poisson/workspace.h"

#include <string.h>

#define BLOCK_MIN ((size_t)1 << 20)
#define HUGE_PAGE ((size_t)2 << 20)

typedef struct BwWorkspaceBlock {
    struct BwWorkspaceBlock *older;
    size_t size, used; // bytes, this head included
    size_t align;
} Block;

static size_t rounded(size_t size)
{
    return (size + BW_ALIGN - 1) / BW_ALIGN * BW_ALIGN;
}

static Block *add_block(BwWorkspace *workspace, size_t content)
{
    size_t size = rounded(sizeof(Block)) + (content > BLOCK_MIN ? content : BLOCK_MIN);
    size_t align = size >= HUGE_PAGE ? HUGE_PAGE : BW_ALIGN;
    Block *block = bw_alloc(&workspace->allocator, size, align);
    if (block == NULL)
        return NULL;
    *block = (Block){workspace->newest, size, rounded(sizeof(Block)), align};
    workspace->newest = block;
    return block;
}

void bw_workspace_free(BwWorkspace *workspace)
{
    for (Block *block = workspace->newest; block != NULL;) {
        Block *older = block->older;
        bw_free(&workspace->allocator, block, block->size, block->align);
        block = older;
    }
    workspace->newest = NULL;
    workspace->used = 0;
}

void bw_workspace_reset(BwWorkspace *workspace)
{
    Block *newest = workspace->newest;
    size_t used = workspace->used;
    workspace->used = 0;
    if (newest == NULL)
        return;
    if (newest->older == NULL) {
        newest->used = rounded(sizeof(Block));
        return;
    }
    // An eighth more, so that a liquid that spreads slowly does not bring a second block at every step.
    bw_workspace_free(workspace);
    add_block(workspace, used + used / 8);
}

void *bw_workspace_alloc(BwWorkspace *workspace, size_t size)
{
    size = rounded(size > 0 ? size : 1);
    Block *block = workspace->newest;
    if (block == NULL || block->size - block->used < size)
        block = add_block(workspace, size);
    if (block == NULL)
        return NULL;
    void *memory = (char *)block + block->used;
    block->used += size;
    workspace->used += size;
    return memory;
}

void *bw_workspace_alloc_zeroed(BwWorkspace *workspace, size_t size)
{
    void *memory = bw_workspace_alloc(workspace, size);
    if (memory != NULL)
        memset(memory, 0, size);
    return memory;
}
