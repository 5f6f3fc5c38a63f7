// Shapes: distances against formulas worked out by hand, and against what any distance must obey, at random
// points: slope 1, the right sign, and bounds that hold every inside point.
#include <billow/shape.h>

#include "gate.h"
#include "solid/ways.h"

#include <stdlib.h>

enum { POINT_COUNT = 20000 };

static uint32_t random_state;

static float random_between(float low, float high)
{
    random_state = random_state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(random_state >> 8) / 16777216.0f;
}

static BwVec3 random_point(float reach)
{
    float x = random_between(-reach, reach), y = random_between(-reach, reach);
    return bw_vec3(x, y, random_between(-reach, reach));
}

static const BwShape sphere = {.kind = BW_SHAPE_SPHERE, .a = {0.2f, -0.1f, 0.3f}, .radius = 0.7f};
static const BwShape box = {.kind = BW_SHAPE_BOX, .a = {-0.5f, -0.2f, -0.9f}, .b = {0.4f, 0.6f, 0.1f}};
static const BwShape cylinder = {
    .kind = BW_SHAPE_CYLINDER, .a = {-0.3f, -0.4f, 0.1f}, .b = {0.5f, 0.6f, 0.2f}, .radius = 0.4f};
static const BwShape capsule = {
    .kind = BW_SHAPE_CAPSULE, .a = {-0.3f, -0.4f, 0.1f}, .b = {0.5f, 0.6f, 0.2f}, .radius = 0.3f};
static const BwShape plane = {.kind = BW_SHAPE_PLANE, .a = {0.1f, 0.2f, 0.0f}, .b = {1.0f, 2.0f, -0.5f}};
static const BwShape torus = {.kind = BW_SHAPE_TORUS,
                              .a = {0.1f, 0.0f, 0.0f},
                              .b = {1.0f, 3.0f, 0.5f},
                              .radius = 0.6f,
                              .thickness = 0.2f};
static const BwShape cone = {
    .kind = BW_SHAPE_CONE, .a = {0.0f, -0.5f, 0.1f}, .b = {0.3f, 0.7f, 0.0f}, .radius = 0.5f};
static const BwShape disc = {
    .kind = BW_SHAPE_DISC, .a = {0.1f, 0.2f, 0.3f}, .b = {0.0f, 1.0f, 1.0f}, .radius = 0.6f};
static const BwShape rectangle = {
    .kind = BW_SHAPE_RECTANGLE, .a = {0.0f, 0.1f, 0.0f}, .b = {0.3f, 1.0f, 0.2f}, .size = {0.8f, 0.5f}};

// Every kind whose distance is exact.
static const BwShape *const exact_shapes[] = {&sphere, &box,  &cylinder, &capsule,  &plane,
                                              &torus,  &cone, &disc,     &rectangle};

enum { EXACT_COUNT = sizeof exact_shapes / sizeof *exact_shapes };

static BwShape combined(BwShapeKind kind, const BwShape *parts, int count)
{
    return (BwShape){.kind = kind, .parts = parts, .part_count = count};
}

static void check_distance(const BwShape *shape, float x, float y, float z, float wanted)
{
    float found = bw_shape_distance(shape, bw_vec3(x, y, z));
    if (fabsf(found - wanted) > 1e-6f)
        fail_msg("%s at (%g, %g, %g): %.9g, wanted %.9g", bw_shape_name(shape->kind), (double)x, (double)y,
                 (double)z, (double)found, (double)wanted);
}

static void upright_shapes_match_hand_worked_distances(void **state)
{
    (void)state;
    BwShape ball = {.kind = BW_SHAPE_SPHERE, .a = {1.0f, 2.0f, 3.0f}, .radius = 0.5f};
    check_distance(&ball, 1.0f, 2.0f, 3.0f, -0.5f);
    check_distance(&ball, 4.0f, 6.0f, 3.0f, 4.5f);
    BwShape unit_box = {.kind = BW_SHAPE_BOX, .b = {1.0f, 2.0f, 3.0f}};
    check_distance(&unit_box, 0.25f, 1.0f, 1.0f, -0.25f);
    check_distance(&unit_box, 4.0f, 6.0f, 1.0f, 5.0f);
    check_distance(&unit_box, -2.0f, -1.0f, 5.0f, 3.0f);
    BwShape can = {.kind = BW_SHAPE_CYLINDER, .b = {0.0f, 2.0f, 0.0f}, .radius = 1.0f};
    check_distance(&can, 0.0f, 1.0f, 0.0f, -1.0f);
    check_distance(&can, 0.5f, 1.75f, 0.0f, -0.25f);
    check_distance(&can, 4.0f, 6.0f, 0.0f, 5.0f);
    BwShape pill = {.kind = BW_SHAPE_CAPSULE, .b = {0.0f, 2.0f, 0.0f}, .radius = 0.5f};
    check_distance(&pill, 0.0f, 1.0f, 2.0f, 1.5f);
    check_distance(&pill, 3.0f, 6.0f, 0.0f, 4.5f);
    BwShape floor_plane = {.kind = BW_SHAPE_PLANE, .a = {5.0f, 1.0f, 5.0f}, .b = {0.0f, 3.0f, 0.0f}};
    check_distance(&floor_plane, 100.0f, -1.0f, 7.0f, -2.0f);
    BwShape ring = {.kind = BW_SHAPE_TORUS, .b = {0.0f, 1.0f, 0.0f}, .radius = 2.0f, .thickness = 0.5f};
    check_distance(&ring, 0.0f, 0.0f, 0.0f, 1.5f);
    check_distance(&ring, 0.0f, 0.0f, 2.25f, -0.25f);
    check_distance(&ring, 5.0f, 4.0f, 0.0f, 4.5f);
    BwShape spike = {.kind = BW_SHAPE_CONE, .b = {0.0f, 4.0f, 0.0f}, .radius = 3.0f};
    check_distance(&spike, 0.0f, 7.0f, 0.0f, 3.0f);
    check_distance(&spike, 1.0f, -2.0f, 0.0f, 2.0f);
    check_distance(&spike, 6.0f, -4.0f, 0.0f, 5.0f);
    check_distance(&spike, 0.0f, 0.5f, 0.0f, -0.5f);
    check_distance(&spike, 4.0f * 0.6f + 1.2f, 3.0f * 0.6f, 0.0f, 0.8f * 3.6f + 0.6f * 1.8f - 2.4f);
    BwShape plate = {.kind = BW_SHAPE_DISC, .b = {0.0f, 0.0f, 2.0f}, .radius = 1.0f};
    check_distance(&plate, 0.5f, 0.5f, -2.0f, 2.0f);
    check_distance(&plate, 4.0f, 0.0f, 4.0f, 5.0f);
    BwShape card = {.kind = BW_SHAPE_RECTANGLE, .b = {0.0f, 0.0f, 1.0f}, .size = {2.0f, 4.0f}};
    check_distance(&card, 0.9f, 1.9f, 0.5f, 0.5f);
    check_distance(&card, 4.0f, 6.0f, 0.0f, 5.0f);
    check_distance(&card, 0.0f, 2.5f, 0.0f, 0.5f);
}

// The gradient by central differences.
static BwVec3 slope(const BwShape *shape, BwVec3 p)
{
    const float e = 2e-3f;
    BwVec3 g;
    g.x = bw_shape_distance(shape, bw_vec3(p.x + e, p.y, p.z)) -
          bw_shape_distance(shape, bw_vec3(p.x - e, p.y, p.z));
    g.y = bw_shape_distance(shape, bw_vec3(p.x, p.y + e, p.z)) -
          bw_shape_distance(shape, bw_vec3(p.x, p.y - e, p.z));
    g.z = bw_shape_distance(shape, bw_vec3(p.x, p.y, p.z + e)) -
          bw_shape_distance(shape, bw_vec3(p.x, p.y, p.z - e));
    return bw_mul(g, 0.5f / e);
}

// An exact distance never changes faster than the way gone, and almost everywhere (not on the few ridges) has
// slope 1.
static void exact_distances_have_slope_one(void **state)
{
    (void)state;
    for (int n = 0; n < EXACT_COUNT; n++) {
        random_state = 7;
        int steep = 0, off = 0;
        for (int i = 0; i < POINT_COUNT; i++) {
            BwVec3 p = random_point(2.0f), q = bw_add(p, random_point(0.3f));
            float change = bw_shape_distance(exact_shapes[n], p) - bw_shape_distance(exact_shapes[n], q);
            steep += fabsf(change) > bw_length(bw_sub(p, q)) * 1.00001f + 1e-6f;
            off += fabsf(bw_length(slope(exact_shapes[n], p)) - 1.0f) > 2e-3f;
        }
        assert_int_equal(steep, 0);
        char name[64];
        snprintf(name, sizeof name, "share of points off slope 1, %s", bw_shape_name(exact_shapes[n]->kind));
        gate(name, (double)off / POINT_COUNT, GATE_BELOW, 0.002);
    }
}

// The surface is really |distance| away: stepping that far along the slope lands on it.
static void the_surface_is_where_the_distance_says(void **state)
{
    (void)state;
    for (int n = 0; n < EXACT_COUNT; n++) {
        random_state = 11;
        int missed = 0, tried = 0;
        for (int i = 0; i < POINT_COUNT; i++) {
            BwVec3 p = random_point(2.0f), g = slope(exact_shapes[n], p);
            if (fabsf(bw_length(g) - 1.0f) > 1e-3f)
                continue;
            float d = bw_shape_distance(exact_shapes[n], p);
            tried++;
            missed += fabsf(bw_shape_distance(exact_shapes[n], bw_sub(p, bw_mul(g, d)))) > 5e-3f;
        }
        assert_true(tried > POINT_COUNT / 2);
        assert_true(missed < tried / 200);
    }
}

static bool is_inside_by_definition(const BwShape *shape, BwVec3 p)
{
    BwVec3 offset = bw_sub(p, shape->a), along = bw_sub(shape->b, shape->a);
    float share = bw_dot(offset, along) / bw_dot(along, along);
    float away = bw_length(bw_sub(offset, bw_mul(along, share)));
    switch (shape->kind) {
    case BW_SHAPE_SPHERE:
        return bw_length(offset) < shape->radius;
    case BW_SHAPE_BOX:
        return p.x > shape->a.x && p.y > shape->a.y && p.z > shape->a.z && p.x < shape->b.x &&
               p.y < shape->b.y && p.z < shape->b.z;
    case BW_SHAPE_CYLINDER:
        return share > 0.0f && share < 1.0f && away < shape->radius;
    case BW_SHAPE_CAPSULE:
        return (share > 0.0f && share < 1.0f && away < shape->radius) || bw_length(offset) < shape->radius ||
               bw_length(bw_sub(p, shape->b)) < shape->radius;
    case BW_SHAPE_CONE:
        return share > 0.0f && share < 1.0f && away < shape->radius * (1.0f - share);
    case BW_SHAPE_PLANE:
        return bw_dot(offset, shape->b) < 0.0f;
    default:
        return false;
    }
}

static void signs_follow_the_definition(void **state)
{
    (void)state;
    const BwShape *shapes[] = {&sphere, &box, &cylinder, &capsule, &plane, &cone, &disc, &rectangle};
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        random_state = 3;
        for (int i = 0; i < POINT_COUNT; i++) {
            BwVec3 p = random_point(1.5f);
            float d = bw_shape_distance(shapes[n], p);
            if (fabsf(d) > 1e-5f)
                assert_int_equal(d < 0.0f, is_inside_by_definition(shapes[n], p));
        }
    }
}

static void combinations_have_the_sign_of_their_logic(void **state)
{
    (void)state;
    const BwShape parts[] = {sphere, box, cone};
    BwShape any = combined(BW_SHAPE_UNION, parts, 3), all = combined(BW_SHAPE_INTERSECTION, parts, 3);
    BwShape rest = combined(BW_SHAPE_DIFFERENCE, parts, 3);
    for (int i = 0; i < POINT_COUNT; i++) {
        BwVec3 p = random_point(1.5f);
        bool in[3];
        for (int n = 0; n < 3; n++)
            in[n] = bw_shape_distance(&parts[n], p) < 0.0f;
        assert_int_equal(bw_shape_distance(&any, p) < 0.0f, in[0] || in[1] || in[2]);
        assert_int_equal(bw_shape_distance(&all, p) < 0.0f, in[0] && in[1] && in[2]);
        assert_int_equal(bw_shape_distance(&rest, p) < 0.0f, in[0] && !in[1] && !in[2]);
    }
}

static void moved_shapes_are_the_shape_moved(void **state)
{
    (void)state;
    BwShape moved = {.kind = BW_SHAPE_TRANSLATE, .a = {1.0f, -2.0f, 0.5f}, .parts = &cone, .part_count = 1};
    BwShape turned = {.kind = BW_SHAPE_ROTATE,
                      .b = {0.0f, 0.0f, 2.0f},
                      .angle = 1.57079633f,
                      .parts = &cone,
                      .part_count = 1};
    BwShape grown = {.kind = BW_SHAPE_SCALE, .factor = 3.0f, .parts = &cone, .part_count = 1};
    for (int i = 0; i < POINT_COUNT; i++) {
        BwVec3 p = random_point(2.0f);
        float d = bw_shape_distance(&cone, p);
        assert_float_equal(bw_shape_distance(&moved, bw_add(p, moved.a)), d, 1e-5f);
        assert_float_equal(bw_shape_distance(&turned, bw_vec3(-p.y, p.x, p.z)), d, 1e-5f);
        assert_float_equal(bw_shape_distance(&grown, bw_mul(p, 3.0f)), 3.0f * d, 1e-5f);
    }
}

static void check_bounds_hold(const BwShape *shape)
{
    BwBox bounds = bw_shape_bounds(shape);
    for (int i = 0; i < POINT_COUNT; i++) {
        BwVec3 p = random_point(3.0f);
        bool in_bounds = p.x >= bounds.low.x && p.y >= bounds.low.y && p.z >= bounds.low.z &&
                         p.x <= bounds.high.x && p.y <= bounds.high.y && p.z <= bounds.high.z;
        if (bw_shape_distance(shape, p) < -1e-6f && !in_bounds)
            fail_msg("%s: inside point (%g, %g, %g) is out of bounds", bw_shape_name(shape->kind),
                     (double)p.x, (double)p.y, (double)p.z);
    }
}

static void bounds_hold_every_inside_point(void **state)
{
    (void)state;
    const BwShape parts[] = {sphere, box, cone};
    const BwShape upright_plane = {.kind = BW_SHAPE_PLANE, .a = {0.0f, 0.3f, 0.0f}, .b = {0.0f, -1.0f, 0.0f}};
    BwShape any = combined(BW_SHAPE_UNION, parts, 3), all = combined(BW_SHAPE_INTERSECTION, parts, 3);
    BwShape rest = combined(BW_SHAPE_DIFFERENCE, parts, 3);
    BwShape moved = {.kind = BW_SHAPE_TRANSLATE, .a = {1.0f, -0.5f, 0.5f}, .parts = &any, .part_count = 1};
    BwShape turned = {
        .kind = BW_SHAPE_ROTATE, .b = {1.0f, 2.0f, 3.0f}, .angle = 0.7f, .parts = &any, .part_count = 1};
    BwShape turned_plane = {.kind = BW_SHAPE_ROTATE,
                            .b = {1.0f, 2.0f, 3.0f},
                            .angle = 0.7f,
                            .parts = &upright_plane,
                            .part_count = 1};
    BwShape grown = {.kind = BW_SHAPE_SCALE, .factor = 1.5f, .parts = &torus, .part_count = 1};
    const BwShape *shapes[] = {&sphere, &box,   &cylinder,      &capsule,      &plane,
                               &torus,  &cone,  &upright_plane, &any,          &all,
                               &rest,   &moved, &turned,        &turned_plane, &grown};
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++)
        check_bounds_hold(shapes[n]);
}

// Boxes that are too large would waste tiles: each side is touched by the shape.
static void bounds_are_tight(void **state)
{
    (void)state;
    const BwShape *shapes[] = {&sphere, &box, &cylinder, &capsule, &torus, &cone, &disc, &rectangle};
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        BwBox bounds = bw_shape_bounds(shapes[n]), touched = {bounds.high, bounds.low};
        for (int i = 0; i < 20 * POINT_COUNT; i++) {
            BwVec3 p = bw_add(random_point(1.0f), bw_mul(bw_add(bounds.low, bounds.high), 0.5f));
            BwVec3 on = bw_sub(p, bw_mul(slope(shapes[n], p), bw_shape_distance(shapes[n], p)));
            if (fabsf(bw_shape_distance(shapes[n], on)) < 1e-3f)
                touched = bw_box_union(touched, (BwBox){on, on});
        }
        BwVec3 gap = bw_max(bw_sub(touched.low, bounds.low), bw_sub(bounds.high, touched.high));
        assert_true(fmaxf(gap.x, fmaxf(gap.y, gap.z)) < 0.05f);
    }
}

static void an_empty_combination_holds_nothing(void **state)
{
    (void)state;
    BwShape empty = combined(BW_SHAPE_UNION, NULL, 0), none = {0};
    assert_true(bw_shape_distance(&empty, bw_vec3(0, 0, 0)) > 0.0f &&
                bw_box_is_empty(bw_shape_bounds(&empty)));
    assert_true(bw_shape_distance(&none, bw_vec3(0, 0, 0)) > 0.0f && bw_box_is_empty(bw_shape_bounds(&none)));
}

static void a_box_may_be_endless_in_z(void **state)
{
    (void)state;
    BwShape prism = {.kind = BW_SHAPE_BOX, .a = {0.0f, 0.0f, -INFINITY}, .b = {1.0f, 1.0f, INFINITY}};
    check_distance(&prism, 0.5f, 0.75f, 0.0f, -0.25f);
    check_distance(&prism, 4.0f, 5.0f, 1000.0f, 5.0f);
}

// Ways as long as the diagonal of a cell of size 1, between places outside, that lead past a shape, by all
// that are below its surface somewhere.
static double part_past(const BwShape *shape, BwVec3 middle, bool is_flat)
{
    int count = 0, past = 0;
    for (int n = 0; n < POINT_COUNT; n++) {
        BwVec3 at = random_point(0.5f), half = random_point(1.0f);
        at.z = is_flat ? 0.0f : at.z;
        half.z = is_flat ? 0.0f : half.z;
        half = bw_mul(bw_normalize(half), is_flat ? 0.70710678f : 0.8660254f);
        at = bw_add(at, middle);
        BwVec3 from = bw_sub(at, half), to = bw_add(at, half);
        if (bw_shape_distance(shape, from) < 0.0f || bw_shape_distance(shape, to) < 0.0f ||
            bw_shape_distance(shape, at) >= 0.0f)
            continue;
        count++;
        past += bw_shape_way_leads_past(shape, from, to, 1.0f, is_flat);
    }
    assert_true(count > POINT_COUNT / 100);
    return (double)past / count;
}

// Around an edge or a corner of something thick there is a way; through a sheet, flat or round, there is
// none.
static void ways_lead_past_edges_and_not_through_walls(void **state)
{
    (void)state;
    BwShape block = bw_box(bw_vec3(-9.0f, -9.0f, -9.0f), bw_vec3(0.0f, 0.0f, 0.0f)),
            slab = bw_box(bw_vec3(-9.0f, -0.2f, -9.0f), bw_vec3(9.0f, 0.2f, 9.0f)),
            can[2] = {bw_cylinder(bw_vec3(0.0f, -9.0f, 0.0f), bw_vec3(0.0f, 9.0f, 0.0f), 4.2f),
                      bw_cylinder(bw_vec3(0.0f, -9.9f, 0.0f), bw_vec3(0.0f, 9.9f, 0.0f), 3.8f)},
            wall = bw_difference(can, 2);
    for (int is_flat = 0; is_flat <= 1; is_flat++)
        for (int n = 0; n < 8; n++) {
            BwVec3 axis = bw_vec3(is_flat ? 0.0f : 0.3f, 0.0f, 1.0f), corner = {0};
            block.b.z = is_flat ? 9.0f : 0.0f;
            BwShape edge = bw_rotate(&block, axis, 0.2f * (float)n),
                    sheet = bw_rotate(&slab, axis, 0.2f * (float)n);
            assert_true(part_past(&edge, corner, is_flat) > 0.99);
            assert_true(part_past(&sheet, corner, is_flat) == 0.0);
        }
    assert_true(part_past(&wall, bw_vec3(4.0f, 0.0f, 0.0f), false) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upright_shapes_match_hand_worked_distances),
        cmocka_unit_test(exact_distances_have_slope_one),
        cmocka_unit_test(the_surface_is_where_the_distance_says),
        cmocka_unit_test(signs_follow_the_definition),
        cmocka_unit_test(combinations_have_the_sign_of_their_logic),
        cmocka_unit_test(moved_shapes_are_the_shape_moved),
        cmocka_unit_test(bounds_hold_every_inside_point),
        cmocka_unit_test(bounds_are_tight),
        cmocka_unit_test(an_empty_combination_holds_nothing),
        cmocka_unit_test(a_box_may_be_endless_in_z),
        cmocka_unit_test(ways_lead_past_edges_and_not_through_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
