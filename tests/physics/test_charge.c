// Explosions: the volume that a charge releases is the volume that leaves, however fast and however large.
#include "run.h"

#define ROOM                                                                                                 \
    "walls { min = {0, 0, 0}, max = {1, 1, 1}, right = { kind = 'open',\n"                                   \
    "    part = box { min = {0.9, 0, 0.3}, max = {1.1, 0.6, 0.7} } } }\n"                                    \
    "fill { shape = box { min = {0, 0, 0}, max = {1, 0.2, 1} } }\n"

static BwScene *load(const char *text)
{
    BwScene *scene;
    BwError err = {0};
    if (bw_scene_load_text(&scene, text, strlen(text), "charge.lua", NULL, &err) != BW_OK)
        fail_msg("%s", err.message);
    return scene;
}

// Towards the right side, m^3/s: past the last cells before it.
static double outflow(BwWorld *world, int cells, double h)
{
    const BwFrame *frame = frame_of(world);
    const BwFrameField *u = bw_frame_field(frame, "u");
    double sum = 0.0;
    int i = cells - 1; // the low faces of the last cells
    for (int k = 0; k < cells; k++)
        for (int j = 0; j < cells; j++)
            sum += (double)frame_value(frame, u, i, j, k);
    return sum * h * h;
}

// A room with a door, 8 litres of charge over ten frames. No charge is near the door, so that what passes
// before it is what leaves.
static void volume_leaves_by_the_door(void **state)
{
    (void)state;
    BwScene *scene =
        load("scene { cell = 1 / 24, fps = 240, steps = 4, gravity = {0, 0, 0} }\n" ROOM
             "charge { shape = sphere { center = {0.4, 0.4, 0.5}, radius = 0.15 }, volume = 0.008,\n"
             "    start = 0.01, stop = 0.03 }");
    BwWorld *world = make_world(bw_scene_view_def(scene), 2);
    double left = 0.0, asked = 0.0;
    for (int frame = 0; frame < 10; frame++) {
        BwError err = {0};
        for (int step = 0; step < 4; step++) {
            if (bw_world_step(world, 1.0 / 960.0, NULL, &err) != BW_OK)
                fail_msg("%s", err.message);
            left += outflow(world, 24, 1.0 / 24.0) / 960.0;
            asked += bw_world_view_stats(world)->expanded;
        }
    }
    gate("charge.volume_asked", fabs(asked / 0.008 - 1.0), GATE_BELOW, 1e-5);
    gate("charge.volume_left", fabs(left / 0.008 - 1.0), GATE_BELOW, 0.01);
    gate("charge.smoke_is_kept", fabs(bw_world_view_stats(world)->mass / 0.2 - 1.0), GATE_BELOW, 0.02);
    bw_world_destroy(world);
    bw_scene_destroy(scene);
}

// A thousand times its own volume within one frame.
static void a_thousand_times_its_volume(void **state)
{
    (void)state;
    const double volume = 4.0 / 3.0 * M_PI * 0.1 * 0.1 * 0.1 * 1000.0;
    char text[1000];
    snprintf(text, sizeof text,
             "scene { cell = 1 / 20, fps = 24 }\n" ROOM
             "charge { shape = sphere { center = {0.4, 0.4, 0.5}, radius = 0.1 }, volume = %.9g,\n"
             "    start = 0, stop = 1 / 24 }",
             volume);
    BwScene *scene = load(text);
    BwWorld *world = make_world(bw_scene_view_def(scene), 2);
    step_frames(world, 1);
    const BwStats *stats = bw_world_view_stats(world);
    gate("charge.retries", stats->retries, GATE_BELOW, 0);
    gate("charge.huge_volume_asked", fabs(stats->expanded / volume - 1.0), GATE_BELOW, 1e-5);
    step_frames(world, 2);
    gate("charge.retries_after", bw_world_view_stats(world)->retries, GATE_BELOW, 0);
    bw_world_destroy(world);
    bw_scene_destroy(scene);
}

// (gamma - 1) E / (gamma p): a megajoule makes 2.82 m^3.
static void energy_is_volume(void **state)
{
    (void)state;
    BwScene *scene = load("scene { cell = 1 / 8, fps = 24, steps = 3 }\n"
                          "charge { shape = sphere { center = {0, 0, 0}, radius = 0.5 }, energy = 1e4 }");
    BwWorld *world = make_world(bw_scene_view_def(scene), 1);
    double asked = 0.0;
    for (int frame = 0; frame < 3; frame++) {
        step_frames(world, 1);
        asked += bw_world_view_stats(world)->expanded;
    }
    gate("charge.energy", fabs(asked / (0.4 / 1.4 * 1e4 / 101325.0) - 1.0), GATE_BELOW, 1e-5);
    bw_world_destroy(world);
    bw_scene_destroy(scene);
}

static void count_messages(void *user, BwLogLevel level, const char *message)
{
    (void)level;
    print_message("%s\n", message);
    ++*(int *)user;
}

static BwWorld *listen(const BwScene *scene, int *messages)
{
    BwWorld *world;
    BwError err = {0};
    BwWorldDef def = bw_world_def_default();
    def.scene = bw_scene_view_def(scene);
    def.worker_count = 1;
    def.log = (BwLog){.write = count_messages, .user = messages};
    if (bw_world_create(&world, &def, &err) != BW_OK)
        fail_msg("%s", err.message);
    return world;
}

// Smoke that is left five frames after 25 times a ball's volume has come out of it in half a frame, and the
// steps of the frames in which it did so.
static double smoke_left(double start, int *steps, int *messages)
{
    char text[600];
    snprintf(text, sizeof text,
             "scene { cell = 1 / 32, dimension = 2 }\n"
             "walls { min = {0, 0}, max = {1, 1}, top = 'open' }\n"
             "local ball = sphere { center = {0.5, 0.5}, radius = 0.1 }\n"
             "fill { shape = ball, density = 1 }\n"
             "charge { shape = ball, volume = 0.8, start = %.9g, stop = %.9g }",
             start, start + 0.02);
    BwScene *scene = load(text);
    BwWorld *world = listen(scene, messages);
    int first = (int)(start * 24.0);
    *steps = 0;
    for (int frame = 0; frame < first + 6; frame++) {
        step_frames(world, 1);
        const BwStats *stats = bw_world_view_stats(world);
        *steps += frame == first || frame == first + 1 ? stats->steps : 0;
        assert_int_equal(stats->steps_capped, 0);
        assert_int_equal(stats->runaway.is_found, 0);
    }
    double left = bw_world_view_stats(world)->mass;
    bw_world_destroy(world);
    bw_scene_destroy(scene);
    return left;
}

// Where in a frame a charge begins makes no difference; and the flow that it leaves is no runaway.
static void it_begins_anywhere_in_a_frame(void **state)
{
    (void)state;
    const double starts[] = {0.05, 0.0833, 1.0 / 12.0 - 1e-10, 1.0 / 12.0 + 1e-10, 0.0834};
    int steps, messages = 0;
    double at_once = smoke_left(0.0, &steps, &messages), worst = 0.0;
    for (int n = 0; n < 5; n++) {
        worst = fmax(worst, fabs(smoke_left(starts[n], &steps, &messages) / at_once - 1.0));
        assert_in_range(steps, 36, 46);
    }
    gate("charge.smoke_left", at_once, GATE_BELOW, 0.0105);
    gate("charge.smoke_left_by_start", worst, GATE_BELOW, 0.08);
    assert_int_equal(messages, 0);
}

// A ball that no cell centre is near gives its volume to the cells that hold it; one outside gives nothing.
static void small_and_lost_charges_are_harmless(void **state)
{
    (void)state;
    const char *const balls[] = {"{0.5, 0.5, 0.5}, radius = 0.002", "{0.46, 0.48, 0.51}, radius = 0.002",
                                 "{5, 0.5, 0.5}, radius = 0.1"};
    for (int n = 0; n < 3; n++) {
        char text[600];
        snprintf(text, sizeof text,
                 "scene { cell = 1 / 16 }\n"
                 "walls { min = {0, 0, 0}, max = {1, 1, 1}, top = 'open' }\n"
                 "emitter { shape = sphere { center = {0.5, 0.5, 0.5}, radius = 0.1 }, density = 1 }\n"
                 "charge { shape = sphere { center = %s }, volume = 0.01 }",
                 balls[n]);
        BwScene *scene = load(text);
        BwWorld *world = make_world(bw_scene_view_def(scene), 1);
        double asked = 0.0;
        for (int frame = 0; frame < 3; frame++) {
            step_frames(world, 1);
            asked += bw_world_view_stats(world)->expanded;
            assert_int_equal(bw_world_view_stats(world)->steps_capped, 0);
        }
        if (n < 2)
            gate("charge.small_volume_asked", fabs(asked / 0.01 - 1.0), GATE_BELOW, 1e-5);
        else
            assert_true(asked == 0.0);
        bw_world_destroy(world);
        bw_scene_destroy(scene);
    }
}

static void expect_refusal(const char *text, const char *wanted)
{
    BwScene *scene;
    BwError err = {0};
    BwResult result = bw_scene_load_text(&scene, text, strlen(text), "charge.lua", NULL, &err);
    if (result == BW_OK) {
        result = bw_scene_def_check_runnable(bw_scene_view_def(scene), &err);
        bw_scene_destroy(scene);
    }
    assert_true(result != BW_OK);
    if (strstr(err.message, wanted) == NULL)
        fail_msg("wanted \"%s\" in: %s", wanted, err.message);
}

#define BALL "shape = sphere { center = {0.5, 0.5, 0.5}, radius = 0.1 }"

static void wrong_charges_are_refused(void **state)
{
    (void)state;
    expect_refusal("scene { cell = 0.1 } walls { min = {0, 0, 0}, max = {1, 1, 1} } charge { " BALL
                   ", volume = 1 }",
                   "the box is sealed, and charge makes gas expand");
    expect_refusal("scene { cell = 0.1 } charge { " BALL " }", "energy is missing");
    expect_refusal("scene { cell = 0.1 } charge { " BALL ", volume = 1, energy = 1 }", "volume");
    expect_refusal("scene { cell = 0.1 } charge { " BALL ", volume = 1, start = 1 }",
                   "stop must be above start");
    expect_refusal("scene { cell = 0.1, fluid = 'liquid' } charge { " BALL ", volume = 1 }",
                   "charge cannot be run");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volume_leaves_by_the_door),
        cmocka_unit_test(a_thousand_times_its_volume),
        cmocka_unit_test(energy_is_volume),
        cmocka_unit_test(it_begins_anywhere_in_a_frame),
        cmocka_unit_test(small_and_lost_charges_are_harmless),
        cmocka_unit_test(wrong_charges_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
