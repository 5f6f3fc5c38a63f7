// A surface wrapped around scattered points (after Zhao, Osher and Fedkiw 2001, Fast Surface Reconstruction
// Using the Level Set Method). Balls about the points, large enough to overlap, make a crust. What no way
// leads to from outside is filled, and the whole shrinks back by the balls' radius: its surface then lies on
// the points and spans the gaps between them. It is a level set on a grid of half a radius, whose zero set
// becomes triangles.
//
// Invariant: the outermost nodes are outside, so that the surface is closed.
#include "solid/points_wrap.h"

#include <math.h>

// Nodes along a ball's radius, and those beyond the balls on each side.
static const float nodes_a_radius = 2.0f;
enum { MARGIN = 3 };

// Passes over the grid that smooth what scattered points leave rough.
enum { SMOOTHING = 3 };

typedef struct Wrap {
    BwMesh *mesh;
    float radius, h; // in the file's units
    BwVec3 low;      // of the first node
    int64_t size[3], stride[3], count;
    float *value;   // to the nearest point; then the level set
    float *inside;  // how far a node inside of the crust is from the outer side of it
    int64_t *stack; // nodes whose neighbours are to be looked at
    uint8_t *outer; // 1: outside of the crust
    BwError *err;
} Wrap;

static BwResult measure_size(Wrap *wrap)
{
    const BwMesh *mesh = wrap->mesh;
    BwBox box = {mesh->points[0], mesh->points[0]};
    for (int64_t n = 1; n < mesh->point_count; n++)
        box = bw_box_union(box, (BwBox){mesh->points[n], mesh->points[n]});
    double count = 1.0;
    float margin = wrap->radius + MARGIN * wrap->h;
    wrap->low = bw_sub(box.low, bw_vec3(margin, margin, margin));
    for (int a = 0; a < 3; a++) {
        double length = (double)(bw_component(box.high, a) - bw_component(box.low, a) + 2.0f * margin);
        double nodes = ceil(length / (double)wrap->h) + 1.0;
        count *= nodes;
        if (!(count <= BW_WRAP_NODES_MAX))
            return bw_fail(wrap->err, BW_ERR_FORMAT,
                           "%s: its points are too far apart for balls of that radius: the grid around them "
                           "would have over %d nodes",
                           mesh->name, BW_WRAP_NODES_MAX);
        wrap->size[a] = (int64_t)nodes;
        wrap->stride[a] = a == 0 ? 1 : wrap->stride[a - 1] * wrap->size[a - 1];
    }
    wrap->count = (int64_t)count;
    return BW_OK;
}

static BwResult allocate(Wrap *wrap)
{
    const BwAllocator *allocator = &wrap->mesh->allocator;
    size_t count = (size_t)wrap->count;
    wrap->value = bw_alloc(allocator, count * sizeof *wrap->value, BW_ALIGN);
    wrap->inside = bw_alloc(allocator, count * sizeof *wrap->inside, BW_ALIGN);
    wrap->stack = bw_alloc(allocator, count * sizeof *wrap->stack, BW_ALIGN);
    wrap->outer = bw_alloc_zeroed(allocator, count * sizeof *wrap->outer, BW_ALIGN);
    bool is_short = wrap->value == NULL || wrap->inside == NULL || wrap->stack == NULL || wrap->outer == NULL;
    return is_short ? bw_fail_memory(wrap->err) : BW_OK;
}

static void free_all(Wrap *wrap)
{
    const BwAllocator *allocator = &wrap->mesh->allocator;
    size_t count = (size_t)wrap->count;
    bw_free(allocator, wrap->value, count * sizeof *wrap->value, BW_ALIGN);
    bw_free(allocator, wrap->inside, count * sizeof *wrap->inside, BW_ALIGN);
    bw_free(allocator, wrap->stack, count * sizeof *wrap->stack, BW_ALIGN);
    bw_free(allocator, wrap->outer, count * sizeof *wrap->outer, BW_ALIGN);
}

static int64_t coordinate(const Wrap *wrap, int64_t node, int axis)
{
    return node / wrap->stride[axis] % wrap->size[axis];
}

static BwVec3 place_of(const Wrap *wrap, int64_t node)
{
    return bw_add(wrap->low,
                  bw_mul(bw_vec3((float)coordinate(wrap, node, 0), (float)coordinate(wrap, node, 1),
                                 (float)coordinate(wrap, node, 2)),
                         wrap->h));
}

// Distances to the nearest point, right where they are less than the radius and two nodes.
static void find_nearest(Wrap *wrap)
{
    const float reach = wrap->radius + 2.0f * wrap->h;
    for (int64_t n = 0; n < wrap->count; n++)
        wrap->value[n] = reach;
    for (int64_t p = 0; p < wrap->mesh->point_count; p++) {
        BwVec3 at = bw_sub(wrap->mesh->points[p], wrap->low);
        int64_t first[3], last[3];
        for (int a = 0; a < 3; a++) {
            first[a] = (int64_t)fmaxf(floorf((bw_component(at, a) - reach) / wrap->h), 0.0f);
            last[a] = (int64_t)ceilf((bw_component(at, a) + reach) / wrap->h);
            last[a] = last[a] < wrap->size[a] ? last[a] : wrap->size[a] - 1;
        }
        for (int64_t k = first[2]; k <= last[2]; k++)
            for (int64_t j = first[1]; j <= last[1]; j++)
                for (int64_t i = first[0]; i <= last[0]; i++) {
                    BwVec3 node = bw_mul(bw_vec3((float)i, (float)j, (float)k), wrap->h);
                    float *value = &wrap->value[i + wrap->stride[1] * j + wrap->stride[2] * k];
                    *value = fminf(*value, bw_length(bw_sub(node, at)));
                }
    }
}

// The node beside one; -1 beyond the grid.
static int64_t beside(const Wrap *wrap, int64_t node, int side)
{
    int64_t at = coordinate(wrap, node, side / 2);
    if (side % 2 == 0)
        return at > 0 ? node - wrap->stride[side / 2] : -1;
    return at + 1 < wrap->size[side / 2] ? node + wrap->stride[side / 2] : -1;
}

// All that a way leads to from the first node without passing a ball is outside.
static void flood(Wrap *wrap)
{
    int64_t depth = 0;
    wrap->stack[depth++] = 0;
    wrap->outer[0] = 1;
    while (depth > 0) {
        int64_t node = wrap->stack[--depth];
        for (int side = 0; side < 6; side++) {
            int64_t next = beside(wrap, node, side);
            if (next < 0 || wrap->outer[next] || wrap->value[next] <= wrap->radius)
                continue;
            wrap->outer[next] = 1;
            wrap->stack[depth++] = next;
        }
    }
}

// Beside the outside a node of the crust is as deep as its nearest ball has it.
static void begin_depths(Wrap *wrap)
{
    for (int64_t n = 0; n < wrap->count; n++) {
        bool is_rim = false;
        for (int side = 0; side < 6 && !wrap->outer[n]; side++) {
            int64_t next = beside(wrap, n, side);
            is_rim |= next >= 0 && wrap->outer[next];
        }
        wrap->inside[n] = wrap->outer[n] ? 0.0f : is_rim ? wrap->radius - wrap->value[n] : INFINITY;
    }
}

// Godunov's solution of |grad d| = 1 at a node from the smaller neighbour along each axis.
static float solve_eikonal(float a, float b, float c, float h)
{
    float low = fminf(a, fminf(b, c)), high = fmaxf(a, fmaxf(b, c));
    float middle = fmaxf(fminf(a, b), fminf(fmaxf(a, b), c)), d = low + h;
    if (d > middle) {
        float gap = low - middle;
        d = 0.5f * (low + middle + sqrtf(fmaxf(2.0f * h * h - gap * gap, 0.0f)));
    }
    if (d > high) {
        float sum = low + middle + high,
              rest = sum * sum - 3.0f * (low * low + middle * middle + high * high - h * h);
        d = (sum + sqrtf(fmaxf(rest, 0.0f))) / 3.0f;
    }
    return d;
}

static float nearer_beside(const Wrap *wrap, int64_t node, int axis)
{
    int64_t low = beside(wrap, node, 2 * axis), high = beside(wrap, node, 2 * axis + 1);
    return fminf(low >= 0 ? wrap->inside[low] : INFINITY, high >= 0 ? wrap->inside[high] : INFINITY);
}

// Depths below the outer side, by sweeping in all eight directions, twice (Zhao 2005).
static void find_depths(Wrap *wrap)
{
    begin_depths(wrap);
    for (int sweep = 0; sweep < 16; sweep++)
        for (int64_t m = 0; m < wrap->count; m++) {
            int64_t node = 0;
            for (int a = 0; a < 3; a++) {
                int64_t at = coordinate(wrap, m, a);
                node += wrap->stride[a] * (sweep >> a & 1 ? wrap->size[a] - 1 - at : at);
            }
            if (wrap->outer[node] || wrap->inside[node] == 0.0f)
                continue;
            float depth = solve_eikonal(nearer_beside(wrap, node, 0), nearer_beside(wrap, node, 1),
                                        nearer_beside(wrap, node, 2), wrap->h);
            wrap->inside[node] = fminf(wrap->inside[node], depth);
        }
}

// The level set: below 0 where a node is deeper than the radius.
static void shrink(Wrap *wrap)
{
    for (int64_t n = 0; n < wrap->count; n++)
        wrap->value[n] = wrap->outer[n] ? wrap->value[n] : wrap->radius - wrap->inside[n];
}

// Along each axis, a quarter of each neighbour and half of the node itself; the outermost nodes stay.
static void smooth(Wrap *wrap)
{
    for (int axis = 0; axis < 3; axis++) {
        int64_t s = wrap->stride[axis];
        for (int64_t n = 0; n < wrap->count; n++) {
            int64_t at = coordinate(wrap, n, axis);
            bool is_inner = at > 0 && at + 1 < wrap->size[axis];
            wrap->inside[n] = is_inner
                                  ? 0.25f * (wrap->value[n - s] + wrap->value[n + s]) + 0.5f * wrap->value[n]
                                  : wrap->value[n];
        }
        float *swap = wrap->value;
        wrap->value = wrap->inside;
        wrap->inside = swap;
    }
}

// The point between two nodes of different signs where the level set is 0: the same from either side.
static BwVec3 crossing(const Wrap *wrap, int64_t a, int64_t b)
{
    if (a > b)
        return crossing(wrap, b, a);
    float from = wrap->value[a], to = wrap->value[b], share = from / (from - to);
    BwVec3 start = place_of(wrap, a);
    return bw_add(start, bw_mul(bw_sub(place_of(wrap, b), start), share));
}

// Adds a triangle that faces away from a node inside.
static BwResult add_facing(Wrap *wrap, BwVec3 a, BwVec3 b, BwVec3 c, int64_t inner)
{
    BwVec3 normal = bw_cross(bw_sub(b, a), bw_sub(c, a));
    bool is_turned = bw_dot(normal, bw_sub(a, place_of(wrap, inner))) < 0.0f;
    int32_t first = (int32_t)wrap->mesh->point_count;
    BW_TRY(bw_mesh_add_point(wrap->mesh, a, wrap->err));
    BW_TRY(bw_mesh_add_point(wrap->mesh, is_turned ? c : b, wrap->err));
    BW_TRY(bw_mesh_add_point(wrap->mesh, is_turned ? b : c, wrap->err));
    return bw_mesh_add_triangle(wrap->mesh, first, first + 1, first + 2, wrap->err);
}

// The surface within a tetrahedron: none, a triangle, or two.
static BwResult cut_tetrahedron(Wrap *wrap, const int64_t corner[4])
{
    int64_t in[4], out[4];
    int ins = 0, outs = 0;
    for (int n = 0; n < 4; n++)
        if (wrap->value[corner[n]] < 0.0f)
            in[ins++] = corner[n];
        else
            out[outs++] = corner[n];
    if (ins == 1 || outs == 1) {
        int64_t alone = ins == 1 ? in[0] : out[0], *others = ins == 1 ? out : in;
        return add_facing(wrap, crossing(wrap, alone, others[0]), crossing(wrap, alone, others[1]),
                          crossing(wrap, alone, others[2]), in[0]);
    }
    if (ins != 2)
        return BW_OK;
    BwVec3 a = crossing(wrap, in[0], out[0]), b = crossing(wrap, in[0], out[1]),
           c = crossing(wrap, in[1], out[1]), d = crossing(wrap, in[1], out[0]);
    BW_TRY(add_facing(wrap, a, b, c, in[0]));
    return add_facing(wrap, a, c, d, in[1]);
}

// Each cube as six tetrahedra about its diagonal, which agree with those of the cubes beside it.
static BwResult add_triangles(Wrap *wrap)
{
    static const int paths[6][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}};
    const int64_t *s = wrap->stride;
    for (int64_t n = 0; n < wrap->count; n++) {
        bool is_last = false, is_cut = false;
        for (int a = 0; a < 3; a++)
            is_last |= coordinate(wrap, n, a) + 1 == wrap->size[a];
        for (int c = 1; c < 8 && !is_last; c++)
            is_cut |= (wrap->value[n + (c & 1) * s[0] + (c >> 1 & 1) * s[1] + (c >> 2) * s[2]] < 0.0f) !=
                      (wrap->value[n] < 0.0f);
        for (int p = 0; p < 6 && is_cut; p++) {
            int64_t first = n + s[paths[p][0]], second = first + s[paths[p][1]];
            BW_TRY(cut_tetrahedron(wrap, (int64_t[4]){n, first, second, n + s[0] + s[1] + s[2]}));
        }
    }
    return BW_OK;
}

static BwResult make_surface(Wrap *wrap)
{
    BW_TRY(allocate(wrap));
    find_nearest(wrap);
    flood(wrap);
    find_depths(wrap);
    shrink(wrap);
    for (int n = 0; n < SMOOTHING; n++)
        smooth(wrap);
    wrap->mesh->point_count = wrap->mesh->triangle_count = 0;
    BW_TRY(add_triangles(wrap));
    if (wrap->mesh->triangle_count > 0)
        return BW_OK;
    return bw_fail(wrap->err, BW_ERR_FORMAT,
                   "%s: balls about its points enclose nothing; a larger radius may close the gaps between "
                   "them",
                   wrap->mesh->name);
}

BwResult bw_points_wrap(BwMesh *mesh, float radius, BwError *err)
{
    if (mesh->point_count == 0)
        return BW_OK; // which is told where the file is measured
    Wrap wrap = {.mesh = mesh, .radius = radius, .h = radius / nodes_a_radius, .err = err};
    BW_TRY(measure_size(&wrap));
    BwResult result = make_surface(&wrap);
    free_all(&wrap);
    return result;
}
