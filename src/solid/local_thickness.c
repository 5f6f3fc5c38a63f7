// A triangle is as thick as t where balls of radius 0.8 t, centred t behind places all over it, hold no
// surface: that is so of what is round to t or flatter, and two t thick. A way past triangles of that kind
// which is no longer than 0.8 t comes less than a seventh of its length below the surface: it has met a
// bulge, and a detour hardly longer leads around it. A plate, a blade or the rim of either has triangles that
// are not.
//
// Thicknesses are a row of sizes, each sqrt(2) times the one before. For each, a bit of every cell of the
// grid of distances tells that all triangles within 0.9 of that size, wherever in the cell one is, are as
// thick. Those triangles are all that a way of 0.8 of it can meet.
#include "solid/local_thickness.h"

#include "base/extremes.h"
#include "solid/distance_bounds.h"
#include "solid/shape_file.h"

#include <math.h>

// Bits of a row of cells.
enum { ROW_MAX = 64 };

// Places along the sides of a triangle; a longer one is not looked at.
enum { PLACES_MAX = 8 };

static const float ball = 0.8f, nearby = 0.9f, way_share = 0.8f;

static float size_of(const BwDistanceGrid *grid, int step)
{
    const float root = 1.41421356f;
    return grid->spacing * (float)(1 << step / 2) * (step & 1 ? root : 1.0f);
}

static int64_t row_count(const BwDistanceGrid *grid)
{
    return (int64_t)grid->size[1] * grid->size[2];
}

// Whether the ball behind a place is inside.
static bool has_ball(const BwDistanceGrid *grid, BwVec3 place, BwVec3 normal, float size)
{
    BwVec3 center = bw_sub(place, bw_mul(normal, size));
    BwDistanceBounds bounds;
    float distance;
    if (!bw_distance_grid_bounds_at(grid, center, &bounds) || bounds.low > -ball * size)
        return false;
    if (bounds.high <= -ball * size)
        return true;
    return bw_distance_grid_at(grid, center, &distance) && distance <= -ball * size;
}

// Places no more than half a size apart: its middle where it is small, else a lattice from corner to corner.
static bool is_triangle_thick(const BwDistanceGrid *grid, const BwTreeTriangle *triangle, float size)
{
    const BwVec3 *c = triangle->corner, normal = bw_triangle_normal(triangle);
    BwVec3 ab = bw_sub(c[1], c[0]), ac = bw_sub(c[2], c[0]);
    float longest = bw_larger(bw_length(bw_sub(c[2], c[1])), bw_larger(bw_length(ab), bw_length(ac)));
    if (2.0f * longest <= size)
        return has_ball(grid, bw_add(c[0], bw_mul(bw_add(ab, ac), 1.0f / 3.0f)), normal, size);
    if (!(2.0f * longest <= PLACES_MAX * size))
        return false;
    int places = (int)ceilf(2.0f * longest / size);
    for (int i = 0; i <= places; i++)
        for (int j = 0; j <= places - i; j++) {
            BwVec3 away = bw_add(bw_mul(ab, (float)i / (float)places), bw_mul(ac, (float)j / (float)places));
            if (!has_ball(grid, bw_add(c[0], away), normal, size))
                return false;
        }
    return true;
}

static int cell_along(const BwDistanceGrid *grid, float at, int axis)
{
    float cell = floorf((at - bw_component(grid->low, axis)) * grid->nodes_per_length);
    return (int)bw_smaller(bw_larger(cell, 0.0f), (float)(grid->size[axis] - 1));
}

// Marks the cells that the box around a triangle touches.
static void mark(const BwDistanceGrid *grid, const BwTreeTriangle *triangle, uint64_t *rows)
{
    const BwVec3 *c = triangle->corner;
    const float slack = 1e-5f; // of positions, where the whole has size one
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        float x = bw_component(c[0], a), y = bw_component(c[1], a), z = bw_component(c[2], a);
        low[a] = cell_along(grid, bw_smaller(x, bw_smaller(y, z)) - slack, a);
        high[a] = cell_along(grid, bw_larger(x, bw_larger(y, z)) + slack, a);
    }
    uint64_t bits = ~UINT64_C(0) >> (ROW_MAX - 1 - (high[0] - low[0])) << low[0];
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++)
            rows[j + (int64_t)grid->size[1] * k] |= bits;
}

// Makes marks one cell wider to each side, along one axis after the other.
static void widen_along(uint64_t *rows, int64_t first, int64_t stride, int count)
{
    uint64_t before = 0;
    for (int n = 0; n < count; n++) {
        uint64_t own = rows[first + stride * n], after = n + 1 < count ? rows[first + stride * (n + 1)] : 0;
        rows[first + stride * n] = before | own | after;
        before = own;
    }
}

static void widen(const BwDistanceGrid *grid, uint64_t *rows)
{
    for (int64_t n = 0; n < row_count(grid); n++)
        rows[n] |= rows[n] << 1 | rows[n] >> 1;
    for (int k = 0; k < grid->size[2]; k++)
        widen_along(rows, (int64_t)grid->size[1] * k, 1, grid->size[1]);
    for (int j = 0; j < grid->size[1]; j++)
        widen_along(rows, j, grid->size[1], grid->size[2]);
}

// Marks each triangle at the first size that it is not as thick as.
static BwResult mark_thin(const BwDistanceGrid *grid, const BwDistanceGridDef *def, BwError *err)
{
    for (int64_t n = 0; n < BW_TREE_WIDTH * grid->tree->pack_count; n++) {
        if (n % BW_TREE_WIDTH >= grid->tree->packs[n / BW_TREE_WIDTH].count)
            continue;
        BW_TRY(bw_task_go_on(def->task, def->share_before + def->share_own, err));
        BwTreeTriangle triangle = bw_tree_triangle(grid->tree, n);
        int step = 0;
        while (step < BW_THICK_SIZES && is_triangle_thick(grid, &triangle, size_of(grid, step)))
            step++;
        if (step < BW_THICK_SIZES)
            mark(grid, &triangle, grid->thick + step * row_count(grid));
    }
    return BW_OK;
}

BwResult bw_local_thickness_find(BwDistanceGrid *grid, const BwDistanceGridDef *def, BwError *err)
{
    int64_t rows = row_count(grid);
    if (!grid->is_simple || grid->size[0] > ROW_MAX)
        return BW_OK;
    grid->thick = bw_alloc_zeroed(&grid->allocator, bw_distance_grid_thick_bytes(grid), BW_ALIGN);
    if (grid->thick == NULL)
        return bw_fail_memory(err);
    BW_TRY(mark_thin(grid, def, err));
    for (int64_t n = rows; n < BW_THICK_SIZES * rows; n++) // what is not that thick is no thicker
        grid->thick[n] |= grid->thick[n - rows];
    for (int step = 0; step < BW_THICK_SIZES; step++) {
        int wider = (int)(nearby * size_of(grid, step) * grid->nodes_per_length) + 1;
        for (int n = 0; n < wider; n++)
            widen(grid, grid->thick + step * rows);
    }
    for (int64_t n = 0; n < BW_THICK_SIZES * rows; n++)
        grid->thick[n] = ~grid->thick[n];
    return BW_OK;
}

// Beyond the grid the nearest cell tells: no triangle is nearer to it than to where the way begins.
static bool is_grid_thick(const BwDistanceGrid *grid, BwVec3 point, float length)
{
    int step = 0;
    if (grid->thick == NULL)
        return false;
    while (step < BW_THICK_SIZES && way_share * size_of(grid, step) < length)
        step++;
    if (step == BW_THICK_SIZES)
        return false;
    int64_t row = cell_along(grid, point.y, 1) + (int64_t)grid->size[1] * cell_along(grid, point.z, 2);
    return grid->thick[step * row_count(grid) + row] >> cell_along(grid, point.x, 0) & 1;
}

// What is as thick as one size is as thick as all before it.
static float grid_thick_around(const BwDistanceGrid *grid, BwVec3 center, float radius)
{
    int low[3], high[3], step = BW_THICK_SIZES - 1;
    for (int a = 0; a < 3; a++) {
        low[a] = cell_along(grid, bw_component(center, a) - radius, a);
        high[a] = cell_along(grid, bw_component(center, a) + radius, a);
    }
    uint64_t wanted = ~UINT64_C(0) >> (ROW_MAX - 1 - (high[0] - low[0])) << low[0];
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++) {
            const uint64_t *row = grid->thick + j + (int64_t)grid->size[1] * k;
            while (step >= 0 && (row[step * row_count(grid)] & wanted) != wanted)
                step--;
            if (step < 0)
                return 0.0f;
        }
    return way_share * size_of(grid, step);
}

// Where a ball about the point meets one side of a box alone, the box is half of space there.
static bool is_box_thick(const BwShape *box, BwVec3 point, float length)
{
    int between = 0;
    bool is_deep = true;
    for (int a = 0; a < 3; a++) {
        float low = bw_component(box->a, a), high = bw_component(box->b, a), at = bw_component(point, a);
        between += at - low > length && high - at > length;
        is_deep &= high - low > length;
    }
    return is_deep && between >= 2;
}

// The same of the flat ends of a cylinder; its round side is a bulge as that of a sphere.
static bool is_cylinder_thick(const BwShape *cylinder, BwVec3 point, float length)
{
    BwVec3 along = bw_sub(cylinder->b, cylinder->a), offset = bw_sub(point, cylinder->a);
    float whole = bw_length(along), height = bw_dot(offset, along) / whole;
    float radius = bw_length(bw_sub(offset, bw_mul(along, height / whole)));
    bool is_between = height > length && whole - height > length,
         is_within = radius < cylinder->radius - length;
    return whole > length && way_share * cylinder->radius >= length && (is_between || is_within);
}

// Between two points in a convex shape no way leads out of it.
static bool is_convex(const BwShape *shape)
{
    switch (shape->kind) {
    case BW_SHAPE_SPHERE:
    case BW_SHAPE_BOX:
    case BW_SHAPE_CYLINDER:
    case BW_SHAPE_CAPSULE:
    case BW_SHAPE_PLANE:
    case BW_SHAPE_CONE:
        return true;
    case BW_SHAPE_TRANSLATE:
    case BW_SHAPE_ROTATE:
    case BW_SHAPE_SCALE:
        return is_convex(shape->parts);
    default:
        return false;
    }
}

// The surface of a combination is that of one part alone where all the others' are farther away than the way
// is long. What a convex part has cut out is a hollow: from one place of it to another nothing is in between.
static bool is_combination_thick(const BwShape *shape, BwVec3 point, float length)
{
    const BwShape *near = NULL;
    for (int n = 0; n < shape->part_count; n++) {
        BwDistanceBounds bounds = bw_shape_distance_bounds(&shape->parts[n], point);
        if (bounds.low > length || bounds.high < -length)
            continue;
        if (near != NULL)
            return false;
        near = &shape->parts[n];
    }
    if (near == NULL)
        return true;
    bool is_cut_out = shape->kind == BW_SHAPE_DIFFERENCE && near != shape->parts;
    return is_cut_out ? is_convex(near) : bw_shape_is_thick(near, point, length);
}

static BwVec3 in_grid(const BwShape *shape, BwVec3 p)
{
    const BwShapeFile *file = shape->content;
    return bw_mul(bw_sub(bw_mul(p, 1.0f / shape->factor), file->middle), 1.0f / file->unit);
}

bool bw_shape_is_thick(const BwShape *shape, BwVec3 p, float length)
{
    const BwShapeFile *file = shape->content;
    switch (shape->kind) {
    case BW_SHAPE_SPHERE:
    case BW_SHAPE_CAPSULE:
        return way_share * shape->radius >= length;
    case BW_SHAPE_BOX:
        return is_box_thick(shape, p, length);
    case BW_SHAPE_PLANE:
        return true;
    case BW_SHAPE_CYLINDER:
        return is_cylinder_thick(shape, p, length);
    case BW_SHAPE_UNION:
    case BW_SHAPE_INTERSECTION:
    case BW_SHAPE_DIFFERENCE:
        return is_combination_thick(shape, p, length);
    case BW_SHAPE_MESH:
    case BW_SHAPE_HEIGHTMAP:
    case BW_SHAPE_VOXELS:
    case BW_SHAPE_WRAPPED:
        return bw_shape_is_triangles(shape) &&
               is_grid_thick(&file->grid, in_grid(shape, p), length / (shape->factor * file->unit));
    case BW_SHAPE_TRANSLATE:
        return bw_shape_is_thick(shape->parts, bw_sub(p, shape->a), length);
    case BW_SHAPE_ROTATE:
        return bw_shape_is_thick(shape->parts, bw_quat_rotate(bw_quat_turn(shape->b, -shape->angle), p),
                                 length);
    case BW_SHAPE_SCALE:
        return bw_shape_is_thick(shape->parts, bw_mul(p, 1.0f / shape->factor), length / shape->factor);
    default:
        return false;
    }
}

static float file_thick_around(const BwShape *shape, BwVec3 center, float radius)
{
    const BwShapeFile *file = shape->content;
    if (!bw_shape_is_triangles(shape) || file->grid.thick == NULL)
        return 0.0f;
    float unit = shape->factor * file->unit;
    return unit * grid_thick_around(&file->grid, in_grid(shape, center), radius / unit);
}

float bw_shape_thick_around(const BwShape *shape, BwVec3 center, float radius)
{
    switch (shape->kind) {
    case BW_SHAPE_SPHERE:
    case BW_SHAPE_CAPSULE:
        return way_share * shape->radius;
    case BW_SHAPE_PLANE:
        return INFINITY;
    case BW_SHAPE_MESH:
    case BW_SHAPE_HEIGHTMAP:
    case BW_SHAPE_VOXELS:
    case BW_SHAPE_WRAPPED:
        return file_thick_around(shape, center, radius);
    case BW_SHAPE_TRANSLATE:
        return bw_shape_thick_around(shape->parts, bw_sub(center, shape->a), radius);
    case BW_SHAPE_ROTATE:
        return bw_shape_thick_around(shape->parts,
                                     bw_quat_rotate(bw_quat_turn(shape->b, -shape->angle), center), radius);
    case BW_SHAPE_SCALE:
        return shape->factor * bw_shape_thick_around(shape->parts, bw_mul(center, 1.0f / shape->factor),
                                                     radius / shape->factor);
    default:
        return 0.0f;
    }
}
