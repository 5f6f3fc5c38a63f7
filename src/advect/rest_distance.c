// Tiles are measured one by one, each when a path of it first may come near a solid. What was measured holds
// for one set of solids and one place of the tile, which the key of the tile stands for.
#include "advect/rest_distance.h"

#include "advect/path_tile.h"
#include "base/checksum.h"
#include "base/extremes.h"

BwResult bw_rest_distance_create(BwRestDistance *rest, BwGrid *grid, BwError *err)
{
    *rest = (BwRestDistance){0};
    BwResult result = bw_field_create(&rest->low, grid, BW_AT_CELL, -INFINITY, err);
    if (result == BW_OK)
        result = bw_field_create(&rest->high, grid, BW_AT_CELL, INFINITY, err);
    if (result == BW_OK)
        result = bw_notes_create(&rest->key, grid, err);
    if (result != BW_OK)
        bw_rest_distance_destroy(rest);
    rest->is_there = result == BW_OK;
    return result;
}

void bw_rest_distance_destroy(BwRestDistance *rest)
{
    bw_field_destroy(&rest->low);
    bw_field_destroy(&rest->high);
    bw_notes_destroy(&rest->key);
}

void bw_find_resting(BwPathSolids *solids)
{
    solids->resting = solids->resting_key = 0;
    for (int s = 0; s < solids->count && s < 63; s++) {
        const BwSolidPose *solid = &solids->list[s];
        if (!bw_solid_is_at_rest(solid))
            continue;
        solids->resting |= bw_solid_bit(s);
        solids->resting_key = bw_solid_mix(solids->resting_key, solid);
    }
}

static uint64_t key_of_tile(const BwRestDistance *rest, BwPathSolids solids, int32_t slot)
{
    BwTileCoord coord = rest->low.store.grid->tiles[slot].coord;
    uint64_t key = bw_mix(solids.resting_key, (uint64_t)(solids.count == 1));
    key = bw_mix(key, (uint64_t)(int64_t)coord.x);
    return bw_mix(bw_mix(key, (uint64_t)(int64_t)coord.y), (uint64_t)(int64_t)coord.z) | 1;
}

static BwDistanceBounds measure_cell(BwPathSolids solids, BwVec3 center)
{
    BwDistanceBounds bounds = {INFINITY, INFINITY};
    for (int s = 0; s < solids.count; s++)
        if (bw_solid_rests(solids, s)) {
            BwVec3 at = bw_pose_to_local(solids.list[s].pose, center);
            BwDistanceBounds own = bw_shape_distance_bounds(solids.list[s].shape, at);
            bounds.low = bw_smaller(bounds.low, own.low);
            bounds.high = solids.count == 1 ? own.high : INFINITY;
        }
    return (BwDistanceBounds){bw_sure_distance(bounds.low), bounds.high};
}

void bw_rest_distance_measure(const BwRestDistance *rest, BwPathSolids solids, int32_t slot)
{
    if (bw_rest_distance_of(rest, solids, slot).low != NULL || !rest->is_there || solids.resting == 0)
        return;
    const BwGrid *grid = rest->low.store.grid;
    float *low = bw_field_tile(&rest->low, slot), *high = bw_field_tile(&rest->high, slot);
    for (int n = 0; n < grid->tile_cells; n++) {
        BwDistanceBounds bounds =
            measure_cell(solids, bw_sample_position(grid, grid->tiles[slot].coord, n, BW_AT_CELL));
        low[n] = bounds.low;
        high[n] = bounds.high;
    }
    *bw_note(&rest->key, slot) = key_of_tile(rest, solids, slot);
}

BwRestBounds bw_rest_distance_of(const BwRestDistance *rest, BwPathSolids solids, int32_t slot)
{
    if (!rest->is_there || solids.resting == 0 || slot == 0 ||
        *bw_note(&rest->key, slot) != key_of_tile(rest, solids, slot))
        return (BwRestBounds){NULL, NULL};
    return (BwRestBounds){bw_field_tile(&rest->low, slot), bw_field_tile(&rest->high, slot)};
}
