// Walking the tree: boxes and triangles eight at a time, what is nearest first.
#include "solid/tree_walk.h"

#include "base/extremes.h"

enum { WIDTH = BW_TREE_WIDTH };

// Halving 2^24 triangles three times a level, down to packs of eight, takes seven levels; each leaves seven
// children waiting.
enum { STACK_MAX = 80 };

// What a few sums of floats may be off by.
static const float rounding = 1e-5f;

// The corner of a pack's triangle, for loops over all eight.
static inline BwVec3 corner_of(const BwTreePack *pack, int corner, int n)
{
    return bw_vec3(pack->corner[corner][0][n], pack->corner[corner][1][n], pack->corner[corner][2][n]);
}

// From a side to a point that is so far off from the start of the side.
static inline BwVec3 away_from_side(BwVec3 side, BwVec3 offset, float per_side2)
{
    float share = bw_smaller(bw_larger(bw_dot(side, offset) * per_side2, 0.0f), 1.0f);
    return bw_sub(offset, bw_mul(side, share));
}

static inline float side_distance2(BwVec3 side, BwVec3 offset, float per_side2)
{
    BwVec3 away = away_from_side(side, offset, per_side2);
    return bw_dot(away, away);
}

// The square of the distance to a triangle: to its plane where the point's foot falls within, by the signs of
// the three areas it makes with the sides (Ericson 2004, section 5.1.5); else to the nearest side.
static inline float triangle_distance2(const BwTreePack *pack, int n, BwVec3 p)
{
    BwVec3 a = corner_of(pack, 0, n), b = corner_of(pack, 1, n), c = corner_of(pack, 2, n);
    BwVec3 ab = bw_sub(b, a), bc = bw_sub(c, b), ca = bw_sub(a, c);
    BwVec3 ap = bw_sub(p, a), bp = bw_sub(p, b), cp = bw_sub(p, c);
    BwVec3 normal = bw_cross(ab, bc);
    float height = bw_dot(ap, normal);
    float within = bw_smaller(bw_smaller(bw_dot(bw_cross(ab, ap), normal), bw_dot(bw_cross(bc, bp), normal)),
                              bw_dot(bw_cross(ca, cp), normal));
    float beside = bw_smaller(bw_smaller(side_distance2(ab, ap, pack->per_side2[0][n]),
                                         side_distance2(bc, bp, pack->per_side2[1][n])),
                              side_distance2(ca, cp, pack->per_side2[2][n]));
    float above = height * (height * pack->per_normal2[n]);
    return within > 0.0f ? above : beside;
}

static void pack_distances2(const BwTreePack *restrict pack, BwVec3 p, float *restrict distance2)
{
    for (int n = 0; n < WIDTH; n++)
        distance2[n] = triangle_distance2(pack, n, p);
}

static inline float outside(float low, float high, float at)
{
    return bw_larger(bw_larger(low - at, at - high), 0.0f);
}

// Squares of the distances to a node's boxes.
static void box_distances2(const BwTreeNode *restrict node, BwVec3 p, float *restrict distance2)
{
    for (int n = 0; n < WIDTH; n++) {
        float x = outside(node->low[0][n], node->high[0][n], p.x),
              y = outside(node->low[1][n], node->high[1][n], p.y),
              z = outside(node->low[2][n], node->high[2][n], p.z);
        distance2[n] = x * x + y * y + z * z;
    }
}

// What is still to be looked at.
typedef struct Visit {
    int32_t child;
    float far; // square of the distance to its box, or the share of the way to it
} Visit;

typedef struct Stack {
    Visit visits[STACK_MAX];
    int depth;
} Stack;

// Puts those children of a node on the stack that are less far than the limit, the nearest on top. The others
// are not worth sorting: most of them are too far once the nearest has been looked at.
static inline void push_children(Stack *stack, const BwTreeNode *node, const float *far, float limit)
{
    unsigned bits = 0;
    for (int n = 0; n < WIDTH; n++)
        bits |= (unsigned)(far[n] < limit) << n;
    int nearest = stack->depth;
    for (bits &= (1u << node->count) - 1; bits != 0; bits &= bits - 1) {
        int n = __builtin_ctz(bits);
        stack->visits[stack->depth] = (Visit){node->child[n], far[n]};
        nearest = far[n] < stack->visits[nearest].far ? stack->depth : nearest;
        stack->depth++;
    }
    int top = stack->depth - 1;
    if (nearest < top) {
        Visit kept = stack->visits[top];
        stack->visits[top] = stack->visits[nearest];
        stack->visits[nearest] = kept;
    }
}

// The place of the least of eight.
static int least_of(const float *values)
{
    float four[4];
    for (int n = 0; n < 4; n++)
        four[n] = bw_smaller(values[n], values[n + 4]);
    float least = bw_smaller(bw_smaller(four[0], four[1]), bw_smaller(four[2], four[3]));
    unsigned bits = 1u << (WIDTH - 1);
    for (int n = 0; n < WIDTH; n++)
        bits |= (unsigned)(values[n] <= least) << n;
    return __builtin_ctz(bits);
}

BwNearest bw_tree_walk_nearest(const BwTriangleTree *tree, BwVec3 point, float bound)
{
    Stack stack;
    float far[WIDTH], nearest2 = bound * bound;
    int32_t triangle = -1;
    stack.depth = 1;
    stack.visits[0] = (Visit){0, 0.0f};
    while (stack.depth > 0) {
        Visit visit = stack.visits[--stack.depth];
        if (!(visit.far < nearest2))
            continue;
        if (visit.child >= 0) {
            box_distances2(&tree->nodes[visit.child], point, far);
            push_children(&stack, &tree->nodes[visit.child], far, nearest2);
            continue;
        }
        pack_distances2(&tree->packs[~visit.child], point, far);
        int n = least_of(far);
        if (far[n] < nearest2) {
            triangle = WIDTH * ~visit.child + n;
            nearest2 = far[n];
        }
    }
    return (BwNearest){triangle < 0 ? bound : sqrtf(nearest2), triangle};
}

static const float not_met = 2.0f;

// Where on the segment from p along d it meets a triangle (Moeller and Trumbore 1997), its rim included: two
// triangles that share a side leave no gap between them.
static inline float meet_triangle(BwVec3 a, BwVec3 b, BwVec3 c, BwVec3 p, BwVec3 d)
{
    const float rim = 1e-5f;
    BwVec3 ab = bw_sub(b, a), ac = bw_sub(c, a), across = bw_cross(d, ac);
    float volume = bw_dot(ab, across), scale = 1.0f / volume;
    BwVec3 from = bw_sub(p, a), turned = bw_cross(from, ab);
    float u = bw_dot(from, across) * scale, v = bw_dot(d, turned) * scale, at = bw_dot(ac, turned) * scale;
    float least = bw_smaller(bw_smaller(u, v), at), most = bw_larger(u + v, at);
    bool is_met = (volume != 0.0f) & (least >= -rim) & (most <= 1.0f + rim);
    return is_met ? bw_smaller(bw_larger(at, 0.0f), 1.0f) : not_met;
}

static void meet_pack(const BwTreePack *restrict pack, BwVec3 p, BwVec3 d, float *restrict met)
{
    for (int n = 0; n < WIDTH; n++)
        met[n] = meet_triangle(corner_of(pack, 0, n), corner_of(pack, 1, n), corner_of(pack, 2, n), p, d);
}

// Slabs: where along the segment it comes between the two sides of each axis of a node's boxes; `not_met`
// where it does not. `inverse` is that of the way along each axis, huge where there is none.
static void enter_boxes(const BwTreeNode *restrict node, const float p[3], const float inverse[3],
                        float *restrict met)
{
    for (int n = 0; n < WIDTH; n++) {
        float enter = 0.0f, leave = 1.0f;
        for (int c = 0; c < 3; c++) {
            float a = (node->low[c][n] - p[c]) * inverse[c], b = (node->high[c][n] - p[c]) * inverse[c];
            enter = bw_larger(bw_smaller(a, b) - rounding, enter);
            leave = bw_smaller(bw_larger(a, b) + rounding, leave);
        }
        met[n] = enter <= leave ? enter : not_met;
    }
}

static float inverse_of(float way)
{
    const float least = 1e-30f;
    return 1.0f / (fabsf(way) > least ? way : least);
}

float bw_tree_walk_meet(const BwTriangleTree *tree, BwVec3 from, BwVec3 to)
{
    BwVec3 along = bw_sub(to, from);
    const float start[3] = {from.x, from.y, from.z},
                inverse[3] = {inverse_of(along.x), inverse_of(along.y), inverse_of(along.z)};
    Stack stack;
    float met[WIDTH], first = not_met;
    stack.depth = 1;
    stack.visits[0] = (Visit){0, 0.0f};
    while (stack.depth > 0) {
        Visit visit = stack.visits[--stack.depth];
        if (!(visit.far < first))
            continue;
        if (visit.child >= 0) {
            enter_boxes(&tree->nodes[visit.child], start, inverse, met);
            push_children(&stack, &tree->nodes[visit.child], met, first);
            continue;
        }
        meet_pack(&tree->packs[~visit.child], from, along, met);
        for (int n = 0; n < WIDTH; n++)
            first = bw_smaller(met[n], first);
    }
    return first;
}
