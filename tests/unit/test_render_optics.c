// Light in water and glass, in pictures by the water's mesh where Embree is there and by its level set:
// reflected, refracted and swallowed as the laws of optics say.
#include "render/camera.h"
#include "render/glass.h"
#include "render/optics.h"
#include "render/water_light.h"
#include "water_picture.h"

static const double water_index = (double)BW_WATER_INDEX;

// Fresnel's equations, in double.
static double reflectance(double index_in, double index_out, double cosine)
{
    double sine = index_in / index_out * sqrt(1.0 - cosine * cosine);
    if (sine >= 1.0)
        return 1.0;
    double out = sqrt(1.0 - sine * sine);
    double s = (index_in * cosine - index_out * out) / (index_in * cosine + index_out * out);
    double p = (index_in * out - index_out * cosine) / (index_in * out + index_out * cosine);
    return 0.5 * (s * s + p * p);
}

static void surfaces_reflect_what_fresnel_says(void **state)
{
    (void)state;
    double worst = 0.0, off = 0.0;
    float out;
    for (int inside = 0; inside < 2; inside++)
        for (int n = 0; n <= 100; n++) {
            float cosine = 0.01f * (float)n, ratio = inside ? BW_WATER_INDEX : 1.0f / BW_WATER_INDEX;
            double truth =
                reflectance(inside ? water_index : 1.0, inside ? 1.0 : water_index, (double)cosine);
            float share = bw_fresnel(ratio, cosine, &out);
            worst = fmax(worst, fabs((double)share - truth));
            if (share >= 1.0f)
                continue;
            BwVec3 ray = {sqrtf(1.0f - cosine * cosine), -cosine, 0.0f}, up = {0.0f, 1.0f, 0.0f};
            BwVec3 bent = bw_refract(ray, up, ratio, cosine, out), back = bw_reflect(ray, up, cosine);
            off = fmax(off, fabs((double)(bent.x - ratio * ray.x))); // Snell: n sin is the same
            off = fmax(off, fabs((double)(back.y - cosine)) + fabs((double)(back.x - ray.x)));
        }
    gate("fresnel_error", worst, GATE_BELOW, 1e-5);
    gate("snell_error", off, GATE_BELOW, 1e-5);
    double straight = (water_index - 1.0) / (water_index + 1.0);
    gate("fresnel_straight_error",
         fabs((double)bw_fresnel(1.0f / BW_WATER_INDEX, 1.0f, &out) - straight * straight), GATE_BELOW, 1e-6);
    assert_true(bw_fresnel(BW_WATER_INDEX, 0.6f, &out) == 1.0f); // 53 degrees, above the critical 48.6
}

// The light of a slab in a room that is as bright on both sides, over that of the room: what comes through
// and what is reflected by its two faces, to and fro, add up to a geometric series. `through` is what one
// crossing leaves.
static double light_of_slab(double index, double through)
{
    double r = reflectance(1.0, index, 1.0), round = r * r * through * through;
    double seen = (1.0 - r) * (1.0 - r) * through / (1.0 - round);
    double mirrored = r + (1.0 - r) * (1.0 - r) * r * through * through / (1.0 - round);
    return seen + mirrored;
}

// A block of water between two walls, straight before a bright backdrop.
static void a_slab_swallows_what_beer_and_lambert_say(void **state)
{
    (void)state;
    const int32_t count[3] = {4, 4, 2};
    Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, everywhere, NULL); // 1 m deep
    BwSceneDef scene = dark_scene(liquid);
    double worst = 0.0, back = (double)bw_tone_inverse(bw_srgb_decode(0.8f));
    look_from(&scene, bw_vec3(1.0f, 0.9f, 60.0f), bw_vec3(1.0f, 0.9f, 0.0f), 0.01f);
    for (int c = 0; c < 3; c++)
        scene.look.background[c] = 0.8f;
    for (int n = 0; n < 3; n++) {
        scene.look.water_absorption = 0.5f + 0.7f * (float)n;
        uint8_t *pixels = draw_once(&scene, &liquid->puff->frame, 2);
        for (int c = 0; c < 3; c++) {
            double a = (double)(scene.look.water_absorption * (1.0f - scene.look.water_color[c]));
            double truth = back * light_of_slab(water_index, exp(-a));
            worst = fmax(worst, fabs(mean_light(pixels, c) / truth - 1.0));
        }
        free(pixels);
    }
    gate("water_slab_error", worst, GATE_BELOW, 0.02); // what is reflected twice is guessed
    liquid_free(liquid);
}

// The same of water whose colour changes along the way, evenly from one to another: what gets through is that
// of their mean.
static void a_slab_has_the_colors_that_it_carries(void **state)
{
    (void)state;
    static const float near[3] = {0.9f, 0.2f, 0.5f}, far[3] = {0.3f, 0.8f, 0.7f};
    static const char *const names[3] = {"color_r", "color_g", "color_b"};
    const int32_t count[3] = {4, 4, 2};
    Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, everywhere, NULL); // 1 m deep
    BwFrame *frame = &liquid->puff->frame;
    size_t cells = (size_t)frame->tile_count * 512;
    float *values = calloc(3 * cells, sizeof *values);
    BwFrameField fields[6] = {liquid->fields[0], liquid->fields[1], liquid->fields[2]};
    BwSceneDef scene = dark_scene(liquid);
    double worst = 0.0, back = (double)bw_tone_inverse(bw_srgb_decode(0.8f));
    for (int c = 0; c < 3; c++) {
        scene.look.background[c] = 0.8f;
        fields[3 + c] = (BwFrameField){names[c], "1", BW_AT_CELL, 0.0f, values + (size_t)c * cells, false};
        for (size_t n = 0; n < cells; n++) {
            float z = ((float)(8 * frame->tiles[n / 512].z + (int)(n % 512) / 64) + 0.5f) / 16.0f;
            values[(size_t)c * cells + n] = far[c] + z * (near[c] - far[c]);
        }
    }
    frame->fields = fields;
    frame->field_count = 6;
    look_from(&scene, bw_vec3(1.0f, 0.9f, 60.0f), bw_vec3(1.0f, 0.9f, 0.0f), 0.01f);
    scene.look.water_absorption = 1.5f;
    uint8_t *pixels = draw_once(&scene, frame, 2);
    for (int c = 0; c < 3; c++) {
        double a = 1.5 * (1.0 - 0.5 * (double)(near[c] + far[c]));
        worst = fmax(worst, fabs(mean_light(pixels, c) / (back * light_of_slab(water_index, exp(-a))) - 1.0));
    }
    gate("water_tinted_slab_error", worst, GATE_BELOW, 0.02);
    free(pixels);
    free(values);
    liquid_free(liquid);
}

// What is opaque and hot has the light of a black body, less what its surface keeps in; what is cold has
// none.
static void hot_liquid_glows(void **state)
{
    (void)state;
    const int32_t count[3] = {4, 4, 2};
    const float temperatures[3] = {1300.0f, 1100.0f, 590.0f};
    Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, everywhere, NULL);
    BwFrame *frame = &liquid->puff->frame;
    size_t cells = (size_t)frame->tile_count * 512;
    float *values = calloc(cells, sizeof *values);
    BwFrameField fields[4] = {liquid->fields[0],
                              liquid->fields[1],
                              liquid->fields[2],
                              {"temperature", "K", BW_AT_CELL, 0.0f, values, false}};
    BwSceneDef scene = dark_scene(liquid);
    BwGlowTable table;
    frame->fields = fields;
    frame->field_count = 4;
    look_from(&scene, bw_vec3(1.0f, 0.9f, 60.0f), bw_vec3(1.0f, 0.9f, 0.0f), 0.01f);
    scene.look.water_absorption = 200.0f;
    scene.look.fire_brightness = 30.0f;
    scene.look.white_temperature = 2500.0f;
    for (int c = 0; c < 3; c++)
        scene.look.water_color[c] = scene.look.background[c] = 0.0f;
    bw_glow_table_fill(&table, scene.look.fire_brightness, scene.look.white_temperature);
    double out = 1.0 - pow((water_index - 1.0) / (water_index + 1.0), 2.0), worst = 0.0;
    for (int t = 0; t < 3; t++) {
        float light[3];
        for (size_t n = 0; n < cells; n++)
            values[n] = temperatures[t];
        bw_glow_at(&table, temperatures[t], light);
        uint8_t *pixels = draw_once(&scene, frame, 2);
        if (t == 2)
            gate("cold_liquid_glows", mean_light(pixels, 0), GATE_BELOW, 1e-3);
        for (int c = 0; c < 2 && t < 2; c++)
            worst = fmax(worst, fabs(mean_light(pixels, c) / (out * (double)light[c]) - 1.0));
        free(pixels);
    }
    gate("glowing_liquid_error", worst, GATE_BELOW, 0.02);
    free(values);
    liquid_free(liquid);
}

// Black water under a white sky, from straight above to nearly along it.
static void a_pool_mirrors_the_sky(void **state)
{
    (void)state;
    const int32_t count[3] = {4, 4, 4};
    float level = 1.2f;
    Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, pool, &level);
    BwSceneDef scene = dark_scene(liquid);
    scene.look.ambient_light = 0.35f;
    scene.look.water_absorption = 1000.0f;
    double ratio[3];
    const double cosines[3] = {1.0, 0.5, 0.2};
    for (int c = 0; c < 3; c++)
        scene.look.water_color[c] = scene.look.background[c] = 0.0f;
    for (int n = 0; n < 3; n++) {
        float up = (float)cosines[n], along = sqrtf(1.0f - up * up);
        look_from(&scene, bw_vec3(1.0f + 50.0f * along, level + 50.0f * up, 1.0f), bw_vec3(1.0f, level, 1.0f),
                  0.004f);
        uint8_t *pixels = draw_once(&scene, &liquid->puff->frame, 2);
        double height = fmin(cosines[n] / 0.4, 1.0); // over which the sky rises from the horizon
        double sky = height * height * (3.0 - 2.0 * height);
        ratio[n] = mean_light(pixels, 1) / (sky * reflectance(1.0, water_index, cosines[n]));
        free(pixels);
    }
    gate("mirrored_sky_error_at_60_degrees", fabs(ratio[1] / ratio[0] - 1.0), GATE_BELOW, 0.02);
    gate("mirrored_sky_error_at_78_degrees", fabs(ratio[2] / ratio[0] - 1.0), GATE_BELOW, 0.02);
    liquid_free(liquid);
}

// Draws a liquid in a room that is equally bright all around. No light is lost or made where it is split, so
// that nothing clear is seen there.
static void draw_in_a_uniform_room(const char *name, Liquid *liquid)
{
    BwSceneDef scene = dark_scene(liquid);
    const float sky[3] = {0.86f, 0.94f, 1.08f};
    scene.look.ambient_light = 0.35f;
    for (int c = 0; c < 3; c++) {
        scene.look.water_color[c] = 1.0f;
        scene.look.background[c] = bw_srgb_encode(bw_tone_curve(1.6f * 0.35f * sky[c]));
    }
    scene.fluid = BW_FLUID_LIQUID;
    uint8_t *pixels = draw_once(&scene, &liquid->puff->frame, 2);
    int worst = 0;
    for (int n = 0; n < 3 * PIXELS; n++)
        worst = abs(pixels[n] - pixels[n % 3]) > worst ? abs(pixels[n] - pixels[n % 3]) : worst;
    gate(name, worst, GATE_BELOW, 1);
    free(pixels);
}

// In a room that is equally bright all around, clear water of any shape cannot be seen: no light is lost or
// made where it is split, in whatever number of crossings, nor where it is reflected totally.
static void clear_water_is_not_seen_in_a_uniform_room(void **state)
{
    (void)state;
    const int32_t count[3] = {16, 8, 8};
    Liquid *liquid = liquid_make(1.0f / 64.0f, at_origin, count, liquid_splash, NULL);
    draw_in_a_uniform_room("furnace_error_bytes", liquid);
    liquid_free(liquid);
}

// The bottom of a pool under a slanting lamp, seen from straight above: light that comes in, gets down, is
// sent back by the ground, and gets up and out.
static void the_ground_is_lit_through_water(void **state)
{
    (void)state;
    const int32_t count[3] = {8, 3, 8};
    float level = 1.0f;
    Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, pool, &level);
    BwSceneDef scene = dark_scene(liquid);
    static const BwLightDef lamp = {{0.5f, 0.8660254f, 0.0f}, {1.0f, 1.0f, 1.0f}, 2.0f};
    scene.lights = &lamp;
    scene.look.show_ground = true;
    for (int c = 0; c < 3; c++) {
        scene.look.water_color[c] = scene.look.background[c] = 0.0f;
        scene.look.ground[c] = 0.8f;
    }
    look_from(&scene, bw_vec3(2.0f, 40.0f, 2.0f), bw_vec3(2.0f, 0.0f, 2.0f), 0.01f);
    double worst = 0.0, in = (double)lamp.direction.y, out = sqrt(1.0 - 0.25 / (water_index * water_index));
    for (int n = 0; n < 3; n++) {
        scene.look.water_absorption = 0.05f + 0.4f * (float)n;
        uint8_t *pixels = draw_once(&scene, &liquid->puff->frame, 2);
        double truth = (double)bw_srgb_decode(0.8f) * 2.0 * in * (1.0 - reflectance(1.0, water_index, in)) *
                       (1.0 - reflectance(1.0, water_index, 1.0)) *
                       exp(-(double)scene.look.water_absorption * (1.0 + 1.0 / out));
        worst = fmax(worst, fabs(mean_light(pixels, 0) / truth - 1.0));
        free(pixels);
    }
    gate("ground_under_water_error", worst, GATE_BELOW, 0.02);
    liquid_free(liquid);
}

// A lens of water over the ground throws a shadow with a bright spot in it, and sends on nearly all of its
// light.
static void a_drop_gathers_light(void **state)
{
    (void)state;
    const int32_t count[3] = {8, 4, 8};
    const float shape[4] = {2.0f, 0.7f, 2.0f, 0.5f};
    Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, ball, shape);
    BwSceneDef scene = dark_scene(liquid);
    static const BwLightDef lamp = {{0.0f, 1.0f, 0.0f}, {1.0f, 1.0f, 1.0f}, 0.5f};
    scene.lights = &lamp;
    scene.look.show_ground = true;
    scene.look.water_absorption = 1e-3f;
    for (int c = 0; c < 3; c++)
        scene.look.ground[c] = 0.6f;
    // From below the drop, past it: the ground between the drop and the camera is in the lower half.
    look_from(&scene, bw_vec3(2.0f, 0.15f, 3.6f), bw_vec3(2.0f, 0.0f, 2.0f), 0.5f);
    uint8_t *pixels = draw_once(&scene, &liquid->puff->frame, 2);
    double brightest = 0.0, darkest = 1e9, dry = (double)linear_bytes(pixels[3 * (PIXELS - WIDTH / 2)]);
    for (int y = HEIGHT / 4; y < HEIGHT; y++) {
        double light = (double)linear_bytes(pixels[3 * (y * WIDTH + WIDTH / 2)]);
        brightest = fmax(brightest, light / dry);
        darkest = fmin(darkest, light / dry);
    }
    gate("light_below_a_drop", brightest, GATE_ABOVE, 1.8);
    gate("shadow_of_a_drop", darkest, GATE_BELOW, 0.6);
    free(pixels);
    liquid_free(liquid);
}

// Where on a flat surface a ray from the eye enters that meets a place below it, along the plane of both: the
// root of Snell's law, by bisection.
static double entry_of(double height, double depth, double across)
{
    double low = 0.0, high = across;
    for (int n = 0; n < 60; n++) {
        double x = 0.5 * (low + high);
        double sine = x / hypot(x, height), below = (across - x) / hypot(across - x, depth);
        *(sine > water_index * below ? &high : &low) = x;
    }
    return low;
}

static void project(const BwSceneDef *scene, const double place[3], double *x_px, double *y_px)
{
    BwCamera camera;
    float x, y;
    const BwBox box = {{0.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}};
    bw_camera_at(&camera, scene, box, 0.0, (float)WIDTH / HEIGHT, NULL);
    bw_camera_project(&camera, place, &x, &y);
    *x_px = 0.5 * WIDTH * (1.0 + (double)x);
    *y_px = 0.5 * HEIGHT * (1.0 - (double)y);
}

// A small red ball on the bottom of a pool is seen where Snell's law puts it, well above where it is.
static void things_in_water_are_where_snell_puts_them(void **state)
{
    (void)state;
    const int32_t count[3] = {8, 4, 8};
    float level = 1.0f;
    Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, pool, &level);
    BwSceneDef scene = dark_scene(liquid);
    static const BwLightDef lamp = {{0.0f, 1.0f, 0.0f}, {1.0f, 1.0f, 1.0f}, 2.0f};
    const BwShape mark = {.kind = BW_SHAPE_SPHERE, .radius = 0.05f};
    const BwFrameSolid solid = {
        &mark, {{2.3f, 0.3f, 1.4f}, bw_quat_identity()}, {1.0f, 0.0f, 0.0f}, false, 0.0f};
    const double height = 3.0, depth = 0.7, eye[3] = {5.0, 4.0, 3.0}, at[3] = {2.3, 0.3, 1.4};
    scene.lights = &lamp;
    scene.look.water_absorption = 1e-3f;
    for (int c = 0; c < 3; c++)
        scene.look.background[c] = 0.0f;
    liquid->puff->frame.solids = &solid;
    liquid->puff->frame.solid_count = 1;
    look_from(&scene, bw_vec3(5.0f, 4.0f, 3.0f), bw_vec3(2.3f, 0.5f, 1.4f), 0.2f);
    uint8_t *pixels = draw_once(&scene, &liquid->puff->frame, 2);
    double x = 0.0, y = 0.0, sum = 0.0, x_truth, y_truth, x_straight, y_straight;
    for (int n = 0; n < PIXELS; n++) {
        double red = (double)(linear_bytes(pixels[3 * n]) > 0.01f);
        x += red * (n % WIDTH + 0.5);
        y += red * (n / WIDTH + 0.5);
        sum += red;
    }
    double across = hypot(at[0] - eye[0], at[2] - eye[2]), share = entry_of(height, depth, across) / across;
    const double entry[3] = {eye[0] + share * (at[0] - eye[0]), 1.0, eye[2] + share * (at[2] - eye[2])};
    project(&scene, entry, &x_truth, &y_truth);
    project(&scene, at, &x_straight, &y_straight);
    assert_true(sum > 20.0);
    assert_true(hypot(x_truth - x_straight, y_truth - y_straight) > 6.0); // water does shift it
    gate("refracted_mark_off_px", hypot(x / sum - x_truth, y / sum - y_truth), GATE_BELOW, 1.0);
    free(pixels);
    liquid_free(liquid);
}

static float nowhere(const void *context, float x, float y, float z)
{
    (void)context, (void)x, (void)y, (void)z;
    return 1.0f;
}

// A block of glass before a bright backdrop: as of water, a geometric series; its colour is what is left over
// a tenth of the size of the scene.
static void a_slab_of_glass_lets_through_what_fresnel_says(void **state)
{
    (void)state;
    const int32_t count[3] = {4, 4, 2};
    Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, nowhere, NULL);
    BwSceneDef scene = dark_scene(liquid); // 2 x 2 x 1 m, 3 m across
    const BwShape slab = bw_box(bw_vec3(0.0f, 0.0f, 0.2f), bw_vec3(2.0f, 2.0f, 0.7f));
    const BwFrameSolid solid = {&slab, bw_pose_identity(), {0.9f, 0.7f, 0.97f}, true, 0.0f};
    double worst = 0.0, back = (double)bw_tone_inverse(bw_srgb_decode(0.8f)), index = (double)BW_GLASS_INDEX;
    look_from(&scene, bw_vec3(1.0f, 0.9f, 60.0f), bw_vec3(1.0f, 0.9f, 0.0f), 0.01f);
    for (int c = 0; c < 3; c++)
        scene.look.background[c] = 0.8f;
    liquid->puff->frame.solids = &solid;
    liquid->puff->frame.solid_count = 1;
    uint8_t *pixels = draw_once(&scene, &liquid->puff->frame, 2);
    for (int c = 0; c < 3; c++) {
        double through = pow((double)bw_srgb_decode(solid.color[c]), 0.5 / (0.1 * 3.0));
        worst = fmax(worst, fabs(mean_light(pixels, c) / (back * light_of_slab(index, through)) - 1.0));
    }
    gate("glass_slab_error", worst, GATE_BELOW, 0.02);
    free(pixels);
    liquid_free(liquid);
}

// A bowl of clear glass with clear water in it and a ball of glass half in the water, in a room that is
// equally bright all around: at no surface between the three is light lost or made.
static void clear_glass_is_not_seen_in_a_uniform_room(void **state)
{
    (void)state;
    const int32_t count[3] = {8, 4, 8};
    float level = 0.5f;
    Liquid *liquid = liquid_make(1.0f / 32.0f, at_origin, count, pool, &level);
    const BwShape parts[2] = {bw_cylinder(bw_vec3(1.0f, 0.1f, 1.0f), bw_vec3(1.0f, 0.9f, 1.0f), 0.7f),
                              bw_cylinder(bw_vec3(1.0f, 0.2f, 1.0f), bw_vec3(1.0f, 1.0f, 1.0f), 0.6f)};
    const BwShape shapes[2] = {{.kind = BW_SHAPE_DIFFERENCE, .parts = parts, .part_count = 2},
                               bw_sphere(bw_vec3(1.1f, 0.55f, 1.0f), 0.2f)};
    const BwFrameSolid solids[2] = {{&shapes[0], bw_pose_identity(), {1.0f, 1.0f, 1.0f}, true, 0.0f},
                                    {&shapes[1], bw_pose_identity(), {1.0f, 1.0f, 1.0f}, true, 0.0f}};
    liquid->puff->frame.solids = solids;
    liquid->puff->frame.solid_count = 2;
    draw_in_a_uniform_room("glass_furnace_error_bytes", liquid);
    liquid_free(liquid);
}

// A red ball behind a thick pane, seen aslant: a pane moves what is behind it aside, as far as Snell's law
// says.
static void a_pane_shifts_what_is_behind(void **state)
{
    (void)state;
    const int32_t count[3] = {8, 4, 8};
    Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, nowhere, NULL);
    BwSceneDef scene = dark_scene(liquid);
    static const BwLightDef lamp = {{0.65f, 0.0f, 0.75f}, {1.0f, 1.0f, 1.0f}, 2.0f};
    const BwShape shapes[2] = {{.kind = BW_SHAPE_SPHERE, .radius = 0.05f},
                               bw_box(bw_vec3(0.0f, 0.0f, 1.0f), bw_vec3(4.0f, 2.0f, 1.8f))};
    const BwFrameSolid solids[2] = {
        {&shapes[0], {{1.0f, 1.0f, 0.6f}, bw_quat_identity()}, {1.0f, 0.0f, 0.0f}, false, 0.0f},
        {&shapes[1], bw_pose_identity(), {1.0f, 1.0f, 1.0f}, true, 0.0f}};
    const double thick = 0.8, far = 3.4, across = 3.0;
    scene.lights = &lamp;
    for (int c = 0; c < 3; c++)
        scene.look.background[c] = 0.0f;
    liquid->puff->frame.solids = solids;
    liquid->puff->frame.solid_count = 2;
    look_from(&scene, bw_vec3(4.0f, 1.0f, 4.0f), bw_vec3(1.2f, 1.0f, 0.6f), 0.3f);
    uint8_t *pixels = draw_once(&scene, &liquid->puff->frame, 2);
    double x = 0.0, y = 0.0, sum = 0.0, x_truth, y_truth, x_straight, y_straight, low = across / far,
           high = 3.0;
    for (int n = 0; n < PIXELS; n++) {
        double red = (double)(linear_bytes(pixels[3 * n]) > 0.01f);
        x += red * (n % WIDTH + 0.5);
        y += red * (n / WIDTH + 0.5);
        sum += red;
    }
    for (int n = 0; n < 60; n++) { // the tangent of the ray in air
        double tangent = 0.5 * (low + high),
               sine = tangent / sqrt(1.0 + tangent * tangent) / (double)BW_GLASS_INDEX;
        double reach = (far - thick) * tangent + thick * sine / sqrt(1.0 - sine * sine);
        *(reach < across ? &low : &high) = tangent;
    }
    project(&scene, (double[3]){4.0 - 1.0 * high, 1.0, 3.0}, &x_truth, &y_truth);
    project(&scene, (double[3]){1.0, 1.0, 0.6}, &x_straight, &y_straight);
    assert_true(sum > 20.0);
    assert_true(fabs(x_truth - x_straight) > 6.0);
    gate("pane_shift_off_px", hypot(x / sum - x_truth, y / sum - y_truth), GATE_BELOW, 1.0);
    free(pixels);
    liquid_free(liquid);
}

// From inside of the water the world above is seen in a circle, and what is outside of it mirrors the water:
// a camera that looks up from a dark pool sees the sky straight above, and none of it beyond the critical
// angle.
static void the_sky_is_seen_through_a_window(void **state)
{
    (void)state;
    const int32_t count[3] = {8, 4, 8};
    float level = 1.5f;
    Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, pool, &level);
    BwSceneDef scene = dark_scene(liquid);
    scene.look.ambient_light = 1.0f;
    scene.look.water_absorption = 3.0f;
    for (int c = 0; c < 3; c++)
        scene.look.water_color[c] = scene.look.background[c] = 0.0f;
    look_from(&scene, bw_vec3(2.0f, 1.3f, 2.0f), bw_vec3(2.0f, 1.5f, 2.0f), 2.4f);
    scene.camera.up = bw_curve_vector(0.0f, 0.0f, 1.0f);
    uint8_t *pixels = draw_once(&scene, &liquid->puff->frame, 2);
    double critical = tan(asin(1.0 / water_index)) / tan(1.2) * 0.5 * HEIGHT; // pixels, radius of the circle
    int wrong = 0;
    for (int n = 0; n < PIXELS; n++) {
        double r = hypot(n % WIDTH + 0.5 - 0.5 * WIDTH, n / WIDTH + 0.5 - 0.5 * HEIGHT);
        wrong += r < critical - 5.0 && pixels[3 * n + 1] < 40;
        wrong += r > critical + 1.5 && pixels[3 * n + 1] > 12;
    }
    gate("window_wrong_pixels", wrong, GATE_BELOW, 0);
    free(pixels);
    liquid_free(liquid);
}

// A ball of a murky liquid that a lamp lights from the right sends back light as a matt surface does
// (Lambert), as far as it gets in and out again; its other side is dark.
static void murky_liquids_show_which_way_they_look(void **state)
{
    (void)state;
    const int32_t count[3] = {8, 8, 8};
    const float center[4] = {1.0f, 1.0f, 1.0f, 0.5f};
    static const BwLightDef lamp = {{1.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}, 4.0f};
    const double places[3] = {0.35, 0.55, -0.4}, view = 0.5 * 0.02; // half of it
    Liquid *liquid = liquid_make(1.0f / 32.0f, at_origin, count, ball, center);
    BwSceneDef scene = dark_scene(liquid);
    double light[3], through[3];
    scene.lights = &lamp;
    for (int c = 0; c < 3; c++) {
        scene.look.background[c] = 0.0f;
        scene.look.water_color[c] = 0.7f;
    }
    scene.look.water_absorption = 4000.0f;
    look_from(&scene, bw_vec3(1.0f, 1.0f, 61.0f), bw_vec3(1.0f, 1.0f, 0.0f), 0.02f);
    uint8_t *pixels = draw_once(&scene, &liquid->puff->frame, 2);
    for (int n = 0; n < 3; n++) { // means over 9 x 9 pixels, for a mesh has facets
        double pixel = 60.0 * tan(view) / (0.5 * HEIGHT);
        light[n] = through[n] = 0.0;
        for (int m = 0; m < 81; m++) {
            int x = (int)floor(0.5 * WIDTH + 0.5 * places[n] / pixel) + m % 9 - 4, y = HEIGHT / 2 + m / 9 - 4;
            double right = (x + 0.5 - 0.5 * WIDTH) * pixel / 0.5, up = (y + 0.5 - 0.5 * HEIGHT) * pixel / 0.5;
            light[n] += (double)linear_bytes(pixels[3 * (y * WIDTH + x) + 1]);
            through[n] += right * (1.0 - reflectance(1.0, water_index, sqrt(1.0 - right * right - up * up)));
        }
    }
    gate("murky_light_by_cosine_error", fabs(light[1] / light[0] * through[0] / through[1] - 1.0), GATE_BELOW,
         0.05);
    gate("murky_dark_side", light[2] / light[1], GATE_BELOW, 0.02);
    free(pixels);
    liquid_free(liquid);
}

// What carries a colour is dark enough to show it over the thickness of the thinnest source that has one.
static void coloured_liquids_show_their_color(void **state)
{
    (void)state;
    const float yellow[3] = {0.95f, 0.8f, 0.2f};
    const BwRig rig = {0};
    BwSceneDef scene = bw_scene_def_default();
    BwEmitterDef nozzle = bw_emitter_def_default();
    nozzle.shape = bw_disc(bw_vec3(0.0f, 0.2f, 0.0f), bw_vec3(0.0f, -1.0f, 0.0f), 0.018f);
    scene.cell = 0.006f;
    scene.emitters = &nozzle;
    scene.emitter_count = 1;
    gate("clear_absorption_error", fabs((double)bw_water_optics(&scene, &rig, 0.5f).strength - 4.0),
         GATE_BELOW, 1e-4);
    memcpy(nozzle.color, yellow, sizeof yellow);
    double strength = (double)bw_water_optics(&scene, &rig, 0.5f).strength;
    gate("coloured_absorption_error", fabs(strength * 0.036 / 3.0 - 1.0), GATE_BELOW, 1e-3);
    scene.look.water_absorption = 7.0f;
    gate("given_absorption_error", fabs((double)bw_water_optics(&scene, &rig, 0.5f).strength - 7.0),
         GATE_BELOW, 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coloured_liquids_show_their_color),
        cmocka_unit_test(murky_liquids_show_which_way_they_look),
        cmocka_unit_test(surfaces_reflect_what_fresnel_says),
        cmocka_unit_test(a_slab_swallows_what_beer_and_lambert_say),
        cmocka_unit_test(a_slab_has_the_colors_that_it_carries),
        cmocka_unit_test(hot_liquid_glows),
        cmocka_unit_test(a_pool_mirrors_the_sky),
        cmocka_unit_test(clear_water_is_not_seen_in_a_uniform_room),
        cmocka_unit_test(the_ground_is_lit_through_water),
        cmocka_unit_test(a_drop_gathers_light),
        cmocka_unit_test(things_in_water_are_where_snell_puts_them),
        cmocka_unit_test(a_slab_of_glass_lets_through_what_fresnel_says),
        cmocka_unit_test(clear_glass_is_not_seen_in_a_uniform_room),
        cmocka_unit_test(a_pane_shifts_what_is_behind),
        cmocka_unit_test(the_sky_is_seen_through_a_window),
    };
    int failed = cmocka_run_group_tests_name("mesh", tests, NULL, NULL);
    drawn_water = BW_WATER_LEVELSET;
    return failed + cmocka_run_group_tests_name("level_set", tests, NULL, NULL);
}
