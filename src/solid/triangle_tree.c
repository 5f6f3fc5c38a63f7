// Building the tree by halves of halves of halves, and what is asked of it now and then. Distances and
// crossings are found in tree_walk.c.
#include "solid/triangle_tree.h"

#include "base/extremes.h"
#include "solid/corner_normals.h"
#include "solid/tree_walks.h"

#include <math.h>

enum { WIDTH = BW_TREE_WIDTH };

// Halving 2^24 triangles three times a level, down to packs of eight, takes seven levels; each leaves seven
// children waiting.
enum { STACK_MAX = 80 };

// A dipole stands for a node that is this many reaches away.
static const float far_enough = 2.0f;

// What a few sums of floats may be off by.
static const float rounding = BW_TREE_ROUNDING;

static BwVec3 triangle_middle(const BwTreeTriangle *t)
{
    return bw_mul(bw_add(t->corner[0], bw_add(t->corner[1], t->corner[2])), 1.0f / 3.0f);
}

static BwVec3 triangle_area(const BwTreeTriangle *t)
{
    return bw_mul(bw_cross(bw_sub(t->corner[1], t->corner[0]), bw_sub(t->corner[2], t->corner[0])), 0.5f);
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
        float pivot = bw_component(triangle_middle(&list[low + (high - low) / 2]), axis);
        int64_t i = low, j = high;
        while (i <= j) {
            while (bw_component(triangle_middle(&list[i]), axis) < pivot)
                i++;
            while (bw_component(triangle_middle(&list[j]), axis) > pivot)
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

static void tell_from_afar(BwTreeDipoles *dipoles, int child, const BwTreeTriangle *list, int64_t count)
{
    double weight = 0.0, middle[3] = {0}, area[3] = {0};
    float reach2 = 0.0f;
    for (int64_t n = 0; n < count; n++) {
        BwVec3 a = triangle_area(&list[n]), m = triangle_middle(&list[n]);
        double size = fmax((double)bw_length(a), 1e-30);
        weight += size;
        for (int c = 0; c < 3; c++) {
            middle[c] += size * (double)bw_component(m, c);
            area[c] += (double)bw_component(a, c);
        }
    }
    for (int c = 0; c < 3; c++) {
        dipoles->middle[c][child] = (float)(middle[c] / weight);
        dipoles->area[c][child] = (float)area[c];
    }
    BwVec3 from = bw_vec3(dipoles->middle[0][child], dipoles->middle[1][child], dipoles->middle[2][child]);
    for (int64_t n = 0; n < 3 * count; n++) {
        BwVec3 offset = bw_sub(list[n / 3].corner[n % 3], from);
        reach2 = fmaxf(reach2, bw_dot(offset, offset));
    }
    dipoles->reach[child] = sqrtf(reach2);
}

static BwBox box_around(const BwTreeTriangle *list, int64_t count)
{
    BwBox box = no_box();
    for (int64_t n = 0; n < 3 * count; n++) {
        BwVec3 corner = list[n / 3].corner[n % 3];
        box = bw_box_union(box, (BwBox){corner, corner});
    }
    return box;
}

static void tell_box(BwTreeNode *node, int child, BwBox box)
{
    for (int c = 0; c < 3; c++) {
        node->low[c][child] = bw_component(box.low, c);
        node->high[c][child] = bw_component(box.high, c);
    }
}

static BwResult add_node(BwTriangleTree *tree, BwError *err)
{
    int64_t count = tree->node_count + 1;
    BW_TRY(bw_reserve(&tree->allocator, (void **)&tree->nodes, &tree->node_capacity, count,
                      sizeof *tree->nodes, err));
    BW_TRY(bw_reserve(&tree->allocator, (void **)&tree->dipoles, &tree->dipole_capacity, count,
                      sizeof *tree->dipoles, err));
    tree->nodes[count - 1] = (BwTreeNode){0};
    tree->dipoles[count - 1] = (BwTreeDipoles){0};
    tree->node_count = count;
    return BW_OK;
}

// One over the square of a length; a side may be a point, and a triangle have no area.
static float per_square(BwVec3 v)
{
    return 1.0f / fmaxf(bw_dot(v, v), 1e-37f);
}

static void fill_place(BwTreePack *pack, int place, const BwTreeTriangle *triangle)
{
    const BwVec3 *corner = triangle->corner;
    for (int n = 0; n < 3; n++) {
        for (int c = 0; c < 3; c++)
            pack->corner[n][c][place] = bw_component(corner[n], c);
        pack->per_side2[n][place] = per_square(bw_sub(corner[(n + 1) % 3], corner[n]));
    }
    pack->per_normal2[place] = per_square(bw_mul(triangle_area(triangle), 2.0f));
    pack->number[place] = triangle->number;
}

static BwResult add_pack(BwTriangleTree *tree, const BwTreeTriangle *list, int64_t count, BwError *err)
{
    BW_TRY(bw_reserve(&tree->allocator, (void **)&tree->packs, &tree->pack_capacity, tree->pack_count + 1,
                      sizeof *tree->packs, err));
    BwTreePack *pack = &tree->packs[tree->pack_count++];
    pack->count = (int32_t)count;
    for (int n = 0; n < WIDTH; n++)
        fill_place(pack, n, &list[n < count ? n : count - 1]);
    return BW_OK;
}

// Some of the triangles, side by side.
typedef struct Run {
    BwTreeTriangle *list;
    int64_t count;
} Run;

// Halves a run so many times, as far as its parts are more than a pack, between full packs: fewer of them are
// walked through. Gives the number of parts.
static int split(Run run, int times, Run *parts)
{
    if (times == 0 || run.count <= WIDTH) {
        parts[0] = run;
        return 1;
    }
    int64_t packs = (run.count + WIDTH - 1) / WIDTH, half = WIDTH * (packs / 2);
    select_rank(run.list, run.count, half, longest_axis(run.list, run.count));
    int first = split((Run){run.list, half}, times - 1, parts);
    return first + split((Run){run.list + half, run.count - half}, times - 1, parts + first);
}

static BwResult build_node(BwTriangleTree *tree, int64_t at, Run run, BwError *err)
{
    Run parts[WIDTH];
    int count = split(run, 3, parts);
    tree->nodes[at].count = count;
    for (int n = 0; n < count; n++) {
        bool is_leaf = parts[n].count <= WIDTH;
        tell_box(&tree->nodes[at], n, box_around(parts[n].list, parts[n].count));
        tell_from_afar(&tree->dipoles[at], n, parts[n].list, parts[n].count);
        tree->nodes[at].child[n] = (int32_t)(is_leaf ? ~tree->pack_count : tree->node_count);
        BW_TRY(is_leaf ? add_pack(tree, parts[n].list, parts[n].count, err) : add_node(tree, err));
        if (!is_leaf)
            BW_TRY(build_node(tree, tree->node_count - 1, parts[n], err));
    }
    return BW_OK;
}

static BwResult build(BwTriangleTree *tree, const BwMesh *mesh, BwError *err)
{
    size_t bytes = (size_t)mesh->triangle_count * sizeof(BwTreeTriangle);
    BwTreeTriangle *list = bw_alloc(&tree->allocator, bytes, BW_ALIGN);
    if (list == NULL)
        return bw_fail_memory(err);
    for (int64_t n = 0; n < mesh->triangle_count; n++) {
        list[n].number = (int32_t)n;
        for (int c = 0; c < 3; c++)
            list[n].corner[c] = mesh->points[mesh->triangles[n].corner[c]];
    }
    tree->triangle_count = mesh->triangle_count;
    tree->box = box_around(list, mesh->triangle_count);
    BwResult result = add_node(tree, err);
    if (result == BW_OK)
        result = build_node(tree, 0, (Run){list, mesh->triangle_count}, err);
    bw_free(&tree->allocator, list, bytes, BW_ALIGN);
    return result;
}

BwResult bw_triangle_tree_create(BwTriangleTree *tree, const BwMesh *mesh, BwError *err)
{
    *tree = (BwTriangleTree){.allocator = mesh->allocator};
    BW_ASSERT(mesh->triangle_count > 0);
    BwResult result = bw_tree_walk_choose(&tree->walk, err);
    if (result == BW_OK)
        result = build(tree, mesh, err);
    if (result != BW_OK)
        bw_triangle_tree_destroy(tree);
    return result;
}

void bw_triangle_tree_destroy(BwTriangleTree *tree)
{
    const BwAllocator *allocator = &tree->allocator;
    bw_free(allocator, tree->nodes, (size_t)tree->node_capacity * sizeof *tree->nodes, BW_ALIGN);
    bw_free(allocator, tree->dipoles, (size_t)tree->dipole_capacity * sizeof *tree->dipoles, BW_ALIGN);
    bw_free(allocator, tree->packs, (size_t)tree->pack_capacity * sizeof *tree->packs, BW_ALIGN);
    bw_free(allocator, tree->normals, (size_t)tree->triangle_count * sizeof *tree->normals, BW_ALIGN);
    *tree = (BwTriangleTree){.allocator = tree->allocator};
}

BwResult bw_triangle_tree_smooth(BwTriangleTree *tree, const BwMesh *mesh, BwError *err)
{
    BW_ASSERT(tree->normals == NULL && mesh->triangle_count == tree->triangle_count);
    tree->normals =
        bw_alloc(&tree->allocator, (size_t)tree->triangle_count * sizeof *tree->normals, BW_ALIGN);
    return tree->normals != NULL ? bw_mesh_corner_normals(mesh, tree->normals, err) : bw_fail_memory(err);
}

BwTreeTriangle bw_tree_triangle(const BwTriangleTree *tree, int64_t triangle)
{
    const BwTreePack *pack = &tree->packs[triangle / WIDTH];
    int n = (int)(triangle % WIDTH);
    BwTreeTriangle t = {.number = pack->number[n]};
    for (int c = 0; c < 3; c++)
        t.corner[c] = bw_vec3(pack->corner[c][0][n], pack->corner[c][1][n], pack->corner[c][2][n]);
    return t;
}

// From a side to a point that is so far off from the start of the side.
static inline BwVec3 away_from_side(BwVec3 side, BwVec3 offset, float per_side2)
{
    float share = bw_smaller(bw_larger(bw_dot(side, offset) * per_side2, 0.0f), 1.0f);
    return bw_sub(offset, bw_mul(side, share));
}

BwVec3 bw_triangle_normal(const BwTreeTriangle *t)
{
    return bw_normalize(triangle_area(t));
}

BwVec3 bw_triangle_foot(const BwTreeTriangle *t, BwVec3 p)
{
    const BwVec3 *corner = t->corner;
    BwVec3 normal = bw_triangle_normal(t), away = {0};
    float nearest2 = INFINITY;
    bool is_within = bw_length(normal) > 0.0f;
    for (int c = 0; c < 3; c++) {
        BwVec3 side = bw_sub(corner[(c + 1) % 3], corner[c]), offset = bw_sub(p, corner[c]);
        BwVec3 rest = away_from_side(side, offset, per_square(side));
        is_within &= bw_dot(bw_cross(side, offset), normal) > 0.0f;
        if (bw_dot(rest, rest) < nearest2) {
            nearest2 = bw_dot(rest, rest);
            away = rest;
        }
    }
    if (is_within)
        away = bw_mul(normal, bw_dot(bw_sub(p, corner[0]), normal));
    return bw_sub(p, away);
}

static float outside(float low, float high, float at)
{
    return bw_larger(bw_larger(low - at, at - high), 0.0f);
}

float bw_triangle_tree_outside(const BwTriangleTree *tree, BwVec3 p)
{
    const BwBox *box = &tree->box;
    BwVec3 d = bw_vec3(outside(box->low.x, box->high.x, p.x), outside(box->low.y, box->high.y, p.y),
                       outside(box->low.z, box->high.z, p.z));
    return (1.0f - rounding) * bw_length(d);
}

BwNearest bw_triangle_tree_nearest(const BwTriangleTree *tree, BwVec3 point, float bound)
{
    return tree->walk.nearest(tree, point, bound);
}

float bw_triangle_tree_meet(const BwTriangleTree *tree, BwVec3 from, BwVec3 to)
{
    return tree->walk.meet(tree, from, to);
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

// What each child of a node adds as a dipole, and whether it is far enough for that.
static void see_dipoles(const BwTreeDipoles *restrict dipoles, BwVec3 p, float *restrict seen,
                        bool *restrict is_far)
{
    const float per_sphere = (float)(1.0 / (4.0 * 3.14159265358979323846));
    for (int n = 0; n < WIDTH; n++) {
        BwVec3 offset =
            bw_vec3(dipoles->middle[0][n] - p.x, dipoles->middle[1][n] - p.y, dipoles->middle[2][n] - p.z);
        BwVec3 area = bw_vec3(dipoles->area[0][n], dipoles->area[1][n], dipoles->area[2][n]);
        float distance2 = bw_dot(offset, offset), reach = far_enough * dipoles->reach[n];
        seen[n] = per_sphere * bw_dot(area, offset) / (distance2 * sqrtf(distance2));
        is_far[n] = distance2 > reach * reach;
    }
}

float bw_triangle_tree_winding(const BwTriangleTree *tree, BwVec3 point)
{
    int32_t stack[STACK_MAX];
    int depth = 0;
    float sum = 0.0f;
    stack[depth++] = 0;
    while (depth > 0) {
        int32_t child = stack[--depth];
        if (child < 0) {
            for (int n = 0; n < tree->packs[~child].count; n++) {
                BwTreeTriangle triangle = bw_tree_triangle(tree, WIDTH * (int64_t)~child + n);
                sum += triangle_winding(&triangle, point);
            }
            continue;
        }
        float seen[WIDTH];
        bool is_far[WIDTH];
        see_dipoles(&tree->dipoles[child], point, seen, is_far);
        for (int n = tree->nodes[child].count - 1; n >= 0; n--)
            if (is_far[n])
                sum += seen[n];
            else
                stack[depth++] = tree->nodes[child].child[n];
    }
    return sum;
}

// By the shares of the triangle that lie across from each corner.
bool bw_triangle_tree_normal(const BwTriangleTree *tree, BwVec3 point, float bound, BwVec3 *normal)
{
    BwNearest nearest = bw_triangle_tree_nearest(tree, point, bound);
    if (tree->normals == NULL || nearest.triangle < 0)
        return false;
    BwTreeTriangle t = bw_tree_triangle(tree, nearest.triangle);
    BwVec3 foot = bw_triangle_foot(&t, point), sum = {0.0f, 0.0f, 0.0f};
    for (int c = 0; c < 3; c++) {
        BwVec3 next = t.corner[(c + 1) % 3], last = t.corner[(c + 2) % 3];
        float across = bw_length(bw_cross(bw_sub(next, foot), bw_sub(last, foot)));
        sum = bw_add(sum, bw_mul(tree->normals[t.number][c], across));
    }
    *normal = bw_normalize(sum);
    return bw_dot(sum, sum) > 0.0f;
}
