// Pictures of water, by its mesh where Embree is there and by its level set: a surface without a grid and
// with flat sides at walls, drops and particles, and the same bits on any number of threads and by every
// instruction set. What light does in it: test_render_optics.
#include "base/cpu.h"
#include "random.h"
#include "render/water.h"
#include "starved_picture.h"
#include "water_picture.h"

static float ball_over_pool(const void *context, float x, float y, float z)
{
    const float *center = context; // the radius, and the level
    return fminf(ball(context, x, y, z), y - center[4]);
}

static float tilted(const void *context, float x, float y, float z)
{
    const float *plane = context; // a unit normal, and its distance
    return plane[0] * x + plane[1] * y + plane[2] * z - plane[3];
}

static void build_water(BwWater *water, const BwFrame *frame)
{
    BwPoolDef def = {.worker_count = 2};
    BwPool *workers;
    *water = (BwWater){.allocator = bw_allocator_or_default((BwAllocator){0})};
    assert_int_equal(bw_pool_create(&workers, &def, NULL), BW_OK);
    assert_int_equal(bw_water_build(water, workers, frame, NULL), BW_OK);
    bw_pool_destroy(workers);
}

// Walls within tiles, behind which no cell is live, cut the water in planes, and the level stays as high up
// to them.
static void water_is_flat_at_walls(void **state)
{
    (void)state;
    const int32_t count[3] = {4, 4, 4};
    float level = 1.13f, cell = 1.0f / 16.0f;
    Liquid *liquid = liquid_make(cell, at_origin, count, pool, &level);
    BwFrame *frame = &liquid->puff->frame;
    frame->walls =
        (BwBox){{3.0f * cell, 2.0f * cell, 5.0f * cell}, {29.0f * cell, 30.0f * cell, 27.0f * cell}};
    for (int32_t t = 0; t < frame->tile_count; t++)
        for (int n = 0; n < 512; n++) {
            int x = 8 * frame->tiles[t].x + (n & 7), z = 8 * frame->tiles[t].z + (n >> 6);
            int y = 8 * frame->tiles[t].y + (n >> 3 & 7);
            if (x < 3 || x >= 29 || y < 2 || y >= 30 || z < 5 || z >= 27)
                liquid->puff->live[t][n >> 6] &= ~(1ull << (n & 63));
        }
    BwWater water;
    build_water(&water, frame);
    double off = 0.0, bend = 0.0, slope = 0.0;
    Random random = random_seeded(7);
    for (int n = 0; n < 2000; n++) {
        float y = 2.1f + 15.8f * (float)random_between(&random, 0.0, 1.0),
              z = 5.0f + 22.0f * (float)random_between(&random, 0.0, 1.0);
        const float from[3] = {-20.0f, y, z},
                    above[3] = {3.0f + 26.0f * (float)random_between(&random, 0.0, 1.0), 40.0f, z};
        BwCrossing crossing;
        bool is_inside = false;
        assert_true(bw_water_cross(&water, from, bw_vec3(1.0f, 0.0f, 0.0f), INFINITY, &is_inside, &crossing));
        off = fmax(off, fabs((double)crossing.t - 23.0));
        bend = fmax(bend, (double)bw_length(bw_sub(crossing.normal, bw_vec3(-1.0f, 0.0f, 0.0f))));
        is_inside = false;
        assert_true(
            bw_water_cross(&water, above, bw_vec3(0.0f, -1.0f, 0.0f), INFINITY, &is_inside, &crossing));
        off = fmax(off, fabs((double)(crossing.t - (40.0f - level / cell))));
        slope = fmax(slope, (double)bw_length(bw_sub(crossing.normal, bw_vec3(0.0f, 1.0f, 0.0f))));
    }
    gate("wall_face_off_cells", off, GATE_BELOW, 1e-3);
    gate("wall_face_bend", bend, GATE_BELOW, 0.0);
    gate("level_bend_at_walls", slope, GATE_BELOW, 1e-4);
    bw_water_free(&water);
    liquid_free(liquid);
}

// A ray through a ball of water over a pool crosses four surfaces, where they are.
static void every_crossing_of_a_ray_is_found(void **state)
{
    (void)state;
    const int32_t count[3] = {6, 6, 6};
    const float shape[5] = {1.5f, 2.0f, 1.4f, 0.5f, 0.8f};
    Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, ball_over_pool, shape);
    BwWater water;
    build_water(&water, &liquid->puff->frame);
    double worst = 0.0;
    const double truth[4] = {50.0 - 40.0, 50.0 - 24.0, 50.0 - 12.8, 50.0};
    const float from[3] = {24.0f, 50.0f, 22.4f};
    float place[3] = {from[0], from[1], from[2]};
    bool is_inside = false;
    for (int n = 0; n < 4; n++) {
        BwCrossing crossing;
        assert_true(
            bw_water_cross(&water, place, bw_vec3(0.0f, -1.0f, 0.0f), INFINITY, &is_inside, &crossing));
        place[1] -= crossing.t;
        worst = fmax(worst, fabs((double)(from[1] - place[1]) - truth[n]));
        place[1] -= 0.01f;
        is_inside = !is_inside;
    }
    gate("crossing_off_cells", worst, GATE_BELOW, 0.1); // smoothing shrinks the ball by 1/12 of a cell
    gate("way_through_water_error",
         fabs((double)bw_water_length(&water, from, bw_vec3(0.0f, -1.0f, 0.0f)) - 28.8), GATE_BELOW, 0.5);
    bw_water_free(&water);
    liquid_free(liquid);
}

static float sheet(const void *context, float x, float y, float z)
{
    (void)x, (void)z;
    return fabsf(y - *(const float *)context) - 0.5f / 16.0f;
}

// A sheet one cell thick is not smoothed away, wherever in its cells it lies.
static void thin_sheets_stay(void **state)
{
    (void)state;
    const int32_t count[3] = {4, 4, 4};
    double thinnest = 10.0, thickest = 0.0;
    for (int n = 0; n < 8; n++) {
        float middle = 1.0f + (float)n / 128.0f;
        Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, sheet, &middle);
        BwWater water;
        build_water(&water, &liquid->puff->frame);
        float place[3] = {16.3f, 25.0f, 15.1f}, top;
        bool is_inside = false;
        BwCrossing crossing;
        assert_true(
            bw_water_cross(&water, place, bw_vec3(0.0f, -1.0f, 0.0f), INFINITY, &is_inside, &crossing));
        top = place[1] - crossing.t;
        place[1] = 8.0f;
        is_inside = false;
        assert_true(
            bw_water_cross(&water, place, bw_vec3(0.0f, 1.0f, 0.0f), INFINITY, &is_inside, &crossing));
        thinnest = fmin(thinnest, (double)(top - (place[1] + crossing.t)));
        thickest = fmax(thickest, (double)(top - (place[1] + crossing.t)));
        bw_water_free(&water);
        liquid_free(liquid);
    }
    gate("thinnest_sheet_cells", thinnest, GATE_ABOVE, 0.3);
    gate("thickest_sheet_cells", thickest, GATE_BELOW, 1.3);
}

// A tilted plane is shaded evenly: no cells, no bricks.
static void a_plane_shows_no_grid(void **state)
{
    (void)state;
    const int32_t count[3] = {8, 4, 8};
    const float slope[2] = {0.03f, -0.07f}, length = sqrtf(1.0f + slope[0] * slope[0] + slope[1] * slope[1]);
    const float plane[4] = {slope[0] / length, 1.0f / length, slope[1] / length, 1.1f};
    Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, tilted, plane);
    BwSceneDef scene = dark_scene(liquid);
    scene.look.ambient_light = 4.0f;
    scene.look.water_absorption = 1000.0f;
    for (int c = 0; c < 3; c++)
        scene.look.water_color[c] = scene.look.background[c] = 0.0f;
    look_from(&scene, bw_vec3(2.0f, 41.0f, 42.0f), bw_vec3(2.0f, 1.15f, 2.0f), 0.006f); // a corner of bricks
    uint8_t *pixels = draw_once(&scene, &liquid->puff->frame, 2);
    int low = 255, high = 0;
    for (int n = 0; n < PIXELS; n++) {
        low = pixels[3 * n + 1] < low ? pixels[3 * n + 1] : low;
        high = pixels[3 * n + 1] > high ? pixels[3 * n + 1] : high;
    }
    assert_true(low > 40);
    gate("plane_spread_bytes", high - low, GATE_BELOW, 2); // one of them is the dither's
    free(pixels);
    liquid_free(liquid);
}

static float ripples(const void *context, float x, float y, float z)
{
    (void)context;
    return y - 0.5f - 0.01f * (sinf(23.0f * x + 9.0f * z) + sinf(17.0f * z - 11.0f * x));
}

// Glints on ripples a pixel or two wide are as bright as they are in a picture sixteen times as large: the
// root of the mean square difference, as a part of the mean light.
static void glints_do_not_sparkle(void **state)
{
    (void)state;
    enum { SHARE = 4, TIMES = 16 };
    const int32_t count[3] = {4, 4, 4};
    static const BwLightDef lamp = {{0.3f, 1.0f, -0.6f}, {1.0f, 1.0f, 1.0f}, 1.0f};
    Liquid *liquid = liquid_make(1.0f / 32.0f, at_origin, count, ripples, NULL);
    BwSceneDef scene = dark_scene(liquid);
    double square = 0.0, light = 0.0, own = 0.0;
    scene.lights = &lamp;
    scene.look.water_color[0] = scene.look.water_color[1] = scene.look.water_color[2] = 0.0f;
    scene.look.water_absorption = 20.0f;
    scene.output.mesh_resolution = 3; // of both pictures
    scene.output.width = WIDTH / SHARE;
    scene.output.height = HEIGHT / SHARE;
    look_from(&scene, bw_vec3(0.5f, 1.4f, 2.4f), bw_vec3(0.5f, 0.5f, 0.5f), 0.7f);
    uint8_t *small = draw_once(&scene, &liquid->puff->frame, 2);
    scene.output.width *= TIMES;
    scene.output.height *= TIMES;
    uint8_t *large = draw_once(&scene, &liquid->puff->frame, 2);
    for (int n = 0; n < PIXELS / (SHARE * SHARE); n++) {
        int x = n % (WIDTH / SHARE) * TIMES, y = n / (WIDTH / SHARE) * TIMES;
        double mean = 0.0;
        for (int m = 0; m < TIMES * TIMES; m++) {
            int at = (y + m / TIMES) * scene.output.width + x + m % TIMES;
            mean += (double)linear_bytes(large[3 * at]) / (TIMES * TIMES);
        }
        double off = (double)linear_bytes(small[3 * n]) - mean;
        own += (off + mean) / (PIXELS / (SHARE * SHARE));
        square += off * off / (PIXELS / (SHARE * SHARE));
        light += mean / (PIXELS / (SHARE * SHARE));
    }
    assert_true(light > 0.005);
    gate("glints_off_of_mean_light", sqrt(square) / light, GATE_BELOW, 0.24); // by eight rays alone .28
    gate("glints_mean_error", fabs(own / light - 1.0), GATE_BELOW, 0.01);
    free(small);
    free(large);
    liquid_free(liquid);
}

static int differing(const uint8_t *a, const uint8_t *b)
{
    int count = 0;
    for (int n = 0; n < 3 * PIXELS; n++)
        count += a[n] != b[n];
    return count;
}

// A particle outside of the surface is a drop; one at it, which sticks out, is part of the water and not
// drawn.
static void only_particles_outside_are_drops(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        const int32_t count[3] = {4, 4, dimension == 3 ? 4 : 0};
        float level = 0.8f;
        Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, pool, &level);
        liquid->puff->frame.walls.high.z = 2.0f;
        BwSceneDef scene = dark_scene(liquid);
        scene.look.ambient_light = 0.5f;
        uint8_t *none = draw_once(&scene, &liquid->puff->frame, 1);
        liquid_add_particles(liquid, 2, 0.02f);
        liquid->positions[0] = liquid->positions[1] = bw_vec3(1.0f, level + 0.1f / 16.0f, 1.0f);
        uint8_t *inside = draw_once(&scene, &liquid->puff->frame, 1);
        liquid->positions[1].y = 1.5f;
        uint8_t *outside = draw_once(&scene, &liquid->puff->frame, 1);
        assert_int_equal(differing(none, inside), 0);
        assert_true(differing(none, outside) > 6 && differing(none, outside) < 3 * 200);
        free(none);
        free(inside);
        free(outside);
        liquid_free(liquid);
    }
}

// Balls from blue to white by speed, and no surface.
static void particles_are_coloured_by_speed(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        const int32_t count[3] = {4, 4, dimension == 3 ? 4 : 0};
        Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, everywhere, NULL);
        liquid->puff->frame.walls.high.z = 2.0f;
        BwSceneDef scene = dark_scene(liquid);
        scene.look.water = BW_WATER_PARTICLES;
        scene.look.ambient_light = 1.0f;
        scene.gravity = bw_curve_vector(0.0f, -9.81f, 0.0f);
        for (int c = 0; c < 3; c++)
            scene.look.background[c] = 0.0f;
        look_from(&scene, bw_vec3(1.0f, 1.0f, 6.0f), bw_vec3(1.0f, 1.0f, 0.0f), 0.4f);
        liquid_add_particles(liquid, 1, 0.5f);
        liquid->positions[0] = bw_vec3(1.0f, 1.0f, dimension == 3 ? 1.0f : 0.0f);
        double blue[2], red[2];
        for (int n = 0; n < 2; n++) {
            liquid->velocities[0].x = n == 0 ? 0.1f : 9.0f; // a fall over the 2 m ends at 6.3 m/s
            uint8_t *pixels = draw_once(&scene, &liquid->puff->frame, 1);
            const uint8_t *middle = pixels + 3 * (HEIGHT / 2 * WIDTH + WIDTH / 2);
            red[n] = (double)linear_bytes(middle[0]);
            blue[n] = (double)linear_bytes(middle[2]);
            assert_true(pixels[2] < 4); // no surface, though all of the box is water
            free(pixels);
        }
        gate("slow_particle_red_of_blue", red[0] / blue[0], GATE_BELOW, 0.2);
        gate("fast_particle_red_of_blue", red[1] / blue[1], GATE_ABOVE, 0.7);
        liquid_free(liquid);
    }
}

static Liquid *splash(BwSceneDef *scene, bool has_particles)
{
    const int32_t count[3] = {8, 4, 4};
    static const BwShape mark = {.kind = BW_SHAPE_SPHERE, .radius = 0.13f};
    static const BwFrameSolid solid = {
        &mark, {{1.45f, 0.13f, 0.7f}, {0.0f, 0.0f, 0.0f, 1.0f}}, {0.75f, 0.32f, 0.2f}, false, 0.0f};
    Liquid *liquid = liquid_make(1.0f / 32.0f, at_origin, count, liquid_splash, NULL);
    liquid_add_spray(liquid, 500, 0.3f / 32.0f);
    *scene = dark_scene(liquid);
    scene->light_count = 0;
    scene->fluid = BW_FLUID_LIQUID;
    scene->look.show_ground = true;
    scene->look.ambient_light = 0.35f;
    scene->look.water_absorption = 0.0f;
    scene->look.water = has_particles ? BW_WATER_PARTICLES : drawn_water;
    liquid->puff->frame.solids = &solid;
    liquid->puff->frame.solid_count = 1;
    return liquid;
}

static void pictures_do_not_depend_on_threads_or_the_processor(void **state)
{
    (void)state;
    static const char *const names[] = {"baseline", "v3", "v4", "scalar"};
    for (int look = 0; look < 2; look++) {
        BwSceneDef scene;
        Liquid *liquid = splash(&scene, look == 1);
        uint8_t *one = draw_once(&scene, &liquid->puff->frame, 1),
                *three = draw_once(&scene, &liquid->puff->frame, 3);
        gate("water_bytes_differing_by_threads", differing(one, three), GATE_BELOW, 0);
        free(three);
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            BwCpu cpu;
            setenv("BILLOW_CPU", names[n], 1);
            if (bw_cpu_choose(&cpu, NULL) == BW_OK) {
                uint8_t *other = draw_once(&scene, &liquid->puff->frame, 2);
                gate("water_bytes_differing_by_processor", differing(one, other), GATE_BELOW, 0);
                free(other);
            }
            unsetenv("BILLOW_CPU");
        }
        free(one);
        liquid_free(liquid);
    }
}

// Four kilometres from the origin the picture is the same, but for single pixels.
static void water_is_drawn_anywhere(void **state)
{
    (void)state;
    const int32_t count[3] = {8, 4, 4}, far[3] = {16384, 0, -16384};
    uint8_t *pixels[2];
    for (int n = 0; n < 2; n++) {
        Liquid *liquid = liquid_make(1.0f / 32.0f, n == 0 ? at_origin : far, count, liquid_splash, NULL);
        BwSceneDef scene = dark_scene(liquid);
        scene.light_count = 0;
        scene.look.show_ground = true;
        scene.look.ambient_light = 0.35f;
        pixels[n] = draw_once(&scene, &liquid->puff->frame, 2);
        liquid_free(liquid);
    }
    int worse = 0;
    for (int n = 0; n < 3 * PIXELS; n++)
        worse += abs(pixels[0][n] - pixels[1][n]) > 3;
    gate("water_far_away_share_of_bytes", (double)worse / (3 * PIXELS), GATE_BELOW, 0.01);
    free(pixels[0]);
    free(pixels[1]);
}

// Each allocation fails once: the renderer says so and gives all back.
static void short_memory_is_told(void **state)
{
    (void)state;
    BwSceneDef scene;
    Liquid *liquid = splash(&scene, false);
    BwRendererDef def = bw_renderer_def_default();
    def.scene = &scene;
    def.width_px = def.height_px = 16;
    draw_short_of_memory(def, &liquid->puff->frame);
    liquid_free(liquid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_is_flat_at_walls),
        cmocka_unit_test(every_crossing_of_a_ray_is_found),
        cmocka_unit_test(thin_sheets_stay),
        cmocka_unit_test(a_plane_shows_no_grid),
        cmocka_unit_test(glints_do_not_sparkle),
        cmocka_unit_test(only_particles_outside_are_drops),
        cmocka_unit_test(particles_are_coloured_by_speed),
        cmocka_unit_test(pictures_do_not_depend_on_threads_or_the_processor),
        cmocka_unit_test(water_is_drawn_anywhere),
        cmocka_unit_test(short_memory_is_told),
    };
    int failed = cmocka_run_group_tests_name("mesh", tests, NULL, NULL);
    drawn_water = BW_WATER_LEVELSET;
    only_threads_when_watched();
    return failed + cmocka_run_group_tests_name("level_set", tests, NULL, NULL);
}
