// The camera of a scene without one (tools/billow/framing.c): it shows the smoke, not the void around it; a
// box that smoke fills, as a box; and the same on any number of threads.
#include "gate.h"

#include "../../tools/billow/framing.h"
#include "../../tools/billow/scout.h"
#include "liquid_frame.h"
#include "render/camera.h"
#include "scene/extent.h"

#include <billow/render.h>
#include <billow/world.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 160, HEIGHT = 120 };

static BwScene *load(const char *text)
{
    BwScene *scene;
    BwError err;
    if (bw_scene_load_text(&scene, text, strlen(text), "test.lua", NULL, &err) != BW_OK)
        fail_msg("%s", err.message);
    return scene;
}

static const char plume_in_void[] =
    "scene { cell = 1 / 10, frames = 24, fps = 12 } "
    "walls { min = {-8, 0, -8}, max = {8, 16, 8}, top = 'open' } smoke { envelope = 0.4 } "
    "emitter { shape = sphere { center = {3, 4, 1}, radius = 0.3 }, density = 1, temperature = 380, "
    "velocity = {0, 0.3, 0} } look { show_ground = false }";

// Rows of the picture at which smoke shows: those that differ from the picture of still air.
typedef struct Rows {
    int count, first, last;
} Rows;

static Rows smoke_rows(const BwSceneDef *scene, const View *view)
{
    static uint8_t air[3 * WIDTH * HEIGHT];
    BwRendererDef def = bw_renderer_def_default();
    BwWorldDef world_def = bw_world_def_default();
    BwRenderer *renderer;
    BwWorld *world;
    BwError err = {0};
    def.scene = world_def.scene = scene;
    def.width_px = WIDTH;
    def.height_px = HEIGHT;
    def.has_view = view->is_narrow;
    def.view = view->box;
    assert_int_equal(bw_renderer_create(&renderer, &def, &err), BW_OK);
    assert_int_equal(bw_world_create(&world, &world_def, &err), BW_OK);
    memcpy(air, bw_renderer_draw(renderer, bw_world_view_frame(world, &err), &err)->pixels, sizeof air);
    for (int n = 0; n < bw_scene_def_frame_count(scene); n++)
        assert_int_equal(bw_world_step_frame(world, NULL, &err), BW_OK);
    const uint8_t *drawn = bw_renderer_draw(renderer, bw_world_view_frame(world, &err), &err)->pixels;
    Rows rows = {0, HEIGHT, -1};
    for (int y = 0; y < HEIGHT; y++) {
        bool has_smoke = false;
        for (int n = 3 * WIDTH * y; n < 3 * WIDTH * (y + 1); n++)
            has_smoke |= abs(drawn[n] - air[n]) > 12;
        rows.count += has_smoke;
        rows.first = has_smoke && rows.first == HEIGHT ? y : rows.first;
        rows.last = has_smoke ? y : rows.last;
    }
    bw_world_destroy(world);
    bw_renderer_destroy(renderer);
    return rows;
}

static void a_plume_in_a_void_fills_the_picture(void **state)
{
    (void)state;
    BwScene *scene = load(plume_in_void);
    const BwSceneDef *def = bw_scene_view_def(scene);
    View view = framing_find(def, 0), whole = {0};
    assert_true(view.is_narrow);
    Rows near = smoke_rows(def, &view), far = smoke_rows(def, &whole);
    gate("rows of smoke in the view", (double)near.count / HEIGHT, GATE_ABOVE, 0.5);
    gate("rows of smoke in all of the box", (double)far.count / HEIGHT, GATE_BELOW, 0.3);
    assert_true(near.first > 0 && near.last < HEIGHT - 1); // all of it is there
    bw_scene_destroy(scene);
}

// A source of few cells is run ahead on the scene's own cells.
static void a_coarse_column_is_seen_whole(void **state)
{
    (void)state;
    BwScene *scene =
        load("scene { cell = 1 / 20, frames = 48 } emitter { shape = cylinder { from = {0, 0, 0}, "
             "to = {0, 0.1, 0}, radius = 0.1 }, density = 1, temperature = 380, "
             "velocity = {0, 0.7, 0} } look { show_ground = false }");
    const BwSceneDef *def = bw_scene_view_def(scene);
    View view = framing_find(def, 0);
    assert_true(view.is_narrow);
    Rows rows = smoke_rows(def, &view);
    gate("rows of a column in the view", (double)rows.count / HEIGHT, GATE_ABOVE, 0.4);
    assert_true(rows.first > 0 && rows.last < HEIGHT - 1);
    bw_scene_destroy(scene);
}

static void the_view_does_not_depend_on_threads(void **state)
{
    (void)state;
    BwScene *scene = load(plume_in_void);
    View one = framing_find(bw_scene_view_def(scene), 1), three = framing_find(bw_scene_view_def(scene), 3);
    assert_memory_equal(&one.box, &three.box, sizeof one.box);
    bw_scene_destroy(scene);
}

// As before: a box that smoke fills, a scene with a camera of its own, and one too coarse to be predicted.
static void other_scenes_are_shown_as_they_were(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "scene { cell = 1 / 32, frames = 72 } walls { min = {0, 0, 0}, max = {1, 2, 1}, top = 'open' } "
        "emitter { shape = sphere { center = {0.5, 0.15, 0.5}, radius = 0.1 }, density = 1, "
        "temperature = 400, velocity = {0, 0.5, 0} }",
        "scene { cell = 1 / 10, frames = 24, fps = 12 } walls { min = {-8, 0, -8}, max = {8, 16, 8} } "
        "camera { position = {0, 0, 30} } "
        "emitter { shape = sphere { center = {3, 4, 1}, radius = 0.3 }, density = 1 }",
        ("scene { cell = 1 / 2, frames = 24, fps = 12 } walls { min = {-8, 0, -8}, max = {8, 16, 8} } "
         "emitter { shape = sphere { center = {3, 4, 1}, radius = 0.3 }, density = 1 }"),
        "scene { cell = 1 / 10 } walls { min = {0, 0, 0}, max = {1, 1, 1} }",
    };
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
        BwScene *scene = load(texts[n]);
        if (framing_find(bw_scene_view_def(scene), 0).is_narrow)
            fail_msg("scene %zu is shown in part", n);
        bw_scene_destroy(scene);
    }
}

static float low_pool(const void *context, float x, float y, float z)
{
    (void)context, (void)z;
    return fmaxf(y - 0.5f, x - 1.25f);
}

// What turns about one axis passes a cylinder around it, and no more; where the axis changes, a ball.
static void turning_solids_are_bounded(void **state)
{
    (void)state;
    static const struct {
        const char *motion;
        BwVec3 low, high;
    } cases[] = {
        {"spin = {0, 6, 0}", {-0.5f, 1.0f, -0.5f}, {0.5f, 2.0f, 0.5f}},
        {"rotation = function(t) return {0, -3 * t, 0} end, position = {1, 0, 0}",
         {0.5f, 1.0f, -0.5f},
         {1.5f, 2.0f, 0.5f}},
        {"spin = {0, 0, 1}", {-2.0615528f, -2.0615528f, -0.1f}, {2.0615528f, 2.0615528f, 0.1f}},
        {"spin = function(t) return {t, 1, 0} end",
         {-2.0639767f, -2.0639767f, -2.0639767f},
         {2.0639767f, 2.0639767f, 2.0639767f}},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char text[300];
        BwBox box;
        snprintf(text, sizeof text,
                 "scene { fluid = 'liquid', cell = 1 / 8 } obstacle { shape = box { min = {-0.5, 1, -0.1}, "
                 "max = {0.5, 2, 0.1} }, "
                 "motion = { %s } }",
                 cases[n].motion);
        BwScene *scene = load(text);
        assert_int_equal(bw_scene_extent(&box, bw_scene_view_def(scene), NULL), BW_OK);
        BwVec3 off = bw_sub(box.low, cases[n].low), over = bw_sub(box.high, cases[n].high);
        gate("bounds of what turns, m off", (double)fmaxf(bw_length(off), bw_length(over)), GATE_BELOW, 0.02);
        bw_scene_destroy(scene);
    }
}

// Smoke that leaves through an open top leaves the picture too: the middle of the top, and all of its rim,
// are above it. A closed top is seen, and so is what stands below an open one.
static void an_open_top_is_above_the_picture(void **state)
{
    (void)state;
    static const struct {
        const char *walls;
        bool is_cut;
    } cases[] = {
        {"top = 'open'", true},
        {"top = 'outflow'", true},
        {"", false},
        {"top = 'open' } obstacle { shape = sphere { center = {0.5, 1.9, 0.5}, radius = 0.1 }", false},
        {"top = { kind = 'open', part = sphere { center = {0.5, 2, 0.5}, radius = 0.2 } }", false},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char text[300];
        snprintf(text, sizeof text,
                 "scene { cell = 1 / 16 } walls { min = {0, 0, 0}, max = {1, 2, 1}, %s } "
                 "emitter { shape = sphere { center = {0.5, 0.15, 0.5}, radius = 0.1 }, density = 1 }",
                 cases[n].walls);
        BwScene *scene = load(text);
        const BwSceneDef *def = bw_scene_view_def(scene);
        BwBox view;
        BwCamera camera;
        assert_int_equal(bw_scene_extent(&view, def, NULL), BW_OK);
        assert_int_equal(bw_scene_cut_open_top(&view, def, NULL), BW_OK);
        assert_int_equal(bw_camera_at(&camera, def, view, 0.0, 16.0f / 9.0f, NULL), BW_OK);
        for (int c = 0; c < 5; c++) {
            const double place[3] = {c == 4 ? 0.5 : (double)(c & 1), 2.0, c == 4 ? 0.5 : (double)(c >> 1)};
            float x, y;
            assert_true(bw_camera_project(&camera, place, &x, &y) > 0.0f);
            assert_int_equal(y > 1.0f, cases[n].is_cut);
        }
        bw_scene_destroy(scene);
    }
}

// Water is where its level set is below 0; a drop above it counts too.
static void water_is_seen_where_it_is(void **state)
{
    (void)state;
    const int32_t low[3] = {0, 0, 0}, count[3] = {4, 4, 4};
    Liquid *liquid = liquid_make(1.0f / 16.0f, low, count, low_pool, NULL);
    float thickest = 0.0f;
    BwBox box = scout_fluid_box(&liquid->puff->frame, &thickest);
    assert_true(box.low.x == 0.0f && box.high.x == 1.25f && box.low.y == 0.0f && box.high.y == 0.5f);
    assert_true(box.low.z == 0.0f && box.high.z == 2.0f);
    liquid_add_particles(liquid, 1, 0.01f);
    liquid->positions[0] = bw_vec3(1.5f, 1.75f, 1.0f);
    box = scout_fluid_box(&liquid->puff->frame, &thickest);
    assert_true(box.high.x >= 1.5f && box.high.y >= 1.75f && box.high.y < 1.8f && box.low.y == 0.0f);
    liquid_free(liquid);
}

// Water that runs off a ball falls 40 m in the three seconds of the scene; ball and splash are shown.
static void falling_water_does_not_widen_the_view(void **state)
{
    (void)state;
    BwScene *scene = load("scene { fluid = 'liquid', cell = 1 / 12, frames = 36, fps = 12 } "
                          "fill { shape = sphere { center = {0, 1.1, 0}, radius = 0.25 } } "
                          "obstacle { shape = sphere { center = {0, 0.4, 0}, radius = 0.4 } }");
    View view = framing_find(bw_scene_view_def(scene), 0);
    assert_true(view.is_narrow);
    gate("height of the view of falling water", (double)(view.box.high.y - view.box.low.y), GATE_BELOW, 8.0);
    assert_true(view.box.low.y < -1.0f && view.box.high.y > 1.35f);
    bw_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plume_in_a_void_fills_the_picture),
        cmocka_unit_test(a_coarse_column_is_seen_whole),
        cmocka_unit_test(the_view_does_not_depend_on_threads),
        cmocka_unit_test(other_scenes_are_shown_as_they_were),
        cmocka_unit_test(turning_solids_are_bounded),
        cmocka_unit_test(an_open_top_is_above_the_picture),
        cmocka_unit_test(water_is_seen_where_it_is),
        cmocka_unit_test(falling_water_does_not_widen_the_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
