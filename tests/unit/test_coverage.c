// What shapes cover: the volume of a ball and of a disk, however it lies on the grid; and what is kept of a
// still shape is what is found anew, while tiles wake and sleep, and when memory is short.
#include "gate.h"
#include "operate/coverage.h"
#include "strict_allocator.h"

#include <math.h>

enum { SPAN = 5 };

static const float cell = 0.1f;

static BwTileCoord coord_at(int n, int dimension)
{
    return (BwTileCoord){n % SPAN - 2, n / SPAN % SPAN - 2, dimension == 3 ? n / SPAN / SPAN - 2 : 0};
}

static int tile_total(int dimension)
{
    return dimension == 3 ? SPAN * SPAN * SPAN : SPAN * SPAN;
}

// Wakes every tile whose number leaves `rest` when divided by 3, or all for -1.
static void wake(BwGrid *grid, int rest)
{
    for (int n = 0; n < tile_total(grid->dimension); n++) {
        BwTileCoord coord = coord_at(n, grid->dimension);
        if (rest < 0 || n % 3 == rest)
            assert_int_equal(bw_grid_wake(grid, &coord, 1, NULL), BW_OK);
    }
}

static void open_domain(BwDomain *domain, BwGrid **grid, int dimension, BwAllocator allocator)
{
    BwGridDef def = {.allocator = allocator, .cell_size = cell, .dimension = dimension};
    assert_int_equal(bw_grid_create(grid, &def, NULL), BW_OK);
    assert_int_equal(bw_domain_create(domain, *grid, NULL, NULL), BW_OK);
}

static void close_domain(BwDomain *domain, BwGrid *grid)
{
    bw_domain_destroy(domain);
    bw_grid_destroy(grid);
}

static double covered_volume(const BwGrid *grid, const BwStamp *stamp)
{
    double sum = 0.0;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        float found[BW_TILE_CELLS_MAX];
        const float *coverage = bw_stamp_coverage(stamp, grid, grid->order[n], BW_AT_CELL, found);
        for (int c = 0; c < grid->tile_cells && coverage != NULL; c++)
            sum += (double)coverage[c];
    }
    return sum * pow((double)cell, grid->dimension);
}

static void test_volumes(void **state)
{
    (void)state;
    const double pi = 3.14159265358979;
    double worst = 0.0;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int n = 0; n < 12; n++) {
            BwGrid *grid;
            BwDomain domain;
            open_domain(&domain, &grid, dimension, (BwAllocator){0});
            wake(grid, -1);
            float radius = cell * (1.6f + 0.4f * (float)n), shift = 0.083f * (float)n * cell;
            BwShape ball = {.kind = BW_SHAPE_SPHERE,
                            .a = bw_vec3(shift, -2.0f * shift, dimension == 3 ? shift : 0.05f)};
            ball.radius = radius;
            BwStamp stamp = {.shape = &ball, .pose = bw_pose_identity()};
            if (dimension == 2) // the plane of the cells' centres
                ball.a.z = bw_sample_position(grid, grid->tiles[grid->order[0]].coord, 0, BW_AT_CELL).z;
            double r = (double)radius, truth = dimension == 3 ? 4.0 / 3.0 * pi * r * r * r : pi * r * r;
            worst = fmax(worst, fabs(covered_volume(grid, &stamp) / truth - 1.0));
            close_domain(&domain, grid);
        }
    gate("covered_volume_error", worst, GATE_BELOW, 0.02);
}

static int64_t count_differences(const BwDomain *domain, const BwStamp *stamp, BwLocation location)
{
    const BwGrid *grid = domain->grid;
    BwStamp anew = *stamp;
    anew.kept = NULL;
    int64_t differing = 0;
    bw_coverage_prepare(domain, stamp, location);
    for (int32_t n = 0; n < grid->tile_count; n++) {
        float found[2][BW_TILE_CELLS_MAX];
        const float *a = bw_stamp_coverage(stamp, grid, grid->order[n], location, found[0]);
        const float *b = bw_stamp_coverage(&anew, grid, grid->order[n], location, found[1]);
        for (int c = 0; c < grid->tile_cells; c++)
            differing += (a != NULL ? a[c] : 0.0f) != (b != NULL ? b[c] : 0.0f);
    }
    return differing;
}

static int64_t count_all_differences(const BwDomain *domain, const BwStamp *stamp)
{
    int64_t differing = 0;
    for (int location = BW_AT_CELL; location <= domain->grid->dimension; location++)
        differing += count_differences(domain, stamp, (BwLocation)location);
    return differing;
}

static void sleep_half(BwGrid *grid)
{
    int32_t slots[SPAN * SPAN * SPAN], count = 0;
    for (int32_t n = 0; n < grid->tile_count; n += 2)
        slots[count++] = grid->order[n];
    bw_grid_sleep(grid, slots, count);
}

// While coverage is found, `left` allocations succeed.
static int64_t count_over_a_life(int dimension, const BwShape *shape, float falloff, int left)
{
    BwGrid *grid;
    BwDomain domain;
    BwCoverage kept = {0};
    StrictAllocator strict = {0};
    BwStamp stamp = {
        .shape = shape, .pose = bw_pose_identity(), .kept = &kept, .plate = cell, .falloff = falloff};
    open_domain(&domain, &grid, dimension, strict_allocator(&strict));
    int64_t differing = 0;
    for (int stage = 0; stage < 5; stage++) {
        fail_after(&strict, 1 << 20);
        if (stage == 3)
            sleep_half(grid);
        else
            wake(grid, stage < 3 ? stage : -1);
        fail_after(&strict, left);
        differing += count_all_differences(&domain, &stamp);
    }
    bw_coverage_free(&kept, &grid->allocator);
    close_domain(&domain, grid);
    assert_nothing_left(&strict);
    return differing;
}

// A ball that fills whole tiles, a plane without an end, a small ball.
static const BwShape shapes[] = {
    {.kind = BW_SHAPE_SPHERE, .a = {0.1f, 0.03f, 0.0f}, .radius = 1.5f},
    {.kind = BW_SHAPE_PLANE, .a = {0.0f, 0.2f, 0.0f}, .b = {0.3f, 1.0f, 0.0f}},
    {.kind = BW_SHAPE_SPHERE, .a = {0.8f, 0.8f, 0.0f}, .radius = 0.12f},
};

static void test_kept_is_what_is_found(void **state)
{
    (void)state;
    int64_t differing = 0;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++)
            for (int soft = 0; soft < 2; soft++)
                differing += count_over_a_life(dimension, &shapes[n], soft ? 3.0f * cell : 0.0f, 1 << 20);
    gate("kept_coverage_that_differs", (double)differing, GATE_BELOW, 0.0);
}

// Less is kept, with the same values; and all memory comes back.
static void test_short_memory(void **state)
{
    (void)state;
    int64_t differing = 0;
    for (int left = 0; left < 12; left++)
        differing += count_over_a_life(3, &shapes[0], 0.0f, left);
    gate("kept_coverage_that_differs_in_short_memory", (double)differing, GATE_BELOW, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_kept_is_what_is_found),
        cmocka_unit_test(test_short_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
