// The grid against a plain dense model: a window of tiles kept as flat arrays, the same random operations on
// both, at the origin, below zero, and 1e5 and 1e8 cells away; unbounded, bounded, periodic, in 2-D and in
// 3-D.
#include "base/memory.h"
#include "gate.h"
#include "grid/block.h"
#include "meter.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 6, SPAN = WINDOW * BW_TILE, LOCATIONS = 8 };

static const float background = -3.0f;

typedef struct Model {
    BwGrid *grid;
    BwField field[LOCATIONS];
    int layers, window[3]; // of the window in tiles
    int32_t first_tile[3], first_cell[3];
    bool is_awake[WINDOW][WINDOW][WINDOW];
    float *value[LOCATIONS]; // SPAN^3
    int awake_count;
    Random random;
} Model;

typedef struct Case {
    const char *name;
    int dimension;
    int32_t origin; // cells
    bool has_bounds, is_periodic, is_open;
} Case;

static size_t cell_index(const int cell[3])
{
    return ((size_t)cell[2] * SPAN + (size_t)cell[1]) * SPAN + (size_t)cell[0];
}

static BwGridDef grid_def(const Model *model, const Case *c)
{
    BwGridDef def = {.cell_size = 0.1f, .dimension = c->dimension, .has_bounds = c->has_bounds};
    for (int a = 0; a < 3; a++) {
        def.bounds.low[a] = model->first_cell[a] + 3 + a;
        def.bounds.high[a] = model->first_cell[a] + SPAN - 8 * a - 5 * !c->is_open;
        def.is_open[a] = c->is_open;
        def.period[a] = c->is_periodic ? model->window[a] : 0;
        def.period_low[a] = model->first_tile[a];
    }
    return def;
}

static void model_create(Model *model, const Case *c, uint64_t seed)
{
    *model = (Model){.layers = c->dimension == 3 ? BW_TILE : 1, .random = random_seeded(seed)};
    for (int a = 0; a < 3; a++) {
        bool is_used = a < c->dimension;
        model->window[a] = is_used ? WINDOW : 1;
        model->first_tile[a] = is_used ? c->origin / BW_TILE + (a - 1) * 2 : 0;
        model->first_cell[a] = model->first_tile[a] * BW_TILE;
    }
    BwGridDef def = grid_def(model, c);
    assert_int_equal(bw_grid_create(&model->grid, &def, NULL), BW_OK);
    for (int n = 0; n < LOCATIONS; n++) {
        assert_int_equal(bw_field_create(&model->field[n], model->grid, (BwLocation)n, background, NULL),
                         BW_OK);
        model->value[n] = malloc((size_t)SPAN * SPAN * SPAN * sizeof(float));
    }
}

static void model_destroy(Model *model)
{
    for (int n = 0; n < LOCATIONS; n++) {
        bw_field_destroy(&model->field[n]);
        free(model->value[n]);
    }
    bw_grid_destroy(model->grid);
}

static BwTileCoord coord_of(const Model *model, const int tile[3])
{
    return (BwTileCoord){model->first_tile[0] + tile[0], model->first_tile[1] + tile[1],
                         model->first_tile[2] + tile[2]};
}

static bool is_cell_in_bounds(const Model *model, const int cell[3])
{
    for (int a = 0; a < model->grid->dimension; a++) {
        int32_t at = model->first_cell[a] + cell[a];
        if (at < model->grid->bounds.low[a] || at >= model->grid->bounds.high[a])
            return false;
    }
    return true;
}

static bool tile_meets_bounds(const Model *model, const int tile[3])
{
    for (int k = 0; k < model->layers; k++)
        for (int n = 0; n < BW_TILE_LAYER; n++) {
            int cell[3] = {tile[0] * BW_TILE + n % 8, tile[1] * BW_TILE + n / 8, tile[2] * BW_TILE + k};
            if (is_cell_in_bounds(model, cell))
                return true;
        }
    return false;
}

static void random_tile(Model *model, int tile[3])
{
    for (int a = 0; a < 3; a++)
        tile[a] = random_below(&model->random, model->window[a]);
}

static void model_wake_one(Model *model, const int tile[3])
{
    bool *is_awake = &model->is_awake[tile[2]][tile[1]][tile[0]];
    if (*is_awake || !tile_meets_bounds(model, tile))
        return;
    *is_awake = true;
    model->awake_count++;
    for (int n = 0; n < LOCATIONS; n++)
        for (int k = 0; k < model->layers; k++)
            for (int m = 0; m < BW_TILE_LAYER; m++) {
                int cell[3] = {tile[0] * BW_TILE + m % 8, tile[1] * BW_TILE + m / 8, tile[2] * BW_TILE + k};
                model->value[n][cell_index(cell)] = background;
            }
}

static void wake_some(Model *model)
{
    BwTileCoord coords[4];
    int count = 1 + random_below(&model->random, 4);
    for (int n = 0; n < count; n++) {
        int tile[3];
        random_tile(model, tile);
        coords[n] = coord_of(model, tile);
        // A periodic grid knows the same tile by other names.
        for (int32_t *axis = &coords[n].x; axis <= &coords[n].z; axis++)
            *axis += model->grid->period[axis - &coords[n].x] * (random_below(&model->random, 3) - 1);
        model_wake_one(model, tile);
    }
    assert_int_equal(bw_grid_wake(model->grid, coords, count, NULL), BW_OK);
    assert_int_equal(model->grid->tile_count, model->awake_count);
}

static void sleep_some(Model *model)
{
    int32_t slots[3];
    int count = 0;
    for (int n = 0; n < 3; n++) {
        int tile[3];
        random_tile(model, tile);
        bool *is_awake = &model->is_awake[tile[2]][tile[1]][tile[0]];
        if (!*is_awake)
            continue;
        *is_awake = false;
        model->awake_count--;
        slots[count++] = bw_grid_find(model->grid, coord_of(model, tile));
        assert_int_not_equal(slots[count - 1], 0);
    }
    bw_grid_sleep(model->grid, slots, count);
    assert_int_equal(model->grid->tile_count, model->awake_count);
}

static void random_cell(Model *model, int cell[3])
{
    for (int a = 0; a < 3; a++)
        cell[a] = a < model->grid->dimension ? random_below(&model->random, SPAN) : 0;
}

static void write_one(Model *model)
{
    int cell[3];
    random_cell(model, cell);
    if (!model->is_awake[cell[2] / BW_TILE][cell[1] / BW_TILE][cell[0] / BW_TILE] ||
        !is_cell_in_bounds(model, cell))
        return;
    int n = random_below(&model->random, LOCATIONS);
    float value = (float)random_between(&model->random, -1.0, 1.0);
    int32_t at[3] = {model->first_cell[0] + cell[0], model->first_cell[1] + cell[1],
                     model->first_cell[2] + cell[2]};
    int32_t slot = bw_grid_find(model->grid, bw_tile_of_cell(model->grid, at));
    bw_field_tile(&model->field[n], slot)[bw_index_in_tile(model->grid, at)] = value;
    model->value[n][cell_index(cell)] = value;
}

// The dense model's sample: wrapped, or missing outside; the far wall's faces read as the background.
static bool model_fetch(const Model *model, int n, const int cell[3], float *value)
{
    int at[3];
    bool is_inside = true;
    for (int a = 0; a < 3; a++) {
        int span = a < model->grid->dimension ? SPAN : 1;
        at[a] = model->grid->period[a] > 0 ? (cell[a] % span + span) % span : cell[a];
        is_inside = is_inside && at[a] >= 0 && at[a] < span;
    }
    bool is_awake = is_inside && model->is_awake[at[2] / BW_TILE][at[1] / BW_TILE][at[0] / BW_TILE];
    bool is_live = is_awake && is_cell_in_bounds(model, at);
    if (is_live || is_awake)
        *value = model->value[n][cell_index(at)];
    else
        *value = background;
    int normal = bw_location_normal((BwLocation)n);
    if (is_live || normal < 0 || !model->grid->far_wall[normal] ||
        model->first_cell[normal] + cell[normal] != model->grid->bounds.high[normal])
        return is_live;
    int before[3] = {cell[0] - (normal == 0), cell[1] - (normal == 1), cell[2] - (normal == 2)};
    float unused;
    return is_cell_in_bounds(model, before) && model_fetch(model, n, before, &unused);
}

static void compare_fetch(Model *model)
{
    int cell[3], n = random_below(&model->random, LOCATIONS);
    random_cell(model, cell);
    int32_t at[3] = {model->first_cell[0] + cell[0], model->first_cell[1] + cell[1],
                     model->first_cell[2] + cell[2]};
    float ours = 0.0f, theirs = 0.0f;
    bool ours_is_there = bw_fetch(&model->field[n], NULL, at, &ours);
    assert_int_equal(ours_is_there, model_fetch(model, n, cell, &theirs));
    if (ours_is_there)
        assert_true(ours == theirs);
}

static bool model_sample(const Model *model, int n, const int cell[3], const float offset[3], double *value)
{
    double sum = 0.0, weights = 0.0;
    int axes = model->grid->dimension;
    for (int corner = 0; corner < 1 << axes; corner++) {
        int at[3] = {cell[0], cell[1], cell[2]};
        double weight = 1.0;
        for (int a = 0; a < axes; a++) {
            float position = offset[a] - bw_location_shift((BwLocation)n, a);
            int base = (int)floorf(position), high = corner >> a & 1;
            at[a] += base + high;
            double part = (double)position - base;
            weight *= high ? part : 1.0 - part;
        }
        float sample;
        if (weight > 0.0 && model_fetch(model, n, at, &sample)) {
            sum += weight * (double)sample;
            weights += weight;
        }
    }
    *value = sum / weights;
    return weights > 0.0;
}

static void compare_sample(Model *model)
{
    int cell[3], n = random_below(&model->random, LOCATIONS);
    random_cell(model, cell);
    BwPlace place;
    for (int a = 0; a < 3; a++) {
        // Sixteenths add without rounding, so that both sides see the same place; long offsets reach over
        // many tiles.
        place.offset[a] = (float)random_below(&model->random, 16 * 20) / 16.0f - 10.0f;
        place.cell[a] = model->first_cell[a] + cell[a];
    }
    float ours = 0.0f;
    double theirs = 0.0;
    bool is_there = model_sample(model, n, cell, place.offset, &theirs);
    assert_int_equal(bw_sample(&model->field[n], NULL, place, &ours), is_there);
    if (is_there)
        assert_true(fabs((double)ours - theirs) < 2e-6);
}

// A halo: every sample of a padded block, where the block promises one.
static void compare_block(Model *model)
{
    if (model->grid->tile_count == 0)
        return;
    static float block[BW_BLOCK_CELLS], weight[BW_BLOCK_CELLS];
    int n = random_below(&model->random, LOCATIONS);
    int32_t slot = model->grid->order[random_below(&model->random, model->grid->tile_count)];
    BwTileCoord coord = model->grid->tiles[slot].coord;
    bw_block_gather(&model->field[n], slot, block);
    bool is_full = bw_block_gather_weight(model->grid, NULL, (BwLocation)n, slot, weight);
    for (int at = 0; at < BW_BLOCK_LAYER * bw_block_layers(model->grid); at++) {
        int cell[3] = {(coord.x - model->first_tile[0]) * BW_TILE + at % BW_BLOCK - BW_HALO,
                       (coord.y - model->first_tile[1]) * BW_TILE + at / BW_BLOCK % BW_BLOCK - BW_HALO,
                       model->layers == 1
                           ? 0
                           : (coord.z - model->first_tile[2]) * BW_TILE + at / BW_BLOCK_LAYER - BW_HALO};
        float theirs;
        bool is_there = model_fetch(model, n, cell, &theirs);
        bool is_beyond = !is_there && model->grid->has_bounds && !is_cell_in_bounds(model, cell);
        if (is_beyond)
            continue; // repeated from inside; test_block checks that
        assert_true(is_full ? is_there : weight[at] == (float)is_there);
        if (is_there)
            assert_true(block[at] == theirs);
    }
}

static void check_topology(const Model *model)
{
    const BwGrid *grid = model->grid;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        const BwGridTile *tile = &grid->tiles[grid->order[n]];
        assert_int_equal(tile->rank, n);
        if (n > 0)
            assert_true(bw_tile_coord_compare(grid->tiles[grid->order[n - 1]].coord, tile->coord) < 0);
        for (int m = 0; m < 27; m++) {
            BwTileCoord beside = {tile->coord.x + m % 3 - 1, tile->coord.y + m / 3 % 3 - 1,
                                  tile->coord.z + m / 9 - 1};
            bool is_linked = grid->layers == BW_TILE || m / 9 == 1;
            assert_int_equal(tile->neighbour[m], is_linked ? bw_grid_find(grid, beside) : 0);
        }
    }
    int most = model->window[0] * model->window[1] * model->window[2];
    assert_true(grid->slot_count <= most + 1); // slots are reused
}

static void run_case(const Case *c, uint64_t seed, int operations)
{
    Model model;
    model_create(&model, c, seed);
    for (int n = 0; n < operations; n++) {
        int pick = random_below(&model.random, 1000);
        if (pick < 20)
            wake_some(&model);
        else if (pick < 40)
            sleep_some(&model);
        else if (pick < 500)
            write_one(&model);
        else if (pick < 740)
            compare_fetch(&model);
        else if (pick < 998)
            compare_sample(&model);
        else
            compare_block(&model);
        if (n % 5000 == 0)
            check_topology(&model);
    }
    model_destroy(&model);
}

static void agrees_with_the_dense_model(void **state)
{
    (void)state;
    const Case cases[] = {
        {"3-D", 3, 0, false, false, false},
        {"3-D, negative", 3, -100000, false, false, false},
        {"3-D, 1e5 cells away", 3, 100000, false, false, false},
        {"3-D, 1e8 cells away", 3, 100000000, false, false, false},
        {"3-D, bounds", 3, -1000, true, false, false},
        {"3-D, open bounds, 1e8", 3, -100000000, true, false, true},
        {"3-D, periodic", 3, 100000, false, true, false},
        {"2-D", 2, -100000000, false, false, false},
        {"2-D, bounds", 2, 0, true, false, false},
        {"2-D, periodic", 2, -1000, false, true, false},
    };
    const char *asked = getenv("BW_TEST_OPERATIONS");
    int operations = asked != NULL ? atoi(asked) : 100000;
    int total = 0;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            run_case(&cases[n], seed, operations);
            total += operations;
        }
    gate("grid_model_operations", total, GATE_ABOVE, 1e6);
}

static BwGrid *create_metered(Meter *meter, BwField *field)
{
    BwGridDef def = {.allocator = metered(meter), .cell_size = 1.0f, .dimension = 3};
    BwGrid *grid;
    assert_int_equal(bw_grid_create(&grid, &def, NULL), BW_OK);
    assert_int_equal(bw_field_create(field, grid, BW_AT_CELL, 0.0f, NULL), BW_OK);
    return grid;
}

// A cube of tiles walks 2000 tiles along a slanted line; what it left must be given back.
static void memory_stays_flat_while_a_region_travels(void **state)
{
    (void)state;
    Meter meter = {0};
    BwField field;
    BwGrid *grid = create_metered(&meter, &field);
    enum { SIDE = 6 };
    int64_t early_peak = 0;
    int32_t early_slots = 0;
    for (int step = 0; step < 2000; step++) {
        BwTileCoord coords[SIDE * SIDE * SIDE];
        int32_t slots[SIDE * SIDE * SIDE];
        int count = 0, leaving = 0;
        int32_t shift[3] = {step, -step / 2, step / 3};
        for (int n = 0; n < SIDE * SIDE * SIDE; n++)
            coords[count++] =
                (BwTileCoord){shift[0] + n % SIDE, shift[1] + n / SIDE % SIDE, shift[2] + n / SIDE / SIDE};
        for (int32_t n = 0; n < grid->tile_count; n++) {
            BwTileCoord at = grid->tiles[grid->order[n]].coord;
            bool stays = at.x >= shift[0] && at.x < shift[0] + SIDE && at.y >= shift[1] &&
                         at.y < shift[1] + SIDE && at.z >= shift[2] && at.z < shift[2] + SIDE;
            if (!stays)
                slots[leaving++] = grid->order[n];
        }
        bw_grid_sleep(grid, slots, leaving);
        assert_int_equal(bw_grid_wake(grid, coords, count, NULL), BW_OK);
        assert_int_equal(grid->tile_count, SIDE * SIDE * SIDE);
        if (step == 20) {
            early_peak = meter.peak;
            early_slots = grid->slot_count;
        }
    }
    gate("grid_travel_memory_growth", (double)meter.peak / (double)early_peak, GATE_BELOW, 1.0);
    gate("grid_travel_slots", grid->slot_count, GATE_BELOW, early_slots);
    bw_field_destroy(&field);
    bw_grid_destroy(grid);
    assert_int_equal(meter.bytes, 0);
}

// Ten thousand tiles wake, all but a few sleep: the chunks they filled are given back.
static void memory_follows_the_live_tiles(void **state)
{
    (void)state;
    Meter meter = {0};
    BwField field;
    BwGrid *grid = create_metered(&meter, &field);
    enum { COUNT = 10000 };
    BwTileCoord *coords = malloc(COUNT * sizeof *coords);
    for (int n = 0; n < COUNT; n++)
        coords[n] = (BwTileCoord){n % 100, n / 100, 0};
    assert_int_equal(bw_grid_wake(grid, coords, COUNT, NULL), BW_OK);
    int64_t full = meter.bytes;
    int32_t *slots = malloc(COUNT * sizeof *slots);
    for (int n = 10; n < COUNT; n++)
        slots[n] = grid->order[n];
    bw_grid_sleep(grid, slots + 10, COUNT - 10);
    gate("grid_sleep_memory_share", (double)meter.bytes / (double)full, GATE_BELOW, 0.25);
    free(coords);
    free(slots);
    bw_field_destroy(&field);
    bw_grid_destroy(grid);
}

static int32_t slots_held(const BwStore *store)
{
    int32_t sum = 0;
    for (int64_t chunk = 0; chunk < store->chunk_capacity; chunk++)
        sum += store->chunks[chunk].slots;
    return sum;
}

// One tile after the other wakes: memory grows with them, and what they hold stays.
static void memory_grows_with_the_tiles(void **state)
{
    (void)state;
    BwGridDef def = {.cell_size = 1.0f, .dimension = 3};
    BwGrid *grid;
    BwField field;
    assert_int_equal(bw_grid_create(&grid, &def, NULL), BW_OK);
    assert_int_equal(bw_field_create(&field, grid, BW_AT_CELL, -1.0f, NULL), BW_OK);
    enum { COUNT = 2500 };
    int32_t most_spare = 0, wrong = 0;
    for (int n = 0; n < COUNT; n++) {
        BwTileCoord coord = {n, 0, 0};
        assert_int_equal(bw_grid_wake(grid, &coord, 1, NULL), BW_OK);
        bw_field_tile(&field, bw_grid_find(grid, coord))[n % 512] = (float)n;
        int32_t spare = slots_held(&field.store) - grid->tile_count;
        most_spare = spare > most_spare ? spare : most_spare;
    }
    for (int n = 0; n < COUNT; n++)
        wrong += bw_field_tile(&field, bw_grid_find(grid, (BwTileCoord){n, 0, 0}))[n % 512] != (float)n;
    gate("grid_spare_tiles", most_spare, GATE_BELOW, 128);
    gate("grid_values_lost_by_growth", wrong, GATE_BELOW, 0.0);
    bw_field_destroy(&field);
    bw_grid_destroy(grid);
}

// Fails the n-th allocation, for every n, in a run that wakes and sleeps.
typedef struct Failing {
    int64_t left, live;
} Failing;

static void *failing_resize(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    Failing *failing = user;
    if (new_size > 0 && failing->left-- == 0)
        return NULL;
    failing->live += (block == NULL) - (new_size == 0);
    BwAllocator plain = bw_allocator_or_default((BwAllocator){0});
    return plain.resize(plain.user, block, old_size, new_size, align);
}

// Tiles that a store has room for in chunks of which none is in use.
static int32_t slots_in_vain(const BwStore *store)
{
    int32_t sum = 0;
    for (int64_t chunk = bw_chunk_of(store->grid->slot_count - 1) + 1; chunk < store->chunk_capacity; chunk++)
        sum += store->chunks[chunk].slots;
    return sum;
}

static BwResult small_life(Failing *failing)
{
    BwGridDef def = {.allocator = {failing_resize, failing}, .cell_size = 1.0f, .dimension = 2};
    BwGrid *grid;
    BwField field = {0}, other = {0};
    BwTileCoord coords[2000];
    for (int n = 0; n < 2000; n++)
        coords[n] = (BwTileCoord){n, -n, 0};
    BwResult result = bw_grid_create(&grid, &def, NULL);
    if (result != BW_OK)
        return result;
    result = bw_field_create(&field, grid, BW_AT_CELL, 1.0f, NULL);
    if (result == BW_OK)
        result = bw_field_create(&other, grid, BW_AT_CELL, 1.0f, NULL);
    for (int step = 0; step < 4 && result == BW_OK; step++) {
        int32_t before = grid->tile_count;
        result = bw_grid_wake(grid, coords, 500 * (step + 1), NULL);
        if (result == BW_OK)
            continue;
        assert_int_equal(grid->tile_count, before);
        assert_int_equal(slots_in_vain(&field.store) + slots_in_vain(&other.store), 0);
    }
    bw_field_destroy(&field);
    bw_field_destroy(&other);
    bw_grid_destroy(grid);
    return result;
}

static void every_failed_allocation_is_returned(void **state)
{
    (void)state;
    BwResult result = BW_ERR_MEMORY;
    int failures = 0;
    for (int64_t n = 0; result != BW_OK; n++) {
        Failing failing = {n, 0};
        result = small_life(&failing);
        assert_int_equal(failing.live, 0);
        assert_true(result == BW_OK || result == BW_ERR_MEMORY);
        failures++;
    }
    assert_true(failures > 20);
}

static void refuses_bad_defs_and_far_tiles(void **state)
{
    (void)state;
    BwGrid *grid;
    BwError err;
    BwGridDef def = {.cell_size = NAN, .dimension = 3};
    assert_int_equal(bw_grid_create(&grid, &def, &err), BW_ERR_DEF);
    def = (BwGridDef){.cell_size = 1.0f, .dimension = 4};
    assert_int_equal(bw_grid_create(&grid, &def, &err), BW_ERR_DEF);
    assert_string_equal(err.message, "dimension is 4; it must be 2 or 3");
    def = (BwGridDef){.cell_size = 1.0f, .dimension = 2, .has_bounds = true};
    assert_int_equal(bw_grid_create(&grid, &def, &err), BW_ERR_DEF);
    def.has_bounds = false;
    assert_int_equal(bw_grid_create(&grid, &def, &err), BW_OK);
    BwTileCoord far = {BW_TILE_COORD_MAX, 0, 0};
    assert_int_equal(bw_grid_wake(grid, &far, 1, &err), BW_ERR_NUMERICS);
    assert_int_equal(grid->tile_count, 0);
    bw_grid_destroy(grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_dense_model),
        cmocka_unit_test(memory_stays_flat_while_a_region_travels),
        cmocka_unit_test(memory_follows_the_live_tiles),
        cmocka_unit_test(memory_grows_with_the_tiles),
        cmocka_unit_test(every_failed_allocation_is_returned),
        cmocka_unit_test(refuses_bad_defs_and_far_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
