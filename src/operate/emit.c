// Stamping shapes into fields.
#include "operate/emit.h"

#include "domain/measure.h"
#include "scene/noise.h"
#include "solid/shape_file.h"
#include <math.h>

typedef struct Stamping {
    const BwDomain *domain;
    BwField *field;
    const BwMask *where;
    const BwStamp *stamp;
} Stamping;

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
    float set = stamp->carrier != NULL ? stamp->value + carrier_speed(stamp, point) : stamp->value;
    float value = (set - stamp->neutral) * texture_at(&stamp->noise, point);
    if (stamp->kind == BW_STAMP_ADD)
        return old + covered * value;
    if (covered >= 1.0f)
        return stamp->neutral + value;
    // At the edge the covered part is a floor, not a blend: a blend would depend on the number of steps.
    float part = covered * value, excess = old - stamp->neutral;
    bool is_more = value > 0.0f ? part > excess : value < 0.0f && part < excess;
    return is_more ? stamp->neutral + part : old;
}

// What is added brings its tint; what is taken away takes its share along.
static void tint_cell(const BwTint *tint, int32_t slot, int n, float old, float fresh, float covered)
{
    for (int f = 0; tint != NULL && f < tint->count; f++) {
        float *amount = &bw_field_tile(tint->fields[f], slot)[n];
        if (tint->replaces && covered >= 1.0f)
            *amount = fresh * tint->amount[f];
        else if (fresh >= old)
            *amount += (fresh - old) * tint->amount[f];
        else
            *amount *= old > 0.0f ? fresh / old : 0.0f;
    }
}

static double stamp_tile(const Stamping *job, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    BwTileCoord coord = grid->tiles[slot].coord;
    float found[BW_TILE_CELLS_MAX];
    const float *coverage = bw_stamp_coverage(job->stamp, grid, slot, job->field->location, found);
    if (coverage == NULL)
        return 0.0;
    float *values = bw_field_tile(job->field, slot);
    const uint64_t *where = bw_words(grid, job->where, slot);
    double added = 0.0;
    for (int n = 0; n < grid->tile_cells; n++) {
        float covered = coverage[n];
        if (covered <= 0.0f || !bw_bit(where, n) || (job->stamp->is_inside_only && covered < 1.0f))
            continue;
        BwVec3 point = bw_sample_position(grid, coord, n, job->field->location);
        float fresh = stamped(job->stamp, point, values[n], covered);
        added += (double)fresh - (double)values[n];
        tint_cell(job->stamp->tint, slot, n, values[n], fresh, covered);
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
        added += stamp_tile(job, grid->order[n]);
    return added;
}

double bw_stamp(const BwDomain *domain, BwField *field, const BwMask *where, const BwStamp *stamp)
{
    Stamping job = {domain, field, where, stamp};
    bw_coverage_prepare(domain, stamp, field->location);
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

typedef enum EdgeSum { DEFICIT_OF_COVERED, DEFICIT_OF_REST, FILL } EdgeSum;

static double edge_cell(const Edging *job, BwVec3 point, float covered, float *density, EdgeSum what)
{
    float full = job->stamp->value * texture_at(&job->stamp->noise, point);
    float deficit = fmaxf(covered * full - *density, 0.0f);
    if (what == DEFICIT_OF_COVERED)
        return (double)deficit;
    float rest = is_lee(job, point) ? fmaxf(full - (*density + deficit), 0.0f) : 0.0f;
    if (what == DEFICIT_OF_REST)
        return (double)rest;
    float more = job->part_of_covered * deficit + job->part_of_rest * rest;
    *density += more;
    return (double)more;
}

static double edge_tiles(const Edging *job, int64_t begin, int64_t end, EdgeSum what)
{
    const BwGrid *grid = job->domain->grid;
    float found[BW_TILE_CELLS_MAX];
    double sum = 0.0;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        const float *coverage = bw_stamp_coverage(job->stamp, grid, slot, BW_AT_CELL, found);
        if (coverage == NULL)
            continue;
        const uint64_t *where = bw_words(grid, job->where, slot);
        float *values = bw_field_tile(job->field, slot);
        for (int n = 0; n < grid->tile_cells; n++) {
            bool is_edge = coverage[n] > 0.0f && (coverage[n] < 1.0f || job->is_flat);
            if (!is_edge || !bw_bit(where, n))
                continue;
            float old = values[n];
            sum += edge_cell(job, bw_sample_position(grid, grid->tiles[slot].coord, n, BW_AT_CELL),
                             coverage[n], &values[n], what);
            if (what == FILL)
                tint_cell(job->stamp->tint, slot, n, old, values[n], 0.0f);
        }
    }
    return sum;
}

static double deficit_of_covered(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    return edge_tiles(context, begin, end, DEFICIT_OF_COVERED);
}

static double deficit_of_rest(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    return edge_tiles(context, begin, end, DEFICIT_OF_REST);
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
                       const BwEmission *out)
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
    bw_coverage_prepare(domain, stamp, BW_AT_CELL);
    double covered = bw_parallel_sum(domain->pool, count, 16, deficit_of_covered, &job);
    double left = out->fills_up ? covered + out->budget / volume : (out->budget - added) / volume;
    job.part_of_covered = share_of(left, covered);
    if (left > covered)
        job.part_of_rest =
            share_of(left - covered, bw_parallel_sum(domain->pool, count, 16, deficit_of_rest, &job));
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

double bw_shape_projected_area(const BwShape *shape, BwVec3 direction, BwBox within, int dimension)
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
    const float least = bw_stamp_is_soft(job->stamp, grid) ? 1.0f : 0.001f;
    float found[BW_TILE_CELLS_MAX];
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        const float *coverage = bw_stamp_coverage(job->stamp, grid, slot, BW_AT_CELL, found);
        if (coverage == NULL)
            continue;
        uint64_t *bits = bw_mask_tile(job->mask, slot);
        for (int c = 0; c < grid->tile_cells; c++)
            bits[c >> 6] |= (uint64_t)(coverage[c] >= least) << (c & 63);
    }
}

void bw_stamp_mark(const BwDomain *domain, BwMask *mask, const BwStamp *stamp)
{
    Marking job = {domain, mask, stamp};
    bw_coverage_prepare(domain, stamp, BW_AT_CELL);
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, mark_range, &job);
}
