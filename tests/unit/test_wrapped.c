// A surface wrapped around scattered points: that of a ball and of a ring, from points with gaps and noise,
// against the exact distance; what is wrong with files and radii is told; memory may be short.
#include "random.h"
#include "scratch_folder.h"
#include "strict_allocator.h"
#include <billow/shape.h>

#include <math.h>

static const float pi = 3.14159265f;

typedef struct Scatter {
    const char *file;
    BwShape exact; // a sphere or a torus about y
    int count;
    float noise; // m
} Scatter;

static BwVec3 point_on(const BwShape *exact, Random *random)
{
    float angle = 2.0f * pi * (float)random_between(random, 0.0, 1.0),
          other = 2.0f * pi * (float)random_between(random, 0.0, 1.0);
    if (exact->kind == BW_SHAPE_SPHERE) {
        float y = 2.0f * (float)random_between(random, 0.0, 1.0) - 1.0f, across = sqrtf(1.0f - y * y);
        return bw_mul(bw_vec3(across * cosf(angle), y, across * sinf(angle)), exact->radius);
    }
    float far = exact->radius + exact->thickness * cosf(other);
    return bw_vec3(far * cosf(angle), exact->thickness * sinf(other), far * sinf(angle));
}

static void write_points(const Scatter *scatter)
{
    Random random = random_seeded(5);
    FILE *file = fopen(scatter->file, "w");
    assert_non_null(file);
    for (int n = 0; n < scatter->count; n++) {
        BwVec3 p = point_on(&scatter->exact, &random);
        float by = scatter->noise * (2.0f * (float)random_between(&random, 0.0, 1.0) - 1.0f);
        fprintf(file, "%.5f %.5f %.5f\n", (double)(p.x + by), (double)(p.y + by), (double)(p.z + by));
    }
    fclose(file);
}

static BwShape wrapped(float radius)
{
    BwShape shape = bw_shape_of_kind(BW_SHAPE_WRAPPED);
    shape.radius = radius;
    shape.factor = 1.0f;
    return shape;
}

typedef struct Found {
    double volume, worst; // m^3; m, of places near the surface
} Found;

static Found look_at(const BwShape *shape, const BwShape *exact)
{
    Found found = {0};
    const float h = 0.04f;
    for (int n = 0; n < 40 * 40 * 40; n++) {
        BwVec3 at = bw_vec3(h * ((float)(n % 40) - 19.5f), h * ((float)(n / 40 % 40) - 19.5f),
                            h * ((float)(n / 1600) - 19.5f));
        float own = bw_shape_distance(shape, at), wanted = bw_shape_distance(exact, at);
        found.volume += (double)(h * h * h * fminf(fmaxf(0.5f - own / h, 0.0f), 1.0f));
        if (fabsf(wanted) < 0.1f)
            found.worst = fmax(found.worst, fabs((double)(own - wanted)));
    }
    return found;
}

static Found wrap(const Scatter *scatter, float radius)
{
    BwShape shape = wrapped(radius);
    BwShapeFile *content;
    BwError err = {0};
    write_points(scatter);
    if (bw_shape_file_load(&content, &shape, scatter->file, NULL, &err) != BW_OK)
        fail_msg("%s", err.message);
    shape.content = content;
    Found found = look_at(&shape, &scatter->exact);
    bw_shape_file_destroy(content);
    return found;
}

static const float ball_radius = 0.5f, ring_radius = 0.45f, ring_thickness = 0.18f;

static void a_ball_is_wrapped(void **state)
{
    (void)state;
    Scatter scatter = {"ball.xyz", bw_sphere(bw_vec3(0.0f, 0.0f, 0.0f), ball_radius), 4000, 0.003f};
    Found found = wrap(&scatter, 0.06f);
    double exact = 4.0 / 3.0 * (double)(pi * ball_radius * ball_radius * ball_radius);
    gate("wrapped_ball_distance", found.worst, GATE_BELOW, 0.03);
    gate("wrapped_ball_volume", fabs(found.volume / exact - 1.0), GATE_BELOW, 0.06);
}

static void a_ring_keeps_its_hole(void **state)
{
    (void)state;
    BwShape ring =
        bw_torus(bw_vec3(0.0f, 0.0f, 0.0f), bw_vec3(0.0f, 1.0f, 0.0f), ring_radius, ring_thickness);
    Scatter scatter = {"ring.xyz", ring, 8000, 0.002f};
    Found found = wrap(&scatter, 0.05f);
    double exact = 2.0 * (double)(pi * pi * ring_radius * ring_thickness * ring_thickness);
    gate("wrapped_ring_distance", found.worst, GATE_BELOW, 0.03);
    gate("wrapped_ring_volume", fabs(found.volume / exact - 1.0), GATE_BELOW, 0.08);
}

static void expect(const char *file, float radius, const char *message)
{
    BwShape shape = wrapped(radius);
    BwShapeFile *content;
    BwError err = {0};
    assert_int_equal(bw_shape_file_load(&content, &shape, file, NULL, &err), BW_ERR_FORMAT);
    if (strstr(err.message, message) == NULL)
        fail_msg("%s, wanted: %s", err.message, message);
}

static void what_cannot_be_wrapped_is_told(void **state)
{
    (void)state;
    Scatter scatter = {"few.xyz", bw_sphere(bw_vec3(0.0f, 0.0f, 0.0f), ball_radius), 60, 0.0f};
    write_points(&scatter);
    expect("few.xyz", 0.05f, "enclose nothing; a larger radius may close the gaps");
    expect("few.xyz", 1e-5f, "too far apart for balls of that radius");
    FILE *file = fopen("none.xyz", "w");
    fclose(file);
    expect("none.xyz", 0.05f, "holds no points");
}

static void memory_may_be_short(void **state)
{
    (void)state;
    StrictAllocator strict = {0};
    BwAllocator allocator = strict_allocator(&strict);
    Scatter scatter = {"small.xyz", bw_sphere(bw_vec3(0.0f, 0.0f, 0.0f), 0.2f), 300, 0.0f};
    BwShape shape = wrapped(0.06f);
    BwResult result = BW_ERR_MEMORY;
    int n = 0;
    write_points(&scatter);
    for (; n < 200 && result != BW_OK; n++) {
        BwShapeFile *content;
        fail_after(&strict, n);
        result = bw_shape_file_load(&content, &shape, "small.xyz", &allocator, NULL);
        assert_true(result == BW_OK || result == BW_ERR_MEMORY);
        if (result == BW_OK)
            bw_shape_file_destroy(content);
        assert_nothing_left(&strict);
    }
    assert_in_range(n, 8, 199);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_is_wrapped),
        cmocka_unit_test(a_ring_keeps_its_hole),
        cmocka_unit_test(what_cannot_be_wrapped_is_told),
        cmocka_unit_test(memory_may_be_short),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
