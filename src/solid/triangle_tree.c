// Building the tree by halves, and walking it.
#include "solid/triangle_tree.h"

#include <math.h>

enum { LEAF_TRIANGLES = 4, DEPTH_MAX = 64 };

// A dipole stands for a node that is this many reaches away.
static const float far_enough = 2.0f;

// What a few sums of floats may be off by.
static const float rounding = 1e-5f;

static BwVec3 triangle_middle(const BwTreeTriangle *t)
{
    return bw_mul(bw_add(t->corner[0], bw_add(t->corner[1], t->corner[2])), 1.0f / 3.0f);
}

static BwVec3 triangle_area(const BwTreeTriangle *t)
{
    return bw_mul(bw_cross(bw_sub(t->corner[1], t->corner[0]), bw_sub(t->corner[2], t->corner[0])), 0.5f);
}

static float component(BwVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static BwBox no_box(void)
{
    return (BwBox){bw_vec3(INFINITY, INFINITY, INFINITY), bw_vec3(-INFINITY, -INFINITY, -INFINITY)};
}

static void swap(BwTreeTriangle *a, BwTreeTriangle *b)
{
    BwTreeTriangle kept = *a;
    *a = *b;
    *b = kept;
}

// Orders so that no middle before `rank` lies beyond one after it (Hoare's selection).
static void select_rank(BwTreeTriangle *list, int64_t count, int64_t rank, int axis)
{
    int64_t low = 0, high = count - 1;
    while (low < high) {
        float pivot = component(triangle_middle(&list[low + (high - low) / 2]), axis);
        int64_t i = low, j = high;
        while (i <= j) {
            while (component(triangle_middle(&list[i]), axis) < pivot)
                i++;
            while (component(triangle_middle(&list[j]), axis) > pivot)
                j--;
            if (i <= j)
                swap(&list[i++], &list[j--]);
        }
        if (rank <= j)
            high = j;
        else if (rank >= i)
            low = i;
        else
            return;
    }
}

static int longest_axis(const BwTreeTriangle *list, int64_t count)
{
    BwBox box = no_box();
    for (int64_t n = 0; n < count; n++) {
        BwVec3 middle = triangle_middle(&list[n]);
        box = bw_box_union(box, (BwBox){middle, middle});
    }
    BwVec3 size = bw_sub(box.high, box.low);
    return size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
}

static float reach_of(const BwTreeTriangle *list, int64_t count, BwVec3 from)
{
    float reach2 = 0.0f;
    for (int64_t n = 0; n < count; n++)
        for (int c = 0; c < 3; c++) {
            BwVec3 offset = bw_sub(list[n].corner[c], from);
            reach2 = fmaxf(reach2, bw_dot(offset, offset));
        }
    return sqrtf(reach2);
}

static void measure_node(const BwTriangleTree *tree, BwTreeNode *node, int64_t first, int64_t count)
{
    double weight = 0.0, middle[3] = {0}, area[3] = {0};
    node->box = no_box();
    for (int64_t n = first; n < first + count; n++) {
        const BwTreeTriangle *t = &tree->triangles[n];
        BwVec3 a = triangle_area(t), m = triangle_middle(t);
        double size = fmax((double)bw_length(a), 1e-30);
        weight += size;
        for (int c = 0; c < 3; c++) {
            middle[c] += size * (double)component(m, c);
            area[c] += (double)component(a, c);
            node->box = bw_box_union(node->box, (BwBox){t->corner[c], t->corner[c]});
        }
    }
    node->middle =
        bw_vec3((float)(middle[0] / weight), (float)(middle[1] / weight), (float)(middle[2] / weight));
    node->area = bw_vec3((float)area[0], (float)area[1], (float)area[2]);
    node->reach = reach_of(tree->triangles + first, count, node->middle);
}

static BwResult build_node(BwTriangleTree *tree, int64_t at, int64_t first, int64_t count, BwError *err)
{
    measure_node(tree, &tree->nodes[at], first, count);
    if (count <= LEAF_TRIANGLES) {
        tree->nodes[at].first = (int32_t)first;
        tree->nodes[at].leaves = (int32_t)count;
        return BW_OK;
    }
    int64_t children = tree->node_count, half = count / 2;
    BW_TRY(bw_reserve(&tree->allocator, (void **)&tree->nodes, &tree->node_capacity, children + 2,
                      sizeof *tree->nodes, err));
    tree->node_count += 2;
    tree->nodes[at].first = (int32_t)children;
    tree->nodes[at].leaves = 0;
    BwTreeTriangle *list = tree->triangles + first;
    select_rank(list, count, half, longest_axis(list, count));
    BW_TRY(build_node(tree, children, first, half, err));
    return build_node(tree, children + 1, first + half, count - half, err);
}

static BwResult build(BwTriangleTree *tree, const BwMesh *mesh, BwError *err)
{
    size_t bytes = (size_t)mesh->triangle_count * sizeof *tree->triangles;
    tree->triangles = bw_alloc(&tree->allocator, bytes, BW_ALIGN);
    if (tree->triangles == NULL)
        return bw_fail_memory(err);
    tree->triangle_count = mesh->triangle_count;
    for (int64_t n = 0; n < mesh->triangle_count; n++)
        for (int c = 0; c < 3; c++)
            tree->triangles[n].corner[c] = mesh->points[mesh->triangles[n].corner[c]];
    BW_TRY(bw_reserve(&tree->allocator, (void **)&tree->nodes, &tree->node_capacity, 1, sizeof *tree->nodes,
                      err));
    tree->node_count = 1;
    return build_node(tree, 0, 0, tree->triangle_count, err);
}

BwResult bw_triangle_tree_create(BwTriangleTree *tree, const BwMesh *mesh, BwError *err)
{
    *tree = (BwTriangleTree){.allocator = mesh->allocator};
    BW_ASSERT(mesh->triangle_count > 0);
    BwResult result = build(tree, mesh, err);
    if (result != BW_OK)
        bw_triangle_tree_destroy(tree);
    return result;
}

void bw_triangle_tree_destroy(BwTriangleTree *tree)
{
    bw_free(&tree->allocator, tree->nodes, (size_t)tree->node_capacity * sizeof *tree->nodes, BW_ALIGN);
    bw_free(&tree->allocator, tree->triangles, (size_t)tree->triangle_count * sizeof *tree->triangles,
            BW_ALIGN);
    *tree = (BwTriangleTree){.allocator = tree->allocator};
}

// The square of the distance to a triangle, by the region that the point's foot falls in: a corner, a side or
// the face (Ericson 2004, section 5.1.5).
static float triangle_distance2(const BwTreeTriangle *t, BwVec3 p)
{
    BwVec3 a = t->corner[0], ab = bw_sub(t->corner[1], a), ac = bw_sub(t->corner[2], a);
    BwVec3 ap = bw_sub(p, a), bp = bw_sub(p, t->corner[1]), cp = bw_sub(p, t->corner[2]);
    float d1 = bw_dot(ab, ap), d2 = bw_dot(ac, ap);
    if (d1 <= 0.0f && d2 <= 0.0f)
        return bw_dot(ap, ap);
    float d3 = bw_dot(ab, bp), d4 = bw_dot(ac, bp);
    if (d3 >= 0.0f && d4 <= d3)
        return bw_dot(bp, bp);
    float d5 = bw_dot(ab, cp), d6 = bw_dot(ac, cp);
    if (d6 >= 0.0f && d5 <= d6)
        return bw_dot(cp, cp);
    BwVec3 foot;
    float vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    if (vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f)
        foot = bw_mul(ab, d1 / (d1 - d3));
    else if (vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f)
        foot = bw_mul(ac, d2 / (d2 - d6));
    else if (va <= 0.0f && d4 - d3 >= 0.0f && d5 - d6 >= 0.0f)
        foot = bw_add(ab, bw_mul(bw_sub(ac, ab), (d4 - d3) / ((d4 - d3) + (d5 - d6))));
    else
        foot = bw_add(bw_mul(ab, vb / (va + vb + vc)), bw_mul(ac, vc / (va + vb + vc)));
    BwVec3 offset = bw_sub(ap, foot);
    return bw_dot(offset, offset);
}

// Written with comparisons, which are single instructions; fmaxf is not, because of what it makes of NaN.
static float outside(float low, float high, float at)
{
    float below = low - at, above = at - high, most = below > above ? below : above;
    return most > 0.0f ? most : 0.0f;
}

static float box_distance2(const BwBox *box, BwVec3 p)
{
    float x = outside(box->low.x, box->high.x, p.x), y = outside(box->low.y, box->high.y, p.y),
          z = outside(box->low.z, box->high.z, p.z);
    return x * x + y * y + z * z;
}

float bw_triangle_tree_outside(const BwTriangleTree *tree, BwVec3 point)
{
    return (1.0f - rounding) * sqrtf(box_distance2(&tree->nodes[0].box, point));
}

typedef struct Visit {
    int32_t node;
    float far; // square of the distance to its box
} Visit;

BwNearest bw_triangle_tree_nearest(const BwTriangleTree *tree, BwVec3 point, float bound)
{
    Visit stack[DEPTH_MAX];
    int depth = 0;
    int32_t triangle = -1;
    float nearest2 = bound * bound;
    stack[depth++] = (Visit){0, box_distance2(&tree->nodes[0].box, point)};
    while (depth > 0) {
        Visit visit = stack[--depth];
        const BwTreeNode *node = &tree->nodes[visit.node];
        if (visit.far >= nearest2)
            continue;
        for (int32_t n = node->first; n < node->first + node->leaves; n++) {
            float distance2 = triangle_distance2(&tree->triangles[n], point);
            triangle = distance2 < nearest2 ? n : triangle;
            nearest2 = distance2 < nearest2 ? distance2 : nearest2;
        }
        if (node->leaves > 0)
            continue;
        Visit a = {node->first, box_distance2(&tree->nodes[node->first].box, point)};
        Visit b = {node->first + 1, box_distance2(&tree->nodes[node->first + 1].box, point)};
        bool is_a_nearer = a.far <= b.far; // the nearer one goes on top
        stack[depth++] = is_a_nearer ? b : a;
        stack[depth++] = is_a_nearer ? a : b;
    }
    return (BwNearest){triangle < 0 ? bound : sqrtf(nearest2), triangle};
}

int bw_triangle_side(const BwTreeTriangle *triangle, BwVec3 point)
{
    const float rim = 1e-3f; // share of the face that counts as its sides
    BwVec3 a = triangle->corner[0];
    BwVec3 ab = bw_sub(triangle->corner[1], a), ac = bw_sub(triangle->corner[2], a), ap = bw_sub(point, a);
    BwVec3 normal = bw_cross(ab, ac);
    float area2 = bw_dot(normal, normal);
    float v = bw_dot(bw_cross(ap, ac), normal), w = bw_dot(bw_cross(ab, ap), normal);
    if (!(v > rim * area2 && w > rim * area2 && v + w < (1.0f - rim) * area2))
        return 0;
    float height = bw_dot(ap, normal);
    return height < 0.0f ? -1 : height > 0.0f ? 1 : 0;
}

// Solid angle over 4 pi (Van Oosterom and Strackee 1983).
static float triangle_winding(const BwTreeTriangle *t, BwVec3 p)
{
    BwVec3 a = bw_sub(t->corner[0], p), b = bw_sub(t->corner[1], p), c = bw_sub(t->corner[2], p);
    float la = bw_length(a), lb = bw_length(b), lc = bw_length(c);
    float volume = bw_dot(a, bw_cross(b, c));
    float around = la * lb * lc + bw_dot(a, b) * lc + bw_dot(b, c) * la + bw_dot(c, a) * lb;
    return volume == 0.0f ? 0.0f : atan2f(volume, around) * (float)(1.0 / (2.0 * 3.14159265358979323846));
}

float bw_triangle_tree_winding(const BwTriangleTree *tree, BwVec3 point)
{
    const float per_sphere = (float)(1.0 / (4.0 * 3.14159265358979323846));
    int32_t stack[DEPTH_MAX];
    int depth = 0;
    float sum = 0.0f;
    stack[depth++] = 0;
    while (depth > 0) {
        const BwTreeNode *node = &tree->nodes[stack[--depth]];
        BwVec3 offset = bw_sub(node->middle, point);
        float distance2 = bw_dot(offset, offset), reach = far_enough * node->reach;
        if (distance2 > reach * reach) {
            sum += per_sphere * bw_dot(node->area, offset) / (distance2 * sqrtf(distance2));
            continue;
        }
        for (int32_t n = 0; n < node->leaves; n++)
            sum += triangle_winding(&tree->triangles[node->first + n], point);
        if (node->leaves == 0) {
            stack[depth++] = node->first + 1;
            stack[depth++] = node->first;
        }
    }
    return sum;
}

static const float not_met = 2.0f;

// Where on the segment from p along d it meets a triangle (Moeller and Trumbore 1997), its rim included: two
// triangles that share a side leave no gap between them.
static float meet_triangle(const BwTreeTriangle *t, BwVec3 p, BwVec3 d)
{
    const float rim = 1e-5f;
    BwVec3 ab = bw_sub(t->corner[1], t->corner[0]), ac = bw_sub(t->corner[2], t->corner[0]);
    BwVec3 across = bw_cross(d, ac);
    float volume = bw_dot(ab, across);
    if (volume == 0.0f)
        return not_met;
    BwVec3 from = bw_sub(p, t->corner[0]), turned = bw_cross(from, ab);
    float u = bw_dot(from, across) / volume, v = bw_dot(d, turned) / volume, at = bw_dot(ac, turned) / volume;
    bool is_met = u >= -rim && v >= -rim && u + v <= 1.0f + rim && at >= -rim && at <= 1.0f + rim;
    return !is_met ? not_met : at < 0.0f ? 0.0f : at > 1.0f ? 1.0f : at;
}

// Slabs: where along the segment it comes between the two sides of each axis; `not_met` where it does not.
static float enter_box(const BwBox *box, BwVec3 p, BwVec3 d)
{
    float enter = 0.0f, leave = 1.0f;
    for (int axis = 0; axis < 3; axis++) {
        float low = component(box->low, axis) - component(p, axis),
              high = component(box->high, axis) - component(p, axis), along = component(d, axis);
        if (along == 0.0f && (low > 0.0f || high < 0.0f))
            return not_met;
        if (along == 0.0f)
            continue;
        float a = low / along, b = high / along;
        enter = fmaxf(enter, fminf(a, b) - 1e-5f);
        leave = fminf(leave, fmaxf(a, b) + 1e-5f);
    }
    return enter <= leave ? enter : not_met;
}

float bw_triangle_tree_meet(const BwTriangleTree *tree, BwVec3 from, BwVec3 to)
{
    Visit stack[DEPTH_MAX]; // with the share of the way instead of a distance
    int depth = 0;
    BwVec3 along = bw_sub(to, from);
    float first = not_met;
    stack[depth++] = (Visit){0, enter_box(&tree->nodes[0].box, from, along)};
    while (depth > 0) {
        Visit visit = stack[--depth];
        const BwTreeNode *node = &tree->nodes[visit.node];
        if (visit.far >= first)
            continue;
        for (int32_t n = node->first; n < node->first + node->leaves; n++)
            first = fminf(first, meet_triangle(&tree->triangles[n], from, along));
        if (node->leaves > 0)
            continue;
        Visit a = {node->first, enter_box(&tree->nodes[node->first].box, from, along)};
        Visit b = {node->first + 1, enter_box(&tree->nodes[node->first + 1].box, from, along)};
        stack[depth++] = a.far <= b.far ? b : a;
        stack[depth++] = a.far <= b.far ? a : b;
    }
    return first;
}
