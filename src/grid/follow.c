// Waking and sleeping with a buffer zone.
#include "grid/follow.h"

#include <string.h>

// More than any memory holds the fields of, and few enough to be listed.
static const double tiles_max = 67108864.0; // 2^26

static BwResult want_tile(BwFollowPlan *plan, const BwGrid *grid, BwTileCoord coord, BwError *err)
{
    coord = bw_grid_wrap_coord(grid, coord);
    int32_t slot = bw_grid_find_wrapped(grid, coord);
    if (slot != 0) {
        plan->keep[grid->tiles[slot].rank] = 1;
        return BW_OK;
    }
    // Spans of one row want the same tile again and again; the last one is the likeliest double.
    if (plan->wake_count > 0 && bw_tile_coord_equal(plan->wake[plan->wake_count - 1], coord))
        return BW_OK;
    BW_TRY(bw_reserve(&grid->allocator, (void **)&plan->wake, &plan->wake_capacity, plan->wake_count + 1,
                      sizeof *plan->wake, err));
    plan->wake[plan->wake_count++] = coord;
    return BW_OK;
}

static int64_t clamp_between(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

// All tiles that meet a box of cells grown by `buffer`, as far as the bounds reach.
static BwResult want_box(BwFollowPlan *plan, const BwGrid *grid, const int32_t low[3], const int32_t high[3],
                         int buffer, BwError *err)
{
    int32_t first[3] = {0}, last[3] = {0};
    for (int a = 0; a < grid->dimension; a++) {
        if (low[a] >= high[a])
            return BW_OK;
        int64_t from = clamp_between((int64_t)low[a] - buffer, grid->bounds.low[a], grid->bounds.high[a]);
        int64_t to = clamp_between((int64_t)high[a] + buffer, grid->bounds.low[a], grid->bounds.high[a]);
        if (from >= to)
            return BW_OK;
        first[a] = (int32_t)(from >> 3);
        last[a] = (int32_t)((to - 1) >> 3);
        // Once round is enough.
        if (grid->period[a] > 0 && last[a] - first[a] >= grid->period[a])
            last[a] = first[a] + grid->period[a] - 1;
    }
    double tiles = 1.0;
    for (int a = 0; a < grid->dimension; a++)
        tiles *= (double)last[a] - (double)first[a] + 1.0;
    if (tiles > tiles_max)
        return bw_fail(
            err, BW_ERR_DEF,
            "%.3g tiles of cells of %g m would be awake, %.3g at most; what is to be filled is too "
            "large for its cells",
            tiles, (double)grid->cell_size, tiles_max);
    for (int32_t z = first[2]; z <= last[2]; z++)
        for (int32_t y = first[1]; y <= last[1]; y++)
            for (int32_t x = first[0]; x <= last[0]; x++)
                BW_TRY(want_tile(plan, grid, (BwTileCoord){x, y, z}, err));
    return BW_OK;
}

static BwResult want_span(BwFollowPlan *plan, const BwGrid *grid, int32_t slot, BwTileSpan span, int buffer,
                          BwError *err)
{
    int32_t first[3], low[3], high[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < 3; a++) {
        low[a] = first[a] + span.low[a];
        high[a] = first[a] + span.high[a];
    }
    return want_box(plan, grid, low, high, buffer, err);
}

BwResult bw_follow_plan(BwFollowPlan *plan, const BwGrid *grid, const BwTileSpan *spans,
                        const BwCellBox *boxes, int box_count, int buffer, BwError *err)
{
    const BwAllocator *allocator = &grid->allocator;
    plan->wake_count = plan->sleep_count = 0;
    BW_TRY(bw_reserve(allocator, (void **)&plan->keep, &plan->keep_capacity, grid->tile_count, 1, err));
    if (grid->tile_count > 0)
        memset(plan->keep, 0, (size_t)grid->tile_count);
    for (int32_t n = 0; n < grid->tile_count; n++)
        BW_TRY(want_span(plan, grid, grid->order[n], spans[n], buffer, err));
    for (int n = 0; n < box_count; n++)
        BW_TRY(want_box(plan, grid, boxes[n].low, boxes[n].high, buffer, err));
    BW_TRY(bw_reserve(allocator, (void **)&plan->sleep, &plan->sleep_capacity, grid->tile_count,
                      sizeof *plan->sleep, err));
    for (int32_t n = 0; n < grid->tile_count; n++)
        if (!plan->keep[n])
            plan->sleep[plan->sleep_count++] = grid->order[n];
    return BW_OK;
}

BwResult bw_follow_apply(BwFollowPlan *plan, BwGrid *grid, BwError *err)
{
    if (plan->sleep_count > 0)
        bw_grid_sleep(grid, plan->sleep, plan->sleep_count);
    return bw_grid_wake(grid, plan->wake, plan->wake_count, err);
}

void bw_follow_free(BwFollowPlan *plan, const BwAllocator *allocator)
{
    bw_free(allocator, plan->wake, (size_t)plan->wake_capacity * sizeof *plan->wake, BW_ALIGN);
    bw_free(allocator, plan->sleep, (size_t)plan->sleep_capacity * sizeof *plan->sleep, BW_ALIGN);
    bw_free(allocator, plan->keep, (size_t)plan->keep_capacity, BW_ALIGN);
    *plan = (BwFollowPlan){0};
}
