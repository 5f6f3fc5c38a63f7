// Interpolation: exact for linear fields at every location and across tile borders, in 2-D and 3-D; missing
// samples are dropped; padded blocks that repeat the last sample beyond the bounds give what dropping them
// gives.
#include "gate.h"
#include "grid/block.h"
#include "random.h"

#include <math.h>

enum { TILES = 3, SPAN = TILES * BW_TILE };

typedef struct Setup {
    BwGrid *grid;
    BwField field;
    BwMask valid;
    int32_t first_cell;
} Setup;

// Where samples sit in their cell, written out from the definition in frame.h.
static float shift_of(BwLocation location, int axis)
{
    static const float shifts[][3] = {
        [BW_AT_CELL] = {0.5f, 0.5f, 0.5f},   [BW_AT_FACE_X] = {0.0f, 0.5f, 0.5f},
        [BW_AT_FACE_Y] = {0.5f, 0.0f, 0.5f}, [BW_AT_FACE_Z] = {0.5f, 0.5f, 0.0f},
        [BW_AT_EDGE_X] = {0.5f, 0.0f, 0.0f}, [BW_AT_EDGE_Y] = {0.0f, 0.5f, 0.0f},
        [BW_AT_EDGE_Z] = {0.0f, 0.0f, 0.5f}, [BW_AT_NODE] = {0.0f, 0.0f, 0.0f},
    };
    return shifts[location][axis];
}

static const double slope[4] = {0.7, 0.31, -0.53, 0.11};

// Where a sample of the location sits, in cells from the first cell.
static double linear_value(const double position[3], int dimension)
{
    double value = slope[0];
    for (int a = 0; a < dimension; a++)
        value += slope[a + 1] * position[a];
    return value;
}

static void setup_create(Setup *setup, int dimension, BwLocation location, int32_t first_tile,
                         bool has_bounds)
{
    BwGridDef def = {.cell_size = 0.5f, .dimension = dimension, .has_bounds = has_bounds};
    setup->first_cell = first_tile * BW_TILE;
    for (int a = 0; a < 3; a++) {
        def.bounds.low[a] = setup->first_cell + 2;
        def.bounds.high[a] = setup->first_cell + SPAN - 3;
    }
    assert_int_equal(bw_grid_create(&setup->grid, &def, NULL), BW_OK);
    assert_int_equal(bw_field_create(&setup->field, setup->grid, location, 0.0f, NULL), BW_OK);
    assert_int_equal(bw_mask_create(&setup->valid, setup->grid, NULL), BW_OK);
    for (int n = 0; n < (dimension == 3 ? TILES * TILES * TILES : TILES * TILES); n++) {
        BwTileCoord coord = {first_tile + n % TILES, first_tile + n / TILES % TILES,
                             dimension == 3 ? first_tile + n / TILES / TILES : 0};
        assert_int_equal(bw_grid_wake(setup->grid, &coord, 1, NULL), BW_OK);
    }
}

static void setup_destroy(Setup *setup)
{
    bw_field_destroy(&setup->field);
    bw_mask_destroy(&setup->valid);
    bw_grid_destroy(setup->grid);
}

static void fill_linear(Setup *setup)
{
    const BwGrid *grid = setup->grid;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        int32_t first[3];
        bw_tile_first_cell(grid, grid->tiles[grid->order[n]].coord, first);
        float *values = bw_field_tile(&setup->field, grid->order[n]);
        for (int m = 0; m < grid->tile_cells; m++) {
            int local[3] = {m % 8, m / 8 % 8, m / 64};
            double position[3];
            for (int a = 0; a < 3; a++)
                position[a] =
                    (first[a] - setup->first_cell) + local[a] + (double)shift_of(setup->field.location, a);
            values[m] = (float)linear_value(position, grid->dimension);
        }
    }
}

static double linear_error(int dimension, BwLocation location, int32_t first_tile)
{
    Setup setup;
    setup_create(&setup, dimension, location, first_tile, false);
    fill_linear(&setup);
    Random random = random_seeded(7);
    double worst = 0.0;
    for (int n = 0; n < 20000; n++) {
        BwPlace place = {{0}, {0}};
        double position[3] = {0};
        for (int a = 0; a < dimension; a++) {
            int32_t cell = 2 + random_below(&random, SPAN - 4);
            place.cell[a] = setup.first_cell + cell;
            place.offset[a] = (float)random_between(&random, -1.0, 1.0);
            position[a] = cell + (double)place.offset[a];
        }
        float value;
        assert_true(bw_sample(&setup.field, NULL, place, &value));
        worst = fmax(worst, fabs((double)value - linear_value(position, dimension)));
    }
    setup_destroy(&setup);
    return worst;
}

static void exact_for_linear_fields(void **state)
{
    (void)state;
    const int32_t first_tiles[] = {0, -2, 12500, 12500000};
    double worst = 0.0;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int location = BW_AT_CELL; location <= BW_AT_NODE; location++)
            for (int n = 0; n < 4; n++)
                worst = fmax(worst, linear_error(dimension, (BwLocation)location, first_tiles[n]));
    gate("sample_linear_error", worst, GATE_BELOW, 1e-5); // values up to 30, float keeps 2e-6
}

// Drops a random half of the samples. The rule by its definition: weights of the valid corners over their
// sum. A constant stays that constant, and a linear field stays exact where the missing corners carry no
// weight.
static void missing_samples_are_dropped(int dimension, BwLocation location)
{
    Setup setup;
    setup_create(&setup, dimension, location, -1, false);
    fill_linear(&setup);
    const BwGrid *grid = setup.grid;
    Random random = random_seeded(11);
    for (int32_t n = 0; n < grid->tile_count; n++)
        for (int k = 0; k < grid->layers; k++)
            bw_mask_tile(&setup.valid, grid->order[n])[k] = random_bits(&random);
    for (int n = 0; n < 20000; n++) {
        BwPlace place = {{0}, {0}};
        double sum = 0.0, weights = 0.0;
        for (int a = 0; a < dimension; a++) {
            place.cell[a] = setup.first_cell + 1 + random_below(&random, SPAN - 3);
            place.offset[a] = n % 4 == 0
                                  ? shift_of(location, a)
                                  : (float)random_below(&random, 64) / 64.0f; // float holds these exactly
        }
        for (int corner = 0; corner < 1 << dimension; corner++) {
            double weight = 1.0, position[3] = {0};
            int32_t cell[3] = {0};
            for (int a = 0; a < dimension; a++) {
                double at = (double)place.offset[a] - (double)shift_of(location, a);
                int high = corner >> a & 1;
                cell[a] = place.cell[a] + (int32_t)floor(at) + high;
                weight *= high ? at - floor(at) : 1.0 - (at - floor(at));
                position[a] = cell[a] - setup.first_cell + (double)shift_of(location, a);
            }
            int32_t slot = bw_grid_find(grid, bw_tile_of_cell(grid, cell));
            if (!bw_bit(bw_mask_tile(&setup.valid, slot), bw_index_in_tile(grid, cell)))
                continue;
            sum += weight * linear_value(position, dimension);
            weights += weight;
        }
        float value = 0.0f;
        assert_int_equal(bw_sample(&setup.field, &setup.valid, place, &value), weights > 0.0);
        if (weights > 0.0)
            assert_true(fabs((double)value - sum / weights) < 1e-5);
    }
    setup_destroy(&setup);
}

static void missing_samples_are_dropped_everywhere(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int location = BW_AT_CELL; location <= BW_AT_NODE; location++)
            missing_samples_are_dropped(dimension, (BwLocation)location);
}

static float block_sample(const BwGrid *grid, const float *block, BwLocation location, const float local[3])
{
    float sum = 0.0f;
    for (int corner = 0; corner < 1 << grid->dimension; corner++) {
        int at = bw_block_origin(grid);
        float weight = 1.0f;
        const int stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};
        for (int a = 0; a < grid->dimension; a++) {
            float position = local[a] - shift_of(location, a);
            int base = (int)floorf(position), high = corner >> a & 1;
            at += stride[a] * (base + high);
            weight *= high ? position - (float)base : 1.0f - (position - (float)base);
        }
        sum += weight * block[at];
    }
    return sum;
}

// Inside the bounds a block, read without weights, gives what bw_sample gives, up to the walls and the far
// wall's faces.
static void blocks_obey_the_rule_at_walls(void **state)
{
    (void)state;
    static float block[BW_BLOCK_CELLS], weight[BW_BLOCK_CELLS];
    Random random = random_seeded(3);
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int location = BW_AT_CELL; location <= BW_AT_FACE_Z; location++) {
            Setup setup;
            setup_create(&setup, dimension, (BwLocation)location, 5, true);
            fill_linear(&setup);
            for (int n = 0; n < 5000; n++) {
                int32_t slot = setup.grid->order[random_below(&random, setup.grid->tile_count)];
                int32_t first[3];
                bw_tile_first_cell(setup.grid, setup.grid->tiles[slot].coord, first);
                float local[3] = {0};
                for (int a = 0; a < dimension; a++) {
                    double low = fmax(setup.grid->bounds.low[a] - first[a], 0.0);
                    double high = fmin(setup.grid->bounds.high[a] - first[a], BW_TILE);
                    local[a] = (float)random_between(&random, low, high);
                }
                float direct;
                bw_block_gather(&setup.field, slot, block);
                assert_true(bw_block_gather_weight(setup.grid, NULL, (BwLocation)location, slot, weight));
                assert_true(bw_sample_local(&setup.field, NULL, slot, local, &direct));
                float fast = block_sample(setup.grid, block, (BwLocation)location, local);
                assert_true(fabsf(direct - fast) < 1e-5f);
            }
            setup_destroy(&setup);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_for_linear_fields),
        cmocka_unit_test(missing_samples_are_dropped_everywhere),
        cmocka_unit_test(blocks_obey_the_rule_at_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
