// Interpolation in blocks against the plain form of the same (grid/sample.h), at random places around random
// tiles: in 2-D and 3-D, at every location that advection uses, at walls and open sides, across periods, at
// gaps, and where samples are missing.
#include "advect/interpolation.h"
#include "gate.h"
#include "random.h"

#include <math.h>
#include <string.h>

enum { TILES = 3, SPAN = TILES * BW_TILE };

typedef struct Setup {
    BwGrid *grid;
    BwField field;
    BwMask valid;
    Random random;
} Setup;

// As along open sides, the outermost layer inside the bounds has no samples, but for those of the high end
// along x.
static bool is_rim(const BwGrid *grid, int32_t slot, int c)
{
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    const int32_t cell[3] = {first[0] + (c & 7), first[1] + (c >> 3 & 7), first[2] + (c >> 6)};
    bool is_rim = false;
    for (int a = 0; a < grid->dimension; a++)
        is_rim |= cell[a] <= grid->bounds.low[a] || (a > 0 && cell[a] + 1 >= grid->bounds.high[a]);
    return is_rim;
}

typedef struct SetupDef {
    int dimension;
    BwLocation location;
    bool has_bounds, has_gaps, has_rim, is_periodic;
    uint64_t seed;
} SetupDef;

static void setup_create(Setup *setup, SetupDef def)
{
    BwGridDef grid_def = {.cell_size = 0.5f, .dimension = def.dimension, .has_bounds = def.has_bounds};
    grid_def.bounds = (BwCellBox){{2, 0, 1}, {SPAN - 3, SPAN, SPAN - 1}};
    if (def.is_periodic)
        grid_def.period[0] = grid_def.period[2] = TILES;
    setup->random = random_seeded(def.seed);
    assert_int_equal(bw_grid_create(&setup->grid, &grid_def, NULL), BW_OK);
    assert_int_equal(bw_field_create(&setup->field, setup->grid, def.location, 0.25f, NULL), BW_OK);
    assert_int_equal(bw_mask_create(&setup->valid, setup->grid, NULL), BW_OK);
    for (int n = 0; n < (def.dimension == 3 ? TILES * TILES * TILES : TILES * TILES); n++) {
        BwTileCoord coord = {n % TILES, n / TILES % TILES, def.dimension == 3 ? n / TILES / TILES : 0};
        if (!def.has_gaps || random_below(&setup->random, 5) != 0)
            assert_int_equal(bw_grid_wake(setup->grid, &coord, 1, NULL), BW_OK);
    }
    const BwGrid *grid = setup->grid;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        int32_t slot = grid->order[n];
        uint64_t *valid = bw_mask_tile(&setup->valid, slot);
        for (int k = 0; k < grid->layers; k++)
            valid[k] =
                grid->tiles[slot].live[k] & (def.has_gaps ? random_bits(&setup->random) : ~(uint64_t)0);
        for (int c = 0; c < grid->tile_cells && def.has_rim; c++)
            valid[c >> 6] &= ~((uint64_t)is_rim(grid, slot, c) << (c & 63));
        for (int c = 0; c < grid->tile_cells; c++)
            bw_field_tile(&setup->field, slot)[c] = (float)random_between(&setup->random, -1.0, 1.0);
    }
}

static void setup_destroy(Setup *setup)
{
    bw_field_destroy(&setup->field);
    bw_mask_destroy(&setup->valid);
    bw_grid_destroy(setup->grid);
}

// Places around a tile, inside the bounds. On a raster of 1/16 of a cell that passes between the samples, for
// kernels give up where those that exist have a share of less than 1e-5.
static void scatter(Setup *setup, int32_t slot, double far, float at[3][BW_TILE_CELLS_MAX])
{
    const BwGrid *grid = setup->grid;
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < 3; a++)
        for (int n = 0; n < grid->tile_cells; n++) {
            double place = (floor(16.0 * random_between(&setup->random, -far, BW_TILE + far)) + 0.5) / 16.0;
            place = fmax(place, (double)grid->bounds.low[a] - first[a] + 1.0 / 32.0);
            at[a][n] = (float)fmin(place, (double)grid->bounds.high[a] - first[a] - 1.0 / 32.0);
        }
}

// The sample of a cell; beyond the bounds, the last one inside.
static bool fetch(const Setup *setup, const int32_t first[3], const int offset[3], float *value)
{
    const BwGrid *grid = setup->grid;
    int32_t cell[3];
    for (int a = 0; a < 3; a++) {
        bool has_far_face = grid->far_wall[a] && bw_location_normal(setup->field.location) == a;
        int64_t at = (int64_t)first[a] + offset[a], high = (int64_t)grid->bounds.high[a] - !has_far_face;
        at = at < grid->bounds.low[a] ? grid->bounds.low[a] : at > high ? high : at;
        cell[a] = (int32_t)at;
    }
    return bw_fetch(&setup->field, &setup->valid, cell, value);
}

// The 2^d samples around a place, or the 4^d of a cubic.
typedef struct Around {
    double low, high, cubic;
    int missing;
} Around;

static double cubic_weight(int n, double x)
{
    const double weight[4] = {x * (-0.5 + x * (1.0 - 0.5 * x)), 1.0 + x * x * (1.5 * x - 2.5),
                              x * (0.5 + x * (2.0 - 1.5 * x)), x * x * (0.5 * x - 0.5)};
    return weight[n];
}

static Around look_around(const Setup *setup, int32_t slot, const float at[3], int width)
{
    const BwGrid *grid = setup->grid;
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    Around around = {INFINITY, -INFINITY, 0.0, 0};
    for (int n = 0; n < (grid->dimension == 3 ? width * width * width : width * width); n++) {
        const int step[3] = {n % width, n / width % width, n / width / width};
        int offset[3] = {0};
        double weight = 1.0;
        for (int a = 0; a < grid->dimension; a++) {
            double x = (double)at[a] - (double)bw_location_shift(setup->field.location, a);
            offset[a] = (int)floor(x) + step[a] - (width - 2) / 2;
            weight *= width == 4 ? cubic_weight(step[a], x - floor(x)) : 0.0;
        }
        float value;
        if (!fetch(setup, first, offset, &value)) {
            around.missing++;
            continue;
        }
        around.low = fmin(around.low, (double)value);
        around.high = fmax(around.high, (double)value);
        around.cubic += weight * (double)value;
    }
    return around;
}

static double compare_tile(Setup *setup, int32_t slot, double far, BwStencil stencil)
{
    static BwInterpolationBlock block;
    static BwBlockPoints places;
    static float at[3][BW_TILE_CELLS_MAX], linear[BW_TILE_CELLS_MAX], cubic[BW_TILE_CELLS_MAX],
        low[BW_TILE_CELLS_MAX], high[BW_TILE_CELLS_MAX], fallback[BW_TILE_CELLS_MAX],
        at_once[BW_TILE_CELLS_MAX], least[BW_TILE_CELLS_MAX], most[BW_TILE_CELLS_MAX];
    const BwGrid *grid = setup->grid;
    float *const rows[3] = {at[0], at[1], at[2]};
    scatter(setup, slot, far, at);
    BwSampleBox samples = bw_sample_box_find(grid, &setup->valid, setup->field.location, stencil);
    bw_block_points_find(&places, grid, &samples, slot, rows, stencil, 0);
    assert_true(places.is_near);
    bool is_full = bw_sample_box_is_full(&samples, grid, slot);
    bw_interpolation_gather(&block, &setup->field, &samples, is_full, slot, places.reach);
    bw_interpolate_linear(&block, grid, &places, fallback, linear);
    if (stencil == BW_STENCIL_CUBIC)
        bw_interpolate_cubic(&block, grid, &places, fallback, cubic);
    bw_interpolate_range(&block, grid, &places, low, high);
    bw_interpolate_linear_and_range(&block, grid, &places, fallback, at_once, least, most);
    size_t size = (size_t)grid->tile_cells * sizeof *low;
    assert_memory_equal(at_once, linear, size);
    assert_memory_equal(least, low, size);
    assert_memory_equal(most, high, size);
    double worst = 0.0;
    for (int n = 0; n < grid->tile_cells; n++) {
        const float place[3] = {at[0][n], at[1][n], at[2][n]};
        float plain = fallback[n];
        bw_sample_local(&setup->field, &setup->valid, slot, place, &plain);
        worst = fmax(worst, fabs((double)linear[n] - (double)plain));
        Around near = look_around(setup, slot, place, 2), wide = look_around(setup, slot, place, 4);
        int all = grid->dimension == 3 ? 8 : 4;
        assert_true(near.missing == all ? low[n] > high[n]
                                        : (double)low[n] == near.low && (double)high[n] == near.high);
        double wanted = wide.missing > 0 ? (double)plain : fmin(fmax(wide.cubic, near.low), near.high);
        if (stencil == BW_STENCIL_CUBIC)
            worst = fmax(worst, fabs((double)cubic[n] - wanted));
    }
    return worst;
}

static void kernels_do_as_the_plain_form(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int n = 0; n < 8 * 32; n++) {
        Setup setup;
        setup_create(&setup, (SetupDef){.dimension = n & 1 ? 3 : 2,
                                        .location = (BwLocation)(n >> 1 & 3),
                                        .has_bounds = n & 8,
                                        .has_gaps = n & 16,
                                        .has_rim = n & 32,
                                        .is_periodic = n & 128,
                                        .seed = (uint64_t)n + 1});
        for (int m = 0; m < 3; m++) {
            static const double far[3] = {0.0, 2.0, 6.0};
            int32_t tile = random_below(&setup.random, setup.grid->tile_count);
            worst = fmax(worst, compare_tile(&setup, setup.grid->order[tile], far[m],
                                             n & 64 ? BW_STENCIL_CUBIC : BW_STENCIL_LINEAR));
        }
        setup_destroy(&setup);
    }
    gate("interpolation_difference", worst, GATE_BELOW, 1e-5);
}

// Without that, the test above would not see the blocks of open sides.
static void check_rim(int dimension)
{
    Setup setup;
    setup_create(&setup, (SetupDef){dimension, BW_AT_FACE_X, .has_bounds = true, .has_rim = true, .seed = 1});
    BwSampleBox samples = bw_sample_box_find(setup.grid, &setup.valid, BW_AT_FACE_X, BW_STENCIL_LINEAR);
    BwSampleBox whole = bw_sample_box_find(setup.grid, &setup.valid, BW_AT_FACE_X, BW_STENCIL_CUBIC);
    for (int32_t n = 0; n < setup.grid->tile_count; n++) {
        assert_true(bw_sample_box_is_full(&samples, setup.grid, setup.grid->order[n]));
        assert_false(bw_sample_box_is_full(&whole, setup.grid, setup.grid->order[n]));
    }
    setup_destroy(&setup);
}

static void a_rim_needs_no_weights(void **state)
{
    (void)state;
    check_rim(2);
    check_rim(3);
}

static void far_places_are_told(void **state)
{
    (void)state;
    static BwBlockPoints places;
    static float at[3][BW_TILE_CELLS_MAX];
    float *const rows[3] = {at[0], at[1], at[2]};
    Setup setup;
    setup_create(&setup, (SetupDef){3, BW_AT_CELL, .seed = 1});
    BwSampleBox samples = bw_sample_box_find(setup.grid, &setup.valid, BW_AT_CELL, BW_STENCIL_LINEAR);
    int32_t slot = setup.grid->order[0];
    at[1][77] = -7.4f;
    bw_block_points_find(&places, setup.grid, &samples, slot, rows, BW_STENCIL_LINEAR, 0);
    assert_true(places.is_near);
    assert_int_equal(places.reach, 8);
    at[1][77] = -7.6f;
    bw_block_points_find(&places, setup.grid, &samples, slot, rows, BW_STENCIL_LINEAR, 0);
    assert_false(places.is_near);
    at[1][77] = 1e9f;
    bw_block_points_find(&places, setup.grid, &samples, slot, rows, BW_STENCIL_LINEAR, 0);
    assert_false(places.is_near);
    setup_destroy(&setup);
}

// A place that is rounded up to the next sample reads one beyond it, which must not be left over from another
// tile.
static void a_rounded_place_is_reached(void **state)
{
    (void)state;
    static BwInterpolationBlock block;
    static BwBlockPoints places;
    static float at[3][BW_TILE_CELLS_MAX], low[BW_TILE_CELLS_MAX], high[BW_TILE_CELLS_MAX];
    float *const rows[3] = {at[0], at[1], at[2]};
    Setup setup;
    setup_create(&setup, (SetupDef){3, BW_AT_FACE_Y, .seed = 1});
    BwSampleBox samples = bw_sample_box_find(setup.grid, &setup.valid, BW_AT_FACE_Y, BW_STENCIL_LINEAR);
    int32_t slot = setup.grid->tiles[setup.grid->order[0]].neighbour[26];
    for (int beyond = 0; beyond < 7; beyond++) {
        at[1][77] = nextafterf((float)(BW_TILE + beyond), 0.0f);
        for (int n = 0; n < BW_INTERPOLATION_CELLS; n++)
            block.value[n] = 1000.0f;
        bw_block_points_find(&places, setup.grid, &samples, slot, rows, BW_STENCIL_LINEAR, 0);
        bw_interpolation_gather(&block, &setup.field, &samples, true, slot, places.reach);
        bw_interpolate_range(&block, setup.grid, &places, low, high);
        assert_true(high[77] <= 1.0f);
    }
    setup_destroy(&setup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_do_as_the_plain_form),
        cmocka_unit_test(a_rim_needs_no_weights),
        cmocka_unit_test(far_places_are_told),
        cmocka_unit_test(a_rounded_place_is_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
