// Strokes: whatever the mouse did, the pieces hold together, begin and end where it did, and are few.
#include "gate.h"
#include "stroke.h"

#include <math.h>

static BwVec3 curve(float t)
{
    return bw_vec3(cosf(3.0f * t), sinf(5.0f * t), 0.0f);
}

static float distance_to(const StrokePiece *piece, BwVec3 point)
{
    BwVec3 way = bw_sub(piece->to, piece->from), to = bw_sub(point, piece->from);
    float length2 = bw_dot(way, way), share = length2 > 0.0f ? bw_dot(to, way) / length2 : 0.0f;
    share = fminf(fmaxf(share, 0.0f), 1.0f);
    return bw_length(bw_sub(to, bw_mul(way, share)));
}

// More points than there is room for, more than there are pieces: a chain without gaps that follows them.
static void chains_have_no_gaps(void **state)
{
    (void)state;
    Stroke stroke = {.count = 0};
    StrokePiece pieces[6], first;
    enum { POINTS = 1000 };
    for (int n = 0; n < POINTS; n++)
        stroke_add(&stroke, curve(0.001f * (float)n), 0.001 * n, n == 0);
    int count = stroke_take(&stroke, pieces, 6);
    assert_int_equal(count, 6);
    assert_true(bw_length(bw_sub(pieces[0].from, curve(0.0f))) == 0.0f);
    assert_true(bw_length(bw_sub(pieces[5].to, curve(0.001f * (float)(POINTS - 1)))) == 0.0f);
    for (int n = 1; n < count; n++)
        assert_true(bw_length(bw_sub(pieces[n].from, pieces[n - 1].to)) == 0.0f);
    float most = 0.0f;
    for (int n = 0; n < POINTS; n++) {
        float least = INFINITY;
        for (int p = 0; p < count; p++)
            least = fminf(least, distance_to(&pieces[p], curve(0.001f * (float)n)));
        most = fmaxf(most, least);
    }
    gate("stroke_strays", (double)most, GATE_BELOW, 0.2);
    stroke_add(&stroke, bw_vec3(9.0f, 0.0f, 0.0f), 1.0, false);
    assert_int_equal(stroke_take(&stroke, &first, 1), 1);
    assert_true(bw_length(bw_sub(first.from, pieces[5].to)) == 0.0f); // the next step goes on from there
}

// A click is a dot; a mouse that stands still goes on as one; what was drawn before a release is not lost,
// and nothing joins it with the next stroke.
static void clicks_are_dots(void **state)
{
    (void)state;
    Stroke stroke = {.count = 0};
    StrokePiece pieces[6];
    stroke_add(&stroke, bw_vec3(1.0f, 0.0f, 0.0f), 0.0, true);
    stroke_end(&stroke);
    stroke_add(&stroke, bw_vec3(2.0f, 0.0f, 0.0f), 0.1, true);
    stroke_add(&stroke, bw_vec3(3.0f, 0.0f, 0.0f), 0.2, false);
    assert_int_equal(stroke_take(&stroke, pieces, 6), 2);
    assert_true(pieces[0].from.x == 1.0f && pieces[0].to.x == 1.0f);
    assert_true(pieces[1].from.x == 2.0f && pieces[1].to.x == 3.0f);
    assert_true(fabsf(pieces[1].velocity.x - 20.0f) < 1e-3f); // 1 m, of a pause that counts as 0.05 s
    assert_int_equal(stroke_take(&stroke, pieces, 6), 1);     // still down
    assert_true(pieces[0].from.x == 3.0f && pieces[0].to.x == 3.0f);
    stroke_end(&stroke);
    assert_int_equal(stroke_take(&stroke, pieces, 6), 1);
    assert_int_equal(stroke_take(&stroke, pieces, 6), 0);
}

// More clicks than pieces: the last ones count.
static void clicks_are_left_out(void **state)
{
    (void)state;
    Stroke stroke = {.count = 0};
    StrokePiece pieces[3];
    for (int n = 0; n < 500; n++)
        stroke_add(&stroke, bw_vec3((float)n, 0.0f, 0.0f), 0.01 * n, true);
    assert_int_equal(stroke_take(&stroke, pieces, 3), 3);
    assert_true(pieces[2].to.x == 499.0f && pieces[0].to.x == 497.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_have_no_gaps),
        cmocka_unit_test(clicks_are_dots),
        cmocka_unit_test(clicks_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
