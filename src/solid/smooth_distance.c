// Finding the bends, and where they can be trusted. A cell is smooth where along all of its edges the slope
// turns little and evenly, and where all triangles in and around it lie where the bent distance is as good as
// zero: so no fin, needle or plate is overlooked that is too small for the nodes.
//
// At a crease, where the slope jumps by g, it turns by c g at one end of an edge and by (1 - c) g at the
// other: one of the two differs by g / 2 or more from the mean of its neighbours. What a bend makes of the
// crease is off by g / 8, in spacings.
#include "solid/smooth_distance.h"

#include "base/extremes.h"

#include <math.h>
#include <string.h>

// The most that a slope turns by from node to node; what that may differ by from its neighbours, twice; and
// how far from zero the bent distance of a triangle may be, in spacings.
static const float turn_max = 0.3f, jump_max = 4.0f * BW_SMOOTH_OFF, misfit_max = 0.5f * BW_SMOOTH_OFF;

// Places along the sides of a triangle that are looked at, at most; and cells around one that stands out
// which its distance may reach.
enum { PLACES_MAX = 16, AROUND = 2 };

static float mix(float a, float b, float share)
{
    return a + share * (b - a);
}

static int64_t node_count(const BwDistanceGrid *grid)
{
    return (int64_t)grid->size[0] * grid->size[1] * grid->size[2];
}

static void strides_of(const BwDistanceGrid *grid, int64_t stride[3])
{
    stride[0] = 1;
    stride[1] = grid->size[0];
    stride[2] = stride[1] * grid->size[1];
}

// The bends of the edges that start at a cell's nodes: of those along each axis, in the order of its corners.
typedef struct Bends {
    float along[3][4];
} Bends;

static Bends bends_of(const BwDistanceGrid *grid, int64_t first)
{
    int64_t stride[3];
    strides_of(grid, stride);
    Bends bends;
    for (int a = 0; a < 3; a++) {
        int64_t b = stride[a == 0 ? 1 : 0], c = stride[a == 2 ? 1 : 2];
        for (int n = 0; n < 4; n++)
            bends.along[a][n] = grid->bent[first + (n & 1 ? b : 0) + (n & 2 ? c : 0)][1 + a];
    }
    return bends;
}

static float between_four(const float four[4], float first, float second)
{
    return mix(mix(four[0], four[1], first), mix(four[2], four[3], first), second);
}

float bw_smooth_distance_at(const BwDistanceGrid *grid, const BwBetween *between)
{
    const float *c = between->corner, x = between->share[0], y = between->share[1], z = between->share[2];
    Bends bends = bends_of(grid, between->first);
    float linear = mix(mix(mix(c[0], c[1], x), mix(c[2], c[3], x), y),
                       mix(mix(c[4], c[5], x), mix(c[6], c[7], x), y), z);
    return linear + x * (1.0f - x) * between_four(bends.along[0], y, z) +
           y * (1.0f - y) * between_four(bends.along[1], x, z) +
           z * (1.0f - z) * between_four(bends.along[2], x, y);
}

// How between_four changes along its first and its second axis.
static float first_change(const float four[4], float second)
{
    return mix(four[1] - four[0], four[3] - four[2], second);
}

static float second_change(const float four[4], float first)
{
    return mix(four[2] - four[0], four[3] - four[1], first);
}

BwVec3 bw_smooth_distance_slope(const BwDistanceGrid *grid, const BwBetween *between)
{
    const float *c = between->corner, x = between->share[0], y = between->share[1], z = between->share[2];
    const Bends bends = bends_of(grid, between->first);
    const float *bx = bends.along[0], *by = bends.along[1], *bz = bends.along[2];
    float xx = x * (1.0f - x), yy = y * (1.0f - y), zz = z * (1.0f - z);
    BwVec3 rise = {mix(mix(c[1] - c[0], c[3] - c[2], y), mix(c[5] - c[4], c[7] - c[6], y), z),
                   mix(mix(c[2] - c[0], c[3] - c[1], x), mix(c[6] - c[4], c[7] - c[5], x), z),
                   mix(mix(c[4] - c[0], c[5] - c[1], x), mix(c[6] - c[2], c[7] - c[3], x), y)};
    rise.x +=
        (1.0f - 2.0f * x) * between_four(bx, y, z) + yy * first_change(by, z) + zz * first_change(bz, y);
    rise.y +=
        (1.0f - 2.0f * y) * between_four(by, x, z) + xx * first_change(bx, z) + zz * second_change(bz, x);
    rise.z +=
        (1.0f - 2.0f * z) * between_four(bz, x, y) + xx * second_change(bx, y) + yy * second_change(by, x);
    return bw_mul(rise, grid->nodes_per_length);
}

// How the slope changes at a node along an axis, times the spacing; NaN at the sides of the grid.
static float turn_at(const BwDistanceGrid *grid, const int node[3], int64_t n, int axis)
{
    int64_t stride[3];
    strides_of(grid, stride);
    if (node[axis] < 1 || node[axis] + 1 >= grid->size[axis])
        return NAN;
    return grid->values[n - stride[axis]] - 2.0f * grid->values[n] + grid->values[n + stride[axis]];
}

// Of the edge from a node on: what the slope turns by at its two nodes and at the ones before and after.
typedef struct Turns {
    float at[4];
} Turns;

static Turns turns_along(const BwDistanceGrid *grid, const int node[3], int64_t n, int axis)
{
    int64_t stride[3];
    Turns turns;
    strides_of(grid, stride);
    for (int m = 0; m < 4; m++) {
        int there[3] = {node[0], node[1], node[2]};
        there[axis] += m - 1;
        turns.at[m] = turn_at(grid, there, n + (m - 1) * stride[axis], axis);
    }
    return turns;
}

// Turns that are not known count as the ones beside them.
static bool is_edge_smooth(const BwDistanceGrid *grid, Turns turns)
{
    const float *t = turns.at;
    float before = isnan(t[0]) ? t[1] : t[0], after = isnan(t[3]) ? t[2] : t[3];
    float most = bw_larger(fabsf(t[1]), fabsf(t[2]));
    float jump = bw_larger(fabsf(before - 2.0f * t[1] + t[2]), fabsf(t[1] - 2.0f * t[2] + after));
    return most <= turn_max * grid->spacing && jump <= jump_max * grid->spacing; // false where they are NaN
}

// The turn that an edge has is the mean of those at its ends, and bends it by half of that. `smooth` gets a
// bit an axis for the edges from each node on.
static BwResult find_bends(BwDistanceGrid *grid, uint8_t *smooth, const BwDistanceGridDef *def, BwError *err)
{
    int64_t n = 0;
    for (int k = 0; k < grid->size[2]; k++)
        for (int j = 0; j < grid->size[1]; j++) {
            BW_TRY(bw_task_go_on(def->task, def->share_before + def->share_own, err));
            for (int i = 0; i < grid->size[0]; i++, n++) {
                grid->bent[n][0] = grid->values[n];
                for (int a = 0; a < 3; a++) {
                    Turns turns = turns_along(grid, (const int[3]){i, j, k}, n, a);
                    bool is_smooth = is_edge_smooth(grid, turns);
                    smooth[n] |= (uint8_t)(is_smooth << a);
                    grid->bent[n][1 + a] = is_smooth ? -0.25f * (turns.at[1] + turns.at[2]) : 0.0f;
                }
            }
        }
    return BW_OK;
}

static bool are_edges_smooth(const BwDistanceGrid *grid, const uint8_t *smooth, int64_t cell)
{
    int64_t stride[3];
    strides_of(grid, stride);
    for (int a = 0; a < 3; a++) {
        int64_t b = stride[a == 0 ? 1 : 0], c = stride[a == 2 ? 1 : 2];
        for (int n = 0; n < 4; n++)
            if (!(smooth[cell + (n & 1 ? b : 0) + (n & 2 ? c : 0)] >> a & 1))
                return false;
    }
    return true;
}

static void find_kinds(BwDistanceGrid *grid, const uint8_t *smooth)
{
    for (int k = 0; k + 1 < grid->size[2]; k++)
        for (int j = 0; j + 1 < grid->size[1]; j++)
            for (int i = 0; i + 1 < grid->size[0]; i++) {
                int64_t cell = i + (int64_t)grid->size[0] * (j + (int64_t)grid->size[1] * k);
                if (bw_distance_grid_is_far(grid, cell))
                    grid->kinds[cell] = BW_DISTANCE_FAR;
                else if (are_edges_smooth(grid, smooth, cell))
                    grid->kinds[cell] = BW_DISTANCE_SMOOTH;
            }
}

// Whether a place of a triangle is where it should be, as far as the cell around it is smooth.
static bool is_on_surface(const BwDistanceGrid *grid, BwVec3 place)
{
    BwBetween between;
    return bw_distance_grid_between(grid, place, &between) &&
           (grid->kinds[between.first] == BW_DISTANCE_ROUGH ||
            fabsf(bw_smooth_distance_at(grid, &between)) <= misfit_max * grid->spacing);
}

static bool is_triangle_on_surface(const BwDistanceGrid *grid, const BwTreeTriangle *triangle)
{
    const BwVec3 *c = triangle->corner;
    BwVec3 ab = bw_sub(c[1], c[0]), ac = bw_sub(c[2], c[0]);
    float longest = bw_larger(bw_length(bw_sub(c[2], c[1])), bw_larger(bw_length(ab), bw_length(ac)));
    int places = (int)bw_smaller(ceilf(2.0f * longest * grid->nodes_per_length), (float)PLACES_MAX);
    places = places > 0 ? places : 1;
    for (int i = 0; i <= places; i++)
        for (int j = 0; j <= places - i; j++) {
            BwVec3 away = bw_add(bw_mul(ab, (float)i / (float)places), bw_mul(ac, (float)j / (float)places));
            if (!is_on_surface(grid, bw_add(c[0], away)))
                return false;
        }
    return true;
}

static int cell_along(const BwDistanceGrid *grid, float at, int axis)
{
    float cell = floorf((at - bw_component(grid->low, axis)) * grid->nodes_per_length);
    return (int)bw_smaller(bw_larger(cell, 0.0f), (float)(grid->size[axis] - 1));
}

// Cells around a triangle are no longer smooth.
static void roughen(BwDistanceGrid *grid, const BwTreeTriangle *triangle)
{
    const BwVec3 *c = triangle->corner;
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        float x = bw_component(c[0], a), y = bw_component(c[1], a), z = bw_component(c[2], a);
        float reach = (float)AROUND * grid->spacing;
        low[a] = cell_along(grid, bw_smaller(x, bw_smaller(y, z)) - reach, a);
        high[a] = cell_along(grid, bw_larger(x, bw_larger(y, z)) + reach, a);
    }
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++)
            for (int i = low[0]; i <= high[0]; i++) {
                uint8_t *kind = &grid->kinds[i + (int64_t)grid->size[0] * (j + (int64_t)grid->size[1] * k)];
                *kind = *kind == BW_DISTANCE_SMOOTH ? BW_DISTANCE_ROUGH : *kind;
            }
}

static BwResult check_triangles(BwDistanceGrid *grid, const BwDistanceGridDef *def, BwError *err)
{
    for (int64_t n = 0; n < BW_TREE_WIDTH * grid->tree->pack_count; n++) {
        if (n % BW_TREE_WIDTH >= grid->tree->packs[n / BW_TREE_WIDTH].count)
            continue;
        BW_TRY(bw_task_go_on(def->task, def->share_before + def->share_own, err));
        BwTreeTriangle triangle = bw_tree_triangle(grid->tree, n);
        if (!is_triangle_on_surface(grid, &triangle))
            roughen(grid, &triangle);
    }
    return BW_OK;
}

static BwResult find(BwDistanceGrid *grid, uint8_t *smooth, const BwDistanceGridDef *def, BwError *err)
{
    BW_TRY(find_bends(grid, smooth, def, err));
    find_kinds(grid, smooth);
    return check_triangles(grid, def, err);
}

BwResult bw_smooth_distance_find(BwDistanceGrid *grid, const BwDistanceGridDef *def, BwError *err)
{
    if (!grid->is_simple)
        return BW_OK;
    size_t count = (size_t)node_count(grid);
    uint8_t *smooth = bw_alloc_zeroed(&grid->allocator, count, BW_ALIGN);
    grid->bent = bw_alloc(&grid->allocator, count * sizeof *grid->bent, BW_ALIGN);
    grid->kinds = bw_alloc_zeroed(&grid->allocator, count, BW_ALIGN);
    bool has_all = smooth != NULL && grid->bent != NULL && grid->kinds != NULL;
    BwResult result = has_all ? find(grid, smooth, def, err) : bw_fail_memory(err);
    if (smooth != NULL)
        bw_free(&grid->allocator, smooth, count, BW_ALIGN);
    return result;
}
