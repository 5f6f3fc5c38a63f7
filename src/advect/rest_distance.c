// Tiles are measured one by one, each when a path of it first may come near a solid. What was measured holds
// for one set of solids and one place of the tile, which the key of the tile stands for.
#include "advect/rest_distance.h"

#include "advect/path_tile.h"
#include "base/checksum.h"
#include "base/extremes.h"
#include <float.h>

BwResult bw_rest_distance_create(BwRestDistance *rest, BwGrid *grid, BwError *err)
{
    *rest = (BwRestDistance){0};
    BwResult result = bw_field_create(&rest->low, grid, BW_AT_CELL, -INFINITY, err);
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

// Nothing else may clip a path that starts deep in the only solid.
static bool is_deep(BwPathSolids solids, BwDistanceBounds distance, const BwGrid *grid)
{
    float radius = bw_safely * 0.5f * grid->cell_size * sqrtf((float)grid->dimension);
    return solids.count == 1 && distance.high < -bw_path_deep * grid->cell_size - radius;
}

static float measure_cell(BwPathSolids solids, const BwGrid *grid, BwVec3 center)
{
    float low = INFINITY;
    for (int s = 0; s < solids.count; s++)
        if (bw_solid_rests(solids, s)) {
            BwVec3 at = bw_pose_to_local(solids.list[s].pose, center);
            BwDistanceBounds distance = bw_shape_distance_bounds(solids.list[s].shape, at);
            if (is_deep(solids, distance, grid))
                return BW_REST_DEEP;
            low = bw_smaller(low, distance.low);
        }
    return bw_larger(bw_sure_distance(low), -FLT_MAX);
}

void bw_rest_distance_measure(const BwRestDistance *rest, BwPathSolids solids, int32_t slot)
{
    if (bw_rest_distance_of(rest, solids, slot) != NULL || !rest->is_there || solids.resting == 0)
        return;
    const BwGrid *grid = rest->low.store.grid;
    float *low = bw_field_tile(&rest->low, slot);
    for (int n = 0; n < grid->tile_cells; n++)
        low[n] = measure_cell(solids, grid, bw_sample_position(grid, grid->tiles[slot].coord, n, BW_AT_CELL));
    *bw_note(&rest->key, slot) = key_of_tile(rest, solids, slot);
}

const float *bw_rest_distance_of(const BwRestDistance *rest, BwPathSolids solids, int32_t slot)
{
    if (!rest->is_there || solids.resting == 0 || slot == 0 ||
        *bw_note(&rest->key, slot) != key_of_tile(rest, solids, slot))
        return NULL;
    return bw_field_tile(&rest->low, slot);
}
