// The memory of an advector: what it does not borrow is made here, once.
#include "advect/advect_job.h"

static BwResult create_limit(BwField **limit, BwField *own, BwField *lent, BwGrid *grid, BwError *err)
{
    *limit = lent != NULL ? lent : own;
    return lent != NULL ? BW_OK : bw_field_create(own, grid, BW_AT_CELL, 0.0f, err);
}

BwResult bw_advector_create(BwAdvector **out, BwGrid *grid, BwPool *pool, BwScheme scheme, BwLentFields lent,
                            BwError *err)
{
    *out = NULL;
    const BwAllocator *allocator = &grid->allocator;
    BwAdvector *advector = bw_alloc_zeroed(allocator, sizeof *advector, BW_ALIGN);
    if (advector == NULL)
        return bw_fail_memory(err);
    advector->grid = grid;
    advector->scheme = &bw_schemes[scheme];
    advector->lent_paths = lent.paths;
    advector->worker_count = bw_pool_worker_count(pool);
    advector->workers =
        bw_alloc_zeroed(allocator, (size_t)advector->worker_count * sizeof(BwAdvectWorker), BW_ALIGN);
    bool has_two_passes = advector->scheme->passes == 2;
    BwResult result = advector->workers != NULL ? BW_OK : bw_fail_memory(err);
    if (result == BW_OK)
        result = bw_paths_create(&advector->paths, grid, has_two_passes, lent.paths, err);
    if (result == BW_OK)
        result = bw_notes_create(&advector->before, grid, err);
    if (result == BW_OK)
        result = bw_notes_create(&advector->around, grid, err);
    if (result == BW_OK)
        result = bw_notes_create(&advector->longest, grid, err);
    if (result == BW_OK && has_two_passes)
        result = bw_notes_create(&advector->between, grid, err);
    if (result == BW_OK)
        result = bw_path_marks_create(&advector->marks, grid, lent.has_solids, err);
    if (result == BW_OK)
        result = bw_tile_budget_create(&advector->budget, grid, err);
    if (result == BW_OK)
        result = bw_notes_create_wide(&advector->parts, grid, sizeof(BwTileParts) / sizeof(uint64_t), err);
    if (result == BW_OK)
        result = bw_notes_create(&advector->walled, grid, err);
    if (result == BW_OK)
        result = bw_redistribution_create(&advector->redistribution, grid, err);
    for (int f = 0; f < BW_ADVECT_FIELDS && result == BW_OK; f++) {
        if (has_two_passes)
            result = bw_field_create(&advector->advected[f], grid, BW_AT_CELL, 0.0f, err);
        if (result == BW_OK)
            result = create_limit(&advector->low[f], &advector->own_low[f], lent.low[f], grid, err);
        if (result == BW_OK)
            result = create_limit(&advector->high[f], &advector->own_high[f], lent.high[f], grid, err);
    }
    if (result != BW_OK)
        bw_advector_destroy(advector);
    else
        *out = advector;
    return result;
}

void bw_advector_destroy(BwAdvector *advector)
{
    if (advector == NULL)
        return;
    const BwAllocator *allocator = &advector->grid->allocator;
    bw_paths_destroy(&advector->paths);
    bw_notes_destroy(&advector->before);
    bw_notes_destroy(&advector->around);
    bw_notes_destroy(&advector->longest);
    bw_notes_destroy(&advector->between);
    bw_path_marks_destroy(&advector->marks);
    bw_tile_budget_destroy(&advector->budget);
    bw_notes_destroy(&advector->parts);
    bw_notes_destroy(&advector->walled);
    bw_redistribution_destroy(&advector->redistribution);
    for (int f = 0; f < BW_ADVECT_FIELDS; f++) {
        bw_field_destroy(&advector->advected[f]);
        bw_field_destroy(&advector->own_low[f]);
        bw_field_destroy(&advector->own_high[f]);
    }
    bw_free(allocator, advector->workers, (size_t)advector->worker_count * sizeof(BwAdvectWorker), BW_ALIGN);
    bw_free(allocator, advector, sizeof *advector, BW_ALIGN);
}
