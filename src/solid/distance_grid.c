// Measuring the nodes, and looking between them.
//
// Between nodes that are a spacing or more from any triangle, distance is as good as linear: away from where
// two parts of the surface are equally near, its error is at most a quarter of a spacing. Where such nodes
// differ in sign there is a hole between them, and the linear value closes it with a surface of its own.
#include "solid/distance_grid.h"

#include "base/extremes.h"
#include "solid/smooth_distance.h"
#include <math.h>

// What is known of a triangle's two sides. In a soup that crosses itself a triangle may be buried, with an
// inside before it as well as behind it; in a torn one it may be a flap.
enum { BEHIND_IS_INSIDE = 1, BEFORE_IS_INSIDE = 2, UNDECIDED = 4 };

// Asking the winding number about the sides of more triangles than this takes longer than it is worth.
enum { SIDES_MAX = 200000 };

// What sums of floats may be off by, where the whole has size one.
static const float rounding = BW_DISTANCE_ROUNDING;

static bool is_within(BwBox box, BwVec3 p)
{
    return p.x >= box.low.x && p.y >= box.low.y && p.z >= box.low.z && p.x <= box.high.x &&
           p.y <= box.high.y && p.z <= box.high.z;
}

// Inside, by the winding number. What lies outside of the box around all triangles is outside, whatever the
// number makes of a broken mesh.
static bool is_inside(const BwDistanceGrid *grid, BwVec3 point)
{
    return is_within(grid->tree->box, point) && bw_triangle_tree_is_inside(grid->tree, point);
}

static BwVec3 node_place(const BwDistanceGrid *grid, int i, int j, int k)
{
    return bw_add(grid->low, bw_mul(bw_vec3((float)i, (float)j, (float)k), grid->spacing));
}

static int side_of_nearest(const BwDistanceGrid *grid, BwNearest nearest, BwVec3 point)
{
    if (nearest.triangle < 0)
        return 0;
    BwTreeTriangle triangle = bw_tree_triangle(grid->tree, nearest.triangle);
    return bw_triangle_side(&triangle, point);
}

// A node is at most a spacing farther from the surface than its neighbour is; and where the neighbour is more
// than a spacing away from a closed surface, both are on the same side of it.
static void measure_row(BwDistanceGrid *grid, int j, int k)
{
    float *row = grid->values + (int64_t)grid->size[0] * (j + (int64_t)grid->size[1] * k);
    float before = INFINITY;
    for (int i = 0; i < grid->size[0]; i++) {
        BwVec3 place = node_place(grid, i, j, k);
        float away = fabsf(before), close = 1.0001f * grid->spacing;
        BwNearest nearest = bw_triangle_tree_nearest(grid->tree, place, away + close);
        bool is_same_side = i > 0 && grid->is_closed && away > close;
        bool inside = grid->has_inside && (is_same_side ? before < 0.0f : is_inside(grid, place));
        int side = side_of_nearest(grid, nearest, place);
        grid->is_simple &= side == 0 || (side < 0) == inside;
        row[i] = before = inside ? -nearest.distance : nearest.distance;
    }
}

// Both sides close to one place of a triangle.
static int sides_at(const BwDistanceGrid *grid, BwVec3 place, BwVec3 step)
{
    return (is_inside(grid, bw_sub(place, step)) ? BEHIND_IS_INSIDE : 0) |
           (is_inside(grid, bw_add(place, step)) ? BEFORE_IS_INSIDE : 0);
}

// Its middle and three places near its corners must agree.
static int sides_of(const BwDistanceGrid *grid, int64_t n)
{
    BwTreeTriangle triangle = bw_tree_triangle(grid->tree, n);
    const BwVec3 *corner = triangle.corner;
    BwVec3 middle = bw_mul(bw_add(corner[0], bw_add(corner[1], corner[2])), 1.0f / 3.0f);
    BwVec3 normal = bw_cross(bw_sub(corner[1], corner[0]), bw_sub(corner[2], corner[0]));
    BwVec3 step = bw_mul(bw_normalize(normal), 2e-3f * sqrtf(bw_length(normal)));
    int sides = sides_at(grid, middle, step);
    for (int c = 0; c < 3; c++)
        if (sides_at(grid, bw_add(middle, bw_mul(bw_sub(corner[c], middle), 0.8f)), step) != sides)
            return UNDECIDED;
    return sides;
}

static BwResult find_sides(BwDistanceGrid *grid, const BwDistanceGridDef *def, BwError *err)
{
    int64_t count = BW_TREE_WIDTH * grid->tree->pack_count;
    if (grid->is_simple || !grid->has_inside || grid->tree->triangle_count > SIDES_MAX)
        return BW_OK;
    grid->sides = bw_alloc(&grid->allocator, (size_t)count, BW_ALIGN);
    if (grid->sides == NULL)
        return bw_fail_memory(err);
    for (int64_t n = 0; n < count; n++) {
        BW_TRY(bw_task_go_on(def->task, def->share_before + def->share_own, err));
        grid->sides[n] = (uint8_t)sides_of(grid, n);
    }
    return BW_OK;
}

static size_t value_bytes(const BwDistanceGrid *grid)
{
    return (size_t)grid->size[0] * (size_t)grid->size[1] * (size_t)grid->size[2] * sizeof *grid->values;
}

BwResult bw_distance_grid_create(BwDistanceGrid *grid, const BwDistanceGridDef *def, BwError *err)
{
    BwBox box = def->tree->box;
    BwVec3 size = bw_sub(box.high, box.low);
    *grid = (BwDistanceGrid){.allocator = def->tree->allocator,
                             .tree = def->tree,
                             .has_inside = def->has_inside,
                             .is_closed = def->is_closed,
                             .is_simple = def->is_closed && def->has_inside};
    float longest = fmaxf(fmaxf(size.x, fmaxf(size.y, size.z)), 1e-6f);
    grid->spacing = longest / (float)(def->nodes - 1 - 2 * def->margin);
    grid->nodes_per_length = 1.0f / grid->spacing;
    const float sides[3] = {size.x, size.y, size.z};
    for (int a = 0; a < 3; a++)
        grid->size[a] = (int32_t)ceilf(sides[a] / grid->spacing - 1e-3f) + 1 + 2 * def->margin;
    float margin = (float)def->margin * grid->spacing;
    grid->low = bw_sub(box.low, bw_vec3(margin, margin, margin));
    grid->values = bw_alloc(&grid->allocator, value_bytes(grid), BW_ALIGN);
    if (grid->values == NULL)
        return bw_fail_memory(err);
    double rows = (double)grid->size[1] * (double)grid->size[2];
    for (int k = 0; k < grid->size[2]; k++)
        for (int j = 0; j < grid->size[1]; j++) {
            double done = (j + (double)grid->size[1] * k) / rows;
            BW_TRY(bw_task_go_on(def->task, def->share_before + def->share_own * done, err));
            measure_row(grid, j, k);
        }
    return find_sides(grid, def, err);
}

void bw_distance_grid_destroy(BwDistanceGrid *grid)
{
    if (grid->values != NULL)
        bw_free(&grid->allocator, grid->values, value_bytes(grid), BW_ALIGN);
    if (grid->sides != NULL)
        bw_free(&grid->allocator, grid->sides, (size_t)(BW_TREE_WIDTH * grid->tree->pack_count), BW_ALIGN);
    if (grid->thick != NULL)
        bw_free(&grid->allocator, grid->thick, bw_distance_grid_thick_bytes(grid), BW_ALIGN);
    size_t nodes = value_bytes(grid) / sizeof *grid->values;
    if (grid->kinds != NULL)
        bw_free(&grid->allocator, grid->kinds, nodes, BW_ALIGN);
    if (grid->bent != NULL)
        bw_free(&grid->allocator, grid->bent, nodes * sizeof *grid->bent, BW_ALIGN);
    *grid = (BwDistanceGrid){.allocator = grid->allocator};
}

static float mix(float a, float b, float share)
{
    return a + share * (b - a);
}

static void read_corners(const BwDistanceGrid *grid, BwBetween *between)
{
    int64_t row = grid->size[0], layer = row * grid->size[1];
    const float *first = grid->values + between->first;
    for (int n = 0; n < 8; n++)
        between->corner[n] = first[(n & 1) + row * (n >> 1 & 1) + layer * (n >> 2)];
}

bool bw_distance_grid_between(const BwDistanceGrid *grid, BwVec3 point, BwBetween *between)
{
    BwVec3 at = bw_mul(bw_sub(point, grid->low), grid->nodes_per_length);
    if (!(at.x >= 0.0f && at.y >= 0.0f && at.z >= 0.0f && at.x < (float)(grid->size[0] - 1) &&
          at.y < (float)(grid->size[1] - 1) && at.z < (float)(grid->size[2] - 1)))
        return false;
    int x = (int)at.x, y = (int)at.y, z = (int)at.z;
    between->first = x + (int64_t)grid->size[0] * (y + (int64_t)grid->size[1] * z);
    read_corners(grid, between);
    between->share[0] = at.x - (float)x;
    between->share[1] = at.y - (float)y;
    between->share[2] = at.z - (float)z;
    return true;
}

static float linear(const BwBetween *between)
{
    const float *c = between->corner, *share = between->share;
    float below = mix(mix(c[0], c[1], share[0]), mix(c[2], c[3], share[0]), share[1]);
    float above = mix(mix(c[4], c[5], share[0]), mix(c[6], c[7], share[0]), share[1]);
    return mix(below, above, share[2]);
}

// Where the distance d has slope one at most and is known at the nodes n, it is
// d(n) - |n - p| <= d(p) <= d(n) + |n - p|. The node that lies straight up or down the slope gives a bound
// that is as good as exact. Sizes of distances have slope one everywhere.
static BwDistanceBounds span_between(const BwDistanceGrid *grid, const BwBetween *between)
{
    bool is_signed = bw_distance_grid_has_slope_one(grid);
    float away[8], value[8];
    for (int n = 0; n < 8; n++) {
        float x = (float)(n & 1) - between->share[0], y = (float)(n >> 1 & 1) - between->share[1],
              z = (float)(n >> 2) - between->share[2];
        away[n] = rounding + (1.0f + rounding) * grid->spacing * sqrtf(x * x + y * y + z * z);
        value[n] = is_signed ? between->corner[n] : fabsf(between->corner[n]);
    }
    float low[4], high[4];
    for (int n = 0; n < 4; n++) {
        low[n] = bw_larger(value[n] - away[n], value[n + 4] - away[n + 4]);
        high[n] = bw_smaller(value[n] + away[n], value[n + 4] + away[n + 4]);
    }
    return (BwDistanceBounds){bw_larger(bw_larger(low[0], low[1]), bw_larger(low[2], low[3])),
                              bw_smaller(bw_smaller(high[0], high[1]), bw_smaller(high[2], high[3]))};
}

// Whether the distance between such nodes is taken as linear.
static bool is_linear(const BwDistanceGrid *grid, const BwBetween *between)
{
    float four[4];
    for (int n = 0; n < 4; n++)
        four[n] = bw_smaller(fabsf(between->corner[n]), fabsf(between->corner[n + 4]));
    return bw_smaller(bw_smaller(four[0], four[1]), bw_smaller(four[2], four[3])) >=
           bw_distance_grid_linear_from(grid);
}

bool bw_distance_grid_is_far(const BwDistanceGrid *grid, int64_t cell)
{
    BwBetween between = {.first = cell};
    read_corners(grid, &between);
    return is_linear(grid, &between);
}

static BwDistanceKind kind_between(const BwDistanceGrid *grid, const BwBetween *between)
{
    if (grid->kinds != NULL)
        return (BwDistanceKind)grid->kinds[between->first];
    return is_linear(grid, between) ? BW_DISTANCE_FAR : BW_DISTANCE_ROUGH;
}

// Where it is not far.
static BwDistanceBounds bounds_between(const BwDistanceGrid *grid, const BwBetween *between)
{
    if (kind_between(grid, between) != BW_DISTANCE_SMOOTH)
        return span_between(grid, between);
    float distance = bw_smooth_distance_at(grid, between), off = BW_SMOOTH_OFF * grid->spacing + rounding;
    return (BwDistanceBounds){distance - off, distance + off};
}

// The side of a triangle that a point is straight above, or below, be it a corner or a side of it: no other
// triangle there can be bent towards the point, which would be nearer to that one. 0 where it is askew. On
// the surface either side is as good.
static int side_straight_above(const BwTreeTriangle *triangle, BwNearest nearest, BwVec3 point)
{
    float height = bw_dot(bw_sub(point, triangle->corner[0]), bw_triangle_normal(triangle));
    if (nearest.distance > 10.0f * rounding && !(fabsf(height) > 0.999f * nearest.distance))
        return 0;
    return height < 0.0f ? -1 : 1;
}

// The side that a point sees a triangle's middle from, if it does: if no other triangle is in between, all of
// the way is on one side of the surface. 0 where one is, and at slivers and too flat an angle.
static int side_in_sight(const BwDistanceGrid *grid, const BwTreeTriangle *triangle, BwVec3 point)
{
    const float flat = 0.05f, beyond = 1.01f, off = 1e-3f;
    const BwVec3 *corner = triangle->corner;
    BwVec3 middle = bw_mul(bw_add(corner[0], bw_add(corner[1], corner[2])), 1.0f / 3.0f);
    BwVec3 area = bw_cross(bw_sub(corner[1], corner[0]), bw_sub(corner[2], corner[0]));
    BwVec3 way = bw_sub(middle, point);
    float length = bw_length(way), height = -bw_dot(way, bw_normalize(area)), longest2 = 0.0f;
    for (int c = 0; c < 3; c++) {
        BwVec3 side = bw_sub(corner[(c + 1) % 3], corner[c]);
        longest2 = bw_larger(longest2, bw_dot(side, side));
    }
    if (!(bw_length(area) > flat * longest2 && fabsf(height) > flat * length))
        return 0;
    float met = bw_triangle_tree_meet(grid->tree, point, bw_add(point, bw_mul(way, beyond)));
    return !(fabsf(beyond * met - 1.0f) < off) ? 0 : height < 0.0f ? -1 : 1;
}

// The side of the nearest triangle of a closed surface, at its corners and sides too where they tell.
static int side_of_closed(const BwDistanceGrid *grid, BwNearest nearest, BwVec3 point)
{
    BwTreeTriangle triangle = bw_tree_triangle(grid->tree, nearest.triangle);
    int side = bw_triangle_side(&triangle, point);
    if (side == 0)
        side = side_straight_above(&triangle, nearest, point);
    return side != 0 ? side : side_in_sight(grid, &triangle, point);
}

// Whether the nearest triangle tells that the point is inside: 1 or 0, or -1 where it does not tell.
static int triangle_tells(const BwDistanceGrid *grid, BwNearest nearest, BwVec3 point)
{
    if (nearest.triangle < 0)
        return -1;
    int sides = grid->is_simple       ? BEHIND_IS_INSIDE
                : grid->sides != NULL ? grid->sides[nearest.triangle]
                                      : UNDECIDED;
    // Across a hole the winding number changes without any triangle.
    if (sides == UNDECIDED || !(grid->is_closed || nearest.distance < 0.25f * grid->spacing))
        return -1;
    int side = grid->is_closed ? side_of_closed(grid, nearest, point) : side_of_nearest(grid, nearest, point);
    return side == 0 ? -1 : (sides & (side < 0 ? BEHIND_IS_INSIDE : BEFORE_IS_INSIDE)) != 0;
}

// On the side that the nodes tell where no surface can be in between; else where the nearest triangle says,
// as far as it can be trusted; else by the winding number, which is always right and takes longest.
static BwNearest ask_tree(const BwDistanceGrid *grid, const BwBetween *between, BwVec3 point,
                          bool *is_inside_it)
{
    BwDistanceBounds span = bounds_between(grid, between);
    float bound = (1.0f + rounding) * fmaxf(fabsf(span.low), fabsf(span.high));
    BwNearest nearest = bw_triangle_tree_nearest(grid->tree, point, bound);
    *is_inside_it = false;
    if (!grid->has_inside)
        return nearest;
    bool is_same_side = grid->is_closed && (span.low > 0.0f || span.high < 0.0f);
    int told = is_same_side ? span.high < 0.0f : triangle_tells(grid, nearest, point);
    *is_inside_it = told >= 0 ? told == 1 : is_inside(grid, point);
    return nearest;
}

static float exact(const BwDistanceGrid *grid, const BwBetween *between, BwVec3 point)
{
    bool inside;
    BwNearest nearest = ask_tree(grid, between, point, &inside);
    return inside ? -nearest.distance : nearest.distance;
}

bool bw_distance_grid_at(const BwDistanceGrid *grid, BwVec3 point, float *distance)
{
    BwBetween between;
    if (!bw_distance_grid_between(grid, point, &between))
        return false;
    bool is_far = kind_between(grid, &between) == BW_DISTANCE_FAR;
    *distance = is_far ? linear(&between) : exact(grid, &between, point);
    return true;
}

bool bw_distance_grid_bounds_at(const BwDistanceGrid *grid, BwVec3 point, BwDistanceBounds *span)
{
    BwBetween between;
    if (!bw_distance_grid_between(grid, point, &between))
        return false;
    bool is_far = kind_between(grid, &between) == BW_DISTANCE_FAR;
    if (!is_far && bw_distance_grid_has_slope_one(grid))
        *span = bounds_between(grid, &between);
    else
        span->low = span->high = is_far ? linear(&between) : exact(grid, &between, point);
    return true;
}

// The slope of the linear value, of length one. False where it has none.
static bool linear_slope(const BwBetween *between, BwVec3 *slope)
{
    const float *c = between->corner, x = between->share[0], y = between->share[1], z = between->share[2];
    BwVec3 rise = bw_vec3(mix(mix(c[1] - c[0], c[3] - c[2], y), mix(c[5] - c[4], c[7] - c[6], y), z),
                          mix(mix(c[2] - c[0], c[3] - c[1], x), mix(c[6] - c[4], c[7] - c[5], x), z),
                          mix(mix(c[4] - c[0], c[5] - c[1], x), mix(c[6] - c[2], c[7] - c[3], x), y));
    if (!(bw_length(rise) > 0.0f))
        return false;
    *slope = bw_normalize(rise);
    return true;
}

// From the nearest triangle.
static bool exact_slope(const BwDistanceGrid *grid, const BwBetween *between, BwVec3 point, BwVec3 *slope,
                        float *distance)
{
    bool inside;
    BwNearest nearest = ask_tree(grid, between, point, &inside);
    if (nearest.triangle < 0)
        return false;
    *distance = inside ? -nearest.distance : nearest.distance;
    BwTreeTriangle triangle = bw_tree_triangle(grid->tree, nearest.triangle);
    // On the surface the slope is that of the triangle, out of the side that is inside.
    if (!(nearest.distance > 100.0f * rounding)) {
        int side = bw_triangle_side(&triangle, point);
        bool is_turned = side != 0 && (side < 0) != inside;
        *slope = bw_mul(bw_triangle_normal(&triangle), is_turned ? -1.0f : 1.0f);
    } else {
        BwVec3 away = bw_sub(point, bw_triangle_foot(&triangle, point));
        *slope = bw_mul(bw_normalize(away), inside ? -1.0f : 1.0f);
    }
    return true;
}

bool bw_distance_grid_slope(const BwDistanceGrid *grid, BwVec3 point, BwVec3 *slope, float *distance)
{
    BwBetween between;
    if (!bw_distance_grid_between(grid, point, &between))
        return false;
    switch (kind_between(grid, &between)) {
    case BW_DISTANCE_FAR:
        *distance = linear(&between);
        return linear_slope(&between, slope);
    case BW_DISTANCE_SMOOTH:
        *distance = bw_smooth_distance_at(grid, &between);
        *slope = bw_normalize(bw_smooth_distance_slope(grid, &between));
        return true;
    case BW_DISTANCE_ROUGH:
        break;
    }
    return exact_slope(grid, &between, point, slope, distance);
}
