// A lattice across the stream, and for each of its points the last place of the shape along it.
#include "operate/spout.h"

#include "operate/emit.h"
#include "particle/random_place.h"
#include "solid/same_shape.h"

#include <math.h>

// How near to a shape counts as on it, in particle spacings.
static const float touch_part = 1e-2f;

BwVec3 bw_flat_normal(const BwShape *shape)
{
    BwVec3 none = {0};
    switch (shape->kind) {
    case BW_SHAPE_DISC:
    case BW_SHAPE_RECTANGLE:
        return bw_normalize(shape->b);
    case BW_SHAPE_ROTATE:
        return bw_quat_rotate(bw_quat_turn(shape->b, shape->angle), bw_flat_normal(shape->parts));
    case BW_SHAPE_TRANSLATE:
    case BW_SHAPE_SCALE:
    case BW_SHAPE_UNION:
    case BW_SHAPE_INTERSECTION:
    case BW_SHAPE_DIFFERENCE:
        return bw_flat_normal(shape->parts);
    default:
        return none;
    }
}

static bool is_box_inside(BwBox box, BwBox within, int dimension)
{
    return box.low.x >= within.low.x && box.low.y >= within.low.y && box.high.x <= within.high.x &&
           box.high.y <= within.high.y &&
           (dimension == 2 || (box.low.z >= within.low.z && box.high.z <= within.high.z));
}

double bw_spout_area(const BwSpoutDef *def)
{
    const BwShape *shape = def->shape;
    double along = (double)fabsf(bw_dot(bw_flat_normal(shape), def->direction)),
           radius = (double)shape->radius;
    bool is_whole = is_box_inside(bw_shape_bounds(shape), def->within, def->dimension);
    if (is_whole && shape->kind == BW_SHAPE_DISC)
        return along * (def->dimension == 2 ? 2.0 * radius : 3.14159265358979 * radius * radius);
    if (is_whole && shape->kind == BW_SHAPE_RECTANGLE && def->dimension == 3)
        return along * (double)shape->size[0] * (double)shape->size[1];
    return bw_shape_projected_area(shape, def->direction, def->within, def->dimension);
}

static void find_axes(BwSpout *spout, const BwSpoutDef *def)
{
    BwVec3 along = def->direction;
    spout->direction = along;
    spout->across = bw_vec3(-along.y, along.x, 0.0f);
    spout->up = bw_vec3(0.0f, 0.0f, 0.0f);
    if (def->dimension == 2)
        return;
    BwVec3 other = fabsf(along.y) < 0.9f ? bw_vec3(0.0f, 1.0f, 0.0f) : bw_vec3(1.0f, 0.0f, 0.0f);
    spout->across = bw_normalize(bw_cross(other, along));
    spout->up = bw_cross(along, spout->across);
}

static BwResult add_point(BwSpout *spout, const BwAllocator *allocator, BwVec3 point, BwError *err)
{
    BW_TRY(bw_reserve(allocator, (void **)&spout->points, &spout->capacity, spout->count + 1,
                      sizeof *spout->points, err));
    spout->points[spout->count++] = point;
    return BW_OK;
}

// The ends of a box along a direction.
static void find_span(BwBox box, BwVec3 along, float *low, float *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int n = 0; n < 8; n++) {
        float at = bw_dot(along, bw_vec3(n & 1 ? box.high.x : box.low.x, n & 2 ? box.high.y : box.low.y,
                                         n & 4 ? box.high.z : box.low.z));
        *low = fminf(*low, at);
        *high = fmaxf(*high, at);
    }
}

// Puts a point on a wall in front of it; false where it is behind.
static bool put_within(BwBox box, BwVec3 *point, float margin, int dimension)
{
    BwVec3 edge = bw_vec3(margin, margin, dimension == 3 ? margin : 0.0f), p = *point;
    *point = bw_min(bw_max(p, bw_add(box.low, edge)), bw_sub(box.high, edge));
    return bw_length(bw_sub(p, *point)) <= 3.0f * margin;
}

// Points of a lattice, so that its middle is that of the span.
typedef struct Row {
    int64_t count;
    float first;
} Row;

static Row row_of(float low, float high, float spacing)
{
    int64_t count = (int64_t)ceilf((high - low) / spacing - 1e-3f);
    count = count > 1 ? count : 1;
    return (Row){count, 0.5f * (low + high) - 0.5f * spacing * (float)(count - 1)};
}

static BwResult find_points(BwSpout *spout, const BwAllocator *allocator, const BwSpoutDef *def, BwBox box,
                            BwError *err)
{
    float low[3], high[3], spacing = def->spacing;
    find_span(box, spout->across, &low[0], &high[0]);
    find_span(box, spout->up, &low[1], &high[1]);
    find_span(box, spout->direction, &low[2], &high[2]);
    Row columns = row_of(low[0], high[0], spacing), rows = row_of(low[1], high[1], spacing);
    if (def->dimension == 2)
        rows = (Row){1, 0.0f};
    for (int64_t n = 0; n < columns.count * rows.count; n++) {
        BwVec3 at = bw_add(bw_mul(spout->across, columns.first + spacing * (float)(n % columns.count)),
                           bw_mul(spout->up, rows.first + spacing * (float)(n / columns.count)));
        BwVec3 far = bw_add(at, bw_mul(spout->direction, high[2] + spacing)),
               near = bw_add(at, bw_mul(spout->direction, low[2] - spacing));
        float met = bw_shape_meet(def->shape, far, near, touch_part * spacing);
        BwVec3 point = bw_add(far, bw_mul(bw_sub(near, far), met));
        if (met <= 1.0f && put_within(def->within, &point, touch_part * spacing, def->dimension))
            BW_TRY(add_point(spout, allocator, point, err));
    }
    return BW_OK;
}

BwResult bw_spout_aim(BwSpout *spout, const BwAllocator *allocator, const BwSpoutDef *def, BwError *err)
{
    BwBox box = bw_box_intersection(bw_shape_bounds(def->shape), def->within);
    // Bit by bit: what stayed as an earlier step had aimed it would not be in a checkpoint.
    if (bw_same_vector(def->direction, spout->direction) && bw_same_shape(&spout->shape, def->shape))
        return BW_OK;
    spout->shape = *def->shape;
    if (def->dimension == 2)
        box.low.z = box.high.z = 0.0f;
    find_axes(spout, def);
    spout->count = 0;
    spout->layer = -1;
    spout->area = 0.0;
    bool is_empty = box.low.x > box.high.x || box.low.y > box.high.y || box.low.z > box.high.z;
    if (is_empty)
        return BW_OK;
    spout->area = bw_spout_area(def);
    BW_TRY(find_points(spout, allocator, def, box, err));
    if (spout->count == 0) // narrower than the lattice
        BW_TRY(add_point(spout, allocator, bw_mul(bw_add(box.low, box.high), 0.5f), err));
    return bw_reserve(allocator, (void **)&spout->order, &spout->order_capacity, spout->count,
                      sizeof *spout->order, err);
}

// The points of a face of the side: as many along each axis as a cell has particles.
static BwResult cover_face(BwSpout *spout, const BwAllocator *allocator, BwVec3 center, int dimension,
                           float h, int per_axis, BwError *err)
{
    int rows = dimension == 3 ? per_axis : 1;
    for (int n = 0; n < per_axis * rows; n++) {
        float x = h * (((float)(n % per_axis) + 0.5f) / (float)per_axis - 0.5f),
              y = h * (((float)(n / per_axis) + 0.5f) / (float)rows - 0.5f);
        BwVec3 point = bw_add(center, bw_mul(spout->across, x));
        BW_TRY(add_point(spout, allocator, bw_add(point, bw_mul(spout->up, y)), err));
    }
    return BW_OK;
}

BwResult bw_spout_cover_side(BwSpout *spout, const BwAllocator *allocator, const BwDomain *domain, int side,
                             int per_axis, BwError *err)
{
    const BwGrid *grid = domain->grid;
    const BwCellBox *bounds = &grid->bounds;
    int axis = side / 2, one = (axis + 1) % 3, two = (axis + 2) % 3;
    float h = grid->cell_size, inward[3] = {0}, across[3] = {0}, up[3] = {0};
    if (bw_length(spout->direction) > 0.0f)
        return BW_OK;
    if (grid->dimension == 2) { // the other axis of the plane, and none
        one = 1 - axis;
        two = 2;
    }
    inward[axis] = side % 2 == 0 ? 1.0f : -1.0f;
    across[one] = 1.0f;
    up[two] = grid->dimension == 3 ? 1.0f : 0.0f;
    spout->direction = bw_vec3(inward[0], inward[1], inward[2]);
    spout->across = bw_vec3(across[0], across[1], across[2]);
    spout->up = bw_vec3(up[0], up[1], up[2]);
    spout->layer = -1;
    int32_t layers = grid->dimension == 3 ? bounds->high[two] - bounds->low[two] : 1;
    int64_t faces = 0;
    for (int32_t j = 0; j < layers; j++)
        for (int32_t i = bounds->low[one]; i < bounds->high[one]; i++) {
            float at[3] = {0};
            at[axis] = h * (float)(side % 2 == 0 ? bounds->low[axis] : bounds->high[axis]);
            at[one] = h * ((float)i + 0.5f);
            at[two] = grid->dimension == 3 ? h * ((float)(bounds->low[two] + j) + 0.5f) : 0.0f;
            BwVec3 center = bw_vec3(at[0], at[1], at[2]);
            if (!bw_box_side_holds(&domain->side[side], grid, center))
                continue;
            faces++;
            center = bw_add(center, bw_mul(spout->direction, touch_part * h));
            BW_TRY(cover_face(spout, allocator, center, grid->dimension, h, per_axis, err));
        }
    spout->area = (double)faces * (double)h * (grid->dimension == 3 ? (double)h : 1.0);
    return bw_reserve(allocator, (void **)&spout->order, &spout->order_capacity, spout->count,
                      sizeof *spout->order, err);
}

void bw_spout_free(BwSpout *spout, const BwAllocator *allocator)
{
    bw_free(allocator, spout->points, (size_t)spout->capacity * sizeof *spout->points, BW_ALIGN);
    bw_free(allocator, spout->order, (size_t)spout->order_capacity * sizeof *spout->order, BW_ALIGN);
    *spout = (BwSpout){0};
}

static float random_of(uint64_t seed, int64_t layer, int64_t n, float random[3])
{
    const int32_t cell[3] = {(int32_t)layer, (int32_t)n, (int32_t)(layer >> 31)};
    bw_random_place(seed, cell, 0, random);
    return random[0];
}

// Shuffles the places of a layer (Fisher and Yates 1938).
static void shuffle(BwSpout *spout, int64_t layer, uint64_t seed)
{
    float random[3];
    if (spout->layer == layer)
        return;
    spout->layer = layer;
    for (int64_t n = 0; n < spout->count; n++)
        spout->order[n] = (int32_t)n;
    for (int64_t n = spout->count - 1; n > 0; n--) {
        int64_t other = (int64_t)((double)random_of(seed, layer, n, random) * (double)(n + 1));
        int32_t kept = spout->order[n];
        spout->order[n] = spout->order[other];
        spout->order[other] = kept;
    }
}

BwVec3 bw_spout_place(BwSpout *spout, const BwShape *shape, int64_t number, float jitter, uint64_t seed)
{
    float random[3];
    shuffle(spout, number / spout->count, seed);
    BwVec3 point = spout->points[spout->order[number % spout->count]];
    random_of(seed + 1, number / spout->count, number % spout->count, random);
    BwVec3 shift = bw_add(bw_mul(spout->across, jitter * (random[0] - 0.5f)),
                          bw_mul(spout->up, jitter * (random[1] - 0.5f)));
    for (int round = 0; round < 4; round++, shift = bw_mul(shift, 0.5f)) {
        BwVec3 place = bw_add(point, shift);
        if (shape == NULL || bw_shape_distance(shape, place) <= 2.0f * touch_part * jitter)
            return place;
    }
    return point;
}
