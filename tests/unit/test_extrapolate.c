// Velocity extended from a ball of water into the air around it: in the order of phi it does not change along
// the way from the surface, and comes closer to that than layers do; any number of threads gives the same
// bits.
#include "gate.h"
#include "operate/extrapolate.h"

#include <math.h>
#include <string.h>

enum { BAND = 5 };

typedef struct Setup {
    BwPool *pool;
    BwGrid *grid;
    BwDomain domain;
    BwField phi;
    BwMask liquid;
    BwFluidTerms terms;
    BwFaceMasks masks;
    BwVelocity velocity;
    float radius;
} Setup;

// A component of the velocity: the same all along each ray from the middle.
static float component(int axis, BwVec3 p)
{
    float length = bw_length(p);
    return 1.0f + 0.5f * p.x / length - 0.3f * (float)axis * p.y / length;
}

static BwVec3 place_of(const Setup *setup, int32_t slot, int n, BwLocation location)
{
    return bw_sample_position(setup->grid, setup->grid->tiles[slot].coord, n, location);
}

static void fill(Setup *setup)
{
    for (int32_t m = 0; m < setup->grid->tile_count; m++)
        for (int n = 0; n < setup->grid->tile_cells; n++) {
            int32_t slot = setup->grid->order[m];
            bw_field_tile(&setup->phi, slot)[n] =
                bw_length(place_of(setup, slot, n, BW_AT_CELL)) - setup->radius;
        }
    bw_mark_liquid(&setup->liquid, &setup->phi, setup->pool);
    bw_domain_label(&setup->domain, NULL, 0);
    for (int32_t m = 0; m < setup->grid->tile_count; m++)
        for (int a = 0; a < setup->grid->dimension; a++)
            for (int n = 0; n < setup->grid->tile_cells; n++) {
                int32_t slot = setup->grid->order[m];
                bool is_known = bw_bit(bw_mask_tile(&setup->domain.face[a], slot), n);
                BwVec3 p = place_of(setup, slot, n, (BwLocation)(BW_AT_FACE_X + a));
                bw_field_tile(&setup->velocity.u[a], slot)[n] = is_known ? component(a, p) : NAN;
            }
}

static void setup_create(Setup *setup, int dimension, int half, int workers)
{
    BwPoolDef pool = {.worker_count = workers};
    BwGridDef def = {.cell_size = 1.0f, .dimension = dimension, .has_bounds = true};
    for (int a = 0; a < 3; a++) {
        def.bounds.low[a] = -half;
        def.bounds.high[a] = half;
    }
    *setup = (Setup){.radius = (float)half - 8.3f};
    assert_int_equal(bw_pool_create(&setup->pool, &pool, NULL), BW_OK);
    assert_int_equal(bw_grid_create(&setup->grid, &def, NULL), BW_OK);
    assert_int_equal(bw_domain_create(&setup->domain, setup->grid, setup->pool, NULL), BW_OK);
    assert_int_equal(bw_field_create(&setup->phi, setup->grid, BW_AT_CELL, 100.0f, NULL), BW_OK);
    assert_int_equal(bw_mask_create(&setup->liquid, setup->grid, NULL), BW_OK);
    assert_int_equal(bw_face_masks_create(&setup->masks, setup->grid, NULL), BW_OK);
    assert_int_equal(bw_velocity_create(&setup->velocity, setup->grid, (BwVec3){0}, NULL), BW_OK);
    setup->terms = (BwFluidTerms){.liquid = &setup->liquid, .phi = &setup->phi};
    setup->domain.terms = &setup->terms;
    for (int z = dimension == 3 ? -half / 8 : 0; z < (dimension == 3 ? half / 8 : 1); z++)
        for (int y = -half / 8; y < half / 8; y++)
            for (int x = -half / 8; x < half / 8; x++)
                assert_int_equal(bw_grid_wake(setup->grid, &(BwTileCoord){x, y, z}, 1, NULL), BW_OK);
    fill(setup);
}

static void setup_destroy(Setup *setup)
{
    bw_velocity_destroy(&setup->velocity);
    bw_face_masks_destroy(&setup->masks);
    bw_mask_destroy(&setup->liquid);
    bw_field_destroy(&setup->phi);
    bw_domain_destroy(&setup->domain);
    bw_grid_destroy(setup->grid);
    bw_pool_destroy(setup->pool);
}

// The largest error on faces within the band. All of them must have been reached.
static double worst_error(const Setup *setup)
{
    double worst = 0.0;
    for (int32_t m = 0; m < setup->grid->tile_count; m++)
        for (int a = 0; a < setup->grid->dimension; a++)
            for (int n = 0; n < setup->grid->tile_cells; n++) {
                int32_t slot = setup->grid->order[m];
                BwVec3 p = place_of(setup, slot, n, (BwLocation)(BW_AT_FACE_X + a));
                if (bw_length(p) - setup->radius > BAND - 1.0f)
                    continue;
                double found = (double)bw_field_tile(&setup->velocity.u[a], slot)[n];
                assert_true(found == found); // no face is left out
                worst = fmax(worst, fabs(found - (double)component(a, p)));
            }
    return worst;
}

static double error_of(int dimension, int half, float band)
{
    Setup setup;
    setup_create(&setup, dimension, half, 1);
    bw_find_passable_faces(&setup.masks, &setup.domain);
    bw_extrapolate(&setup.masks, &setup.domain,
                   (BwExtrapolation){BW_FROM_FLUID, band > 0.0f ? 0 : 10, band, false}, &setup.velocity);
    double worst = worst_error(&setup);
    setup_destroy(&setup);
    return worst;
}

static void nothing_changes_along_the_slope(void **state)
{
    (void)state;
    char name[64];
    for (int dimension = 2; dimension <= 3; dimension++) {
        int coarse = 24, fine = dimension == 3 ? 40 : 72;
        double ordered = error_of(dimension, coarse, BAND), finer = error_of(dimension, fine, BAND);
        snprintf(name, sizeof name, "extrapolate_in_order_%dd", dimension);
        gate(name, ordered, GATE_BELOW, 0.05);
        snprintf(name, sizeof name, "extrapolate_in_order_finer_%dd", dimension);
        gate(name, finer / ordered * (fine - 8.3) / (coarse - 8.3), GATE_BELOW, 1.1); // first order or better
        snprintf(name, sizeof name, "extrapolate_layers_over_order_%dd", dimension);
        gate(name, error_of(dimension, coarse, 0.0f) / ordered, GATE_ABOVE, 1.0);
    }
}

static void any_number_of_threads_does_the_same(void **state)
{
    (void)state;
    Setup setups[3];
    for (int n = 0; n < 3; n++) {
        setup_create(&setups[n], 3, 24, n == 0 ? 1 : n == 1 ? 3 : 8);
        bw_find_passable_faces(&setups[n].masks, &setups[n].domain);
        bw_extrapolate(&setups[n].masks, &setups[n].domain, (BwExtrapolation){BW_FROM_FLUID, 2, BAND, false},
                       &setups[n].velocity);
        for (int32_t m = 0; m < setups[n].grid->tile_count; m++)
            for (int a = 0; a < 3; a++)
                assert_memory_equal(bw_field_tile(&setups[n].velocity.u[a], setups[n].grid->order[m]),
                                    bw_field_tile(&setups[0].velocity.u[a], setups[0].grid->order[m]),
                                    512 * sizeof(float));
    }
    for (int n = 0; n < 3; n++)
        setup_destroy(&setups[n]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_changes_along_the_slope),
        cmocka_unit_test(any_number_of_threads_does_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
