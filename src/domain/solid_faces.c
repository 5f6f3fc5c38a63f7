// Area fractions and speeds of solids at faces.
//
// A face whose neighbours' centres are kept apart by a solid is closed however thin the solid is: the segment
// between them is asked whether it meets the solid, so that liquid on one side of a sheet never feels the
// other. Shares below one percent are closed too: a cell that breathes through a crack would ask for a
// hundred times the speed of the wall that squeezes it. A cell none of whose faces is open by a tenth is a
// sliver, and closed as a whole.
#include "domain/solid_faces.h"

#include "domain/near_solids.h"
#include "grid/sample.h"
#include "solid/distance_bounds.h"
#include "solid/fractions.h"
#include <math.h>
#include <string.h>

static const float open_min = 0.01f, sliver_max = 0.1f;

// Further than this from a solid, in cells, a node's face is not cut and its segment not met.
static const float far_in_cells = 1.5f;

// A face has a corner no further than 0.71 cells from its centre, which is half a cell from what crosses the
// segment through it.
static const float crossed_in_cells = 1.22f;

// A segment that comes this near to a solid meets it, in cells.
static const float touch = 1e-3f;

// A distance that bounds tell to this, in cells, need not be measured for a face's open share.
static const float narrow_in_cells = 0.05f;

enum { NODES = BW_TILE + 1 };

BwResult bw_solid_faces_create(BwSolidFaces *faces, BwGrid *grid, BwError *err)
{
    *faces = (BwSolidFaces){0};
    BwResult result = BW_OK;
    for (int a = 0; a < grid->dimension && result == BW_OK; a++)
        result = bw_field_create(&faces->open[a], grid, (BwLocation)(BW_AT_FACE_X + a), 1.0f, err);
    for (int a = 0; a < grid->dimension && result == BW_OK; a++)
        result = bw_field_create(&faces->speed[a], grid, (BwLocation)(BW_AT_FACE_X + a), 0.0f, err);
    if (result == BW_OK)
        result = bw_mask_create(&faces->room, grid, err);
    if (result == BW_OK)
        result = bw_mask_create(&faces->near, grid, err);
    if (result != BW_OK)
        bw_solid_faces_destroy(faces);
    return result;
}

void bw_solid_faces_destroy(BwSolidFaces *faces)
{
    for (int a = 0; a < 3; a++) {
        bw_field_destroy(&faces->open[a]);
        bw_field_destroy(&faces->speed[a]);
    }
    bw_mask_destroy(&faces->room);
    bw_mask_destroy(&faces->near);
}

typedef struct Measure {
    BwSolidFaces *faces;
    const BwDomain *domain;
    const BwSolidPose *solids;
    int solid_count;
    float dt;
} Measure;

// Bounds of the distance to the nearest solid.
static BwDistanceBounds nearest_span(const Measure *job, BwVec3 point)
{
    BwDistanceBounds nearest = {INFINITY, INFINITY};
    for (int s = 0; s < job->solid_count; s++) {
        const BwSolidPose *solid = &job->solids[s];
        BwDistanceBounds span = bw_shape_distance_bounds(solid->shape, bw_pose_to_local(solid->pose, point));
        nearest.low = span.low < nearest.low ? span.low : nearest.low;
        nearest.high = span.high < nearest.high ? span.high : nearest.high;
    }
    return nearest;
}

static float nearest_distance(const Measure *job, BwVec3 point, BwDistanceBounds span)
{
    return span.low < span.high ? bw_solids_distance(job->solids, job->solid_count, point) : span.low;
}

// The same to a fortieth of a cell, on the right side.
static float about_nearest_distance(const Measure *job, BwVec3 point, BwDistanceBounds span)
{
    bool is_sure = (span.low > 0.0f || span.high < 0.0f) &&
                   span.high - span.low <= narrow_in_cells * job->domain->grid->cell_size;
    return is_sure ? 0.5f * (span.low + span.high) : nearest_distance(job, point, span);
}

static bool is_outside(const Measure *job, BwVec3 point)
{
    BwDistanceBounds span = nearest_span(job, point);
    return span.low >= 0.0f || (span.high >= 0.0f && nearest_distance(job, point, span) >= 0.0f);
}

// Speed along an axis of the solid nearest to a point, from where that bit of it was a step ago.
static float nearest_speed(const Measure *job, BwVec3 point, int axis)
{
    const BwSolidPose *solid = bw_solids_nearest(job->solids, job->solid_count, point);
    if (solid == NULL)
        return 0.0f;
    BwVec3 speed = bw_mul(bw_solid_displacement(solid, point), 1.0f / job->dt);
    return axis == 0 ? speed.x : axis == 1 ? speed.y : speed.z;
}

static bool segment_meets(const Measure *job, BwVec3 from, BwVec3 to)
{
    float close = touch * job->domain->grid->cell_size;
    for (int s = 0; s < job->solid_count; s++) {
        const BwSolidPose *solid = &job->solids[s];
        if (bw_shape_meet(solid->shape, bw_pose_to_local(solid->pose, from),
                          bw_pose_to_local(solid->pose, to), close) <= 1.0f)
            return true;
    }
    return false;
}

// Whether any face of the tile can be near a solid: the distance at its centre tells.
static bool is_near(const Measure *job, BwTileCoord coord)
{
    const BwGrid *grid = job->domain->grid;
    int32_t first[3];
    bw_tile_first_cell(grid, coord, first);
    float h = grid->cell_size, half = 0.5f * BW_TILE * h, z_half = grid->layers == 1 ? 0.0f : half;
    BwVec3 middle =
        bw_vec3((float)first[0] * h + half, (float)first[1] * h + half, (float)first[2] * h + z_half);
    return nearest_span(job, middle).low <= sqrtf(2.0f * half * half + z_half * z_half) + 2.0f * h;
}

static BwVec3 node_position(const BwGrid *grid, const int32_t first[3], const int node[3])
{
    double h = (double)grid->cell_size;
    return bw_vec3((float)((first[0] + node[0]) * h), (float)((first[1] + node[1]) * h),
                   (float)((first[2] + node[2]) * h));
}

// Distances to solids at the nodes of a tile; of those that are not final only the sign, and a bound.
typedef struct Nodes {
    float value[NODES * NODES * NODES];
    bool is_own[NODES * NODES * NODES]; // measured there, not in the middle of a block
    bool is_final[NODES * NODES * NODES];
} Nodes;

// A distance beyond which none is asked for, where a bound of its size tells as much; else NaN.
static float far_distance(BwDistanceBounds span, float far)
{
    return span.low > far ? span.low : span.high < -far ? span.high : NAN;
}

// What is near a surface, but on a sure side of it, gets a bound until a face asks for more.
static void measure_node(const Measure *job, const int32_t first[3], const int node[3], Nodes *nodes, int n)
{
    BwVec3 point = node_position(job->domain->grid, first, node);
    BwDistanceBounds span = nearest_span(job, point);
    float distance = far_distance(span, far_in_cells * job->domain->grid->cell_size);
    float bound = far_distance(span, 0.0f);
    nodes->is_own[n] = true;
    nodes->is_final[n] = !isnan(distance) || isnan(bound) || !(span.low < span.high);
    nodes->value[n] = !isnan(distance)     ? distance
                      : nodes->is_final[n] ? nearest_distance(job, point, span)
                                           : bound;
}

// Gives all nodes of a block one distance, or each its own; those that have their own keep it.
static void fill_block(const Measure *job, const int32_t first[3], const int low[3], int size,
                       const float *distance, Nodes *nodes)
{
    const BwGrid *grid = job->domain->grid;
    for (int k = 0; k <= (grid->layers == 1 ? 0 : size); k++)
        for (int j = 0; j <= size; j++)
            for (int i = 0; i <= size; i++) {
                const int node[3] = {low[0] + i, low[1] + j, low[2] + k};
                int n = node[0] + NODES * (node[1] + NODES * node[2]);
                if (nodes->is_own[n])
                    continue;
                nodes->is_final[n] = true;
                if (distance != NULL)
                    nodes->value[n] = *distance;
                else
                    measure_node(job, first, node, nodes, n);
            }
}

// A block of cells is halved again and again: where its centre is so far from all solids that no face of it
// can be cut, the distance there is enough for all its nodes.
static void measure_block(const Measure *job, const int32_t first[3], const int low[3], int size,
                          Nodes *nodes)
{
    const BwGrid *grid = job->domain->grid;
    int half = size / 2, z_half = grid->layers == 1 ? 0 : half;
    const int middle[3] = {low[0] + half, low[1] + half, low[2] + z_half};
    float radius = (float)half * sqrtf(z_half == 0 ? 2.0f : 3.0f);
    float distance = far_distance(nearest_span(job, node_position(grid, first, middle)),
                                  (radius + far_in_cells) * grid->cell_size);
    if (!isnan(distance)) {
        fill_block(job, first, low, size, &distance, nodes);
        return;
    }
    if (size == 2) {
        fill_block(job, first, low, size, NULL, nodes);
        return;
    }
    for (int n = 0; n < (z_half == 0 ? 4 : 8); n++) {
        const int corner[3] = {low[0] + half * (n & 1), low[1] + half * (n >> 1 & 1),
                               low[2] + half * (n >> 2)};
        measure_block(job, first, corner, half, nodes);
    }
}

static void measure_nodes(const Measure *job, BwTileCoord coord, Nodes *nodes)
{
    int32_t first[3];
    bw_tile_first_cell(job->domain->grid, coord, first);
    memset(nodes->is_own, 0, sizeof nodes->is_own);
    measure_block(job, first, (const int[3]){0, 0, 0}, BW_TILE, nodes);
}

// A cell's low face as its corners tell: open share of the edge in 2-D, of the square in 3-D, and the largest
// distance.
typedef struct Corners {
    float open, highest;
} Corners;

// The nodes at the corners of a face, in order around it; gives how many there are.
static int nodes_of_face(const BwGrid *grid, int axis, int cell, int corner[4])
{
    static const int step[3] = {1, NODES, NODES * NODES};
    int node = (cell & 7) + NODES * ((cell >> 3 & 7) + NODES * (cell >> 6));
    bool is_flat = grid->dimension == 2;
    int b = step[is_flat ? 1 - axis : (axis + 1) % 3], c = is_flat ? 0 : step[(axis + 2) % 3];
    corner[0] = node;
    corner[1] = node + b;
    corner[2] = node + b + c;
    corner[3] = node + c;
    return is_flat ? 2 : 4;
}

// Measures the nodes of a face that the surface of a solid crosses.
static void finish_nodes(const Measure *job, BwTileCoord coord, const int *corner, int count, Nodes *nodes)
{
    int inside = 0;
    for (int n = 0; n < count; n++)
        inside += nodes->value[corner[n]] < 0.0f;
    if (inside == 0 || inside == count)
        return;
    int32_t first[3];
    bw_tile_first_cell(job->domain->grid, coord, first);
    for (int n = 0; n < count; n++) {
        const int node[3] = {corner[n] % NODES, corner[n] / NODES % NODES, corner[n] / (NODES * NODES)};
        if (nodes->is_final[corner[n]])
            continue;
        BwVec3 point = node_position(job->domain->grid, first, node);
        nodes->value[corner[n]] = about_nearest_distance(job, point, nearest_span(job, point));
        nodes->is_final[corner[n]] = true;
    }
}

static Corners corners_of(const Measure *job, BwTileCoord coord, int axis, int cell, Nodes *nodes)
{
    int node[4], count = nodes_of_face(job->domain->grid, axis, cell, node);
    finish_nodes(job, coord, node, count, nodes);
    float corner[4], highest = -INFINITY;
    for (int n = 0; n < count; n++) {
        corner[n] = nodes->value[node[n]];
        highest = corner[n] > highest ? corner[n] : highest;
    }
    return (Corners){count == 2 ? bw_edge_open(corner[0], corner[1]) : bw_square_open(corner), highest};
}

static BwVec3 moved_along(BwVec3 point, int axis, float by)
{
    return bw_add(point, bw_vec3(axis == 0 ? by : 0.0f, axis == 1 ? by : 0.0f, axis == 2 ? by : 0.0f));
}

// Whether a solid keeps apart the centres of the two cells of a face, both outside solids. Only where one is
// within half a cell of the face's centre can it cross the segment between them.
static bool is_kept_apart(const Measure *job, BwVec3 center, int axis)
{
    float half = 0.5f * job->domain->grid->cell_size, close = touch * job->domain->grid->cell_size;
    BwVec3 low = moved_along(center, axis, -half), high = moved_along(center, axis, half);
    BwDistanceBounds span = nearest_span(job, center);
    return span.low <= half + close && segment_meets(job, low, high) && is_outside(job, low) &&
           is_outside(job, high) && nearest_distance(job, center, span) <= half + close;
}

// Whether a face lies in the surface of a solid: all of its corners do, and its middle, which in a gap as
// wide as a cell is free.
static bool lies_in_surface(const Measure *job, BwVec3 center, Corners corners)
{
    float close = touch * job->domain->grid->cell_size;
    return corners.highest <= close && bw_solids_distance(job->solids, job->solid_count, center) <= close;
}

// Whether one of a face's cells has its centre in a solid that reaches neither this face nor the next: a wall
// thinner than a cell, and a cell that is no one's, for it would join what is on both sides. That is half a
// cell away; distances may be a twentieth too long.
static bool borders_thin_wall(const Measure *job, BwVec3 center, int axis)
{
    float h = job->domain->grid->cell_size;
    if (nearest_span(job, center).low > 0.6f * h)
        return false;
    for (int side = -1; side <= 1 && is_outside(job, center); side += 2) {
        BwVec3 middle = moved_along(center, axis, 0.5f * (float)side * h),
               beyond = moved_along(center, axis, (float)side * h);
        if (!is_outside(job, middle) && is_outside(job, beyond))
            return true;
    }
    return false;
}

// Solids of whole cells close all faces of theirs.
static void measure_whole_face(const Measure *job, BwTileCoord coord, int axis, int cell, float *open,
                               float *speed)
{
    const BwGrid *grid = job->domain->grid;
    BwVec3 center = bw_sample_position(grid, coord, cell, (BwLocation)(BW_AT_FACE_X + axis));
    float half = 0.5f * grid->cell_size;
    bool is_open = is_outside(job, moved_along(center, axis, -half)) &&
                   is_outside(job, moved_along(center, axis, half)) && !is_kept_apart(job, center, axis);
    *open = is_open ? 1.0f : 0.0f;
    *speed = is_open ? 0.0f : nearest_speed(job, center, axis);
}

static void measure_face(const Measure *job, BwTileCoord coord, int axis, int cell, Corners corners,
                         float *open, float *speed)
{
    const BwGrid *grid = job->domain->grid;
    bool may_be_crossed = corners.open >= open_min && corners.highest <= crossed_in_cells * grid->cell_size;
    *open = 1.0f;
    *speed = 0.0f;
    if (corners.open == 1.0f && !may_be_crossed)
        return;
    BwVec3 center = bw_sample_position(grid, coord, cell, (BwLocation)(BW_AT_FACE_X + axis));
    bool is_closed = corners.open < open_min || (may_be_crossed && is_kept_apart(job, center, axis)) ||
                     lies_in_surface(job, center, corners) ||
                     (may_be_crossed && borders_thin_wall(job, center, axis));
    *open = is_closed ? 0.0f : corners.open;
    *speed = *open < 1.0f ? nearest_speed(job, center, axis) : 0.0f;
}

static bool has_wall(const BwBoxSide *side)
{
    return side->kind == BW_WALL_CLOSED || side->part != NULL;
}

// Faces on or beyond a side of the box that is closed, if only in part: cells beside the other part are
// outside.
static void close_walls(const BwDomain *domain, BwTileCoord coord, int axis, float *open, float *speed)
{
    const BwGrid *grid = domain->grid;
    int32_t first[3];
    bw_tile_first_cell(grid, coord, first);
    if (!grid->has_bounds || grid->period[axis] > 0)
        return;
    for (int cell = 0; cell < grid->tile_cells; cell++) {
        int32_t at = first[axis] + (cell >> (3 * axis) & 7);
        bool is_low = at <= grid->bounds.low[axis] && has_wall(&domain->side[2 * axis]);
        bool is_high = at >= grid->bounds.high[axis] && has_wall(&domain->side[2 * axis + 1]);
        if (is_low || is_high)
            open[cell] = speed[cell] = 0.0f;
    }
}

static bool touches_side(const BwGrid *grid, BwTileCoord coord)
{
    int32_t first[3];
    bw_tile_first_cell(grid, coord, first);
    for (int a = 0; a < grid->dimension; a++)
        if (first[a] <= grid->bounds.low[a] || first[a] + BW_TILE >= grid->bounds.high[a])
            return true;
    return false;
}

static void measure_tile(const Measure *all, int32_t slot, bool has_solid)
{
    const BwGrid *grid = all->domain->grid;
    BwTileCoord coord = grid->tiles[slot].coord;
    BwNearSolids near = {0};
    Nodes nodes;
    if (has_solid)
        bw_near_solids_find(&near, all->solids, all->solid_count, grid, coord);
    const Measure here = {all->faces, all->domain, near.list, near.count, all->dt}, *job = &here;
    if (has_solid && !all->faces->is_whole)
        measure_nodes(job, coord, &nodes);
    for (int axis = 0; axis < grid->dimension; axis++) {
        float *open = bw_field_tile(&job->faces->open[axis], slot);
        float *speed = bw_field_tile(&job->faces->speed[axis], slot);
        for (int cell = 0; cell < grid->tile_cells; cell++) {
            open[cell] = 1.0f;
            speed[cell] = 0.0f;
            if (has_solid && job->faces->is_whole)
                measure_whole_face(job, coord, axis, cell, &open[cell], &speed[cell]);
            else if (has_solid)
                measure_face(job, coord, axis, cell, corners_of(job, coord, axis, cell, &nodes), &open[cell],
                             &speed[cell]);
        }
        close_walls(job->domain, coord, axis, open, speed);
    }
}

static void measure_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Measure *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        uint64_t *near = bw_mask_tile(&job->faces->near, slot);
        bool has_solid = is_near(job, grid->tiles[slot].coord);
        if (has_solid || near[0] != 0 || touches_side(grid, grid->tiles[slot].coord))
            measure_tile(job, slot, has_solid);
        for (int k = 0; k < grid->layers; k++)
            near[k] = has_solid ? ~(uint64_t)0 : 0;
    }
}

// Which cells of a layer have a low face open enough along an axis.
static uint64_t wide_bits(const BwField *open, int32_t slot, int k)
{
    const float *share = bw_field_tile(open, slot) + BW_TILE_LAYER * k;
    uint64_t bits = 0;
    for (int n = 0; n < BW_TILE_LAYER; n++)
        bits |= (uint64_t)(share[n] >= sliver_max) << n;
    return bits;
}

// The same of their high faces, where there is a live cell behind.
static uint64_t wide_bits_high(const BwField *open, int32_t slot, int axis, int k)
{
    const BwGrid *grid = open->store.grid;
    int32_t behind = grid->tiles[slot].neighbour[bw_side_neighbour[2 * axis + 1]];
    uint64_t own = wide_bits(open, slot, k), wide;
    if (axis == 2)
        wide = k + 1 < grid->layers ? wide_bits(open, slot, k + 1) : wide_bits(open, behind, 0);
    else
        wide = axis == 0 ? bw_bits_x_high(own, wide_bits(open, behind, k))
                         : bw_bits_y_high(own, wide_bits(open, behind, k));
    return wide & bw_bits_beside(grid, NULL, slot, 2 * axis + 1, k);
}

static void find_room(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Measure *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        uint64_t *room = bw_mask_tile(&job->faces->room, slot);
        for (int k = 0; k < grid->layers; k++) {
            room[k] = grid->tiles[slot].live[k];
            if (!bw_solids_are_near(job->faces, slot))
                continue;
            uint64_t wide = 0;
            for (int axis = 0; axis < grid->dimension; axis++)
                wide |= wide_bits(&job->faces->open[axis], slot, k) |
                        wide_bits_high(&job->faces->open[axis], slot, axis, k);
            room[k] &= wide;
        }
    }
}

static void close_slivers(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Measure *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        for (int k = 0; k < grid->layers && bw_solids_are_near(job->faces, slot); k++)
            for (int axis = 0; axis < grid->dimension; axis++) {
                const BwMask *room = &job->faces->room;
                uint64_t live = grid->tiles[slot].live[k],
                         live_below = bw_bits_beside(grid, NULL, slot, 2 * axis, k);
                uint64_t closed = (live & ~bw_mask_tile(room, slot)[k]) |
                                  (live_below & ~bw_bits_beside(grid, room, slot, 2 * axis, k));
                float *open = bw_field_tile(&job->faces->open[axis], slot) + BW_TILE_LAYER * k;
                for (; closed != 0; closed &= closed - 1)
                    open[__builtin_ctzll(closed)] = 0.0f;
            }
    }
}

void bw_solid_faces_measure(BwSolidFaces *faces, const BwDomain *domain, const BwSolidPose *solids,
                            int solid_count, float dt)
{
    Measure job = {faces, domain, solids, solid_count, dt};
    int32_t count = domain->grid->tile_count;
    bw_parallel_for(domain->pool, count, 4, measure_tiles, &job);
    bw_parallel_for(domain->pool, count, 16, find_room, &job);
    bw_parallel_for(domain->pool, count, 16, close_slivers, &job);
}
