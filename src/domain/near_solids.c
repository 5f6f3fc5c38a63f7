// A solid is left out by bounds of its distance at the centre of the tile. Distances by a formula have slope
// one. Those to triangles are interpolated where they are far from them: never more than a twentieth too
// long, and never below a third of what they are, since no node around is nearer than its spacing.
#include "domain/near_solids.h"

#include "base/extremes.h"
#include "domain/thin_walls.h"
#include "solid/distance_bounds.h"
#include "solid/local_thickness.h"
#include <math.h>

static const float too_long = 1.05f, too_short = 3.0f;

static bool has_file(const BwShape *shape)
{
    if (shape->kind == BW_SHAPE_MESH || shape->kind == BW_SHAPE_HEIGHTMAP || shape->kind == BW_SHAPE_VOXELS ||
        shape->kind == BW_SHAPE_WRAPPED || shape->kind == BW_SHAPE_POINTS)
        return true;
    for (int n = 0; n < shape->part_count; n++)
        if (has_file(&shape->parts[n]))
            return true;
    return false;
}

// Bounds of a distance within a radius of where it has these. What triangles are thicker by is less than the
// box around all of the shape.
static BwDistanceBounds bounds_around(const BwShape *shape, BwDistanceBounds at, float radius)
{
    if (!has_file(shape))
        return (BwDistanceBounds){at.low - radius, at.high + radius};
    BwBox box = bw_shape_bounds(shape);
    float size = bw_length(bw_sub(box.high, box.low)), away = at.low / too_long - radius;
    return (BwDistanceBounds){away > 0.0f ? away / too_short - size : -INFINITY,
                              too_long * (too_short * (bw_larger(at.high, 0.0f) + size) + radius)};
}

static BwVec3 center_of(const BwGrid *grid, BwTileCoord tile)
{
    int32_t first[3];
    bw_tile_first_cell(grid, tile, first);
    double h = (double)grid->cell_size, half = 0.5 * BW_TILE, z_half = grid->layers == 1 ? 0.0 : half;
    return bw_vec3((float)((first[0] + half) * h), (float)((first[1] + half) * h),
                   (float)((first[2] + z_half) * h));
}

static BwDistanceBounds bounds_in_tile(const BwSolidPose *solid, const BwGrid *grid, BwVec3 center)
{
    float reach = 0.5f * BW_TILE + 1.1f, radius = reach * sqrtf((float)grid->dimension) * grid->cell_size;
    return bounds_around(
        solid->shape, bw_shape_distance_bounds(solid->shape, bw_pose_to_local(solid->pose, center)), radius);
}

void bw_near_solids_find(BwNearSolids *near, const BwSolidPose *solids, int solid_count, const BwGrid *grid,
                         BwTileCoord tile)
{
    BwVec3 center = center_of(grid, tile);
    float farthest = INFINITY; // that the nearest one can be
    near->list = near->all = solids;
    near->count = solid_count;
    if (solid_count < 2)
        return;
    for (int s = 0; s < solid_count; s++)
        farthest = bw_smaller(farthest, bounds_in_tile(&solids[s], grid, center).high);
    farthest = bw_larger(farthest, grid->cell_size); // lines of a cell may meet what is no nearer
    int count = 0;
    for (int s = 0; s < solid_count; s++) {
        if (bounds_in_tile(&solids[s], grid, center).low > farthest)
            continue;
        if (count == BW_NEAR_SOLIDS_MAX)
            return;
        near->from[count] = &solids[s];
        near->few[count++] = solids[s];
    }
    near->list = near->few;
    near->count = count;
}

float bw_solids_distance(const BwSolidPose *solids, int solid_count, BwVec3 point)
{
    float distance = INFINITY;
    bw_solids_nearest_within(solids, solid_count, point, &distance);
    return distance;
}

const BwSolidPose *bw_solids_nearest(const BwSolidPose *solids, int solid_count, BwVec3 point)
{
    float distance = INFINITY;
    return solid_count == 1 ? solids // asking a mesh is not cheap
                            : bw_solids_nearest_within(solids, solid_count, point, &distance);
}

bool bw_solids_are_beyond(const BwSolidPose *solids, int solid_count, BwVec3 point, float distance)
{
    for (int s = 0; s < solid_count; s++) {
        BwVec3 at = bw_pose_to_local(solids[s].pose, point);
        if (!(bw_shape_distance_bounds(solids[s].shape, at).low > distance))
            return false;
    }
    return true;
}

const BwSolidPose *bw_solids_nearest_within(const BwSolidPose *solids, int solid_count, BwVec3 point,
                                            float *distance)
{
    const BwSolidPose *nearest = NULL;
    for (int s = 0; s < solid_count; s++) {
        BwVec3 at = bw_pose_to_local(solids[s].pose, point);
        BwDistanceBounds bounds = bw_shape_distance_bounds(solids[s].shape, at);
        if (bounds.low >= *distance)
            continue;
        float one = bounds.low < bounds.high ? bw_shape_distance(solids[s].shape, at) : bounds.low;
        if (one >= *distance)
            continue;
        *distance = one;
        nearest = &solids[s];
    }
    return nearest;
}

bool bw_solids_are_thick(const BwSolidPose *solids, int solid_count, BwVec3 point, float length)
{
    for (int s = 0; s < solid_count; s++) {
        BwVec3 at = bw_pose_to_local(solids[s].pose, point);
        if (bw_shape_distance_bounds(solids[s].shape, at).low <= length &&
            !bw_shape_is_thick(solids[s].shape, at, length))
            return false;
    }
    return true;
}
