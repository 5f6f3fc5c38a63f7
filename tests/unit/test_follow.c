// Tiles that follow the fluid: exactly those within the buffer of a span or a box are awake after a plan is
// applied.
#include "gate.h"
#include "grid/follow.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

static bool is_near(BwTileCoord tile, BwTileCoord other, BwTileSpan span, int buffer, int dimension)
{
    const int32_t t[3] = {tile.x, tile.y, tile.z}, o[3] = {other.x, other.y, other.z};
    for (int a = 0; a < dimension; a++) {
        int low = o[a] * BW_TILE + span.low[a] - buffer, high = o[a] * BW_TILE + span.high[a] + buffer;
        if (span.low[a] >= span.high[a] || t[a] * BW_TILE >= high || t[a] * BW_TILE + BW_TILE <= low)
            return false;
    }
    return true;
}

static void random_spans_wake_exactly_their_surroundings(void **state)
{
    (void)state;
    Random random = random_seeded(5);
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int buffer = 0; buffer <= 19; buffer += 3) {
            BwGrid *grid;
            BwFollowPlan plan = {0};
            BwGridDef def = {.cell_size = 1.0f, .dimension = dimension};
            assert_int_equal(bw_grid_create(&grid, &def, NULL), BW_OK);
            BwTileCoord old[40];
            for (int n = 0; n < 40; n++)
                old[n] = (BwTileCoord){random_below(&random, 6) - 3, random_below(&random, 6) - 3,
                                       dimension == 3 ? random_below(&random, 6) - 3 : 0};
            assert_int_equal(bw_grid_wake(grid, old, 40, NULL), BW_OK);
            BwTileSpan spans[40] = {0};
            BwTileCoord where[40];
            int32_t count = grid->tile_count;
            for (int32_t n = 0; n < count; n++) {
                where[n] = grid->tiles[grid->order[n]].coord;
                bool is_empty = random_below(&random, 3) > 0;
                for (int a = 0; a < dimension && !is_empty; a++) {
                    spans[n].low[a] = (int8_t)random_below(&random, 8);
                    spans[n].high[a] =
                        (int8_t)(spans[n].low[a] + 1 + random_below(&random, 8 - spans[n].low[a]));
                }
            }
            assert_int_equal(bw_follow_plan(&plan, grid, spans, NULL, 0, buffer, NULL), BW_OK);
            assert_int_equal(bw_follow_apply(&plan, grid, NULL), BW_OK);
            int32_t reach = 3 + 1 + buffer / BW_TILE + 1, expected = 0;
            for (int32_t z = dimension == 3 ? -reach : 0; z <= (dimension == 3 ? reach : 0); z++)
                for (int32_t y = -reach; y <= reach; y++)
                    for (int32_t x = -reach; x <= reach; x++) {
                        bool is_wanted = false;
                        for (int32_t n = 0; n < count; n++)
                            is_wanted = is_wanted || is_near((BwTileCoord){x, y, z}, where[n], spans[n],
                                                             buffer, dimension);
                        assert_int_equal(bw_grid_find(grid, (BwTileCoord){x, y, z}) != 0, is_wanted);
                        expected += is_wanted;
                    }
            assert_int_equal(grid->tile_count, expected);
            bw_follow_free(&plan, &grid->allocator);
            bw_grid_destroy(grid);
        }
}

static void boxes_respect_bounds_and_periods(void **state)
{
    (void)state;
    BwGrid *grid;
    BwFollowPlan plan = {0};
    BwGridDef def = {.cell_size = 1.0f,
                     .dimension = 3,
                     .has_bounds = true,
                     .bounds = {{0, 0, 0}, {32, 20, 0}},
                     .period = {0, 0, 4}};
    assert_int_equal(bw_grid_create(&grid, &def, NULL), BW_OK);
    BwCellBox box = {{-100, 15, 30}, {5, 16, 31}};
    assert_int_equal(bw_follow_plan(&plan, grid, NULL, &box, 1, 3, NULL), BW_OK);
    assert_int_equal(bw_follow_apply(&plan, grid, NULL), BW_OK);
    // x: cells 0 to 7, one tile; y: 12 to 18, two; z: 27 to 33, round the end: tiles 3 and 0.
    assert_int_equal(grid->tile_count, 4);
    assert_int_not_equal(bw_grid_find(grid, (BwTileCoord){0, 2, 0}), 0);
    assert_int_not_equal(bw_grid_find(grid, (BwTileCoord){0, 1, 3}), 0);
    assert_int_equal(bw_grid_live_cells(grid), 8 * (8 + 4) * 16);
    bw_follow_free(&plan, &grid->allocator);
    bw_grid_destroy(grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_spans_wake_exactly_their_surroundings),
        cmocka_unit_test(boxes_respect_bounds_and_periods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
