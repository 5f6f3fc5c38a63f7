// Stamping shapes into fields. A tile far from the shape is left alone at the cost of one distance.
#include "operate/emit.h"

#include "operate/measure.h"
#include "scene/noise.h"
#include "solid/shape_file.h"
#include <math.h>

typedef struct Stamping {
    const BwDomain *domain;
    BwField *field;
    const BwMask *where;
    const BwStamp *stamp;
} Stamping;

// Distance to what is stamped: the shape, or the shell around it.
float bw_stamp_distance(const BwStamp *stamp, BwVec3 point)
{
    BwVec3 local = bw_pose_to_local(stamp->pose, point);
    float distance = bw_shape_plate_distance(stamp->shape, local, 0.5f * stamp->plate);
    return stamp->shell > 0.0f ? fabsf(distance - 0.5f * stamp->shell) - 0.5f * stamp->shell : distance;
}

// How much of a cell or of the cell around a face is covered, by the distance at its centre: exact where a
// flat surface runs along the grid.
static float coverage_by_distance(float distance, float h)
{
    float covered = 0.5f - distance / h;
    return covered < 0.0f ? 0.0f : covered > 1.0f ? 1.0f : covered;
}

// Volume fraction of a cell that a curved or slanted surface crosses: the mean over parts of it, each by its
// distance. Without it a ball of 1.6 cells radius holds a tenth too much.
static float volume_fraction(const BwStamp *stamp, BwVec3 point, float h, int dimension)
{
    const int parts = dimension == 3 ? 3 : 4, layers = dimension == 3 ? parts : 1;
    const float part = h / (float)parts, first = 0.5f * (part - h);
    float sum = 0.0f;
    for (int k = 0; k < layers; k++)
        for (int j = 0; j < parts; j++)
            for (int i = 0; i < parts; i++) {
                BwVec3 offset = {first + part * (float)i, first + part * (float)j,
                                 dimension == 3 ? first + part * (float)k : 0.0f};
                sum += coverage_by_distance(bw_stamp_distance(stamp, bw_add(point, offset)), part);
            }
    return sum / (float)(layers * parts * parts);
}

// Half the diagonal of a cell, in cells: past it a surface does not cross the cell.
static const float half_diagonal = 0.8661f;

// Wider than a cell, so that the grid shows it.
static bool is_soft(const BwStamp *stamp, const BwGrid *grid)
{
    return stamp->falloff > grid->cell_size;
}

// From 1 to 0 across the soft edge, smooth, and as much outside of the surface as is missing inside.
static float soft_coverage(const BwStamp *stamp, float distance)
{
    float s = coverage_by_distance(distance, stamp->falloff);
    return s * s * (3.0f - 2.0f * s);
}

static float coverage_at(const BwStamp *stamp, BwVec3 point, const BwGrid *grid, BwLocation location)
{
    float h = grid->cell_size, distance = bw_stamp_distance(stamp, point);
    if (is_soft(stamp, grid))
        return soft_coverage(stamp, distance);
    bool is_crossed = fabsf(distance) < half_diagonal * h;
    if (!is_crossed || location != BW_AT_CELL || stamp->shell > 0.0f)
        return coverage_by_distance(distance, h);
    return volume_fraction(stamp, point, h, grid->dimension);
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
    bool is_more = value > 0.0f ? part > excess : value < 0.0f && part < excess;
    return is_more ? stamp->neutral + part : old;
}

bool bw_stamp_is_near(const BwGrid *grid, BwTileCoord coord, const BwStamp *stamp)
{
    int middle = 4 + 8 * 4 + (grid->layers == 1 ? 0 : 64 * 4);
    BwVec3 point = bw_sample_position(grid, coord, middle, BW_AT_CELL);
    float distance = bw_stamp_distance(stamp, point);
    return distance <=
           8.0f * grid->cell_size +
               0.5f * stamp->falloff; // half a tile's diagonal is 6.9 cells, and half a cell of edge
}

bool bw_stamp_covers(const BwStamp *stamp, const BwGrid *grid, BwVec3 point)
{
    float distance = bw_stamp_distance(stamp, point);
    // At a soft edge the flow is no faster than the fluid takes it up.
    return is_soft(stamp, grid) ? soft_coverage(stamp, distance) >= 1.0f
                                : coverage_by_distance(distance, grid->cell_size) > 0.01f;
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
        float covered = coverage_at(job->stamp, point, grid, job->field->location);
        if (covered <= 0.0f || (job->stamp->is_inside_only && covered < 1.0f))
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
        if (bw_stamp_is_near(grid, grid->tiles[grid->order[n]].coord, job->stamp))
            added += stamp_tile(job, grid->order[n]);
    return added;
}

double bw_stamp(const BwDomain *domain, BwField *field, const BwMask *where, const BwStamp *stamp)
{
    Stamping job = {domain, field, where, stamp};
    double sum = bw_parallel_sum(domain->pool, domain->grid->tile_count, 16, stamp_range, &job);
    return sum * bw_cell_volume(domain->grid);
}

// Filling up the cells at the edge of a source, or all cells of a flat one.
typedef struct Edging {
    const BwDomain *domain;
    BwField *field;
    const BwMask *where;
    const BwStamp *stamp;
    BwVec3 velocity;
    bool is_flat;
    float part_of_covered, part_of_rest; // of what is lacking, to be filled up
} Edging;

// Whether fluid that has the source's velocity leaves it here, or passes along it.
static bool is_lee(const Edging *job, BwVec3 point)
{
    float step = 0.5f * job->domain->grid->cell_size, along = 0.0f, slope = 0.0f;
    const float v[3] = {job->velocity.x, job->velocity.y, job->velocity.z};
    for (int a = 0; a < job->domain->grid->dimension; a++) {
        BwVec3 offset = {a == 0 ? step : 0.0f, a == 1 ? step : 0.0f, a == 2 ? step : 0.0f};
        float change = bw_stamp_distance(job->stamp, bw_add(point, offset)) -
                       bw_stamp_distance(job->stamp, bw_sub(point, offset));
        along += change * v[a];
        slope += change * change;
    }
    return along >= -0.3f * sqrtf(slope) * bw_length(job->velocity);
}

typedef enum EdgeSum { LACK_OF_COVERED, LACK_OF_REST, FILL } EdgeSum;

static double edge_cell(const Edging *job, BwVec3 point, float *density, EdgeSum what)
{
    const BwGrid *grid = job->domain->grid;
    float covered = coverage_at(job->stamp, point, grid, BW_AT_CELL);
    float full = job->stamp->value * texture_at(&job->stamp->noise, point);
    if (covered <= 0.0f || (covered >= 1.0f && !job->is_flat))
        return 0.0;
    float lack = fmaxf(covered * full - *density, 0.0f);
    if (what == LACK_OF_COVERED)
        return (double)lack;
    float rest = is_lee(job, point) ? fmaxf(full - (*density + lack), 0.0f) : 0.0f;
    if (what == LACK_OF_REST)
        return (double)rest;
    float more = job->part_of_covered * lack + job->part_of_rest * rest;
    *density += more;
    return (double)more;
}

static double edge_tiles(const Edging *job, int64_t begin, int64_t end, EdgeSum what)
{
    const BwGrid *grid = job->domain->grid;
    double sum = 0.0;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        BwTileCoord coord = grid->tiles[slot].coord;
        const uint64_t *where = bw_words(grid, job->where, slot);
        if (!bw_stamp_is_near(grid, coord, job->stamp))
            continue;
        float *values = bw_field_tile(job->field, slot);
        for (int n = 0; n < grid->tile_cells; n++)
            if (bw_bit(where, n))
                sum += edge_cell(job, bw_sample_position(grid, coord, n, BW_AT_CELL), &values[n], what);
    }
    return sum;
}

static double lack_of_covered(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    return edge_tiles(context, begin, end, LACK_OF_COVERED);
}

static double lack_of_rest(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    return edge_tiles(context, begin, end, LACK_OF_REST);
}

static double fill_edge(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    return edge_tiles(context, begin, end, FILL);
}

static float share_of(double amount, double room)
{
    return room > 0.0 ? (float)fmin(fmax(amount / room, 0.0), 1.0) : 0.0f;
}

double bw_stamp_within(const BwDomain *domain, BwField *field, const BwMask *where, const BwStamp *stamp,
                       const BwLetOut *out)
{
    BwStamp inside = *stamp;
    inside.is_inside_only = true;
    double volume = bw_cell_volume(domain->grid);
    double added = out->is_flat ? 0.0 : bw_stamp(domain, field, where, &inside);
    Edging job = {.domain = domain,
                  .field = field,
                  .where = where,
                  .stamp = stamp,
                  .velocity = out->velocity,
                  .is_flat = out->is_flat};
    int64_t count = domain->grid->tile_count;
    double covered = bw_parallel_sum(domain->pool, count, 16, lack_of_covered, &job);
    double left = out->fills_up ? covered + out->budget / volume : (out->budget - added) / volume;
    job.part_of_covered = share_of(left, covered);
    if (left > covered)
        job.part_of_rest =
            share_of(left - covered, bw_parallel_sum(domain->pool, count, 16, lack_of_rest, &job));
    return added + volume * bw_parallel_sum(domain->pool, count, 16, fill_edge, &job);
}

// A box around the corners of another one, along two directions that are normal to a third one and to each
// other.
typedef struct Screen {
    BwVec3 across, up;
    float low[2], high[2], near, far;
} Screen;

static Screen screen_of(BwBox box, BwVec3 along, int dimension)
{
    Screen screen = {.across = bw_vec3(-along.y, along.x, 0.0f), .up = bw_vec3(0.0f, 0.0f, 1.0f)};
    if (dimension == 3) {
        screen.across = fabsf(along.y) < 0.9f ? bw_vec3(0.0f, 1.0f, 0.0f) : bw_vec3(1.0f, 0.0f, 0.0f);
        screen.across = bw_normalize(bw_cross(screen.across, along));
        screen.up = bw_cross(along, screen.across);
    }
    screen.low[0] = screen.low[1] = screen.near = INFINITY;
    screen.high[0] = screen.high[1] = screen.far = -INFINITY;
    for (int corner = 0; corner < 8; corner++) {
        BwVec3 point = {corner & 1 ? box.high.x : box.low.x, corner & 2 ? box.high.y : box.low.y,
                        corner & 4 ? box.high.z : box.low.z};
        float x = bw_dot(point, screen.across), y = bw_dot(point, screen.up), z = bw_dot(point, along);
        screen.low[0] = fminf(screen.low[0], x);
        screen.high[0] = fmaxf(screen.high[0], x);
        screen.low[1] = fminf(screen.low[1], y);
        screen.high[1] = fmaxf(screen.high[1], y);
        screen.near = fminf(screen.near, z);
        screen.far = fmaxf(screen.far, z);
    }
    return screen;
}

double bw_shape_shadow(const BwShape *shape, BwVec3 direction, BwBox within, int dimension)
{
    BwVec3 along = bw_normalize(direction);
    BwBox box = bw_box_intersection(bw_shape_bounds(shape), within);
    if (dimension == 2)
        box.low.z = box.high.z = 0.0f;
    Screen screen = screen_of(box, along, dimension);
    int columns = dimension == 3 ? 96 : 768, rows = dimension == 3 ? 96 : 1, met = 0;
    float width = screen.high[0] - screen.low[0], height = screen.high[1] - screen.low[1];
    float touch = 1e-4f * (width + (dimension == 3 ? height : 0.0f));
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++) {
            float x = screen.low[0] + width * ((float)column + 0.5f) / (float)columns;
            float y = screen.low[1] + height * ((float)row + 0.5f) / (float)rows;
            BwVec3 at = bw_add(bw_mul(screen.across, x), bw_mul(screen.up, dimension == 3 ? y : 0.0f));
            met += bw_shape_meet(shape, bw_add(at, bw_mul(along, screen.near)),
                                 bw_add(at, bw_mul(along, screen.far)), touch) <= 1.0f;
        }
    double area = (double)width * (dimension == 3 ? (double)height : 1.0);
    return area * met / (columns * rows);
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
        if (!bw_stamp_is_near(grid, coord, job->stamp))
            continue;
        uint64_t *bits = bw_mask_tile(job->mask, slot);
        for (int c = 0; c < grid->tile_cells; c++)
            if (coverage_at(job->stamp, bw_sample_position(grid, coord, c, BW_AT_CELL), grid, BW_AT_CELL) >=
                (is_soft(job->stamp, grid) ? 1.0f : 0.001f))
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
