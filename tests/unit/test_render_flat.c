// Pictures of water and fire in 2-D: the area that it covers, the colour that it carries, and no seam or
// stripe at walls and joined sides.
#include "water_picture.h"

#include "render/black_body.h"

#include <stdlib.h>

// In 2-D water covers its area, also where it meets the walls.
static void flat_water_covers_its_area(void **state)
{
    (void)state;
    const int32_t count[3] = {8, 6, 0};
    const float drop[4] = {1.1f, 0.9f, 0.03125f / 2.0f, 0.6f};
    float level = 0.517f;
    for (int n = 0; n < 2; n++) {
        Liquid *liquid = liquid_make(1.0f / 32.0f, at_origin, count, n == 0 ? ball : pool,
                                     n == 0 ? (const void *)drop : &level);
        liquid->puff->frame.walls.high.z = 1.0f;
        BwSceneDef scene = dark_scene(liquid);
        for (int c = 0; c < 3; c++)
            scene.look.background[c] = 0.0f;
        uint8_t *pixels = draw_once(&scene, &liquid->puff->frame, 2);
        // The box fills the picture: 4 to 3, as it is.
        double truth = n == 0 ? 3.14159265 * 0.36 / 3.0 : (double)level / 1.5;
        double water =
            (double)linear_bytes(pixels[3 * (PIXELS - WIDTH / 2 - (n == 0 ? 40 * WIDTH : WIDTH)) + 2]);
        gate(n == 0 ? "flat_drop_area_error" : "flat_pool_area_error",
             fabs(mean_light(pixels, 2) / water / truth - 1.0), GATE_BELOW, 0.002);
        free(pixels);
        liquid_free(liquid);
    }
}

// Water that carries one colour looks as water of that colour does, up to the walls; half of another one, as
// that half of the other.
static void flat_water_has_the_color_it_carries(void **state)
{
    (void)state;
    static const char *const names[3] = {"color_r", "color_g", "color_b"};
    static const float colors[2][3] = {{0.9f, 0.3f, 0.1f}, {0.1f, 0.8f, 0.6f}};
    const int32_t count[3] = {8, 6, 0};
    float level = 0.517f;
    Liquid *liquid = liquid_make(1.0f / 32.0f, at_origin, count, pool, &level);
    BwFrame *frame = &liquid->puff->frame;
    size_t cells = (size_t)frame->tile_count * 64;
    float *values = calloc(3 * cells, sizeof *values);
    BwFrameField fields[6] = {liquid->fields[0], liquid->fields[1], liquid->fields[2]};
    BwSceneDef scene = dark_scene(liquid);
    uint8_t *plain[2];
    double wrong = 0.0;
    frame->walls.high.z = 1.0f;
    for (int n = 0; n < 2; n++) {
        memcpy(scene.look.water_color, colors[n], sizeof colors[n]);
        plain[n] = draw_once(&scene, frame, 1);
    }
    for (int c = 0; c < 3; c++) {
        fields[3 + c] = (BwFrameField){names[c], "1", BW_AT_CELL, 0.0f, values + (size_t)c * cells, false};
        for (size_t n = 0; n < cells; n++)
            values[(size_t)c * cells + n] = colors[frame->tiles[n / 64].x < 4 ? 0 : 1][c];
    }
    frame->fields = fields;
    frame->field_count = 6;
    uint8_t *carried = draw_once(&scene, frame, 1);
    for (int n = 0; n < 3 * PIXELS; n++) {
        int x = n / 3 % WIDTH;
        if (abs(x - WIDTH / 2) > WIDTH / 16)
            wrong += abs(carried[n] - plain[x < WIDTH / 2 ? 0 : 1][n]) > 1;
    }
    gate("flat_carried_color_wrong_bytes", wrong, GATE_BELOW, 0);
    for (int n = 0; n < 2; n++)
        free(plain[n]);
    free(carried);
    free(values);
    liquid_free(liquid);
}

// Opaque soot in 2-D has the colour of a black body at its temperature.
static void flat_fire_glows_by_its_temperature(void **state)
{
    (void)state;
    const int32_t count[3] = {8, 6, 0};
    float level = 0.5f, light[3];
    Liquid *liquid = liquid_make(1.0f / 32.0f, at_origin, count, pool, &level);
    BwFrame *frame = &liquid->puff->frame;
    size_t cells = (size_t)frame->tile_count * 64;
    float *values = calloc(3 * cells, sizeof *values);
    for (size_t n = 0; n < cells; n++) {
        values[cells + n] = 1700.0f;
        values[2 * cells + n] = 1000.0f;
    }
    BwFrameField fields[3] = {{"density", "1", BW_AT_CELL, 0.0f, values, false},
                              {"temperature", "K", BW_AT_CELL, 293.0f, values + cells, false},
                              {"flame", "1", BW_AT_CELL, 0.0f, values + 2 * cells, false}};
    frame->fields = fields;
    frame->field_count = 3;
    frame->walls.high.z = 1.0f;
    BwSceneDef scene = dark_scene(liquid);
    scene.look.fire_brightness = 0.1f;
    scene.look.white_temperature = 6500.0f;
    for (int c = 0; c < 3; c++)
        scene.look.background[c] = scene.look.smoke_color[c] = 0.0f;
    uint8_t *pixels = draw_once(&scene, frame, 1);
    BwGlowTable table;
    bw_glow_table_fill(&table, 0.1f, scene.look.white_temperature);
    bw_glow_at(&table, 1700.0f, light);
    const uint8_t *middle = pixels + 3 * (PIXELS / 2 + WIDTH / 2);
    double ratio = (double)(linear_bytes(middle[1]) / linear_bytes(middle[0]));
    gate("flat_fire_color_error", fabs(ratio / (double)(light[1] / light[0]) - 1.0), GATE_BELOW, 0.05);
    free(pixels);
    free(values);
    liquid_free(liquid);
}

// A wave 2 m long whose crest is at a place.
static float long_wave(const void *context, float x, float y, float z)
{
    (void)z;
    return y - 0.75f - 0.1f * cosf(3.14159265f * (x - *(const float *)context));
}

static uint8_t *draw_wave(float crest)
{
    const int32_t count[3] = {8, 6, 0};
    Liquid *liquid = liquid_make(1.0f / 32.0f, at_origin, count, long_wave, &crest);
    liquid->puff->frame.walls.high.z = 1.0f;
    for (int n = 0; n < 64 * liquid->puff->frame.tile_count; n++) {
        liquid->u[n] = 3.0f;
        liquid->v[n] = 1.0f;
    }
    BwSceneDef scene = dark_scene(liquid);
    scene.gravity = bw_curve_vector(0.0f, -9.81f, 0.0f);
    scene.walls.periodic[0] = true;
    uint8_t *pixels = draw_once(&scene, &liquid->puff->frame, 1);
    liquid_free(liquid);
    return pixels;
}

// With all of the water half a period on, the picture is the same half a period on, but for the dither: what
// is at the joined sides of one is in the middle of the other. Water of one speed has one colour down to the
// floor.
static void joined_sides_leave_no_seam(void **state)
{
    (void)state;
    uint8_t *low = draw_wave(0.4f), *high = draw_wave(1.4f);
    int most = 0;
    for (int n = 0; n < PIXELS; n++) {
        int other = n / WIDTH * WIDTH + (n + WIDTH / 2) % WIDTH;
        for (int c = 0; c < 3; c++)
            most = abs(low[3 * n + c] - high[3 * other + c]) > most
                       ? abs(low[3 * n + c] - high[3 * other + c])
                       : most;
    }
    gate("periodic_seam_bytes", most, GATE_BELOW, 2);
    const uint8_t *above = low + 3 * (PIXELS - 20 * WIDTH), *floor = low + 3 * (PIXELS - WIDTH);
    for (int n = most = 0; n < 3 * WIDTH; n++)
        most = abs(above[n] - floor[n]) > most ? abs(above[n] - floor[n]) : most;
    gate("floor_stripe_bytes", most, GATE_BELOW, 2);
    free(low);
    free(high);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_water_covers_its_area),
        cmocka_unit_test(flat_water_has_the_color_it_carries),
        cmocka_unit_test(flat_fire_glows_by_its_temperature),
        cmocka_unit_test(joined_sides_leave_no_seam),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
