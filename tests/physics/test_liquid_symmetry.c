// No preferred direction and no preferred place: a drop that falls on a plate does not drift sideways, a
// mirrored and a quarter-turned scene give the mirrored and turned liquid, and a splash a kilometre away is
// the splash at the origin.
#include "liquid_run.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef FULL_SIZE
enum { CELLS = 40, DIMENSION = 3, FRAMES = 24 };
#else
enum { CELLS = 24, DIMENSION = 3, FRAMES = 10 };
#endif

// Below that height of its centre the water is a film thinner than two cells, in which no cell of liquid has
// others all around: it tears, and lets rounding grow until no symmetry is left.
#define FILM_CENTER_CELLS 1.0

static void gate_drift(int dimension, BwLiquidMethod method)
{
    char name[96];
    const float h = 1.0f / CELLS;
    BwSceneDef scene = liquid_scene(dimension, h, method);
    BwFillDef fill = fill_of(ball(0.0f, 12.0f * h, 0.0f, 6.0f * h));
    BwObstacleDef plate = solid_of(bw_box(bw_vec3(-8.0f, -0.3f, -8.0f), bw_vec3(8.0f, 0.0f, 8.0f)));
    fill.velocity = bw_vec3(0.0f, -2.0f, 0.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.obstacles = &plate;
    scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, 1);
    double worst = 0.0, lowest = 1e9, last = 0.0;
    for (int n = 0; n < FRAMES; n++) {
        step_frames(world, 1);
        WaterSums sums = water_sums(frame_of(world));
        last = hypot(sums.center[0], sums.center[2]) * CELLS;
        lowest = fmin(lowest, sums.center[1] * CELLS);
        if (lowest > FILM_CENTER_CELLS)
            worst = fmax(worst, last);
    }
    print_message("%d-D, %s: %g cells aside at the end\n", dimension, method_name(method), last);
    snprintf(name, sizeof name, "liquid_drop_drift_cells_%dd_%s", dimension, method_name(method));
    gate(name, worst, GATE_BELOW, 0.02);
    snprintf(name, sizeof name, "liquid_drop_height_cells_%dd_%s", dimension, method_name(method));
    gate(name, lowest, GATE_BELOW, 6.0); // it has hit the plate
    bw_world_destroy(world);
}

static void a_drop_does_not_drift_sideways(void **state)
{
    (void)state;
    gate_drift(2, BW_LIQUID_APIC);
    gate_drift(2, BW_LIQUID_FLIP);
    gate_drift(3, BW_LIQUID_APIC);
}

// How a scene is laid out in space: mirrored in x, or turned by a quarter about z.
typedef struct Layout {
    bool is_mirrored, is_turned;
} Layout;

static BwVec3 laid_out(const Layout *layout, float x, float y, float z)
{
    x = layout->is_mirrored ? -x : x;
    return layout->is_turned ? bw_vec3(-y, x, z) : bw_vec3(x, y, z);
}

static void laid_back(const Layout *layout, double place[3])
{
    double x = layout->is_turned ? place[1] : place[0], y = layout->is_turned ? -place[0] : place[1];
    place[0] = layout->is_mirrored ? -x : x;
    place[1] = y;
}

static BwShape laid_out_box(const Layout *layout, const float box[6])
{
    BwVec3 a = laid_out(layout, box[0], box[1], box[2]), b = laid_out(layout, box[3], box[4], box[5]);
    return bw_box(bw_vec3(fminf(a.x, b.x), fminf(a.y, b.y), a.z),
                  bw_vec3(fmaxf(a.x, b.x), fmaxf(a.y, b.y), b.z));
}

// A block of water that falls askew onto a plate, without walls.
static BwWorld *make_splash(const Layout *layout, int dimension, BwLiquidMethod method, float correction)
{
    const float h = 1.0f / 32.0f, deep = dimension == 3 ? 4.0f * h : 1.0f;
    const float water[6] = {-5.0f * h, 1.0f * h, -deep, 4.0f * h, 9.0f * h, deep};
    const float floor_box[6] = {-2.0f, -8.0f * h, -2.0f, 2.0f, 0.0f, 2.0f};
    BwSceneDef scene = liquid_scene(dimension, h, method);
    BwFillDef fill = fill_of(laid_out_box(layout, water));
    BwObstacleDef plate = solid_of(laid_out_box(layout, floor_box));
    BwVec3 gravity = laid_out(layout, 0.0f, -9.81f, 0.0f);
    fill.velocity = laid_out(layout, 0.5f, -0.25f, 0.0f);
    scene.gravity = bw_curve_vector(gravity.x, gravity.y, gravity.z);
    scene.steps = 1;
    scene.fps = 200.0;
    scene.solver.tolerance = 1e-7f;
    scene.liquid.volume_correction = correction;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.obstacles = &plate;
    scene.obstacle_count = 1;
    return make_world(&scene, 1);
}

typedef struct Placed {
    double place[3]; // cells
} Placed;

// The places of the particles with the first `count` identities in the untouched layout, each at its
// identity's place in the list; NaN of those that are merged with others. Identities follow the order of
// cells, so the mirrored ones are found by where they start.
static Placed *list_places(BwWorld *world, const Layout *layout, int64_t count)
{
    const BwFrame *frame = frame_of(world);
    const BwFrameParticles *water = water_of(frame);
    Placed *list = malloc((size_t)count * sizeof *list);
    for (int64_t n = 0; n < count; n++)
        list[n] = (Placed){{(double)NAN, (double)NAN, (double)NAN}};
    for (int64_t n = 0; n < water->count; n++) {
        double place[3];
        bw_frame_particle_place(frame, water, n, place);
        laid_back(layout, place);
        for (int a = 0; a < 3 && water_ids(water)[n] < count; a++)
            list[water_ids(water)[n]].place[a] = place[a] / (double)frame->cell_size;
    }
    return list;
}

// For each particle of the first list the one of the other that is at the same place.
static int64_t *pair_up(const Placed *first, const Placed *other, int64_t count)
{
    int64_t *pairs = malloc((size_t)count * sizeof *pairs);
    for (int64_t n = 0; n < count; n++) {
        double best = 1e9;
        for (int64_t m = 0; m < count; m++) {
            double away = 0.0;
            for (int a = 0; a < 3; a++)
                away += fabs(first[n].place[a] - other[m].place[a]);
            pairs[n] = away < best ? m : pairs[n];
            best = fmin(best, away);
        }
        assert_true(best < 1e-3);
    }
    return pairs;
}

// The largest distance between particles of two layouts after 20 steps, cells.
static double layouts_differ(const Layout *layout, int dimension, BwLiquidMethod method, float correction)
{
    static const Layout plain = {0};
    BwWorld *worlds[2] = {make_splash(&plain, dimension, method, correction),
                          make_splash(layout, dimension, method, correction)};
    int64_t count = water_of(frame_of(worlds[0]))->count, compared = 0;
    Placed *first = list_places(worlds[0], &plain, count), *other = list_places(worlds[1], layout, count);
    double worst = 0.0;
    assert_int_equal(count, water_of(frame_of(worlds[1]))->count);
    int64_t *pairs = pair_up(first, other, count);
    free(first);
    free(other);
    step_frames(worlds[0], 20);
    step_frames(worlds[1], 20);
    first = list_places(worlds[0], &plain, count);
    other = list_places(worlds[1], layout, count);
    for (int64_t n = 0; n < count; n++) {
        double away = 0.0;
        for (int a = 0; a < 3; a++)
            away = worse(away, fabs(first[n].place[a] - other[pairs[n]].place[a]));
        if (!isnan(away))
            worst = fmax(worst, away);
        compared += !isnan(away);
    }
    assert_true(compared > count * 99 / 100);
    free(pairs);
    free(first);
    free(other);
    bw_world_destroy(worlds[0]);
    bw_world_destroy(worlds[1]);
    return worst;
}

static void mirrored_and_turned_scenes_agree(void **state)
{
    (void)state;
    static const Layout layouts[] = {{.is_mirrored = true}, {.is_turned = true}};
    for (int dimension = 2; dimension <= DIMENSION; dimension++)
        for (int method = BW_LIQUID_APIC; method <= BW_LIQUID_FLIP; method++)
            for (int n = 0; n < 2; n++) {
                char name[96];
                snprintf(name, sizeof name, "liquid_%s_cells_%dd_%s", n == 0 ? "mirrored" : "turned",
                         dimension, method_name((BwLiquidMethod)method));
                gate(name, layouts_differ(&layouts[n], dimension, (BwLiquidMethod)method, 0.5f), GATE_BELOW,
                     1e-4);
                strcat(name, "_uncorrected");
                gate(name, layouts_differ(&layouts[n], dimension, (BwLiquidMethod)method, 0.0f), GATE_BELOW,
                     1e-4);
            }
}

// Two drops that meet while they fall; the cell is a power of two, so that places far away are exact.
static BwWorld *make_meeting(float away, int dimension)
{
    const float h = 1.0f / 32.0f;
    BwSceneDef scene = liquid_scene(dimension, h, BW_LIQUID_APIC);
    BwFillDef fills[2] = {
        fill_of(ball(away, away, dimension == 3 ? away : 0.0f, 6.0f * h)),
        fill_of(ball(away + 14.0f * h, away + 4.0f * h, dimension == 3 ? away : 0.0f, 5.0f * h))};
    fills[0].velocity = bw_vec3(4.0f, 0.5f, 0.0f);
    scene.fills = fills;
    scene.fill_count = 2;
    return make_world(&scene, 1);
}

// Where a particle of a frame is, in cells from a tile's corner `away` tiles from the origin.
static void offset_of(const BwFrame *frame, int64_t n, int32_t away, double place[3])
{
    const BwFrameParticles *water = water_of(frame);
    BwTileCoord coord = water->tiles[water->tile[n]];
    const int32_t tile[3] = {coord.x - away, coord.y - away, frame->dimension == 3 ? coord.z - away : 0};
    const float within[3] = {water->positions[n].x, water->positions[n].y, water->positions[n].z};
    for (int a = 0; a < 3; a++)
        place[a] = BW_TILE * tile[a] + (double)within[a] / (double)frame->cell_size;
}

static void gate_far(int dimension)
{
    enum { TILES_AWAY = 4096 }; // of a quarter of a metre
    BwWorld *near = make_meeting(0.0f, dimension), *far = make_meeting(1024.0f, dimension);
    double worst = 0.0;
    for (int n = 0; n < FRAMES; n++) {
        step_frames(near, 1);
        step_frames(far, 1);
    }
    const BwFrame *frames[2] = {frame_of(near), frame_of(far)};
    int64_t count = water_of(frames[0])->count;
    assert_int_equal(count, water_of(frames[1])->count);
    for (int64_t n = 0; n < count; n++) {
        double near_place[3], far_place[3];
        assert_int_equal(water_ids(water_of(frames[0]))[n], water_ids(water_of(frames[1]))[n]);
        offset_of(frames[0], n, 0, near_place);
        offset_of(frames[1], n, TILES_AWAY, far_place);
        for (int a = 0; a < 3; a++)
            worst = fmax(worst, fabs(far_place[a] - near_place[a]));
    }
    gate(dimension == 3 ? "liquid_far_away_cells_3d" : "liquid_far_away_cells_2d", worst, GATE_BELOW, 1e-5);
    bw_world_destroy(near);
    bw_world_destroy(far);
}

static void a_kilometre_away_it_is_the_same(void **state)
{
    (void)state;
    gate_far(2);
    if (IS_FULL)
        gate_far(3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_drop_does_not_drift_sideways),
                                       cmocka_unit_test(mirrored_and_turned_scenes_agree),
                                       cmocka_unit_test(a_kilometre_away_it_is_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
