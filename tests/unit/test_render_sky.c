// What is above the horizon and around a tank: skies without seams that meet the backdrop, and panes that
// mirror what Fresnel's equations say.
#include "render/optics.h"
#include "render/sky.h"
#include "render/tank.h"
#include "water_picture.h"

static BwRig lit_rig(void)
{
    return (BwRig){.lamps = {{bw_normalize(bw_vec3(-0.5f, 1.0f, 0.6f)), {1.0f, 1.0f, 1.0f}}},
                   .lamp_count = 1,
                   .sky = {0.3f, 0.33f, 0.38f}};
}

static BwVec3 direction_of(double turn, double height)
{
    double across = cos(height);
    return bw_vec3((float)(across * cos(turn)), (float)sin(height), (float)(across * sin(turn)));
}

// The mean over the upper half of all directions, and the largest step from one to the next, of the mean.
static void survey(const BwSky *sky, double *mean, double *step)
{
    enum { AROUND = 1440, UP = 180 };
    double sum = 0.0, weight = 0.0, largest = 0.0;
    for (int j = 0; j < UP; j++) {
        double height = 1.5707963 * (j + 0.5) / UP;
        float last[3], light[3];
        bw_sky_look_up(sky, direction_of(0.0, height), last);
        for (int i = 1; i <= AROUND; i++) {
            bw_sky_look_up(sky, direction_of(6.2831853 * i / AROUND, height), light);
            largest = fmax(largest, fabs((double)(light[1] - last[1])));
            sum += cos(height) * (double)light[1];
            weight += cos(height);
            memcpy(last, light, sizeof last);
        }
    }
    *mean = sum / weight;
    *step = largest / *mean;
}

static void skies_have_no_seams(void **state)
{
    (void)state;
    BwSky *sky = malloc(sizeof *sky);
    const BwRig rig = lit_rig();
    const float horizon[3] = {0.5f, 0.55f, 0.6f};
    double mean, step;
    bw_sky_fill(sky, BW_SKY_PLAIN, &rig, horizon);
    survey(sky, &mean, &step);
    gate("plain_sky_mean_error", fabs(mean / (1.6 * 0.33) - 1.0), GATE_BELOW, 1e-5);
    gate("plain_sky_step", step, GATE_BELOW, 1e-6);
    bw_sky_fill(sky, BW_SKY_STUDIO, &rig, horizon);
    survey(sky, &mean, &step);
    gate("studio_of_plain_light", fabs(log2(mean / (1.6 * 0.33))), GATE_BELOW, 0.5); // stops
    gate("studio_step", step, GATE_BELOW, 0.1); // over a quarter of a degree
    bw_sky_fill(sky, BW_SKY_DAY, &rig, horizon);
    survey(sky, &mean, &step);
    gate("day_of_plain_light", fabs(log2(mean / (1.6 * 0.33))), GATE_BELOW, 0.7);
    gate("day_step", step, GATE_BELOW, 0.1);
    free(sky);
}

static void a_day_meets_the_backdrop_at_the_horizon(void **state)
{
    (void)state;
    BwSky *sky = malloc(sizeof *sky);
    const BwRig rig = lit_rig();
    const float horizon[3] = {0.5f, 0.55f, 0.6f};
    double off = 0.0;
    bw_sky_fill(sky, BW_SKY_DAY, &rig, horizon);
    for (int n = 0; n < 720; n++) {
        float light[3];
        bw_sky_look_up(sky, direction_of(6.2831853 * n / 720.0, n % 2 == 0 ? 0.0 : -0.4), light);
        for (int c = 0; c < 3; c++)
            off = fmax(off, fabs((double)(light[c] / horizon[c]) - 1.0));
    }
    gate("day_at_the_horizon_error", off, GATE_BELOW, 0.01);
    free(sky);
}

static float nowhere(const void *context, float x, float y, float z)
{
    (void)context, (void)x, (void)y, (void)z;
    return 1.0f;
}

// A tank without water, 2 m wide and high, 4 m deep and open above.
static Liquid *make_tank(BwSceneDef *scene)
{
    const int32_t count[3] = {4, 4, 8};
    Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, nowhere, NULL);
    *scene = dark_scene(liquid);
    scene->look.show_walls = true;
    scene->walls.side[BW_TOP].kind = BW_WALL_OPEN;
    return liquid;
}

// From below, through the front and out above: of black behind it the pane shows what it mirrors of the sky,
// whether the black is far behind or smoke that fills the tank.
static void check_pane(bool has_smoke)
{
    BwSceneDef scene;
    Liquid *liquid = make_tank(&scene);
    double worst = 0.0;
    if (has_smoke) {
        liquid->fields[0].name = "density";
        scene.look.absorption = 1e4f;
        memset(scene.look.smoke_color, 0, sizeof scene.look.smoke_color);
    }
    scene.look.ambient_light = 0.35f;
    for (int c = 0; c < 3; c++)
        scene.look.background[c] = 0.0f;
    for (int n = 0; n < 3; n++) {
        float out, up = 0.45f + 0.2f * (float)n, along = sqrtf(1.0f - up * up);
        double r = (double)bw_fresnel(1.0f / 1.52f, along, &out),
               truth = 2.0 * r / (1.0 + r) * 1.6 * 0.35 * 0.94;
        look_from(&scene, bw_vec3(1.0f, 1.5f - 20.0f * up, 4.0f + 20.0f * along), bw_vec3(1.0f, 1.5f, 4.0f),
                  0.004f);
        uint8_t *pixels = draw_once(&scene, &liquid->puff->frame, 2);
        worst = fmax(worst, fabs(mean_light(pixels, 1) / truth - 1.0));
        free(pixels);
    }
    gate(has_smoke ? "mirror_of_a_pane_before_smoke_error" : "mirror_of_a_pane_error", worst, GATE_BELOW,
         0.02);
    liquid_free(liquid);
}

static void a_pane_mirrors_what_fresnel_says(void **state)
{
    (void)state;
    check_pane(false);
    check_pane(true);
}

// In a room that is equally bright all around no pane is seen; edges have a colour, and are the rest.
static void panes_are_not_seen_in_a_uniform_room(void **state)
{
    (void)state;
    BwSceneDef scene;
    Liquid *liquid = make_tank(&scene);
    const float sky[3] = {0.86f, 0.94f, 1.08f};
    scene.look.ambient_light = 0.35f;
    for (int c = 0; c < 3; c++)
        scene.look.background[c] = bw_srgb_encode(bw_tone_curve(1.6f * 0.35f * sky[c]));
    look_from(&scene, bw_vec3(3.0f, 2.6f, 6.0f), bw_vec3(1.9f, 1.9f, 3.9f), 0.25f);
    uint8_t *pixels = draw_once(&scene, &liquid->puff->frame, 2),
            *other = draw_once(&scene, &liquid->puff->frame, 3);
    int seen = 0;
    for (int n = 0; n < PIXELS; n++)
        seen += abs(pixels[3 * n + 1] - pixels[1]) > 1;
    gate("share_of_edges_in_a_uniform_room", (double)seen / PIXELS, GATE_BELOW, 0.06);
    assert_true(seen > 100);
    assert_memory_equal(pixels, other, 3 * PIXELS);
    scene.look.show_walls = false;
    uint8_t *without = draw_once(&scene, &liquid->puff->frame, 2);
    for (int n = 0; n < PIXELS; n++)
        assert_true(abs(without[3 * n + 1] - pixels[1]) <= 1);
    free(pixels);
    free(other);
    free(without);
    liquid_free(liquid);
}

// Which sides are drawn: closed ones, as they are at the time, and never one that lies on the ground.
static void closed_sides_are_drawn(void **state)
{
    (void)state;
    BwSceneDef scene;
    Liquid *liquid = make_tank(&scene);
    BwFrame *frame = &liquid->puff->frame;
    const BwKey keys[2] = {{0.0, {BW_WALL_CLOSED}}, {1.0, {BW_WALL_OPEN}}};
    uint8_t sides;
    scene.walls.side[BW_LEFT].kind_curve = bw_curve_keys(keys, 2, 1);
    frame->time = 0.0;
    assert_int_equal(bw_tank_sides(&scene, frame, 0.0f, &sides, NULL), BW_OK);
    assert_int_equal(sides, 1 << BW_LEFT | 1 << BW_RIGHT | 1 << BW_BOTTOM | 1 << BW_BACK | 1 << BW_FRONT);
    frame->time = 2.0;
    scene.look.show_ground = true;
    scene.walls.periodic[2] = true;
    assert_int_equal(bw_tank_sides(&scene, frame, 0.0f, &sides, NULL), BW_OK);
    assert_int_equal(sides, 1 << BW_RIGHT);
    scene.look.show_walls = false;
    assert_int_equal(bw_tank_sides(&scene, frame, 0.0f, &sides, NULL), BW_OK);
    assert_int_equal(sides, 0);
    liquid_free(liquid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skies_have_no_seams),
        cmocka_unit_test(a_day_meets_the_backdrop_at_the_horizon),
        cmocka_unit_test(a_pane_mirrors_what_fresnel_says),
        cmocka_unit_test(panes_are_not_seen_in_a_uniform_room),
        cmocka_unit_test(closed_sides_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
