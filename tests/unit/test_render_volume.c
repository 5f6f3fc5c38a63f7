// What pictures are drawn from: a camera that sees all of the scene, and bricks that hold the smoke of the
// frame, all of it and nothing else.
#include "picture.h"
#include "render/camera.h"
#include "render/light.h"
#include "render/sweep.h"
#include "render/volume.h"

static void the_camera_sees_the_whole_extent(void **state)
{
    (void)state;
    const BwVec3 sizes[] = {
        {1.0f, 2.0f, 1.0f}, {10.0f, 1.0f, 3.0f}, {0.01f, 0.02f, 5.0f}, {300.0f, 300.0f, 1.0f}};
    const float aspects[] = {16.0f / 9.0f, 1.0f, 0.4f};
    float most = 0.0f, least = 1.0f;
    for (int s = 0; s < 4; s++)
        for (int a = 0; a < 3; a++) {
            BwSceneDef scene = {.cell = 0.01f, .dimension = 3, .has_walls = true};
            scene.walls.min = bw_vec3(-3.0f, 7.0f, 100.0f);
            scene.walls.max = bw_add(scene.walls.min, sizes[s]);
            BwFrame frame = {.cell_size = 1e-4f};
            BwBox extent;
            BwCamera camera;
            assert_int_equal(bw_picture_extent(&extent, &scene, &frame, NULL), BW_OK);
            assert_int_equal(bw_camera_at(&camera, &scene, extent, 0.0, aspects[a], NULL), BW_OK);
            float farthest = 0.0f;
            for (int n = 0; n < 8; n++) {
                const double corner[3] = {(double)(n & 1 ? extent.low.x : extent.high.x),
                                          (double)(n & 2 ? extent.low.y : extent.high.y),
                                          (double)(n & 4 ? extent.low.z : extent.high.z)};
                float x, y;
                assert_true(bw_camera_project(&camera, corner, &x, &y) > 0.0f);
                farthest = fmaxf(farthest, fmaxf(fabsf(x), fabsf(y)));
            }
            most = fmaxf(most, farthest);
            least = fminf(least, farthest);
        }
    gate("camera, farthest corner", (double)most, GATE_BELOW, 0.93);
    gate("camera, use of the image", (double)least, GATE_ABOVE, 0.85);
}

// Without walls the frame's own contents or the emitters decide, and it never fails for want of either.
static void the_camera_needs_no_walls(void **state)
{
    (void)state;
    BwEmitterDef emitter = {.shape = {.kind = BW_SHAPE_SPHERE, .a = {5.0f, 1.0f, 5.0f}, .radius = 0.5f},
                            .velocity = bw_curve_vector(0.0f, 1.0f, 0.0f)};
    BwSceneDef scene = {
        .cell = 0.05f, .dimension = 3, .frames = 48, .fps = 24.0, .emitters = &emitter, .emitter_count = 1};
    BwFrame frame = {.cell_size = 0.05f, .layers = 8};
    BwBox extent;
    assert_int_equal(bw_picture_extent(&extent, &scene, &frame, NULL), BW_OK);
    assert_true(extent.low.x <= 4.5f && extent.high.x >= 5.5f && extent.low.y <= 0.5f);
    gate("unbounded extent, top over source", (double)extent.high.y, GATE_ABOVE, 3.0);
    gate("unbounded extent, bottom under source", (double)extent.low.y, GATE_ABOVE, 0.4);
    scene.emitter_count = 0;
    assert_int_equal(bw_picture_extent(&extent, &scene, &frame, NULL), BW_OK);
    assert_true(!bw_box_is_empty(extent) && isfinite(bw_length(extent.high)));
}

// A volume of the frame, on two workers.
static void build_glowing(BwVolume *volume, BwPool **pool, const BwFrame *frame, float absorption, int refine,
                          const BwGlowTable *table)
{
    *volume = (BwVolume){.allocator = bw_allocator_or_default((BwAllocator){0}), .table = table};
    BwPoolDef def = {.worker_count = 2};
    assert_int_equal(bw_pool_create(pool, &def, NULL), BW_OK);
    assert_int_equal(bw_volume_build(volume, *pool, frame, absorption, refine, NULL), BW_OK);
}

static void build(BwVolume *volume, BwPool **pool, const BwFrame *frame, float absorption, int refine)
{
    build_glowing(volume, pool, frame, absorption, refine, NULL);
}

static void sweeping_gives_the_depth_that_marching_does(void **state)
{
    (void)state;
    const int32_t count[3] = {8, 16, 8};
    Puff *puff = puff_make(1.0f / 64.0f, at_origin, count, puff_plume, NULL);
    BwVolume volume;
    BwPool *pool;
    build(&volume, &pool, &puff->frame, 20.0f, 1);
    BwSweep sweep = {.allocator = volume.allocator};
    const BwVec3 directions[] = {
        {0.0f, 1.0f, 0.0f}, {-0.6f, 0.7f, 0.3f}, {0.9f, -0.1f, -0.2f}, {0.2f, 0.3f, 1.0f}};
    double worst_mean = 0.0, worst_far = 0.0;
    for (int d = 0; d < 4; d++) {
        BwVec3 direction = bw_normalize(directions[d]);
        assert_int_equal(bw_sweep_run(&sweep, &volume, pool, direction, NULL), BW_OK);
        double sum = 0.0;
        int compared = 0, far = 0;
        for (int64_t n = 0; n < volume.brick_count * BW_SWEEP_POINTS; n += 37) {
            const int32_t *place = volume.bricks[n / BW_SWEEP_POINTS].place;
            int p = (int)(n % BW_SWEEP_POINTS);
            const float at[3] = {(float)(8 * place[0] + (p & 7)), (float)(8 * place[1] + (p >> 3 & 7)),
                                 (float)(8 * place[2] + (p >> 6))};
            float marched = bw_volume_depth(&volume, at, direction, 0.25f);
            double error = fabs((double)(expf(-sweep.depth[n]) - expf(-marched)));
            far += error > 0.1;
            sum += error;
            compared++;
        }
        worst_mean = fmax(worst_mean, sum / compared);
        worst_far = fmax(worst_far, (double)far / compared);
    }
    gate("sweep against march, mean error of transmittance", worst_mean, GATE_BELOW, 0.02);
    gate("sweep against march, share of points off by a tenth", worst_far, GATE_BELOW, 0.06);
    bw_sweep_free(&sweep);
    bw_volume_free(&volume);
    bw_pool_destroy(pool);
    puff_free(puff);
}

// Two tiles of smoke with a great empty space between them: the ray must jump it and find the second one.
static void rays_cross_great_empty_spaces(void **state)
{
    (void)state;
    float density = 1.0f;
    Puff *puff = puff_make(1.0f, at_origin, (int32_t[3]){2, 1, 1}, uniform, &density);
    puff->tiles[1].x = 12345;
    BwVolume volume;
    BwPool *pool;
    build(&volume, &pool, &puff->frame, 0.05f, 1);
    const float at[3] = {-50.0f, 3.0f, 3.0f};
    float depth = bw_volume_depth(&volume, at, bw_vec3(1.0f, 0.0f, 0.0f), 0.5f);
    gate("depth of two far tiles, error", fabs((double)depth / (0.05 * 16.0) - 1.0), GATE_BELOW, 0.02);
    float slope = 1.0f / 12345.0f;
    depth = bw_volume_depth(&volume, at, bw_normalize(bw_vec3(1.0f, slope * 0.02f, -slope * 0.01f)), 0.5f);
    gate("depth of two far tiles, slanted, error", fabs((double)depth / (0.05 * 16.0) - 1.0), GATE_BELOW,
         0.02);
    depth = bw_volume_depth(&volume, at, bw_vec3(0.0f, 1.0f, 0.0f), 0.5f);
    assert_true(depth == 0.0f);
    bw_volume_free(&volume);
    bw_pool_destroy(pool);
    puff_free(puff);
}

// Sum and centre of height of what is in the bricks, in metres.
static void weigh_bricks(const BwVolume *volume, double *total, double *height)
{
    double moment = 0.0;
    *total = 0.0;
    for (int64_t b = 0; b < volume->brick_count; b++)
        for (int p = 0; p < BW_SWEEP_POINTS; p++) {
            int j = p >> 3 & 7;
            double extinction = (double)volume->bricks[b].extinction[((p >> 6) * 9 + j) * 9 + (p & 7)];
            double y = volume->origin[1] + (double)volume->spacing * (8 * volume->bricks[b].place[1] + j);
            *total += extinction;
            moment += extinction * y;
        }
    *height = moment / *total;
}

static double height_of_frame(const BwFrame *frame)
{
    double total = 0.0, moment = 0.0;
    for (int32_t n = 0; n < 512 * frame->tile_count; n++) {
        double density = (double)frame->fields[0].values[n];
        total += density;
        moment += density * (8 * frame->tiles[n / 512].y + (n >> 3 & 7) + 0.5) * (double)frame->cell_size;
    }
    return moment / total;
}

// Refinement changes how finely the smoke is drawn, not how much of it there is, nor where.
static void refining_keeps_the_smoke(void **state)
{
    (void)state;
    const int32_t count[3] = {8, 8, 8}, low[3] = {3, -5, 2};
    Puff *puff = puff_make(1.0f / 32.0f, low, count, round_cloud, NULL);
    double first = 0.0, worst_total = 0.0, worst_height = 0.0;
    for (int refine = 1; refine <= 4; refine *= 2) {
        BwVolume volume;
        BwPool *pool;
        double total, height;
        build(&volume, &pool, &puff->frame, 20.0f, refine); // so that hardly any brick is too thin to keep
        weigh_bricks(&volume, &total, &height);
        total /= refine * refine; // extinction is per spacing, and there are refine^3 times the points
        first = refine == 1 ? total : first;
        worst_total = fmax(worst_total, fabs(total / first - 1.0));
        worst_height = fmax(worst_height, fabs(height - height_of_frame(&puff->frame)));
        bw_volume_free(&volume);
        bw_pool_destroy(pool);
    }
    gate("smoke after refining, error", worst_total, GATE_BELOW, 0.002);
    gate("place of the smoke in the picture, error in cells", 32.0 * worst_height, GATE_BELOW, 0.02);
    puff_free(puff);
}

// Smoke beside a solid block: its density goes on into the block's first cells, so that it touches the
// surface.
static void smoke_reaches_solids(void **state)
{
    (void)state;
    const int32_t count[3] = {2, 2, 2};
    float density = 1.0f;
    Puff *smoke = puff_make(1.0f, at_origin, count, uniform, &density);
    Puff *block = puff_make(1.0f, at_origin, count, nothing, NULL);
    for (int n = 0; n < 8 * 512; n++)
        if (smoke->tiles[n / 512].x == 1) { // the right half is solid and holds no smoke
            block->values[n] = 1.0f;
            smoke->values[n] = 0.0f;
        }
    BwFrameField fields[2] = {smoke->field, block->field};
    fields[1].name = "solid";
    smoke->frame.fields = fields;
    smoke->frame.field_count = 2;
    BwVolume volume;
    BwPool *pool;
    build(&volume, &pool, &smoke->frame, 0.1f, 1);
    int32_t left = bw_volume_brick(&volume, 0, 0, 0), right = bw_volume_brick(&volume, 1, 0, 0);
    assert_true(left >= 0 && right >= 0);
    int point = (3 * 9 + 3) * 9; // of the row in the middle
    assert_true(fabsf(volume.bricks[left].extinction[point + 8] - 0.1f) < 1e-6f);
    assert_true(fabsf(volume.bricks[right].extinction[point] - 0.1f) < 1e-6f);
    assert_true(volume.bricks[right].extinction[point + 1] == 0.0f);
    bw_volume_free(&volume);
    bw_pool_destroy(pool);
    puff_free(smoke);
    puff_free(block);
}

enum { SMOKE, FLAME, HEAT, FRONT, FUEL, FIRE_FIELDS };

// A flame's front across the middle of two cells, fuel to its left, products at 1700 K to its right: light
// that its sheet sends along the axis is that of its area, from less than a cell, wherever between cells it
// is.
static void fronts_are_thin_sheets(void **state)
{
    (void)state;
    const int32_t count[3] = {2, 1, 1};
    static const char *const names[FIRE_FIELDS] = {"density", "flame", "temperature", "front", "fuel"};
    BwGlowTable table = {.core = {0.0f, 0.0f, 1.0f}};
    double worst = 0.0, widest = 0.0;
    for (int part = 0; part < 5; part++) {
        float place = 8.0f + 0.2f * (float)part; // m, cells
        Puff *puffs[FIRE_FIELDS];
        BwFrameField fields[FIRE_FIELDS];
        for (int f = 0; f < FIRE_FIELDS; f++) {
            puffs[f] = puff_make(1.0f, at_origin, count, nothing, NULL);
            fields[f] = puffs[f]->field;
            fields[f].name = names[f];
        }
        for (int n = 0; n < 2 * 512; n++) {
            float phi = (float)(8 * puffs[0]->tiles[n / 512].x + (n & 7)) + 0.5f - place;
            puffs[FRONT]->values[n] =
                fabsf(phi) < 1.5f ? (1.0f + cosf((float)M_PI * phi / 1.5f)) / 3.0f : 0.0f;
            puffs[FUEL]->values[n] = fminf(fmaxf(0.5f - phi / 5.0f, 0.0f), 1.0f);
        }
        puffs[0]->frame.fields = fields;
        puffs[0]->frame.field_count = FIRE_FIELDS;
        BwVolume volume;
        BwPool *pool;
        build_glowing(&volume, &pool, &puffs[0]->frame, 1.0f, 4, &table);
        double sum = 0.0, width = 0.0;
        for (int b = 0; b < 8; b++) { // a row through the middle
            int32_t n = bw_volume_brick(&volume, b, 1, 1);
            for (int i = 0; i < 8 && n >= 0; i++) {
                double light = (double)volume.glows[n].light[2][(4 * 9 + 4) * 9 + i];
                sum += light;
                width += light > 0.0 ? 0.25 : 0.0;
            }
        }
        worst = fmax(worst, fabs(sum - 1.0));
        widest = fmax(widest, width);
        bw_volume_free(&volume);
        bw_pool_destroy(pool);
        for (int f = 0; f < FIRE_FIELDS; f++)
            puff_free(puffs[f]);
    }
    gate("light of a flame's sheet, error", worst, GATE_BELOW, 0.03);
    gate("thickness of a flame's sheet, cells", widest, GATE_BELOW, 1.01);
}

// Soot whose edge, two cells wide, leans by a cell in four, cold beyond it. Gives how far the edge of its
// light strays from the straight line that it is, in cells, by the light along each row of the lattice.
static double edge_of_light_strays(int refine, bool hides_cells, int32_t *tiles_of_smoke)
{
    enum { ROWS = 32 };
    const int32_t count[3] = {3, 3, 2};
    static const char *const names[3] = {"density", "flame", "temperature"};
    Puff *puffs[3];
    BwFrameField fields[3];
    BwGlowTable table;
    bw_glow_table_fill(&table, 1.0f, 6500.0f);
    for (int f = 0; f < 3; f++) {
        puffs[f] = puff_make(1.0f, at_origin, count, nothing, NULL);
        fields[f] = puffs[f]->field;
        fields[f].name = names[f];
        for (int n = 0; n < 18 * 512; n++) {
            BwTileCoord tile = puffs[0]->tiles[n / 512];
            float x = (float)(8 * tile.x + (n & 7)) + 0.5f, y = (float)(8 * tile.y + (n >> 3 & 7)) + 0.5f;
            float share = fminf(fmaxf(0.5f * (9.0f + 0.25f * y - x), 0.0f), 1.0f);
            puffs[f]->values[n] = f == 2 ? 300.0f + 1600.0f * share : tile.z == 0 ? share : 0.0f;
        }
    }
    puffs[0]->frame.fields = fields;
    puffs[0]->frame.field_count = 3;
    *tiles_of_smoke = bw_volume_count_tiles(&puffs[0]->frame);
    BwVolume volume = {
        .allocator = bw_allocator_or_default((BwAllocator){0}), .table = &table, .hides_cells = hides_cells};
    BwPool *pool;
    assert_int_equal(bw_pool_create(&pool, &(BwPoolDef){.worker_count = 2}, NULL), BW_OK);
    assert_int_equal(bw_volume_build(&volume, pool, &puffs[0]->frame, 0.1f, refine, NULL), BW_OK);
    double edge[ROWS], inside = 0.0, worst = 0.0;
    for (int row = 0; row < ROWS; row++) {
        int j = 6 * refine + row, point = (4 * 9 + (j & 7)) * 9; // from six cells up, deep in the smoke
        edge[row] = 0.0;
        for (int b = 0; b < 3 * refine; b++) {
            int32_t n = bw_volume_brick(&volume, b + 1, (j >> 3) + 1, 1);
            for (int i = 0; i < 8 && n >= 0; i++) {
                double light = (double)volume.glows[n].light[0][point + i];
                inside = fmax(inside, light);
                edge[row] += light / refine;
            }
        }
    }
    for (int row = 0; row < 4 * refine; row++) // all places between cells there are
        worst = fmax(worst, fabs(edge[row] - edge[0] - 0.25 / refine * inside * row));
    bw_volume_free(&volume);
    bw_pool_destroy(pool);
    for (int f = 0; f < 3; f++)
        puff_free(puffs[f]);
    return worst / inside;
}

static void large_cells_do_not_show_in_fire(void **state)
{
    (void)state;
    int32_t tiles;
    double shown = edge_of_light_strays(2, false, &tiles), hidden = edge_of_light_strays(2, true, &tiles),
           fine = edge_of_light_strays(4, true, &tiles);
    printf("with two points a cell the edge strays by %.4f cells\n", shown);
    gate("edge of fire off a straight line, cells, two points a cell", hidden, GATE_BELOW, 0.2);
    gate("edge of fire off a straight line, cells, four points a cell", fine, GATE_BELOW, 0.2);
    gate("edge of fire in large cells, straighter than without care", shown / hidden, GATE_ABOVE, 2.0);
    assert_int_equal(tiles, 6);
}

// Fire beside a solid block is as hot and as thick at its surface as a cell before it.
static void fire_reaches_solids(void **state)
{
    (void)state;
    const int32_t count[3] = {2, 2, 2};
    static const char *const names[4] = {"density", "flame", "temperature", "solid"};
    const float values[4] = {0.0f, 1.0f, 1700.0f, 0.0f};
    Puff *puffs[4];
    BwFrameField fields[4];
    for (int f = 0; f < 4; f++) {
        puffs[f] = puff_make(1.0f, at_origin, count, uniform, (void *)(uintptr_t)&values[f]);
        fields[f] = puffs[f]->field;
        fields[f].name = names[f];
        for (int n = 0; n < 8 * 512; n++)
            if (puffs[0]->tiles[n / 512].x == 1)
                puffs[f]->values[n] = f == 3 ? 1.0f : 0.0f;
    }
    puffs[0]->frame.fields = fields;
    puffs[0]->frame.field_count = 4;
    BwGlowTable table;
    bw_glow_table_fill(&table, 1.0f, 6500.0f);
    BwVolume volume;
    BwPool *pool;
    build_glowing(&volume, &pool, &puffs[0]->frame, 0.1f, 1, &table);
    int32_t left = bw_volume_brick(&volume, 0, 0, 0), right = bw_volume_brick(&volume, 1, 0, 0);
    assert_true(left >= 0 && right >= 0);
    int point = (3 * 9 + 3) * 9;
    float inside = volume.glows[left].light[0][point + 4], surface = volume.glows[right].light[0][point];
    gate("fire at a solid's surface, share of that before it", (double)(surface / inside), GATE_ABOVE, 0.99);
    bw_volume_free(&volume);
    bw_pool_destroy(pool);
    for (int f = 0; f < 4; f++)
        puff_free(puffs[f]);
}

static void cells_that_are_not_live_hold_no_smoke(void **state)
{
    (void)state;
    const int32_t count[3] = {1, 1, 1};
    float density = 1.0f;
    Puff *puff = puff_make(1.0f, at_origin, count, uniform, &density);
    memset(puff->live, 0, sizeof puff->live[0]);
    puff->live[0][2] = (uint64_t)1 << (8 * 4 + 5); // cell (5, 4, 2)
    puff->values[(2 * 8 + 4) * 8 + 5] = 3.0f;
    puff->values[0] = NAN;
    BwVolume volume;
    BwPool *pool;
    build(&volume, &pool, &puff->frame, 1.0f, 1);
    int32_t brick = bw_volume_brick(&volume, 0, 0, 0);
    assert_true(brick >= 0);
    for (int n = 0; n < BW_BRICK_POINTS; n++)
        assert_true(volume.bricks[brick].extinction[n] == (n == (2 * 9 + 4) * 9 + 5 ? 3.0f : 0.0f));
    assert_int_equal(bw_volume_brick(&volume, -1, 0, 0), -1); // no smoke at its rim
    bw_volume_free(&volume);
    bw_pool_destroy(pool);
    puff_free(puff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_camera_sees_the_whole_extent),
        cmocka_unit_test(the_camera_needs_no_walls),
        cmocka_unit_test(sweeping_gives_the_depth_that_marching_does),
        cmocka_unit_test(rays_cross_great_empty_spaces),
        cmocka_unit_test(refining_keeps_the_smoke),
        cmocka_unit_test(smoke_reaches_solids),
        cmocka_unit_test(large_cells_do_not_show_in_fire),
        cmocka_unit_test(fire_reaches_solids),
        cmocka_unit_test(fronts_are_thin_sheets),
        cmocka_unit_test(cells_that_are_not_live_hold_no_smoke),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
