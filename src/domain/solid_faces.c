// Area fractions and speeds of solids at faces.
//
// A face whose neighbours' centres are kept apart by a solid is closed however thin the solid is: the segment
// between them is asked whether it meets the solid, so that liquid on one side of a sheet never feels the
// other. Shares below one percent are closed too: a cell that breathes through a crack would ask for a
// hundred times the speed of the wall that squeezes it. A cell none of whose faces is open by a tenth is a
// sliver, and closed as a whole.
#include "domain/solid_faces.h"

#include "domain/near_solids.h"
#include "domain/places.h"
#include "domain/thin_walls.h"
#include "grid/lanes.h"
#include "grid/sample.h"
#include "solid/distance_bounds.h"
#include "solid/fractions.h"
#include "solid/ways.h"
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

// Distances to triangles are interpolated where they are far, and then up to a twentieth too long.
static const float safely = 1.06f;

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
    BwSolidTurn *turn; // of a solid of the tile at work
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
    BwVec3 speed = bw_mul(bw_solid_displacement_by(job->turn, solid, point), 1.0f / job->dt);
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
    BwDistanceBounds span[NODES * NODES * NODES]; // of those that are not final
    bool is_final[NODES * NODES * NODES];
} Nodes;

// A distance beyond which none is asked for, where a bound of its size tells as much; else NaN.
static float far_distance(BwDistanceBounds span, float far)
{
    return span.low > far ? span.low : span.high < -far ? span.high : NAN;
}

// Some nodes of a tile, side by side.
typedef struct Batch {
    int node[BW_PLACES_MAX];
    BwPlaces places;
    float low[BW_PLACES_MAX], high[BW_PLACES_MAX]; // of the nearest solid
} Batch;

static void add_node(const Measure *job, const int32_t first[3], const int node[3], Batch *batch)
{
    BwVec3 point = node_position(job->domain->grid, first, node);
    int n = batch->places.count++;
    batch->node[n] = node[0] + NODES * (node[1] + NODES * node[2]);
    bw_place_put(&batch->places, n, point);
}

// Bounds of the distance to the nearest solid, of all places; they are in the world before.
static void measure_batch(const Measure *job, Batch *batch)
{
    BwPlaces *places = &batch->places;
    float world[3][BW_PLACES_MAX];
    size_t bytes = (size_t)places->count * sizeof **world;
    for (int a = 0; a < 3; a++)
        memcpy(world[a], places->at[a], bytes);
    for (int n = 0; n < places->count; n++)
        batch->low[n] = batch->high[n] = INFINITY;
    for (int s = 0; s < job->solid_count; s++) {
        for (int a = 0; a < 3; a++)
            memcpy(places->at[a], world[a], bytes);
        bw_places_to_local(places, job->solids[s].pose);
        bw_places_measure(places, job->solids[s].shape);
        for (int n = 0; n < places->count; n++) {
            batch->low[n] = places->low[n] < batch->low[n] ? places->low[n] : batch->low[n];
            batch->high[n] = places->high[n] < batch->high[n] ? places->high[n] : batch->high[n];
        }
    }
}

// What is near a surface, but on a sure side of it, gets a bound until a face asks for more.
static void set_node(const Measure *job, BwVec3 point, BwDistanceBounds span, Nodes *nodes, int n)
{
    float distance = far_distance(span, far_in_cells * job->domain->grid->cell_size);
    float bound = far_distance(span, 0.0f);
    nodes->is_final[n] = !isnan(distance) || isnan(bound) || !(span.low < span.high);
    nodes->span[n] = span;
    nodes->value[n] = !isnan(distance)     ? distance
                      : nodes->is_final[n] ? nearest_distance(job, point, span)
                                           : bound;
}

// Blocks of a tile's cells, a half of it along each axis.
enum { BLOCK = BW_TILE / 2, BLOCKS_MAX = 8 };

static void low_of_block(int block, int low[3])
{
    for (int a = 0; a < 3; a++)
        low[a] = BLOCK * (block >> a & 1);
}

// Finds of each block the distance at its middle, where that is so far from all solids that no face of it can
// be cut; else NaN.
static void measure_blocks(const Measure *job, const int32_t first[3], Batch *batch, float far[BLOCKS_MAX])
{
    const BwGrid *grid = job->domain->grid;
    bool is_flat = grid->layers == 1;
    float radius = 0.5f * BLOCK * sqrtf(is_flat ? 2.0f : 3.0f);
    batch->places.count = 0;
    for (int n = 0; n < (is_flat ? BLOCKS_MAX / 2 : BLOCKS_MAX); n++) {
        int node[3];
        low_of_block(n, node);
        for (int a = 0; a < (is_flat ? 2 : 3); a++)
            node[a] += BLOCK / 2;
        add_node(job, first, node, batch);
    }
    measure_batch(job, batch);
    for (int n = 0; n < batch->places.count; n++)
        far[n] = far_distance((BwDistanceBounds){batch->low[n], batch->high[n]},
                              (radius + far_in_cells) * grid->cell_size);
}

// The blocks whose nodes reach a place along an axis, a bit each: those on both sides have the middle.
static unsigned blocks_along(int node, int axis)
{
    static const unsigned high[3] = {0xaa, 0xcc, 0xf0};
    return (node >= BLOCK ? high[axis] : 0) | (node <= BLOCK ? ~high[axis] & 0xff : 0);
}

// Nodes of blocks that are far get the distance at the middle of one; others each their own.
static void measure_nodes(const Measure *job, BwTileCoord coord, Nodes *nodes)
{
    const BwGrid *grid = job->domain->grid;
    Batch batch;
    int32_t first[3];
    float far[BLOCKS_MAX];
    unsigned near = 0;
    bw_tile_first_cell(grid, coord, first);
    measure_blocks(job, first, &batch, far);
    for (int n = 0; n < batch.places.count; n++)
        near |= (unsigned)isnan(far[n]) << n;
    batch.places.count = 0;
    for (int k = 0; k < (grid->layers == 1 ? 1 : NODES); k++)
        for (int j = 0; j < NODES; j++)
            for (int i = 0; i < NODES; i++) {
                const int node[3] = {i, j, k};
                unsigned blocks = blocks_along(i, 0) & blocks_along(j, 1) & blocks_along(k, 2);
                int n = i + NODES * (j + NODES * k);
                nodes->is_final[n] = true;
                if ((blocks & near) != 0)
                    add_node(job, first, node, &batch);
                else
                    nodes->value[n] = far[31 - __builtin_clz(blocks)];
            }
    measure_batch(job, &batch);
    for (int n = 0; n < batch.places.count; n++) {
        int m = batch.node[n];
        const int node[3] = {m % NODES, m / NODES % NODES, m / (NODES * NODES)};
        set_node(job, node_position(grid, first, node), (BwDistanceBounds){batch.low[n], batch.high[n]},
                 nodes, m);
    }
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
        nodes->value[corner[n]] = about_nearest_distance(job, point, nodes->span[corner[n]]);
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

// A point and bounds of its distance to the nearest solid.
typedef struct Spot {
    BwVec3 at;
    BwDistanceBounds span;
} Spot;

static bool is_spot_outside(const Measure *job, Spot spot)
{
    return spot.span.low >= 0.0f ||
           (spot.span.high >= 0.0f && nearest_distance(job, spot.at, spot.span) >= 0.0f);
}

// The centre of a face, and of the cells beside it.
typedef struct Beside {
    Spot center, cell[2];
} Beside;

// Whether bounds tell that no solid crosses the segment between the cells' centres: its halves are shorter
// than the distances at their ends add up to.
static bool is_segment_clear(const Measure *job, const Beside *beside)
{
    float half = (safely * 0.5f + 2.0f * touch) * job->domain->grid->cell_size,
          center = beside->center.span.low;
    return center + beside->cell[0].span.low > half && center + beside->cell[1].span.low > half;
}

// Whether a solid keeps apart the centres of the two cells of a face, both outside solids. Only where one is
// within half a cell of the face's centre can it cross the segment between them.
static bool is_kept_apart(const Measure *job, const Beside *beside)
{
    float half = 0.5f * job->domain->grid->cell_size, close = touch * job->domain->grid->cell_size;
    const Spot *cell = beside->cell;
    // A walk through triangles comes last: most segments near a surface have one end inside, as bounds tell.
    return beside->center.span.low <= half + close && !is_segment_clear(job, beside) &&
           is_spot_outside(job, cell[0]) && is_spot_outside(job, cell[1]) &&
           segment_meets(job, cell[0].at, cell[1].at) &&
           nearest_distance(job, beside->center.at, beside->center.span) <= half + close;
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
static bool borders_thin_wall(const Measure *job, const Beside *beside, int axis)
{
    float h = job->domain->grid->cell_size;
    if (beside->center.span.low > 0.6f * h)
        return false;
    for (int side = 0; side < 2; side++) {
        if (is_spot_outside(job, beside->cell[side]))
            continue;
        if (is_spot_outside(job, beside->center) &&
            is_outside(job, moved_along(beside->center.at, axis, side == 0 ? -h : h)))
            return true;
    }
    return false;
}

static bool is_wall_between(const Measure *job, BwVec3 from, BwVec3 to)
{
    const BwGrid *grid = job->domain->grid;
    for (int s = 0; s < job->solid_count; s++) {
        const BwSolidPose *solid = &job->solids[s];
        if (!bw_shape_way_leads_past(solid->shape, bw_pose_to_local(solid->pose, from),
                                     bw_pose_to_local(solid->pose, to), grid->cell_size,
                                     grid->dimension == 2))
            return true;
    }
    return false;
}

// Whether a cell whose centre is in a solid has room on both sides of it: then corners that are opposite are
// outside, and a wall is between.
static bool is_split(const Measure *job, const Spot *cell)
{
    int axes = job->domain->grid->dimension;
    float half = 0.5f * job->domain->grid->cell_size, radius = half * sqrtf((float)axes);
    if (cell->span.high < -radius || is_spot_outside(job, *cell) ||
        bw_solids_are_thick(job->solids, job->solid_count, cell->at, 2.0f * radius))
        return false;
    for (int n = 0; n < 1 << (axes - 1); n++) {
        BwVec3 way = bw_vec3(half, n & 1 ? half : -half,
                             axes == 2 ? 0.0f
                             : n & 2   ? half
                                       : -half),
               low = bw_sub(cell->at, way), high = bw_add(cell->at, way);
        if (is_outside(job, low) && is_outside(job, high) && is_wall_between(job, low, high))
            return true;
    }
    return false;
}

static Spot spot_at(const Measure *job, BwVec3 at)
{
    return (Spot){at, nearest_span(job, at)};
}

static Beside beside_at(const Measure *job, BwVec3 center, int axis)
{
    float half = 0.5f * job->domain->grid->cell_size;
    return (Beside){
        spot_at(job, center),
        {spot_at(job, moved_along(center, axis, -half)), spot_at(job, moved_along(center, axis, half))}};
}

// Solids of whole cells close all faces of theirs.
static void measure_whole_face(const Measure *job, BwTileCoord coord, int axis, int cell, float *open,
                               float *speed)
{
    const BwGrid *grid = job->domain->grid;
    BwVec3 center = bw_sample_position(grid, coord, cell, (BwLocation)(BW_AT_FACE_X + axis));
    Beside beside = beside_at(job, center, axis);
    bool is_open = is_spot_outside(job, beside.cell[0]) && is_spot_outside(job, beside.cell[1]) &&
                   !is_kept_apart(job, &beside);
    *open = is_open ? 1.0f : 0.0f;
    *speed = is_open ? 0.0f : nearest_speed(job, center, axis);
}

// Faces of a tile along an axis that are not all open, or may be crossed, side by side. Of those that their
// corners close nothing more is asked.
typedef struct Faces {
    int count, cell[BW_TILE_CELLS_MAX];
    Corners corners[BW_TILE_CELLS_MAX];
    Batch center, side[2]; // the centres of the cells below and above
    int closed_count, closed[BW_TILE_CELLS_MAX];
} Faces;

// Whether a segment through a face may be crossed though its corners leave it open.
static bool may_be_crossed(const Measure *job, Corners corners)
{
    return corners.open >= open_min && corners.highest <= crossed_in_cells * job->domain->grid->cell_size;
}

static Spot spot_among(const Batch *batch, BwVec3 at, int n)
{
    return (Spot){at, {batch->low[n], batch->high[n]}};
}

// Marks the faces along an axis of which any corner has a mark.
static void mark_faces(const BwGrid *grid, int axis, const uint8_t *node, uint8_t face[BW_TILE_CELLS_MAX])
{
    int corner[4], count = nodes_of_face(grid, axis, 0, corner);
    for (int cell = 0; cell < grid->tile_cells; cell += BW_TILE) {
        const uint8_t *row = node + NODES * ((cell >> 3 & 7) + NODES * (cell >> 6));
        for (int i = 0; i < BW_TILE; i++)
            face[cell + i] = row[i] | row[corner[1] + i];
        for (int i = 0; i < BW_TILE && count == 4; i++)
            face[cell + i] |= row[corner[2] + i] | row[corner[3] + i];
    }
}

// Nodes that are no farther from a solid than what may cross a face of theirs, and those outside of all. A
// face without any of the first is open, without any of the others closed.
typedef struct NodeMarks {
    uint8_t close[NODES * NODES * NODES], outside[NODES * NODES * NODES];
} NodeMarks;

static void find_marks(const Measure *job, const Nodes *nodes, NodeMarks *marks)
{
    const BwGrid *grid = job->domain->grid;
    float far = crossed_in_cells * grid->cell_size;
    for (int n = 0; n < NODES * NODES * (grid->layers == 1 ? 1 : NODES); n++) {
        marks->close[n] = !(nodes->value[n] > far);
        marks->outside[n] = !(nodes->value[n] < 0.0f);
    }
}

static void find_faces(const Measure *job, BwTileCoord coord, int axis, Nodes *nodes, Faces *faces)
{
    const BwGrid *grid = job->domain->grid;
    float half = 0.5f * grid->cell_size;
    NodeMarks marks;
    uint8_t close[BW_TILE_CELLS_MAX], outside[BW_TILE_CELLS_MAX];
    find_marks(job, nodes, &marks);
    mark_faces(grid, axis, marks.close, close);
    mark_faces(grid, axis, marks.outside, outside);
    faces->count = faces->closed_count = 0;
    for (int cell = 0; cell < grid->tile_cells; cell++) {
        if (!close[cell])
            continue;
        if (!outside[cell]) {
            faces->closed[faces->closed_count++] = cell;
            continue;
        }
        Corners corners = corners_of(job, coord, axis, cell, nodes);
        if (corners.open < open_min)
            faces->closed[faces->closed_count++] = cell;
        if (corners.open < open_min || (corners.open == 1.0f && !may_be_crossed(job, corners)))
            continue;
        BwVec3 center = bw_sample_position(grid, coord, cell, (BwLocation)(BW_AT_FACE_X + axis));
        int n = faces->count++;
        faces->cell[n] = cell;
        faces->corners[n] = corners;
        bw_place_put(&faces->center.places, n, center);
        bw_place_put(&faces->side[0].places, n, moved_along(center, axis, -half));
        bw_place_put(&faces->side[1].places, n, moved_along(center, axis, half));
    }
    Batch *batches[3] = {&faces->center, &faces->side[0], &faces->side[1]};
    for (int n = 0; n < 3; n++) {
        batches[n]->places.count = faces->count;
        measure_batch(job, batches[n]);
    }
}

static float open_share(const Measure *job, const Faces *faces, int n, BwVec3 center, int axis)
{
    float half = 0.5f * job->domain->grid->cell_size;
    Corners corners = faces->corners[n];
    Beside beside = {spot_among(&faces->center, center, n),
                     {spot_among(&faces->side[0], moved_along(center, axis, -half), n),
                      spot_among(&faces->side[1], moved_along(center, axis, half), n)}};
    bool is_crossed = may_be_crossed(job, corners);
    bool is_closed = (is_crossed && is_kept_apart(job, &beside)) || lies_in_surface(job, center, corners) ||
                     (is_crossed && borders_thin_wall(job, &beside, axis));
    if (!is_closed && job->faces->closes_split)
        is_closed = is_split(job, &beside.cell[0]) || is_split(job, &beside.cell[1]);
    return is_closed ? 0.0f : corners.open;
}

// The speeds along an axis of the one solid of a tile, at the centres of its faces: nearest_speed of many.
static void find_speeds(const Measure *job, BwTileCoord coord, int axis, float *speed)
{
    const BwGrid *grid = job->domain->grid;
    const BwSolidPose *solid = job->solids;
    bw_solid_displacement_by(job->turn, solid, solid->pose.position); // finds the turn
    BwVec3 turn = job->turn->turn, still = bw_sub(solid->pose.position, solid->before.position);
    float arm[3][BW_TILE], per_step = 1.0f / job->dt;
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    for (int n = 0; n < BW_TILE; n++) {
        int cell = grid->dimension == 3 ? n * (1 + BW_TILE + BW_TILE_LAYER) : n * (1 + BW_TILE);
        BwVec3 at = bw_sub(bw_sample_position(grid, coord, cell, (BwLocation)(BW_AT_FACE_X + axis)),
                           solid->pose.position);
        for (int a = 0; a < 3; a++)
            arm[a][n] = bw_component(at, a);
    }
    for (int cell = 0; cell < grid->tile_cells; cell++) {
        const int at[3] = {cell & 7, cell >> 3 & 7, cell >> 6};
        float turned = bw_component(turn, b) * arm[c][at[c]] - bw_component(turn, c) * arm[b][at[b]];
        speed[cell] = (turned + bw_component(still, axis)) * per_step;
    }
}

static void measure_faces(const Measure *job, BwTileCoord coord, int axis, Nodes *nodes, float *open,
                          float *speed)
{
    const BwGrid *grid = job->domain->grid;
    Faces faces;
    find_faces(job, coord, axis, nodes, &faces);
    float one[BW_TILE_CELLS_MAX];
    bool is_one = job->solid_count == 1 && faces.count + faces.closed_count > 0;
    if (is_one)
        find_speeds(job, coord, axis, one);
    for (int n = 0; n < faces.count; n++) {
        int cell = faces.cell[n];
        BwVec3 center = bw_sample_position(grid, coord, cell, (BwLocation)(BW_AT_FACE_X + axis));
        open[cell] = open_share(job, &faces, n, center, axis);
        if (open[cell] < 1.0f)
            speed[cell] = is_one ? one[cell] : nearest_speed(job, center, axis);
    }
    for (int n = 0; n < faces.closed_count; n++) {
        int cell = faces.closed[n];
        open[cell] = 0.0f;
        speed[cell] =
            is_one ? one[cell]
                   : nearest_speed(
                         job, bw_sample_position(grid, coord, cell, (BwLocation)(BW_AT_FACE_X + axis)), axis);
    }
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
    if (!grid->has_bounds || grid->period[axis] > 0 ||
        (first[axis] > grid->bounds.low[axis] && first[axis] + BW_TILE <= grid->bounds.high[axis]))
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
    BwSolidTurn turn = {0};
    const Measure here = {all->faces, all->domain, near.list, near.count, all->dt, &turn}, *job = &here;
    if (has_solid && !all->faces->is_whole)
        measure_nodes(job, coord, &nodes);
    for (int axis = 0; axis < grid->dimension; axis++) {
        float *open = bw_field_tile(&job->faces->open[axis], slot);
        float *speed = bw_field_tile(&job->faces->speed[axis], slot);
        for (int cell = 0; cell < grid->tile_cells; cell++) {
            open[cell] = 1.0f;
            speed[cell] = 0.0f;
        }
        if (has_solid && !job->faces->is_whole)
            measure_faces(job, coord, axis, &nodes, open, speed);
        for (int cell = 0; cell < grid->tile_cells && has_solid && job->faces->is_whole; cell++)
            measure_whole_face(job, coord, axis, cell, &open[cell], &speed[cell]);
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
    for (int n = 0; n < BW_TILE_LAYER; n += BW_LANES)
        bits |= bw_lanes_bits(bw_lanes_load(share + n) >= sliver_max) << n;
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
    Measure job = {faces, domain, solids, solid_count, dt, NULL};
    int32_t count = domain->grid->tile_count;
    bw_parallel_for(domain->pool, count, 4, measure_tiles, &job);
    bw_parallel_for(domain->pool, count, 16, find_room, &job);
    bw_parallel_for(domain->pool, count, 16, close_slivers, &job);
}
