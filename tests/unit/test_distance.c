// Distances from samples: against exact ones of a ball and a box, from functions that are zero where they are
// and no distances; that the zero set stays, the methods agree, and any number of threads gives the same
// bits.
#include "gate.h"
#include "operate/distance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Setup {
    BwPool *pool;
    BwGrid *grid;
    BwField phi, exact;
    BwDistance distance;
} Setup;

enum { BAND_CELLS = 6 };

// A box of so many cells a side, from -1 to 1.
static void setup_create(Setup *setup, int dimension, int cells, int workers)
{
    BwPoolDef pool = {.worker_count = workers};
    BwGridDef def = {.cell_size = 2.0f / (float)cells, .dimension = dimension, .has_bounds = true};
    for (int a = 0; a < 3; a++) {
        def.bounds.low[a] = -cells / 2;
        def.bounds.high[a] = cells / 2;
    }
    assert_int_equal(bw_pool_create(&setup->pool, &pool, NULL), BW_OK);
    assert_int_equal(bw_grid_create(&setup->grid, &def, NULL), BW_OK);
    float far = BAND_CELLS * def.cell_size;
    assert_int_equal(bw_field_create(&setup->phi, setup->grid, BW_AT_CELL, far, NULL), BW_OK);
    assert_int_equal(bw_field_create(&setup->exact, setup->grid, BW_AT_CELL, far, NULL), BW_OK);
    assert_int_equal(bw_distance_create(&setup->distance, setup->grid, NULL), BW_OK);
    int tiles = (cells / 2 + 7) / 8;
    for (int z = dimension == 3 ? -tiles : 0; z < (dimension == 3 ? tiles : 1); z++)
        for (int y = -tiles; y < tiles; y++)
            for (int x = -tiles; x < tiles; x++)
                assert_int_equal(bw_grid_wake(setup->grid, &(BwTileCoord){x, y, z}, 1, NULL), BW_OK);
}

static void setup_destroy(Setup *setup)
{
    bw_field_destroy(&setup->phi);
    bw_field_destroy(&setup->exact);
    bw_distance_destroy(&setup->distance);
    bw_grid_destroy(setup->grid);
    bw_pool_destroy(setup->pool);
}

static float *value_at(const BwField *field, int32_t m, int n)
{
    return &bw_field_tile(field, field->store.grid->order[m])[n];
}

static bool is_live(const Setup *setup, int32_t m, int n)
{
    return bw_bit(setup->grid->tiles[setup->grid->order[m]].live, n);
}

static BwVec3 place_of(const Setup *setup, int32_t m, int n)
{
    return bw_sample_position(setup->grid, setup->grid->tiles[setup->grid->order[m]].coord, n, BW_AT_CELL);
}

// Fills phi with the distance of the shape, or with one that is bent out of shape but zero in the same
// places.
static void fill(Setup *setup, const BwShape *shape, bool is_bent)
{
    for (int32_t m = 0; m < setup->grid->tile_count; m++)
        for (int n = 0; n < setup->grid->tile_cells; n++) {
            BwVec3 p = place_of(setup, m, n);
            float exact = bw_shape_distance(shape, p);
            float bend = 1.0f + 0.4f * sinf(3.0f * p.x) * cosf(2.0f * p.y + 1.0f) + 0.5f * exact;
            *value_at(&setup->exact, m, n) = exact;
            *value_at(&setup->phi, m, n) = is_bent ? exact * bend : exact;
        }
}

static void redistance(Setup *setup, BwDistanceMethod method)
{
    BwRedistance how = {.method = method, .band = BAND_CELLS * setup->grid->cell_size};
    bw_redistance(&setup->distance, &setup->phi, setup->pool, &how);
}

// Of the box, whether a cell is so near to an edge that its distance may be one to that: where the nearest
// point is not on a side, or not so for a few cells to either side.
static bool is_near_edge(const Setup *setup, int32_t m, int n)
{
    BwVec3 p = place_of(setup, m, n);
    float off[3] = {fabsf(p.x), fabsf(p.y), setup->grid->dimension == 3 ? fabsf(p.z) : 0.0f};
    int outside = 0;
    for (int a = 0; a < 3; a++)
        outside += off[a] > 0.613f - (float)(BAND_CELLS + 3) * setup->grid->cell_size;
    return outside > 1;
}

// The largest error of cells that are nearer than that, in cells.
static double worst_error(const Setup *setup, double within, bool is_box)
{
    double worst = 0.0, h = (double)setup->grid->cell_size;
    for (int32_t m = 0; m < setup->grid->tile_count; m++)
        for (int n = 0; n < setup->grid->tile_cells; n++) {
            double exact = (double)*value_at(&setup->exact, m, n);
            if (!is_live(setup, m, n) || fabs(exact) > within * h || (is_box && is_near_edge(setup, m, n)))
                continue;
            worst = fmax(worst, fabs((double)*value_at(&setup->phi, m, n) - exact) / h);
        }
    return worst;
}

// Volume inside, each cell counted by the share that a plane at its distance leaves inside.
static double volume(const Setup *setup)
{
    double sum = 0.0, h = (double)setup->grid->cell_size;
    for (int32_t m = 0; m < setup->grid->tile_count; m++)
        for (int n = 0; n < setup->grid->tile_cells; n++)
            if (is_live(setup, m, n)) {
                double d = (double)*value_at(&setup->phi, m, n) / h / 1.5; // smooth, and even about zero
                sum += d > 1.0 ? 0.0 : d < -1.0 ? 1.0 : 0.5 - 0.5 * (d + sin(M_PI * d) / M_PI);
            }
    return sum * pow(h, setup->grid->dimension);
}

// How far the places where phi changes sign between two cells have moved from those of the exact distance, at
// most and across the surface; both taken to be straight in between. In cells.
static double zero_shift(const Setup *setup, bool is_box)
{
    double worst = 0.0;
    for (int32_t m = 0; m < setup->grid->tile_count; m++)
        for (int n = 0; n < setup->grid->tile_cells; n++)
            for (int side = 1; side < 2 * setup->grid->dimension; side += 2) {
                int32_t slot = setup->grid->order[m];
                double before[2] = {(double)*value_at(&setup->exact, m, n),
                                    (double)bw_value_beside(&setup->exact, slot, n, side)};
                double after[2] = {(double)*value_at(&setup->phi, m, n),
                                   (double)bw_value_beside(&setup->phi, slot, n, side)};
                if (!is_live(setup, m, n) || (before[0] < 0.0) == (before[1] < 0.0) ||
                    (is_box && is_near_edge(setup, m, n)))
                    continue;
                assert_true((after[0] < 0.0) != (after[1] < 0.0));
                double slope = fabs(before[1] - before[0]) / (double)setup->grid->cell_size;
                worst = fmax(worst, slope * fabs(after[0] / (after[0] - after[1]) -
                                                 before[0] / (before[0] - before[1])));
            }
    return worst;
}

static const char *const method_names[] = {"march", "sweep", "pde"};

static BwShape ball(void)
{
    return bw_sphere(bw_vec3(0.013f, -0.021f, 0.007f), 0.6f);
}

static BwShape block(int dimension)
{
    float z = dimension == 3 ? 0.613f : INFINITY;
    return bw_box(bw_vec3(-0.613f, -0.613f, -z), bw_vec3(0.613f, 0.613f, z));
}

// The figures of one shape and method, and of as many calls after it.
static void measure(int dimension, BwDistanceMethod method, bool is_box, int calls)
{
    Setup setup;
    char name[96];
    BwShape shape = is_box ? block(dimension) : ball();
    setup_create(&setup, dimension, 48, 1);
    fill(&setup, &shape, false);
    double before = volume(&setup);
    redistance(&setup, method);
    const char *of = is_box ? "box" : "ball", *by = method_names[method];
    snprintf(name, sizeof name, "distance_%s_%s_%dd_near", by, of, dimension);
    gate(name, worst_error(&setup, 2.0, is_box), GATE_BELOW, 0.05);
    snprintf(name, sizeof name, "distance_%s_%s_%dd_band", by, of, dimension);
    gate(name, worst_error(&setup, BAND_CELLS - 0.5, is_box), GATE_BELOW, 0.1);
    snprintf(name, sizeof name, "distance_%s_%s_%dd_zero_shift", by, of, dimension);
    gate(name, zero_shift(&setup, is_box), GATE_BELOW, 0.01);
    for (int call = 1; call < calls; call++)
        redistance(&setup, method);
    snprintf(name, sizeof name, "distance_%s_%s_%dd_volume_after_%d_calls", by, of, dimension, calls);
    gate(name, fabs(volume(&setup) / before - 1.0), GATE_BELOW, 0.002);
    setup_destroy(&setup);
}

// Flat, a hundred calls show a drift that grows with them; in space ten show that they do the same there, but
// for the full size.
static void exact_samples_stay_exact(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int method = 0; method < 3; method++)
            for (int is_box = 0; is_box < 2; is_box++)
                measure(dimension, (BwDistanceMethod)method, is_box,
                        dimension == 3 && (method == BW_DISTANCE_PDE || !IS_FULL) ? 10 : 100);
}

static double bent_error(int dimension, int cells, BwDistanceMethod method, double within)
{
    Setup setup;
    BwShape shape = ball();
    setup_create(&setup, dimension, cells, 1);
    fill(&setup, &shape, true);
    redistance(&setup, method);
    double error = worst_error(&setup, within, false) * (double)setup.grid->cell_size;
    setup_destroy(&setup);
    return error;
}

static void it_converges(void **state)
{
    (void)state;
    char name[96];
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int method = 0; method < 3; method++) {
            double coarse = bent_error(dimension, 24, (BwDistanceMethod)method, 1.5);
            double fine = bent_error(dimension, 96, (BwDistanceMethod)method, 1.5);
            snprintf(name, sizeof name, "distance_%s_order_%dd", method_names[method], dimension);
            gate(name, log2(coarse / fine) / 2.0, GATE_ABOVE, 1.8);
        }
}

// How far two fields are apart within the band, in cells; of a box away from its edges.
static double difference(const Setup *a, const Setup *b, bool is_box)
{
    double worst = 0.0, h = (double)a->grid->cell_size;
    for (int32_t m = 0; m < a->grid->tile_count; m++)
        for (int n = 0; n < a->grid->tile_cells; n++)
            if (is_live(a, m, n) && !(is_box && is_near_edge(a, m, n)))
                worst =
                    fmax(worst, fabs((double)*value_at(&a->phi, m, n) - (double)*value_at(&b->phi, m, n)));
    return worst / h;
}

static void methods_agree(void **state)
{
    (void)state;
    char name[96];
    for (int is_box = 0; is_box < 2; is_box++) {
        Setup setups[3];
        BwShape shape = is_box ? block(3) : ball();
        for (int method = 0; method < 3; method++) {
            setup_create(&setups[method], 3, 48, 1);
            fill(&setups[method], &shape, true);
            redistance(&setups[method], (BwDistanceMethod)method);
            snprintf(name, sizeof name, "distance_%s_bent_%s_zero_shift", method_names[method],
                     is_box ? "box" : "ball");
            gate(name, zero_shift(&setups[method], is_box), GATE_BELOW, 0.01);
        }
        snprintf(name, sizeof name, "distance_%s_march_and_sweep", is_box ? "box" : "ball");
        gate(name, difference(&setups[0], &setups[1], is_box), GATE_BELOW, 0.1);
        snprintf(name, sizeof name, "distance_%s_march_and_pde", is_box ? "box" : "ball");
        gate(name, difference(&setups[0], &setups[2], is_box), GATE_BELOW, 0.1);
        for (int method = 0; method < 3; method++)
            setup_destroy(&setups[method]);
    }
}

static void any_number_of_threads_does_the_same(void **state)
{
    (void)state;
    static const int workers[] = {1, 2, 3, 8};
    for (int method = 0; method < 3; method++) {
        Setup setups[4];
        BwShape shape = ball();
        for (int n = 0; n < 4; n++) {
            setup_create(&setups[n], 3, 48, workers[n]);
            fill(&setups[n], &shape, true);
            redistance(&setups[n], (BwDistanceMethod)method);
            for (int32_t m = 0; m < setups[n].grid->tile_count; m++)
                assert_memory_equal(value_at(&setups[n].phi, m, 0), value_at(&setups[0].phi, m, 0),
                                    512 * sizeof(float));
        }
        for (int n = 0; n < 4; n++)
            setup_destroy(&setups[n]);
    }
}

// Two sheets of water that meet a wall at a slant: the wall makes no difference to either.
static void walls_do_not_bend_it(void **state)
{
    (void)state;
    Setup setup;
    BwShape plane = bw_plane(bw_vec3(0.9f, 0.1f, 0.0f), bw_normalize(bw_vec3(1.0f, 2.0f, 0.0f)));
    for (int method = 0; method < 3; method++) {
        char name[96];
        setup_create(&setup, 2, 48, 1);
        fill(&setup, &plane, true);
        redistance(&setup, (BwDistanceMethod)method);
        snprintf(name, sizeof name, "distance_%s_at_walls", method_names[method]);
        gate(name, worst_error(&setup, 0.4, false), GATE_BELOW, 0.05);
        setup_destroy(&setup);
    }
}

// A ball whose surface meets the low y wall at an angle, made a distance again and again, as liquids do it:
// it stays, beside the wall too.
static void surfaces_stay_where_they_meet_walls(void **state)
{
    (void)state;
    enum { CALLS = 20 };
    for (int method = 0; method < 3; method++)
        for (int degrees = 60; degrees <= 120; degrees += 60) {
            Setup setup;
            char name[96];
            float radius = 0.7f, middle = -1.0f - radius * (float)cos(degrees * M_PI / 180.0);
            BwShape shape = bw_sphere(bw_vec3(0.013f, middle, 0.0f), radius);
            setup_create(&setup, 2, 48, 1);
            fill(&setup, &shape, false);
            BwField given;
            assert_int_equal(bw_field_create(&given, setup.grid, BW_AT_CELL, 1.0f, NULL), BW_OK);
            for (int n = 0; n < CALLS; n++) {
                BwRedistance how = {.method = (BwDistanceMethod)method,
                                    .band = BAND_CELLS * setup.grid->cell_size,
                                    .given = &given};
                for (int32_t m = 0; m < setup.grid->tile_count; m++)
                    memcpy(value_at(&given, m, 0), value_at(&setup.phi, m, 0), 64 * sizeof(float));
                bw_redistance(&setup.distance, &setup.phi, setup.pool, &how);
            }
            snprintf(name, sizeof name, "distance_%s_moved_at_wall_%d", method_names[method], degrees);
            gate(name, worst_error(&setup, 1.0, false) / CALLS, GATE_BELOW,
                 method == BW_DISTANCE_PDE ? 0.02 : 0.01);
            bw_field_destroy(&given);
            setup_destroy(&setup);
        }
}

// What is kept is not touched, and what is not valid is neither read nor set but to the band's end.
static void kept_and_invalid_cells(void **state)
{
    (void)state;
    for (int method = 0; method < 2; method++) {
        Setup setup;
        BwMask valid;
        BwShape shape = ball();
        setup_create(&setup, 2, 48, 1);
        float h = setup.grid->cell_size;
        assert_int_equal(bw_mask_create(&valid, setup.grid, NULL), BW_OK);
        fill(&setup, &shape, false);
        for (int32_t m = 0; m < setup.grid->tile_count; m++)
            for (int n = 0; n < 64; n++) {
                bool is_valid = place_of(&setup, m, n).x < 0.0f;
                bw_mask_tile(&valid, setup.grid->order[m])[0] |= (uint64_t)is_valid << n;
                if (!is_valid)
                    *value_at(&setup.phi, m, n) = NAN;
            }
        BwRedistance how = {
            .method = (BwDistanceMethod)method, .valid = &valid, .kept = 0.9f * h, .band = BAND_CELLS * h};
        bw_redistance(&setup.distance, &setup.phi, setup.pool, &how);
        for (int32_t m = 0; m < setup.grid->tile_count; m++)
            for (int n = 0; n < 64; n++) {
                float found = *value_at(&setup.phi, m, n), exact = *value_at(&setup.exact, m, n);
                if (!is_live(&setup, m, n))
                    continue;
                if (place_of(&setup, m, n).x >= 0.0f)
                    assert_true(fabsf(found) == how.band);
                else if (fabsf(exact) < how.kept)
                    assert_true(found == exact);
                else if (fabsf(exact) < how.band - h && place_of(&setup, m, n).x < -0.3f)
                    assert_true(fabsf(found - exact) < 0.05f * h);
            }
        bw_mask_destroy(&valid);
        setup_destroy(&setup);
    }
}

// Points spread evenly over a ball, with balls about them of twice their spacing.
static BwShape *balls_create(int count, float radius, BwShape *all)
{
    BwShape *balls = calloc((size_t)count, sizeof *balls);
    assert_non_null(balls);
    for (int n = 0; n < count; n++) {
        double y = 1.0 - 2.0 * (n + 0.5) / count, turn = n * 2.399963, out = sqrt(1.0 - y * y);
        balls[n] = bw_sphere(
            bw_add(ball().a,
                   bw_mul(bw_vec3((float)(out * cos(turn)), (float)y, (float)(out * sin(turn))), 0.6f)),
            radius);
    }
    *all = bw_union(balls, count);
    return balls;
}

static void a_surface_wraps_points(void **state)
{
    (void)state;
    Setup setup;
    BwShape all, whole = ball();
    setup_create(&setup, 3, 48, 2);
    float h = setup.grid->cell_size, radius = 3.0f * h;
    BwShape *balls = balls_create(600, radius, &all);
    fill(&setup, &whole, false);
    bw_distance_from_shape(&setup.phi, setup.pool, &all, BAND_CELLS * h + radius);
    bw_distance_wrap(&setup.distance, &setup.phi, setup.pool, radius, BAND_CELLS * h);
    gate("distance_wrap_of_points_cells", worst_error(&setup, 1.0, false), GATE_BELOW, 1.0);
    gate("distance_wrap_of_points_volume", fabs(volume(&setup) / (4.0 / 3.0 * M_PI * 0.216) - 1.0),
         GATE_BELOW, 0.05);
    free(balls);
    setup_destroy(&setup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_samples_stay_exact),
        cmocka_unit_test(it_converges),
        cmocka_unit_test(methods_agree),
        cmocka_unit_test(any_number_of_threads_does_the_same),
        cmocka_unit_test(walls_do_not_bend_it),
        cmocka_unit_test(surfaces_stay_where_they_meet_walls),
        cmocka_unit_test(kept_and_invalid_cells),
        cmocka_unit_test(a_surface_wraps_points),
    };
    only_threads_when_watched();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
