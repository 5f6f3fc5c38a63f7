// Ways past boxes are told by their sides; the truth is the box's distance along each way, at so many places
// that nothing lies between two of them but what they miss by less than their distance apart.
#include "domain/places.h"
#include "gate.h"
#include "random.h"
#include "solid/box_ways.h"

enum { WAYS = 4000, STEPS = 400, COUNT = 150 };

typedef struct Boxes {
    BwShape box, moved, turned, scaled;
} Boxes;

static const BwShape *make_boxes(Boxes *boxes, Random *random)
{
    float a = (float)random_between(random, 0.05, 0.4), b = (float)random_between(random, 0.05, 0.4);
    boxes->box = bw_box(bw_vec3(-a, -b, -0.1f), bw_vec3(b, a, 0.2f));
    boxes->moved = bw_translate(&boxes->box, bw_vec3(0.1f, -0.05f, 0.02f));
    boxes->turned =
        bw_rotate(&boxes->moved, bw_vec3(1.0f, 2.0f, -1.0f), (float)random_between(random, 0.0, 6.0));
    boxes->scaled = bw_scale(&boxes->turned, 1.3f);
    const BwShape *all[] = {&boxes->box, &boxes->moved, &boxes->turned, &boxes->scaled};
    return all[random_below(random, 4)];
}

static BwVec3 point_near(Random *random)
{
    return bw_vec3((float)random_between(random, -0.8, 0.8), (float)random_between(random, -0.8, 0.8),
                   (float)random_between(random, -0.8, 0.8));
}

// The smallest distance along a way, and where it first is below zero, 2 if nowhere.
static float least_on_way(const BwShape *shape, BwVec3 from, BwVec3 to, float *first)
{
    float least = INFINITY;
    *first = 2.0f;
    for (int n = 0; n <= STEPS; n++) {
        float share = (float)n / STEPS;
        float distance = bw_shape_distance(shape, bw_add(from, bw_mul(bw_sub(to, from), share)));
        least = fminf(least, distance);
        if (distance < 0.0f)
            *first = fminf(*first, share);
    }
    return least;
}

// What misses the box by less than half the way between two places is left to either answer.
static void check_way(const BwShape *shape, BwVec3 from, BwVec3 to, bool is_entered, float share)
{
    float first, least = least_on_way(shape, from, to, &first), apart = bw_length(bw_sub(to, from)) / STEPS;
    if (least < 0.0f) {
        assert_true(is_entered);
        assert_true(share <= first + 1e-4f && share >= first - 1.0f / STEPS - 1e-4f);
    } else if (least > 0.5f * apart + 1e-5f) {
        assert_false(is_entered);
    }
}

static void ways_enter_where_the_distance_says(void **state)
{
    (void)state;
    Random random = random_seeded(5);
    int entered = 0;
    for (int n = 0; n < WAYS; n++) {
        Boxes boxes;
        const BwShape *shape = make_boxes(&boxes, &random);
        BwVec3 from = point_near(&random), to = point_near(&random);
        float share;
        if (bw_shape_distance(shape, from) < 0.0f)
            continue;
        assert_true(bw_shape_is_box(shape));
        assert_true(bw_box_entered(shape, from, to, &share));
        check_way(shape, from, to, share <= 1.0f, share);
        entered += share <= 1.0f;
    }
    assert_in_range(entered, WAYS / 10, WAYS);
}

static void eight_places_are_seen_as_one(void **state)
{
    (void)state;
    Random random = random_seeded(6);
    int hidden = 0;
    for (int n = 0; n < WAYS; n++) {
        Boxes boxes;
        BwSeen seen;
        BwVec3 from = point_near(&random), to[BW_SEEN];
        float at[3][BW_SEEN], share;
        const BwShape *shape = make_boxes(&boxes, &random);
        if (bw_shape_distance(shape, from) < 0.0f)
            continue;
        for (int m = 0; m < BW_SEEN; m++) {
            to[m] = point_near(&random);
            for (int a = 0; a < 3; a++)
                at[a][m] = bw_component(to[m], a);
        }
        assert_true(bw_box_seen(shape, from, at, &seen));
        for (int m = 0; m < BW_SEEN; m++) {
            bw_box_entered(shape, from, to[m], &share);
            bool is_inside = seen.inside >> m & 1, is_hidden = seen.hidden >> m & 1;
            float distance = bw_shape_distance(shape, to[m]);
            assert_true(fabsf(distance) < 1e-6f || is_inside == (distance < 0.0f));
            assert_int_equal(is_hidden, share <= 1.0f && !is_inside);
            hidden += is_hidden;
        }
    }
    assert_in_range(hidden, WAYS / 10, BW_SEEN * WAYS);
}

static void many_ways_are_told_as_one(void **state)
{
    (void)state;
    static BwPlaces from, to;
    Random random = random_seeded(7);
    Boxes boxes;
    for (int round = 0; round < 20; round++) {
        const BwShape *shape = make_boxes(&boxes, &random);
        from.count = to.count = COUNT;
        for (int n = 0; n < from.count; n++) {
            bw_place_put(&from, n, point_near(&random));
            bw_place_put(&to, n, n % 5 == 0 ? bw_place_of(&from, n) : point_near(&random));
        }
        uint64_t entering[BW_PLACES_WORDS];
        bw_places_entering_box(&from, &to, shape, entering);
        for (int n = 0; n < from.count; n++) {
            float share;
            bw_box_entered(shape, bw_place_of(&from, n), bw_place_of(&to, n), &share);
            assert_int_equal(entering[n >> 6] >> (n & 63) & 1, share <= 1.0f);
        }
    }
}

// A way that runs in the plane of a side, or touches an edge, is not hidden.
static void ways_along_sides_pass(void **state)
{
    (void)state;
    float share;
    BwShape box = bw_box(bw_vec3(0, 0, 0), bw_vec3(1, 1, 1));
    assert_true(bw_box_entered(&box, bw_vec3(-1.0f, 1.0f, 0.5f), bw_vec3(2.0f, 1.0f, 0.5f), &share));
    assert_true(share > 1.0f);
    assert_true(bw_box_entered(&box, bw_vec3(-1.0f, 0.0f, 0.5f), bw_vec3(1.0f, 2.0f, 0.5f), &share));
    assert_true(share > 1.0f);
    assert_true(bw_box_entered(&box, bw_vec3(-1.0f, 0.5f, 0.5f), bw_vec3(3.0f, 0.5f, 0.5f), &share));
    assert_float_equal(share, 0.25f, 1e-6);
    BwShape ball = bw_sphere(bw_vec3(0, 0, 0), 1.0f);
    assert_false(bw_shape_is_box(&ball) || bw_box_entered(&ball, box.a, box.b, &share));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_enter_where_the_distance_says), cmocka_unit_test(eight_places_are_seen_as_one),
        cmocka_unit_test(many_ways_are_told_as_one), cmocka_unit_test(ways_along_sides_pass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
