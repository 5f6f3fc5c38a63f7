// Building the pyramid: the memory of its levels, and the recipe. The finest level comes from the system
// (pyramid_finest.c), each further one from the one before (coarsen.c), and the last is solved directly
// (pyramid_direct.c).
#include "poisson/pyramid.h"

#include <string.h>

void *bw_level_alloc(const BwPyramid *pyramid, size_t count, size_t size)
{
    return bw_workspace_alloc(pyramid->workspace, count * size);
}

BwResult bw_level_reserve_tiles(const BwPyramid *pyramid, BwLevel *level, BwError *err)
{
    size_t count = (size_t)level->count + 1;
    level->coord = bw_level_alloc(pyramid, count, sizeof *level->coord);
    level->beside = bw_level_alloc(pyramid, count, sizeof *level->beside);
    level->child = bw_level_alloc(pyramid, count, sizeof *level->child);
    level->parent = bw_level_alloc(pyramid, count, sizeof *level->parent);
    level->uniform = bw_level_alloc(pyramid, count, sizeof *level->uniform);
    level->is_inner = bw_level_alloc(pyramid, count, sizeof *level->is_inner);
    level->block = bw_level_alloc(pyramid, count, sizeof *level->block);
    level->filled = bw_level_alloc(pyramid, count, sizeof *level->filled);
    level->extra_first = bw_workspace_alloc_zeroed(pyramid->workspace, (count + 1) * sizeof(int32_t));
    level->explicit_first = bw_workspace_alloc_zeroed(pyramid->workspace, (count + 1) * sizeof(int32_t));
    level->exception_first = bw_workspace_alloc_zeroed(pyramid->workspace, (count + 1) * sizeof(int32_t));
    if (level->coord == NULL || level->beside == NULL || level->child == NULL || level->parent == NULL ||
        level->uniform == NULL || level->is_inner == NULL || level->block == NULL || level->filled == NULL ||
        level->extra_first == NULL || level->explicit_first == NULL || level->exception_first == NULL)
        return bw_fail_memory(err);
    memset(level->beside[0], 0, sizeof level->beside[0]);
    level->uniform[0] = 0.0f;
    level->filled[0][0] = level->filled[0][1] = 0;
    return BW_OK;
}

BwResult bw_level_reserve_values(const BwPyramid *pyramid, BwLevel *level, BwError *err)
{
    size_t count = (size_t)bw_level_nodes(level) + BW_TILE_LAYER;
    level->x = bw_level_alloc(pyramid, count, sizeof(float));
    level->b = bw_level_alloc(pyramid, count, sizeof(float));
    if (level->x == NULL || level->b == NULL)
        return bw_fail_memory(err);
    memset(level->x, 0, (size_t)level->cells * sizeof(float));
    memset(level->b, 0, (size_t)level->cells * sizeof(float));
    return BW_OK;
}

// Numbers the blocks of the tiles that are not uniform and makes room for them.
BwResult bw_level_reserve_blocks(const BwPyramid *pyramid, BwLevel *level, BwError *err)
{
    int32_t count = 0;
    for (int32_t t = 1; t <= level->count; t++)
        level->block[t] = level->uniform[t] > 0.0f ? -1 : count++;
    level->blocks =
        bw_level_alloc(pyramid, (size_t)count * (size_t)(level->rows * level->cells), sizeof(float));
    return level->blocks != NULL ? BW_OK : bw_fail_memory(err);
}

BwResult bw_pyramid_build(BwPyramid *pyramid, const BwPoissonTiles *tiles, BwError *err)
{
    *pyramid = (BwPyramid){.pool = tiles->pool, .workspace = tiles->workspace, .level_count = 1};
    BW_TRY(bw_pyramid_build_finest(pyramid, tiles, err));
    while (pyramid->level_count < BW_LEVELS_MAX) {
        BwLevel *fine = &pyramid->level[pyramid->level_count - 1];
        if (fine->unknowns <= BW_DIRECT_MAX)
            break;
        BW_TRY(bw_level_coarsen(pyramid, fine, fine + 1, err));
        pyramid->level_count++;
        // Unknowns without couplings are solved by one sweep and go no further, so a pyramid may end early.
        if (fine[1].unknowns == 0)
            break;
    }
    return bw_pyramid_build_direct(pyramid, err);
}
