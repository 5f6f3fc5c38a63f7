// What is behind a thin flame, cell by cell: a parcel heats up evenly while its clock runs, and gas that has
// mixed with what stands for products in the fuel, as cold as that may be, is never colder than the air.
#include "operate/flame_products.h"

#include "gate.h"

static const BwFlameLaw law = {.speed = 0.5f,
                               .ratio = 3.0f,
                               .ignition = 700.0f,
                               .temperature_max = 2000.0f,
                               .ambient = 293.0f,
                               .rise = 0.1f,
                               .cooling = 3000.0f};

typedef struct Box {
    BwPool *pool;
    BwGrid *grid;
    BwDomain domain;
    BwField phi, reaction, temperature, density;
} Box;

// A tile of products, open all over.
static void box_create(Box *box)
{
    *box = (Box){0};
    BwPoolDef pool = {.allocator = bw_allocator_or_default((BwAllocator){0}), .worker_count = 1};
    BwGridDef def = {.cell_size = 0.1f, .dimension = 2, .has_bounds = true, .bounds = {{0, 0, 0}, {8, 8, 1}}};
    assert_int_equal(bw_pool_create(&box->pool, &pool, NULL), BW_OK);
    assert_int_equal(bw_grid_create(&box->grid, &def, NULL), BW_OK);
    assert_int_equal(bw_grid_wake(box->grid, &(BwTileCoord){0}, 1, NULL), BW_OK);
    assert_int_equal(bw_domain_create(&box->domain, box->grid, box->pool, NULL), BW_OK);
    assert_int_equal(bw_field_create(&box->phi, box->grid, BW_AT_CELL, 1.0f, NULL), BW_OK);
    assert_int_equal(bw_field_create(&box->reaction, box->grid, BW_AT_CELL, 0.0f, NULL), BW_OK);
    assert_int_equal(bw_field_create(&box->temperature, box->grid, BW_AT_CELL, law.ambient, NULL), BW_OK);
    assert_int_equal(bw_field_create(&box->density, box->grid, BW_AT_CELL, 0.0f, NULL), BW_OK);
    int32_t slot = box->grid->order[0];
    bw_mask_tile(&box->domain.open, slot)[0] = ~(uint64_t)0;
    for (int n = 0; n < box->grid->tile_cells; n++) {
        bw_field_tile(&box->phi, slot)[n] = 1.0f;
        bw_field_tile(&box->temperature, slot)[n] = law.ambient;
    }
}

static void box_destroy(Box *box)
{
    bw_field_destroy(&box->density);
    bw_field_destroy(&box->temperature);
    bw_field_destroy(&box->reaction);
    bw_field_destroy(&box->phi);
    bw_domain_destroy(&box->domain);
    bw_grid_destroy(box->grid);
    bw_pool_destroy(box->pool);
}

static void react(Box *box, float dt)
{
    BwProducts products = {&box->reaction, &box->temperature, &box->density};
    bw_products_react(&box->domain, &box->phi, &law, &products, dt);
}

static void a_parcel_heats_up_evenly(void **state)
{
    (void)state;
    Box box;
    box_create(&box);
    float *reaction = bw_field_tile(&box.reaction, box.grid->order[0]),
          *heat = bw_field_tile(&box.temperature, box.grid->order[0]);
    double worst = 0.0;
    reaction[0] = 1.0f;
    heat[0] = law.ignition;
    for (int n = 1; n <= 10; n++) {
        react(&box, 0.01f);
        worst = fmax(worst, fabs((double)heat[0] - (700.0 + 130.0 * n)));
    }
    gate("products_heat_off_K", worst, GATE_BELOW, 0.01);
    gate("products_clock_left", (double)reaction[0], GATE_BELOW, 1e-6);
    box_destroy(&box);
}

// Half a rise deep in the fuel stands gas that would have begun as much below ignition: a share of it in each
// cell, the rest air.
static void what_has_mixed_is_not_colder_than_the_air(void **state)
{
    (void)state;
    Box box;
    box_create(&box);
    float *reaction = bw_field_tile(&box.reaction, box.grid->order[0]),
          *heat = bw_field_tile(&box.temperature, box.grid->order[0]);
    const float deep_reaction = 1.5f, deep_heat = law.ignition - 0.5f * (law.temperature_max - law.ignition);
    double coldest = INFINITY;
    for (int n = 0; n < 64; n++) {
        float share = ((float)n + 0.5f) / 64.0f;
        reaction[n] = share * deep_reaction;
        heat[n] = share * deep_heat + (1.0f - share) * law.ambient;
    }
    assert_true(heat[32] < law.ambient);
    for (int step = 0; step < 20; step++) {
        react(&box, 0.001f);
        for (int n = 0; n < 64; n++)
            coldest = fmin(coldest, (double)heat[n]);
    }
    gate("products_colder_than_air_K", fmax((double)law.ambient - coldest, 0.0), GATE_BELOW, 0.0);
    box_destroy(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parcel_heats_up_evenly),
        cmocka_unit_test(what_has_mixed_is_not_colder_than_the_air),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
