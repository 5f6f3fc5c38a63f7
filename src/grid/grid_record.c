// Copies between stores and records. What comes from a record is checked first: it may come from a file.
#include "grid/grid_record.h"

#include <string.h>

BwResult bw_grid_save(const BwGrid *grid, BwRecord *record, BwError *err)
{
    void *values;
    BW_TRY(bw_record_add(record, "tiles", BW_RECORD_INT32, grid->tile_count, 3, &values, err));
    BwTileCoord *coords = values;
    for (int32_t n = 0; n < grid->tile_count; n++)
        coords[n] = grid->tiles[grid->order[n]].coord;
    return BW_OK;
}

static bool is_far(int32_t tile)
{
    return tile < -BW_TILE_COORD_MAX || tile > BW_TILE_COORD_MAX;
}

static BwResult check_coords(const BwGrid *grid, const BwTileCoord *coords, int64_t count, BwError *err)
{
    if (count > INT32_MAX)
        return bw_fail(err, BW_ERR_FORMAT, "the state has %lld tiles; that is too many", (long long)count);
    for (int64_t n = 0; n < count; n++) {
        bool is_sorted = n == 0 || bw_tile_coord_compare(coords[n - 1], coords[n]) < 0;
        bool is_flat = grid->dimension == 3 || coords[n].z == 0;
        if (!is_sorted || !is_flat || is_far(coords[n].x) || is_far(coords[n].y) || is_far(coords[n].z))
            return bw_fail(err, BW_ERR_FORMAT, "tile %lld of the state, at %d %d %d, is out of place",
                           (long long)n, coords[n].x, coords[n].y, coords[n].z);
    }
    return BW_OK;
}

BwResult bw_grid_load(BwGrid *grid, const BwRecord *record, BwError *err)
{
    const void *coords;
    int64_t count = -1;
    BW_TRY(bw_record_find(record, "tiles", BW_RECORD_INT32, &count, 3, &coords, err));
    BW_TRY(check_coords(grid, coords, count, err));
    bw_grid_sleep_all(grid);
    BW_TRY(bw_grid_wake(grid, coords, count, err));
    if (grid->tile_count != count)
        return bw_fail(err, BW_ERR_FORMAT, "%lld of the state's %lld tiles lie outside the scene's box",
                       (long long)(count - grid->tile_count), (long long)count);
    return BW_OK;
}

typedef struct Copy {
    const BwStore *store;
    char *out;      // save: to here
    const char *in; // load: from here
} Copy;

static void copy_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Copy *job = context;
    size_t bytes = job->store->tile_bytes;
    for (int64_t n = begin; n < end; n++) {
        char *tile = bw_store_tile(job->store, job->store->grid->order[n]);
        if (job->out != NULL)
            memcpy(job->out + (size_t)n * bytes, tile, bytes);
        else
            memcpy(tile, job->in + (size_t)n * bytes, bytes);
    }
}

static BwResult store_save(const BwStore *store, BwRecordType type, BwPool *pool, BwRecord *record,
                           const char *name, BwError *err)
{
    void *values;
    BW_TRY(bw_record_add(record, name, type, store->grid->tile_count, store->grid->tile_cells, &values, err));
    Copy job = {.store = store, .out = values};
    bw_parallel_for(pool, store->grid->tile_count, 64, copy_range, &job);
    return BW_OK;
}

static BwResult store_load(const BwStore *store, BwRecordType type, BwPool *pool, const BwRecord *record,
                           const char *name, BwError *err)
{
    const void *values;
    int64_t rows = store->grid->tile_count;
    BW_TRY(bw_record_find(record, name, type, &rows, store->grid->tile_cells, &values, err));
    Copy job = {.store = store, .in = values};
    bw_parallel_for(pool, store->grid->tile_count, 64, copy_range, &job);
    return BW_OK;
}

BwResult bw_field_save(const BwField *field, BwPool *pool, BwRecord *record, const char *name, BwError *err)
{
    return store_save(&field->store, BW_RECORD_FLOAT, pool, record, name, err);
}

BwResult bw_field_load(BwField *field, BwPool *pool, const BwRecord *record, const char *name, BwError *err)
{
    return store_load(&field->store, BW_RECORD_FLOAT, pool, record, name, err);
}

BwResult bw_wide_field_save(const BwWideField *field, BwPool *pool, BwRecord *record, const char *name,
                            BwError *err)
{
    return store_save(&field->store, BW_RECORD_DOUBLE, pool, record, name, err);
}

BwResult bw_wide_field_load(BwWideField *field, BwPool *pool, const BwRecord *record, const char *name,
                            BwError *err)
{
    return store_load(&field->store, BW_RECORD_DOUBLE, pool, record, name, err);
}
