// Stamping shapes into fields. A tile far from the shape is left alone at the cost of one distance.
#include "operate/emit.h"

#include "operate/measure.h"
#include "scene/noise.h"
#include <math.h>

typedef struct Stamping {
    const BwDomain *domain;
    BwField *field;
    const BwMask *where;
    const BwStamp *stamp;
} Stamping;

// Distance to what is stamped: the shape, or the shell around it.
static float distance_to(const BwStamp *stamp, BwVec3 point)
{
    float distance = bw_shape_distance(stamp->shape, bw_pose_to_local(stamp->pose, point));
    return stamp->shell > 0.0f ? fabsf(distance - 0.5f * stamp->shell) - 0.5f * stamp->shell : distance;
}

// How much of a cell the shape covers, from the distance at its middle.
static float coverage_at(const BwStamp *stamp, BwVec3 point, float h)
{
    float distance = distance_to(stamp, point);
    float covered = 0.5f - distance / h;
    return covered < 0.0f ? 0.0f : covered > 1.0f ? 1.0f : covered;
}

static float texture_at(const BwStampNoise *noise, BwVec3 point)
{
    if (noise->amplitude == 0.0f)
        return 1.0f;
    double scale = 1.0 / (double)noise->size;
    double wave = bw_noise((double)point.x * scale + noise->shift, (double)point.y * scale,
                           (double)point.z * scale, (double)noise->phase);
    float factor = 1.0f + noise->amplitude * (float)wave;
    return factor > 0.0f ? factor : 0.0f;
}

// Speed along the axis of the solid that carries the stamp.
static float carrier_speed(const BwStamp *stamp, BwVec3 point)
{
    BwVec3 moved = bw_solid_displacement(stamp->carrier, point);
    return (stamp->axis == 0 ? moved.x : stamp->axis == 1 ? moved.y : moved.z) / stamp->dt;
}

static float stamped(const BwStamp *stamp, BwVec3 point, float old, float covered)
{
    float held = stamp->carrier != NULL ? stamp->value + carrier_speed(stamp, point) : stamp->value;
    float value = (held - stamp->neutral) * texture_at(&stamp->noise, point);
    if (stamp->kind == BW_STAMP_ADD)
        return old + covered * value;
    if (covered >= 1.0f)
        return stamp->neutral + value;
    // At the edge the covered part is a floor, not a blend: a blend would depend on the number of steps.
    float part = covered * value, excess = old - stamp->neutral;
    bool is_more = value >= 0.0f ? part > excess : part < excess;
    return is_more ? stamp->neutral + part : old;
}

static bool is_near(const BwGrid *grid, BwTileCoord coord, const BwStamp *stamp)
{
    int middle = 4 + 8 * 4 + (grid->layers == 1 ? 0 : 64 * 4);
    BwVec3 point = bw_sample_position(grid, coord, middle, BW_AT_CELL);
    float distance = distance_to(stamp, point);
    return distance <= 8.0f * grid->cell_size; // half a tile's diagonal is 6.9 cells, and half a cell of edge
}

static double stamp_tile(const Stamping *job, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    BwTileCoord coord = grid->tiles[slot].coord;
    float *values = bw_field_tile(job->field, slot);
    const uint64_t *where = bw_words(grid, job->where, slot);
    double added = 0.0;
    for (int n = 0; n < grid->tile_cells; n++) {
        if (!bw_bit(where, n))
            continue;
        BwVec3 point = bw_sample_position(grid, coord, n, job->field->location);
        float covered = coverage_at(job->stamp, point, grid->cell_size);
        if (covered <= 0.0f)
            continue;
        float fresh = stamped(job->stamp, point, values[n], covered);
        added += (double)fresh - (double)values[n];
        values[n] = fresh;
    }
    return added;
}

static double stamp_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Stamping *job = context;
    const BwGrid *grid = job->domain->grid;
    double added = 0.0;
    for (int64_t n = begin; n < end; n++)
        if (is_near(grid, grid->tiles[grid->order[n]].coord, job->stamp))
            added += stamp_tile(job, grid->order[n]);
    return added;
}

double bw_stamp(const BwDomain *domain, BwField *field, const BwMask *where, const BwStamp *stamp)
{
    Stamping job = {domain, field, where, stamp};
    double sum = bw_parallel_sum(domain->pool, domain->grid->tile_count, 16, stamp_range, &job);
    return sum * bw_cell_volume(domain->grid);
}

typedef struct Marking {
    const BwDomain *domain;
    BwMask *mask;
    const BwStamp *stamp;
} Marking;

static void mark_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Marking *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        BwTileCoord coord = grid->tiles[slot].coord;
        if (!is_near(grid, coord, job->stamp))
            continue;
        uint64_t *bits = bw_mask_tile(job->mask, slot);
        for (int c = 0; c < grid->tile_cells; c++)
            if (coverage_at(job->stamp, bw_sample_position(grid, coord, c, BW_AT_CELL), grid->cell_size) >
                0.0f)
                bits[c >> 6] |= (uint64_t)1 << (c & 63);
    }
}

void bw_stamp_mark(const BwDomain *domain, BwMask *mask, const BwStamp *stamp)
{
    Marking job = {domain, mask, stamp};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, mark_range, &job);
}

static BwBox posed_bounds(const BwShape *shape, BwPose pose)
{
    BwBox local = bw_shape_bounds(shape),
          world = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    bool is_turned = pose.rotation.x != 0.0f || pose.rotation.y != 0.0f || pose.rotation.z != 0.0f;
    if (!is_turned)
        return (BwBox){bw_add(local.low, pose.position), bw_add(local.high, pose.position)};
    for (int corner = 0; corner < 8; corner++) {
        BwVec3 point = {corner & 1 ? local.high.x : local.low.x, corner & 2 ? local.high.y : local.low.y,
                        corner & 4 ? local.high.z : local.low.z};
        point = bw_pose_to_world(pose, point);
        world.low = bw_min(world.low, point);
        world.high = bw_max(world.high, point);
    }
    return world;
}

// A coordinate in cells. What has no end stops at the limit; what is farther than cells can count, there.
static int32_t cell_at(float meters, float h, int32_t limit)
{
    const double most = BW_TILE_COORD_MAX / 2 * BW_TILE;
    double end = isinf(meters) ? limit : most, cell = floor((double)meters / (double)h);
    return (int32_t)fmin(fmax(cell, -end), end);
}

BwCellBox bw_shape_cells(const BwGrid *grid, const BwShape *shape, BwPose pose, int32_t limit)
{
    BwBox bounds = posed_bounds(shape, pose);
    if (bw_box_is_empty(bw_shape_bounds(shape)))
        return (BwCellBox){{0}, {0}};
    BwCellBox cells = {{cell_at(bounds.low.x, grid->cell_size, limit),
                        cell_at(bounds.low.y, grid->cell_size, limit),
                        cell_at(bounds.low.z, grid->cell_size, limit)},
                       {cell_at(bounds.high.x, grid->cell_size, limit) + 1,
                        cell_at(bounds.high.y, grid->cell_size, limit) + 1,
                        cell_at(bounds.high.z, grid->cell_size, limit) + 1}};
    return cells;
}
