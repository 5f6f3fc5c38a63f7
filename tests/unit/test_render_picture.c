// Pictures: light through smoke as the equations say, nothing brighter than its light, the same picture on
// any number of threads and anywhere in space.
#include "picture.h"
#include "render/light.h"

// Black smoke in front of a bright background, seen through straight on: what is left is exp(-sigma L).
static void a_slab_lets_through_what_beer_and_lambert_say(void **state)
{
    (void)state;
    const int32_t count[3] = {8, 8, 4}; // 64 x 64 x 32 cells, 2 m deep
    float density = 1.0f;
    Puff *puff = puff_make(1.0f / 16.0f, at_origin, count, uniform, &density);
    BwSceneDef scene = plain_scene(puff, at_origin, count);
    for (int c = 0; c < 3; c++) {
        scene.look.smoke_color[c] = 0.0f;
        scene.look.background[c] = 0.9f;
    }
    scene.camera.position = bw_curve_vector(2.0f, 2.0f, 60.0f);
    scene.camera.target = bw_curve_vector(2.0f, 2.0f, 0.0f);
    scene.camera.field_of_view = 0.03f;
    double worst = 0.0;
    for (float absorption = 0.1f; absorption < 1.3f; absorption += 0.2f) {
        scene.look.absorption = absorption;
        uint8_t *pixels = draw_once(&scene, &puff->frame, 2);
        double sum = 0.0;
        for (int n = 0; n < 160 * 120; n++)
            sum += (double)linear_bytes(pixels[3 * n]);
        double through = sum / (160 * 120) / (double)bw_tone_inverse(bw_srgb_decode(0.9f));
        worst = fmax(worst, fabs(through / exp(-2.0 * (double)absorption) - 1.0));
        free(pixels);
    }
    gate("slab transmittance error", worst, GATE_BELOW, 0.01);
    puff_free(puff);
}

static float brightest(const uint8_t *pixels)
{
    int most = 0;
    for (int n = 0; n < 3 * 160 * 120; n++)
        most = pixels[n] > most ? pixels[n] : most;
    return linear_bytes((uint8_t)most);
}

// Smoke that absorbs nothing sends back no more than a white card would, from thin to dense, and when dense
// not much less: smoke is bright.
static void smoke_is_no_brighter_than_its_light(void **state)
{
    (void)state;
    const int32_t count[3] = {8, 16, 8};
    Puff *puff = puff_make(1.0f / 64.0f, at_origin, count, puff_plume, NULL);
    BwSceneDef scene = plain_scene(puff, at_origin, count);
    BwLightDef light = {{0.0f, 0.0f, 1.0f}, {1.0f, 1.0f, 1.0f}, 0.8f};
    scene.lights = &light;
    scene.light_count = 1;
    scene.look.ambient_light = 0.0f;
    for (int c = 0; c < 3; c++) {
        scene.look.smoke_color[c] = 1.0f;
        scene.look.background[c] = 0.0f;
    }
    float most = 0.0f;
    for (float absorption = 3.0f; absorption < 3000.0f; absorption *= 4.0f) {
        scene.look.absorption = absorption;
        uint8_t *pixels = draw_once(&scene, &puff->frame, 2);
        most = fmaxf(most, brightest(pixels));
        free(pixels);
    }
    gate("smoke over white card, light behind camera", (double)(most / light.intensity), GATE_BELOW, 1.0);
    gate("dense smoke over white card", (double)(most / light.intensity), GATE_ABOVE, 0.25);
    light.intensity = 0.0f;
    scene.look.ambient_light = 0.6f;
    uint8_t *pixels = draw_once(&scene, &puff->frame, 2);
    gate("smoke over uniform sky", (double)(brightest(pixels) / (1.08f * 0.6f)), GATE_BELOW, 1.0);
    free(pixels);
    puff_free(puff);
}

// A smooth cloud gives a smooth picture: the second difference of neighbouring pixels, blurred over three to
// take out the dither, shows neither cells nor bricks, also where cells are refined.
static void smooth_smoke_shows_no_grid(void **state)
{
    (void)state;
    for (int32_t tiles = 2; tiles <= 16; tiles *= 2) {
        const int32_t count[3] = {tiles, tiles, tiles};
        Puff *puff = puff_make(0.25f / (float)tiles, at_origin, count, round_cloud, NULL);
        BwSceneDef scene = plain_scene(puff, at_origin, count);
        scene.look.absorption = 8.0f;
        uint8_t *pixels = draw_once(&scene, &puff->frame, 2);
        double most = 0.0;
        for (int y = 1; y < 119; y++)
            for (int x = 6; x < 154; x++) {
                int blurred[3] = {0, 0, 0};
                for (int n = 0; n < 27; n++)
                    blurred[n / 9] +=
                        pixels[3 * ((y + n / 3 % 3 - 1) * 160 + x + 3 * (n / 9 - 1) + n % 3 - 1)];
                most = fmax(most, fabs(blurred[0] - 2.0 * blurred[1] + blurred[2]) / 9.0);
            }
        char name[64];
        snprintf(name, sizeof name, "bend of a smooth picture, %d^3 cells", 8 * tiles);
        gate(name, most, GATE_BELOW, 12.0); // 10.6 is the cloud's own
        free(pixels);
        puff_free(puff);
    }
}

// Smoke that hugs the ball below, a cell and a half thick.
static float skin_of_a_ball(const void *context, float x, float y, float z)
{
    const float *cell = context;
    float distance = bw_length(bw_vec3(x - 1.0f, y - 1.0f, z - 1.0f)) - 0.6f;
    return distance < 1.5f * *cell ? 1.0f : 0.0f;
}

// Where rays end at a solid, the random part of a step that they begin with must not show.
static void smoke_on_a_solid_has_no_grain(void **state)
{
    (void)state;
    const int32_t count[3] = {8, 8, 8};
    float cell = 1.0f / 32.0f;
    Puff *puff = puff_make(cell, at_origin, count, skin_of_a_ball, &cell);
    BwSceneDef scene = plain_scene(puff, at_origin, count);
    scene.look.absorption = 20.0f;
    scene.camera.position = bw_curve_vector(1.0f, 1.0f, 6.0f);
    scene.camera.target = bw_curve_vector(1.0f, 1.0f, 1.0f);
    scene.camera.field_of_view = 0.3f;
    BwShape shape = {.kind = BW_SHAPE_SPHERE, .radius = 0.6f};
    BwFrameSolid solid = {&shape, {{1.0f, 1.0f, 1.0f}, bw_quat_identity()}, {0.9f, 0.1f, 0.1f}, false, 0.0f};
    puff->frame.solids = &solid;
    puff->frame.solid_count = 1;
    uint8_t *pixels = draw_once(&scene, &puff->frame, 2);
    double sum = 0.0;
    int samples = 0;
    for (int y = 40; y < 80; y++) // well inside of the ball
        for (int x = 60; x < 100; x++, samples++) {
            const uint8_t *at = &pixels[3 * (y * 160 + x)];
            sum += fabs(at[0] - 0.25 * (at[-3] + at[3] + at[-480] + at[480]));
        }
    gate("grain of smoke on a solid, in bytes", sum / samples, GATE_BELOW, 1.5);
    free(pixels);
    puff_free(puff);
}

static float smoke_far_behind(const void *context, float x, float y, float z)
{
    (void)context, (void)x, (void)y;
    return z < 0.5f ? 1.0f : 0.0f;
}

// Where the dark left of a row of the picture ends, in pixels from the middle, by what the display sends out.
static double end_of_dark(const uint8_t *pixels, int y)
{
    double light[16], bright, dark = 0.0;
    for (int n = 0; n < 16; n++)
        light[n] = (double)bw_srgb_decode((float)pixels[3 * (160 * y + 72 + n)] / 255.0f);
    bright = 0.5 * (light[14] + light[15]);
    for (int n = 0; n < 16; n++)
        dark += 1.0 - fmin(light[n] / bright, 1.0);
    return dark - 8.0;
}

// How far the ends of the dark lie from a straight line, root mean square.
static double unevenness(const uint8_t *pixels)
{
    double n = 0.0, y1 = 0.0, y2 = 0.0, x1 = 0.0, xy = 0.0, sum = 0.0;
    for (int y = 40; y < 80; y++) {
        double end = end_of_dark(pixels, y), at = (double)y - 60.0;
        n += 1.0, y1 += at, y2 += at * at, x1 += end, xy += at * end;
    }
    double slope = (n * xy - y1 * x1) / (n * y2 - y1 * y1), middle = (x1 - slope * y1) / n;
    for (int y = 40; y < 80; y++) {
        double off = end_of_dark(pixels, y) - middle - slope * ((double)y - 60.0);
        sum += off * off;
    }
    return sqrt(sum / n);
}

// A black board leans before smoke that is as bright as fire: ten times what a display shows as white. Whole
// pixels would be .29 off a straight edge, and so would the light of four samples, mixed before the display
// cuts it off.
static void edges_before_bright_smoke_are_smooth(void **state)
{
    (void)state;
    const int32_t count[3] = {8, 8, 8};
    Puff *puff = puff_make(1.0f / 32.0f, at_origin, count, smoke_far_behind, NULL);
    BwSceneDef scene = plain_scene(puff, at_origin, count);
    BwLightDef light = {{1.0f, 0.0f, 1.0f}, {1.0f, 1.0f, 1.0f}, 100.0f};
    scene.lights = &light;
    scene.light_count = 1;
    scene.look.absorption = 20.0f;
    scene.camera.position = bw_curve_vector(1.0f, 1.0f, 6.0f);
    scene.camera.target = bw_curve_vector(1.0f, 1.0f, 1.0f);
    scene.camera.field_of_view = 0.3f;
    BwShape shape = {.kind = BW_SHAPE_BOX, .a = bw_vec3(-2.0f, -2.0f, 0.0f), .b = bw_vec3(0.0f, 2.0f, 0.1f)};
    BwQuat lean = bw_quat_turn(bw_vec3(0.0f, 0.0f, 1.0f), 0.1f);
    BwFrameSolid solid = {&shape, {{1.0f, 1.0f, 1.5f}, lean}, {0.0f, 0.0f, 0.0f}, false, 0.0f};
    puff->frame.solids = &solid;
    puff->frame.solid_count = 1;
    uint8_t *pixels = draw_once(&scene, &puff->frame, 2);
    gate("unevenness of an edge before bright smoke, pixels", unevenness(pixels), GATE_BELOW, 0.15);
    free(pixels);
    puff_free(puff);
}

// Smoke's shadow and a ball's both darken the ground behind them, away from the light.
static void shadows_fall_on_the_ground(void **state)
{
    (void)state;
    const int32_t count[3] = {8, 8, 8};
    Puff *puff = puff_make(1.0f / 32.0f, at_origin, count, round_cloud, NULL);
    BwSceneDef scene = plain_scene(puff, at_origin, count);
    BwLightDef light = {{-1.0f, 1.0f, 0.0f}, {1.0f, 1.0f, 1.0f}, 1.0f};
    scene.lights = &light;
    scene.light_count = 1;
    scene.look.show_ground = true;
    scene.look.absorption = 10.0f;
    scene.camera.position = bw_curve_vector(2.0f, 20.0f, 1.0f); // straight down
    scene.camera.target = bw_curve_vector(2.0f, 0.0f, 1.0f);
    scene.camera.field_of_view = 0.2f;
    uint8_t *smoke = draw_once(&scene, &puff->frame, 2);
    BwShape shape = {.kind = BW_SHAPE_SPHERE, .radius = 0.4f};
    BwFrameSolid solid = {&shape, {{1.0f, 1.0f, 1.0f}, bw_quat_identity()}, {1.0f, 1.0f, 1.0f}, false, 0.0f};
    puff->frame.solids = &solid;
    puff->frame.solid_count = 1;
    puff->frame.field_count = 0;
    uint8_t *ball_only = draw_once(&scene, &puff->frame, 2);
    // The image is 2 * 20 * tan 0.1 = 4.01 m high: the shadow's centre, at x = 2, is in its middle.
    const int middle = 3 * (60 * 160 + 80), beside = 3 * (8 * 160 + 80);
    gate("ground in the smoke's shadow over beside it", (double)smoke[middle] / smoke[beside], GATE_BELOW,
         0.8);
    gate("ground in the ball's shadow over beside it", (double)ball_only[middle] / ball_only[beside],
         GATE_BELOW, 0.7);
    free(smoke);
    free(ball_only);
    puff_free(puff);
}

static void an_empty_frame_is_the_background(void **state)
{
    (void)state;
    const int32_t count[3] = {4, 4, 4}, none[3] = {0, 0, 1};
    Puff *still = puff_make(0.1f, at_origin, count, nothing, NULL);
    Puff *empty = puff_make(0.1f, at_origin, none, nothing, NULL);
    BwSceneDef scene = plain_scene(still, at_origin, count);
    const Puff *puffs[2] = {still, empty};
    for (int p = 0; p < 2; p++) {
        uint8_t *pixels = draw_once(&scene, &puffs[p]->frame, 2);
        for (int n = 0; n < 3 * 160 * 120; n++)
            assert_int_equal(pixels[n], 51); // 0.2 of 255
        free(pixels);
    }
    scene.look.show_ground = true;
    uint8_t *a = draw_once(&scene, &still->frame, 2), *b = draw_once(&scene, &empty->frame, 2);
    assert_memory_equal(a, b, 3 * 160 * 120);
    BwFrame bare = still->frame; // no fields at all
    bare.field_count = 0;
    uint8_t *c = draw_once(&scene, &bare, 2);
    assert_memory_equal(a, c, 3 * 160 * 120);
    free(a);
    free(b);
    free(c);
    puff_free(still);
    puff_free(empty);
}

static const BwShape ball = {.kind = BW_SHAPE_SPHERE, .radius = 0.12f};

// The plume with a ball beside it, at a tile; the scene's walls go with it.
static Puff *plume_at(const int32_t low[3], BwFrameSolid *solid, BwSceneDef *scene)
{
    const int32_t count[3] = {4, 8, 4};
    Puff *puff = puff_make(1.0f / 32.0f, low, count, puff_plume, NULL);
    *scene = plain_scene(puff, low, count);
    scene->look.show_ground = true;
    BwVec3 place = bw_add(scene->walls.min, bw_vec3(0.75f, 0.12f, 0.75f));
    *solid = (BwFrameSolid){&ball, {place, bw_quat_identity()}, {0.8f, 0.4f, 0.2f}, false, 0.0f};
    puff->frame.solids = solid;
    puff->frame.solid_count = 1;
    return puff;
}

static void pictures_do_not_depend_on_workers(void **state)
{
    (void)state;
    BwFrameSolid solid;
    BwSceneDef scene;
    Puff *puff = plume_at(at_origin, &solid, &scene);
    uint8_t *first = draw_once(&scene, &puff->frame, 1);
    const int workers[] = {2, 3, 8};
    for (int n = 0; n < 3; n++) {
        uint8_t *pixels = draw_once(&scene, &puff->frame, workers[n]);
        assert_memory_equal(pixels, first, 3 * 160 * 120);
        free(pixels);
    }
    free(first);
    puff_free(puff);
}

// What was drawn before leaves no trace.
static void pictures_do_not_depend_on_earlier_ones(void **state)
{
    (void)state;
    BwFrameSolid solid;
    BwSceneDef scene;
    Puff *puff = plume_at(at_origin, &solid, &scene);
    const int32_t other_low[3] = {1, 2, 0}, other_count[3] = {1, 3, 2};
    float density = 2.0f;
    Puff *other = puff_make(1.0f / 32.0f, other_low, other_count, uniform, &density);
    uint8_t *first = draw_once(&scene, &puff->frame, 2);
    BwRenderer *renderer = make_renderer(&scene, 2);
    assert_non_null(bw_renderer_draw(renderer, &puff->frame, NULL));
    assert_non_null(bw_renderer_draw(renderer, &other->frame, NULL));
    const BwImage *image = bw_renderer_draw(renderer, &puff->frame, NULL);
    assert_memory_equal(image->pixels, first, byte_count(image));
    bw_renderer_destroy(renderer);
    free(first);
    puff_free(puff);
    puff_free(other);
}

static void far_from_the_origin_is_the_same_picture(void **state)
{
    (void)state;
    BwFrameSolid solid;
    BwSceneDef scene;
    Puff *puff = plume_at(at_origin, &solid, &scene);
    uint8_t *near = draw_once(&scene, &puff->frame, 2);
    puff_free(puff);
    const int32_t away[3] = {12500, -12500, 12500}; // 1e5 cells
    puff = plume_at(away, &solid, &scene);
    uint8_t *far = draw_once(&scene, &puff->frame, 2);
    int most = 0;
    double sum = 0.0;
    for (int n = 0; n < 3 * 160 * 120; n++) {
        int difference = abs(near[n] - far[n]);
        most = difference > most ? difference : most;
        sum += difference;
    }
    gate("far picture, mean difference in bytes", sum / (3 * 160 * 120), GATE_BELOW, 0.05);
    gate("far picture, largest difference in bytes", most, GATE_BELOW, 12); // a pixel at a solid's rim
    free(near);
    free(far);
    puff_free(puff);
}

static void flat_frames_fill_the_image(void **state)
{
    (void)state;
    const int32_t count[3] = {4, 3, 0}; // as wide to high as the image
    float density = 1.0f;
    Puff *puff = puff_make(1.0f / 32.0f, at_origin, count, uniform, &density);
    BwSceneDef scene = plain_scene(puff, at_origin, count);
    scene.dimension = 2;
    uint8_t *pixels = draw_once(&scene, &puff->frame, 2);
    const int corners[4] = {4 * 160 + 4, 4 * 160 + 155, 115 * 160 + 4, 115 * 160 + 155};
    for (int n = 0; n < 4; n++)
        assert_true(pixels[3 * corners[n]] > 120); // smoke, not the background of 51
    free(pixels);
    BwShape disc = {.kind = BW_SHAPE_SPHERE, .radius = 0.2f};
    BwFrameSolid solid = {&disc, {{0.5f, 0.375f, 0.0f}, bw_quat_identity()}, {1.0f, 0.0f, 0.0f}, false, 0.0f};
    puff->frame.solids = &solid;
    puff->frame.solid_count = 1;
    pixels = draw_once(&scene, &puff->frame, 2);
    const uint8_t *middle = pixels + 3 * (60 * 160 + 80);
    assert_true(middle[0] > 150 && middle[1] < 40 && middle[2] < 40);
    free(pixels);
    puff_free(puff);
}

static void flat_frames_without_density_show_speed(void **state)
{
    (void)state;
    const int32_t count[3] = {4, 3, 0};
    float speed = 2.0f;
    Puff *puff = puff_make(1.0f / 32.0f, at_origin, count, uniform, &speed);
    BwSceneDef scene = plain_scene(puff, at_origin, count);
    scene.dimension = 2;
    BwFrameField fields[2] = {puff->field, puff->field};
    fields[0].name = "u";
    fields[1].name = "v";
    puff->frame.fields = fields;
    puff->frame.field_count = 2;
    uint8_t *pixels = draw_once(&scene, &puff->frame, 2);
    assert_true(pixels[3 * (60 * 160 + 80) + 2] > 100);
    puff->frame.field_count = 0;
    uint8_t *empty = draw_once(&scene, &puff->frame, 2);
    for (int n = 0; n < 3 * 160 * 120; n++)
        assert_int_equal(empty[n], 51);
    free(pixels);
    free(empty);
    puff_free(puff);
}

static void bad_defs_are_refused(void **state)
{
    (void)state;
    const int32_t count[3] = {1, 1, 1};
    Puff *puff = puff_make(0.1f, at_origin, count, nothing, NULL);
    BwSceneDef scene = plain_scene(puff, at_origin, count);
    BwRenderer *renderer;
    BwError err;
    BwRendererDef zero = {0}, def = bw_renderer_def_default();
    assert_int_equal(bw_renderer_create(&renderer, &zero, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "bw_renderer_def_default"));
    assert_int_equal(bw_renderer_create(&renderer, &def, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "no scene"));
    def.scene = &scene;
    def.width_px = -5;
    assert_int_equal(bw_renderer_create(&renderer, &def, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "-5 x 120"));
    assert_null(renderer);
    bw_renderer_destroy(NULL);
    BwLightDef lights[BW_LAMPS_MAX + 1] = {{{0.0f, 1.0f, 0.0f}, {1.0f, 1.0f, 1.0f}, 1.0f}};
    scene.lights = lights;
    scene.light_count = BW_LAMPS_MAX + 1;
    renderer = make_renderer(&scene, 1);
    assert_null(bw_renderer_draw(renderer, &puff->frame, &err));
    assert_non_null(strstr(err.message, "17 lights"));
    scene.light_count = 2; // the second was left at zero
    assert_null(bw_renderer_draw(renderer, &puff->frame, &err));
    assert_non_null(strstr(err.message, "light 2 has no direction"));
    bw_renderer_destroy(renderer);
    puff_free(puff);
}

// An allocator that fails at the n-th call and counts what is not given back.
typedef struct Stingy {
    int calls_left;
    int64_t held;
} Stingy;

static void *stingy_resize(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    Stingy *stingy = user;
    if (new_size == 0) {
        stingy->held -= (int64_t)old_size;
        free(block);
        return NULL;
    }
    if (stingy->calls_left-- <= 0)
        return NULL;
    void *fresh = NULL;
    if (posix_memalign(&fresh, align < sizeof(void *) ? sizeof(void *) : align, new_size) != 0)
        return NULL;
    if (block != NULL)
        memcpy(fresh, block, old_size < new_size ? old_size : new_size);
    free(block);
    stingy->held += (int64_t)new_size - (int64_t)old_size;
    return fresh;
}

static void short_memory_is_told_and_nothing_leaks(void **state)
{
    (void)state;
    BwFrameSolid solid;
    BwSceneDef scene;
    Puff *puff = plume_at(at_origin, &solid, &scene);
    BwResult result = BW_ERR_MEMORY;
    int allowed = 0;
    for (; result == BW_ERR_MEMORY; allowed++) {
        Stingy stingy = {allowed, 0};
        BwRendererDef def = bw_renderer_def_default();
        def.scene = &scene;
        def.width_px = def.height_px = 16;
        def.worker_count = 1;
        def.allocator = (BwAllocator){stingy_resize, &stingy};
        BwRenderer *renderer;
        BwError err = {BW_OK, ""};
        result = bw_renderer_create(&renderer, &def, &err);
        if (result == BW_OK && bw_renderer_draw(renderer, &puff->frame, &err) == NULL)
            result = err.code;
        bw_renderer_destroy(renderer);
        assert_int_equal(stingy.held, 0);
    }
    assert_int_equal(result, BW_OK);
    gate("allocations of a picture", allowed, GATE_ABOVE, 8);
    puff_free(puff);
}

// A ball of smoke and the colour of it, given by place.
typedef struct ColoredPuff {
    Puff *puff;
    BwFrameField fields[5]; // density, colour, and in 3-D what is solid
    float *values[4];
} ColoredPuff;

static float ball_density(const void *context, float x, float y, float z)
{
    float middle = *(const float *)context;
    float away = sqrtf((x - 2.0f) * (x - 2.0f) + (y - 2.0f) * (y - 2.0f) + (z - middle) * (z - middle));
    return away < 1.2f ? 1.0f : 0.0f;
}

// Left of the middle one colour, right of it another; none where there is no smoke. The lower half is solid,
// which holds no smoke.
static ColoredPuff colored_ball(const int32_t count[3], const float left[3], const float right[3],
                                bool has_solid)
{
    static const char *const names[] = {"color_r", "color_g", "color_b"};
    float middle = count[2] > 0 ? 2.0f : 0.5f / 16.0f;
    ColoredPuff sphere = {.puff = puff_make(1.0f / 16.0f, at_origin, count, ball_density, &middle)};
    BwFrame *frame = &sphere.puff->frame;
    size_t cells = 64 * (size_t)frame->layers, all = cells * (size_t)frame->tile_count;
    for (int c = 0; c < 4; c++)
        sphere.values[c] = calloc(all, sizeof(float));
    for (size_t n = 0; n < all; n++) {
        BwTileCoord tile = frame->tiles[n / cells];
        bool is_solid = has_solid && 8 * tile.y + (int)(n >> 3 & 7) < 32;
        sphere.puff->values[n] = is_solid ? 0.0f : sphere.puff->values[n];
        sphere.values[3][n] = is_solid ? 1.0f : 0.0f;
        for (int c = 0; c < 3; c++)
            sphere.values[c][n] =
                sphere.puff->values[n] > 0.0f ? (8 * tile.x + (int)(n & 7) < 32 ? left[c] : right[c]) : 0.0f;
    }
    sphere.fields[0] = sphere.puff->field;
    for (int c = 0; c < 3; c++)
        sphere.fields[1 + c] = (BwFrameField){names[c], "1", BW_AT_CELL, 0.0f, sphere.values[c], false};
    sphere.fields[4] = (BwFrameField){"solid", "1", BW_AT_CELL, 0.0f, sphere.values[3], false};
    frame->field_count = has_solid ? 5 : 4;
    return sphere;
}

static void free_ball(ColoredPuff *sphere)
{
    for (int c = 0; c < 4; c++)
        free(sphere->values[c]);
    puff_free(sphere->puff);
}

// The light of half of the picture, by colours, less that of the picture of nothing.
static void light_of_half(const uint8_t *pixels, const uint8_t *empty, int half, double light[3])
{
    light[0] = light[1] = light[2] = 0.0;
    for (int y = 0; y < 120; y++)
        for (int x = 80 * half; x < 80 * (half + 1); x++)
            for (int c = 0; c < 3; c++)
                light[c] += (double)linear_bytes(pixels[3 * (160 * y + x) + c]) -
                            (double)linear_bytes(empty[3 * (160 * y + x) + c]);
}

static void check_colored_picture(const int32_t count[3], bool has_solid)
{
    const float red[3] = {1.0f, 0.0f, 0.0f}, blue[3] = {0.0f, 0.0f, 1.0f};
    ColoredPuff sphere = colored_ball(count, red, blue, has_solid);
    const int32_t tiles[3] = {count[0], count[1], count[2] > 0 ? count[2] : 1};
    BwSceneDef scene = plain_scene(sphere.puff, at_origin, tiles);
    for (int c = 0; c < 3; c++)
        scene.look.background[c] = 0.0f;
    scene.camera.position = bw_curve_vector(2.0f, 2.0f, 60.0f); // straight on
    scene.camera.target = bw_curve_vector(2.0f, 2.0f, 0.0f);
    scene.camera.field_of_view = 0.06f;
    BwFrame nothing_there = sphere.puff->frame;
    nothing_there.field_count = 0;
    uint8_t *empty = draw_once(&scene, &nothing_there, 2);
    sphere.puff->frame.fields = sphere.fields;
    uint8_t *pixels = draw_once(&scene, &sphere.puff->frame, 2),
            *alone = draw_once(&scene, &sphere.puff->frame, 1);
    double left[3], right[3];
    light_of_half(pixels, empty, 0, left);
    light_of_half(pixels, empty, 1, right);
    gate("red_half_is_red", fmax(left[1], left[2]) / left[0], GATE_BELOW, 0.05);
    gate("blue_half_is_blue", fmax(right[0], right[1]) / right[2], GATE_BELOW, 0.05);
    assert_memory_equal(pixels, alone, 3 * 160 * 120);
    free(empty);
    free(pixels);
    free(alone);
    free_ball(&sphere);
}

static void colored_smoke_has_its_color(void **state)
{
    (void)state;
    check_colored_picture((const int32_t[3]){8, 8, 8}, false);
    check_colored_picture((const int32_t[3]){8, 8, 8}, true);
    check_colored_picture((const int32_t[3]){8, 8, 0}, false);
}

// Smoke that says it is white is drawn as smoke that says nothing, where it meets solids too.
static void white_smoke_is_smoke_without_color(void **state)
{
    (void)state;
    const int32_t count[3] = {8, 8, 8};
    const float white[3] = {1.0f, 1.0f, 1.0f};
    ColoredPuff sphere = colored_ball(count, white, white, true);
    BwSceneDef scene = plain_scene(sphere.puff, at_origin, count);
    BwFrameField plain[2] = {sphere.fields[0], sphere.fields[4]};
    sphere.puff->frame.fields = sphere.fields;
    uint8_t *colored = draw_once(&scene, &sphere.puff->frame, 2);
    sphere.puff->frame.fields = plain;
    sphere.puff->frame.field_count = 2;
    uint8_t *uncolored = draw_once(&scene, &sphere.puff->frame, 2);
    int most = 0;
    for (int n = 0; n < 3 * 160 * 120; n++)
        most = abs(colored[n] - uncolored[n]) > most ? abs(colored[n] - uncolored[n]) : most;
    gate("white_smoke_differs", most, GATE_BELOW, 1);
    free(colored);
    free(uncolored);
    free_ball(&sphere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colored_smoke_has_its_color),
        cmocka_unit_test(white_smoke_is_smoke_without_color),
        cmocka_unit_test(a_slab_lets_through_what_beer_and_lambert_say),
        cmocka_unit_test(smoke_is_no_brighter_than_its_light),
        cmocka_unit_test(smooth_smoke_shows_no_grid),
        cmocka_unit_test(smoke_on_a_solid_has_no_grain),
        cmocka_unit_test(edges_before_bright_smoke_are_smooth),
        cmocka_unit_test(shadows_fall_on_the_ground),
        cmocka_unit_test(an_empty_frame_is_the_background),
        cmocka_unit_test(pictures_do_not_depend_on_workers),
        cmocka_unit_test(pictures_do_not_depend_on_earlier_ones),
        cmocka_unit_test(far_from_the_origin_is_the_same_picture),
        cmocka_unit_test(flat_frames_fill_the_image),
        cmocka_unit_test(flat_frames_without_density_show_speed),
        cmocka_unit_test(bad_defs_are_refused),
        cmocka_unit_test(short_memory_is_told_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
