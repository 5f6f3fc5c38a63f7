// Scenes: the table of fields is whole, defaults pass their own checks, scripts fill Defs as they say,
// functions of time keep their limits when a world runs, and no failing allocation is missed.
#include "gate.h"
#include "scene/check.h"
#include "scene/extent.h"
#include "scene/noise.h"
#include "scene/wording.h"

#include <billow/scene.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static BwResult load(BwScene **scene, const char *text, BwError *err)
{
    return bw_scene_load_text(scene, text, strlen(text), "test.lua", NULL, err);
}

static BwScene *load_good(const char *text)
{
    BwScene *scene;
    BwError err;
    if (load(&scene, text, &err) != BW_OK)
        fail_msg("%s", err.message);
    return scene;
}

static void every_field_is_described(void **state)
{
    (void)state;
    int fields = 0;
    for (int n = 0; n < bw_constructor_count; n++) {
        const BwConstructor *constructor = &bw_constructors[n];
        assert_true(constructor->meaning != NULL && constructor->meaning[0] != '\0');
        assert_true(constructor->field_count < 64); // one bit each, for conflicts
        for (int f = 0; f < constructor->field_count; f++) {
            const BwSceneField *field = &constructor->fields[f];
            char text[BW_WORDING];
            bw_wanted_text(field, text);
            assert_true(field->name[0] != '\0' && text[0] != '\0' && field->meaning != NULL);
            bw_default_text(field, text);
            assert_true(text[0] != '\0');
            assert_true(field->offset < constructor->size);
            assert_ptr_equal(bw_field_find(constructor, field->name), field); // no name twice
            fields++;
        }
    }
    assert_true(bw_constructor_count <= 64); // room in BwScene
    printf("%d constructors, %d fields\n", bw_constructor_count, fields);
}

// Fields that are required have no default; the check must ask for those and for nothing else.
static void defaults_pass_their_own_check(void **state)
{
    (void)state;
    for (int n = 0; n < bw_constructor_count; n++) {
        const BwConstructor *constructor = &bw_constructors[n];
        _Alignas(BwSceneDef) char def[sizeof(BwSceneDef)];
        bw_constructor_defaults(constructor, def);
        BwPlace place = bw_place(NULL, 0, constructor->name);
        BwError err = {0};
        BwResult result = bw_check_def(constructor, def, &place, &err);
        bool has_required = false;
        for (int f = 0; f < constructor->field_count; f++)
            has_required |= (constructor->fields[f].flags & BW_REQUIRED) != 0;
        // Rules need an acceleration and a velocity.
        bool has_need =
            strcmp(constructor->name, "force") == 0 || strcmp(constructor->name, "surface_control") == 0;
        if ((result == BW_OK) == (has_required || has_need))
            fail_msg("%s: %s", constructor->name, result == BW_OK ? "nothing is asked for" : err.message);
    }
}

static void a_default_scene_needs_only_a_cell(void **state)
{
    (void)state;
    BwError err;
    BwSceneDef def = bw_scene_def_default();
    assert_int_equal(bw_scene_def_check(&def, &err), BW_ERR_DEF);
    assert_string_equal(err.message, "scene.cell is 0; it must be a number above 0 (m)");
    def.cell = 0.1f;
    assert_int_equal(bw_scene_def_check(&def, &err), BW_OK);
    assert_int_equal(bw_scene_def_frame_count(&def), 120);
    def.duration = 2.0;
    assert_int_equal(bw_scene_def_frame_count(&def), 48);
    def.duration = 0.1 * 3; // 7.2 frames
    assert_int_equal(bw_scene_def_frame_count(&def), 8);
}

static void c_callers_get_the_same_checks(void **state)
{
    (void)state;
    BwError err;
    BwSceneDef zeroed = {0};
    assert_int_equal(bw_scene_def_check(&zeroed, &err), BW_ERR_DEF);
    assert_string_equal(err.message, "this BwSceneDef was not made by bw_scene_def_default(); start from it");
    BwSceneDef def = bw_scene_def_default();
    def.cell = 0.1f;
    def.frames = 10;
    def.duration = 1.0;
    assert_int_equal(bw_scene_def_check(&def, &err), BW_ERR_DEF);
    assert_string_equal(err.message, "scene.frames and scene.duration are both given; leave one out");
    def.duration = 0.0;
    BwEmitterDef emitter = bw_emitter_def_default();
    def.emitters = &emitter;
    def.emitter_count = 1;
    assert_int_equal(bw_scene_def_check(&def, &err), BW_ERR_DEF);
    assert_string_equal(err.message, "emitter.shape is missing; it must be a shape, such as sphere {...}");
    emitter.shape = (BwShape){.kind = BW_SHAPE_SPHERE, .radius = NAN};
    emitter.density = bw_curve_number(1.0f);
    assert_int_equal(bw_scene_def_check(&def, &err), BW_ERR_DEF);
    assert_string_equal(err.message, "sphere.radius is nan; it must be a number above 0 (m)");
    emitter.shape.radius = 0.5f;
    assert_int_equal(bw_scene_def_check(&def, &err), BW_OK);
    def.fluid = BW_FLUID_STABLE;
    assert_int_equal(bw_scene_def_check(&def, &err), BW_OK);
    def.liquid.elastic.modulus = 100.0f;
    assert_int_equal(bw_scene_def_check(&def, &err), BW_ERR_DEF);
    assert_string_equal(err.message,
                        "liquid is given, but scene.fluid is \"stable\" and has no use for it; leave it out");
    def.liquid.elastic.modulus = 0.0f;
    def.fluid = (BwFluid)77;
    assert_int_equal(bw_scene_def_check(&def, NULL), BW_ERR_DEF);
}

static BwResult call_count(void *user, double time, float value[4], BwError *err)
{
    (void)time;
    (void)err;
    value[0] = (float)++*(int *)user;
    return BW_OK;
}

static void c_functions_of_time_must_be_pure(void **state)
{
    (void)state;
    BwError err;
    int calls = 0;
    BwEmitterDef emitter = bw_emitter_def_default();
    emitter.shape = (BwShape){.kind = BW_SHAPE_SPHERE, .radius = 1.0f};
    emitter.density =
        (BwCurve){.kind = BW_CURVE_FUNCTION, .components = 1, .function = call_count, .user = &calls};
    BwSceneDef def = bw_scene_def_default();
    def.cell = 0.1f;
    def.emitters = &emitter;
    def.emitter_count = 1;
    assert_int_equal(bw_scene_def_check(&def, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "emitter.density is a function that is not pure"));
}

static void a_script_fills_its_defs(void **state)
{
    (void)state;
    BwScene *scene = load_good(
        "scene { title = 'T', cell = 0.25, frames = 7, gravity = {0, -1, 0} }\n"
        "walls { min = {0, 0, 0}, max = {2, 2, 3}, top = 'open', periodic = {'x'}, slip = 0.5 }\n"
        "for n = 1, 20 do\n"
        "  emitter { shape = sphere { center = {n, 0, 0}, radius = n }, density = n, noise = 0.5 }\n"
        "end\n"
        "obstacle { shape = union { sphere { center = {0, 0, 0}, radius = 1 },\n"
        "           translate { box { min = {0, 0, 0}, max = {1, 1, 1} }, by = {0, 5, 0} } },\n"
        "           emit = { density_rate = 3 } }\n");
    const BwSceneDef *def = bw_scene_view_def(scene);
    assert_string_equal(def->title, "T");
    assert_float_equal(def->cell, 0.25f, 0.0f);
    assert_int_equal(bw_scene_def_frame_count(def), 7);
    assert_float_equal(def->gravity.value[1], -1.0f, 0.0f);
    assert_true(def->has_walls && def->walls.periodic[0] && !def->walls.periodic[1]);
    assert_int_equal(def->walls.side[BW_TOP].kind, BW_WALL_OPEN);
    assert_int_equal(def->walls.side[BW_LEFT].kind, BW_WALL_CLOSED);
    assert_int_equal(def->emitter_count, 20);
    for (int n = 0; n < 20; n++) {
        assert_float_equal(def->emitters[n].shape.radius, (float)(n + 1), 0.0f);
        assert_float_equal(def->emitters[n].density.value[0], (float)(n + 1), 0.0f);
        assert_float_equal(def->emitters[n].noise.amplitude, 0.5f, 0.0f);
        assert_float_equal(def->emitters[n].noise.size, 0.1f, 0.0f);
    }
    assert_float_equal(def->obstacles[0].emit->density_rate.value[0], 3.0f, 0.0f);
    const BwShape *shape = &def->obstacles[0].shape;
    assert_float_equal(bw_shape_distance(shape, bw_vec3(0.5f, 5.5f, 0.5f)), -0.5f, 1e-6f);
    assert_float_equal(bw_shape_distance(shape, bw_vec3(0.0f, 0.0f, 0.0f)), -1.0f, 1e-6f);
    bw_scene_destroy(scene);
}

static float value_at(const BwCurve *curve, double time)
{
    float value[4];
    assert_int_equal(bw_curve_at(curve, time, value, NULL), BW_OK);
    return value[0];
}

static void curves_follow_keys_steps_and_functions(void **state)
{
    (void)state;
    BwScene *scene =
        load_good("scene { cell = 1 }\n"
                  "walls { min = {0, 0, 0}, max = {1, 1, 1}, top = keys { {1, 'open'}, {2, 'wall'} } }\n"
                  "local ball = sphere { center = {0, 0, 0}, radius = 1 }\n"
                  "emitter { shape = ball, density = keys { {1, 10}, {3, 20}, {4, 0} } }\n"
                  "emitter { shape = ball, density = function(t) return 2 * t end }\n");
    const BwSceneDef *def = bw_scene_view_def(scene);
    const BwCurve *keys = &def->emitters[0].density, *function = &def->emitters[1].density;
    assert_float_equal(value_at(keys, -1.0), 10.0f, 0.0f);
    assert_float_equal(value_at(keys, 2.0), 15.0f, 1e-6f);
    assert_float_equal(value_at(keys, 3.25), 15.0f, 1e-6f);
    assert_float_equal(value_at(keys, 9.0), 0.0f, 0.0f);
    assert_float_equal(value_at(function, 1.75), 3.5f, 0.0f);
    const BwCurve *kind = &def->walls.side[BW_TOP].kind_curve;
    assert_float_equal(value_at(kind, 0.0), BW_WALL_OPEN, 0.0f);
    assert_float_equal(value_at(kind, 1.99), BW_WALL_OPEN, 0.0f);
    assert_float_equal(value_at(kind, 2.0), BW_WALL_CLOSED, 0.0f);
    bw_scene_destroy(scene);
}

// In 2-D a turn is a plain number, also in keys, which may serve a plain number as well.
static void keys_of_turns_are_plain_numbers_in_2d(void **state)
{
    (void)state;
    BwScene *scene =
        load_good("scene { cell = 1, dimension = 2 } local ball = sphere { center = {0, 0}, radius = 1 }\n"
                  "local t = keys { {0, 0}, {2, 3} } obstacle { shape = ball, motion = { spin = t } }"
                  "emitter { shape = ball, density = t }");
    const BwSceneDef *def = bw_scene_view_def(scene);
    float turn[4];
    assert_int_equal(bw_curve_at(&def->obstacles[0].motion.spin, 1.0, turn, NULL), BW_OK);
    assert_true(turn[0] == 0.0f && turn[1] == 0.0f && turn[2] == value_at(&def->emitters[0].density, 1.0));
    bw_scene_destroy(scene);
}

// Past the duration that the check looks at, the limits of each call still hold.
static void functions_of_time_are_limited_when_they_run(void **state)
{
    (void)state;
    BwScene *scene =
        load_good("scene { cell = 1, duration = 1 }\n"
                  "emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, density = function(t)\n"
                  "  while t > 3 do pcall(error) end\n"
                  "  if t > 2 then error('too late', 0) end\n"
                  "  return t end }\n");
    const BwCurve *density = &bw_scene_view_def(scene)->emitters[0].density;
    BwError err;
    float value[4];
    assert_int_equal(bw_curve_at(density, 2.5, value, &err), BW_ERR_SCENE);
    assert_string_equal(err.message, "test.lua:2: emitter.density at t = 2.5 failed: test.lua:4: too late");
    assert_float_equal(value_at(density, 1.5), 1.5f, 0.0f); // an error is not the end, a limit is
    assert_int_equal(bw_curve_at(density, 3.5, value, &err), BW_ERR_SCENE);
    assert_non_null(strstr(
        err.message, "test.lua:2: emitter.density at t = 3.5 failed: test.lua:3: the script does not end"));
    assert_int_equal(bw_curve_at(density, 1.5, value, &err), BW_ERR_SCENE);
    bw_scene_destroy(scene);
}

// The check looks at 125 points of the box; a point between them is refused where it is filled.
static void functions_of_place_name_the_point(void **state)
{
    (void)state;
    BwScene *scene = load_good("scene { cell = 1 }\n"
                               "walls { min = {0, 0, 0}, max = {1, 1, 1} }\n"
                               "initial { velocity = function(x, y, z)\n"
                               "  if x == 0.375 then error('no flow') end\n"
                               "  return x == 0.125 and {y, 'up', z} or {x, y, 2 * z} end }\n");
    const BwPlaceCurve *velocity = &bw_scene_view_def(scene)->initial.velocity;
    BwError err;
    float value[4];
    for (int n = 0; n < 2; n++) {
        assert_int_equal(velocity->function(velocity->user, bw_vec3(0.5f, 0.1f, 0.3f), value, &err), BW_OK);
        assert_true(value[0] == 0.5f && value[1] == 0.1f && value[2] == 0.6f);
        BwVec3 bad = bw_vec3(0.375f, 0.25f, -2e-9f);
        assert_int_equal(velocity->function(velocity->user, bad, value, &err), BW_ERR_SCENE);
        assert_string_equal(err.message, "test.lua:3: initial.velocity at (0.375, 0.25, -2e-09) failed: "
                                         "test.lua:4: no flow");
        bad = bw_vec3(0.125f, 0.25f, 1.0f);
        assert_int_equal(velocity->function(velocity->user, bad, value, &err), BW_ERR_SCENE);
        assert_string_equal(err.message,
                            "test.lua:3: initial.velocity at (0.125, 0.25, 1) is {0.25, \"up\", 1}; "
                            "it must be a function(x, y, z) that returns a vector {x, y, z} (m/s)");
    }
    bw_scene_destroy(scene);
}

static void many_calls_do_not_add_up(void **state)
{
    (void)state;
    BwScene *scene = load_good("scene { cell = 1 }\n"
                               "emitter { shape = sphere { center = {0, 0, 0}, radius = 1 },\n"
                               "          velocity = function(t) return {t, 0, 0} end }\n");
    const BwCurve *velocity = &bw_scene_view_def(scene)->emitters[0].velocity;
    for (int n = 0; n < 1000000; n++)
        assert_float_equal(value_at(velocity, n), (float)n, 0.0f);
    bw_scene_destroy(scene);
}

static void params_take_the_type_of_their_default(void **state)
{
    (void)state;
    const char *text = "local n, s, b = param('n', 2), param('s', 'a'), param('b', false)\n"
                       "scene { cell = n, title = s .. tostring(b) }\n";
    BwSetting settings[] = {{"n", "0.5"}, {"s", "0.5"}, {"b", "true"}, {"n", "0.25"}};
    BwSceneLoad options = {.settings = settings, .setting_count = 4};
    BwScene *scene;
    assert_int_equal(bw_scene_load_text(&scene, text, strlen(text), "test.lua", &options, NULL), BW_OK);
    assert_float_equal(bw_scene_view_def(scene)->cell, 0.25f, 0.0f); // the last setting holds
    assert_string_equal(bw_scene_view_def(scene)->title, "0.5true");
    int count;
    const BwParam *params = bw_scene_view_params(scene, &count);
    assert_int_equal(count, 3);
    assert_string_equal(params[0].name, "n");
    assert_string_equal(params[0].value, "0.25");
    assert_string_equal(params[0].default_value, "2");
    bw_scene_destroy(scene);
}

typedef struct Scarce {
    int left, live;
} Scarce;

static void *scarce_resize(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    Scarce *scarce = user;
    (void)align;
    (void)old_size;
    if (new_size == 0) {
        scarce->live -= block != NULL;
        free(block);
        return NULL;
    }
    if (scarce->left-- <= 0)
        return NULL;
    void *fresh = NULL;
    if (posix_memalign(&fresh, 64, new_size) != 0)
        return NULL;
    scarce->live += block == NULL;
    if (block != NULL)
        memcpy(fresh, block, old_size < new_size ? old_size : new_size);
    free(block);
    return fresh;
}

// Fails the n-th allocation for every n until the load succeeds.
static void no_allocation_may_fail_unseen(void **state)
{
    (void)state;
    const char *text =
        "scene { title = 'T', cell = param('c', 0.5), frames = 3 }\n"
        "local ball = sphere { center = {0, 0, 0}, radius = 1 }\n"
        "emitter { shape = union { ball, ball }, density = keys { {0, 1}, {1, 2} } }\n"
        "obstacle { shape = ball, motion = { position = function(t) return {t, 0, 0} end }, emit = { "
        "density = 1 } }\n";
    int count = 0;
    BwResult result = BW_ERR_MEMORY;
    for (; result != BW_OK; count++) {
        Scarce scarce = {.left = count};
        BwSceneLoad options = {.allocator = {scarce_resize, &scarce}};
        BwScene *scene;
        BwError err;
        result = bw_scene_load_text(&scene, text, strlen(text), "test.lua", &options, &err);
        if (result != BW_OK) {
            assert_int_equal(result, BW_ERR_MEMORY);
            assert_string_equal(err.message, "out of memory");
            assert_null(scene);
        }
        bw_scene_destroy(scene);
        assert_int_equal(scarce.live, 0);
        assert_true(count < 100000);
    }
    printf("%d allocations failed one by one\n", count - 1);
}

static void noise_is_smooth_bounded_and_the_same(void **state)
{
    (void)state;
    double largest = 0.0, steepest = 0.0, sum = 0.0;
    for (int n = 0; n < 200000; n++) {
        double x = 0.0137 * n, y = 0.0071 * n, z = -0.0211 * n, t = 0.0053 * n;
        double value = (double)bw_noise(x, y, z, t);
        largest = fmax(largest, fabs(value));
        steepest = fmax(steepest, fabs((double)bw_noise(x + 1e-3, y, z, t) - value) / 1e-3);
        sum += value;
    }
    gate("noise_largest", largest, GATE_BELOW, 1.2);
    gate("noise_largest_is_not_small", largest, GATE_ABOVE, 0.6);
    gate("noise_steepest", steepest, GATE_BELOW, 5.0);
    gate("noise_mean", fabs(sum) / 200000, GATE_BELOW, 0.01);
    assert_float_equal(bw_noise(3.0, -4.0, 5.0, 6.0), 0.0f, 0.0f);
    assert_true(isfinite(bw_noise(1e18, -1e300, 1e9, 0.5)));
    float known = bw_noise(0.3, 0.4, 0.5, 0.6);
    gate("noise_known_value", fabs((double)known - -0.27235358953475952), GATE_BELOW, 0.0);
}

static void a_fluid_that_does_not_exist_yet_is_told(void **state)
{
    (void)state;
    BwError err;
    BwScene *scene = load_good("scene { cell = 1, fluid = 'waves' }");
    assert_int_equal(bw_scene_def_check_runnable(bw_scene_view_def(scene), &err), BW_ERR_SCENE);
    assert_string_equal(err.message, "scene.fluid \"waves\" cannot be run by this version");
    bw_scene_destroy(scene);
}

static void expect_refused(const char *text, const char *what, const char *verb)
{
    BwError err;
    char wanted[200];
    BwScene *scene = load_good(text);
    snprintf(wanted, sizeof wanted, "%s cannot be %s by this version", what, verb);
    assert_int_equal(bw_scene_def_check_runnable(bw_scene_view_def(scene), &err), BW_ERR_SCENE);
    assert_string_equal(err.message, wanted);
    bw_scene_destroy(scene);
}

// What liquids alone do, and what fire alone does, asked of smoke.
static const char of_liquids[] = "run with fluid \"smoke\"";

static void sources_without_end_need_walls(void **state)
{
    (void)state;
    static const char *const sources[] = {
        "emitter { shape = ground, density = 1 }", "pump { shape = ground, velocity = {0, 1, 0} }",
        "fill { shape = ground, density = 1 }", "obstacle { shape = ground, emit = { density = 1 } }"};
    for (size_t n = 0; n < sizeof sources / sizeof *sources; n++)
        for (int has_walls = 0; has_walls < 2; has_walls++) {
            char text[400];
            BwError err;
            snprintf(
                text, sizeof text,
                "scene { cell = 0.1 } local ground = plane { point = {0, 0.2, 0}, normal = {0, 1, 0} } %s %s",
                sources[n], has_walls ? "walls { min = {0, 0, 0}, max = {1, 1, 1} }" : "");
            BwScene *scene = load_good(text);
            BwResult result = bw_scene_def_check_runnable(bw_scene_view_def(scene), &err);
            assert_int_equal(result, has_walls ? BW_OK : BW_ERR_SCENE);
            assert_true(has_walls || strstr(err.message, "has no end; without walls") != NULL);
            bw_scene_destroy(scene);
        }
}

static void what_smoke_does_not_do_yet_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *text, *refused, *verb;
    } cases[] = {
        {"body { shape = ball }", "body", of_liquids},
        {"surface_control { velocity = {1, 0, 0} }", "surface_control", of_liquids},
        {"surface_pressure { pressure = 1 }", "surface_pressure", of_liquids},
        {"emitter { shape = ball, density = 1, kind = 'blob' }", "emitter.kind \"blob\"", of_liquids},
        {"emitter { shape = ball, density = 1, velocity = {1, 0, 0}, kind = 'spout' }",
         "emitter.kind \"spout\"", of_liquids},
        {"emitter { shape = ball, density = 1, fuel = 1 }", "emitter.fuel", "run with fluid \"smoke\""},
        {"emitter { shape = ball, density = 1, flow = 1 }", "emitter.flow", of_liquids},
        {"sink { shape = ball, flow = 1 }", "sink.flow", of_liquids},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char text[400];
        snprintf(text, sizeof text,
                 "local ball, low, high = sphere { center = {0, 0, 0}, radius = 1 }, "
                 "{-2, -2, -2}, {2, 2, 2}\nscene { cell = 1 }\n%s",
                 cases[n].text);
        expect_refused(text, cases[n].refused, cases[n].verb);
    }
}

static void keep_message(void *user, BwLogLevel level, const char *message)
{
    assert_int_equal(level, BW_LOG_WARNING);
    snprintf(user, BW_WORDING, "%s", message);
}

// What is allowed and hardly meant is told; "" where there is nothing to tell.
static void doubts_are_told(void **state)
{
    (void)state;
    const struct {
        const char *text, *told;
    } cases[] = {
        {"emitter { shape = ball, density = 1 }", ""},
        {"obstacle { shape = ball, motion = { position = function(t) return {5 - t, 0, 0} end } }", ""},
        {"emitter { shape = sphere { center = {9, 0, 0}, radius = 1 }, density = 1 }",
         "box.lua:3: emitter lies outside of the walls and has no effect"},
        {"obstacle { shape = box { min = {-9, -9, -9}, max = {9, -2, 9} } } emitter { shape = ball, density "
         "= 1 }",
         ""},
        {"obstacle { shape = ball, motion = { position = {9, 0, 0} } }",
         "box.lua:3: obstacle lies outside of the walls and has no effect"},
        {"emitter { shape = ball, density = 1 } smoke { wind = {2, 0, 0} }",
         "box.lua:3: smoke.wind does nothing between walls without an `envelope`; for wind through a box "
         "give a "
         "side { kind = \"inflow\", velocity = ... } and open the one across"},
        {"emitter { shape = ball, density = 1 } smoke { wind = {2, 0, 0}, envelope = 4 }", ""},
        {"emitter { shape = ball, density = 1 } smoke { wind = {0, 0, 0} }", ""},
        {"emitter { shape = sphere { center = {0, 0, 0}, radius = 0.01 }, density = 1 }",
         "box.lua:3: emitter is smaller than half a cell of 0.25 m and may give nothing"},
        {"emitter { shape = ball, density = 1 } sink { shape = sphere { center = {0, 0, 0}, radius = 0.1 } }",
         "box.lua:3: sink is 0.2 m wide, less than a cell of 0.25 m: it may draw little or nothing; make it "
         "a "
         "cell wide"},
        {"emitter { shape = ball, density = 1 } sink { shape = disc { center = {0, 0, 0}, normal = {0, 1, "
         "0}, "
         "radius = 0.3 } }",
         ""},
        {"pump { shape = disc { center = {0, 0, 0}, normal = {0, 1, 0}, radius = 0.1 }, velocity = {0, 1, 0} "
         "} "
         "emitter { shape = ball, density = 1 }",
         "box.lua:3: pump is 0.2 m wide, less than a cell of 0.25 m: it may drive little or nothing, or a "
         "whole "
         "cell; make it a cell wide"},
        {"emitter { shape = ball, density = 1, start = 7 }",
         "box.lua:3: emitter.start is 7 s, and the scene ends at 5 s"},
        {"emitter { shape = ball, density = 1, start = math.huge }", ""},
        {"emitter { shape = ball, temperature = 80 }",
         "box.lua:3: emitter.temperature is 80 K; temperatures are in kelvin, and 80 degrees Celsius are "
         "353.15 K"},
        {"emitter { shape = ball, density = 1 } obstacle { shape = rotate { ball, axis = {0, 1, 0}, angle = "
         "30 } }",
         "box.lua:3: rotate.angle is 30 rad, more than a whole turn; deg(30) are degrees"},
        {"emitter { shape = ball, density = 1 } obstacle { shape = rotate { ball, axis = {0, 1, 0}, angle = "
         "deg(360) } }",
         ""},
        {"emitter { shape = scale { ball, by = 0.5 }, density = 1 } obstacle { shape = ball }",
         "box.lua:3: emitter gives nothing: all of it is inside of obstacles or outside of the walls"},
        {"emitter { shape = disc { center = {0, 0, 0}, normal = {0, 1, 0}, radius = 1 }, density = 1, "
         "velocity = {1, 0, 0} }",
         "box.lua:3: emitter gives nothing: its shape is flat and its velocity runs along it; what comes out "
         "goes across, along the shape's normal"},
        {"sink { shape = ball }", "box.lua:2: scene has no emitter and no fill; nothing will happen in it"},
        {"emitter { shape = ball, density = 1, noise = { size = 0.3 } }",
         "box.lua:3: emitter.noise does nothing: its amplitude is 0"},
        {"emitter { shape = ball, density = 1, noise = { size = 0.3, amplitude = 1 } }", ""},
        {"emitter { shape = ball, density = 1 } camera { position = {1, 1, 9}, target = {1, 1, 9} }",
         "box.lua:3: camera stands on its target and has nothing to look along; it looks the way of a camera "
         "that is not given"},
        {"emitter { shape = ball, density = 1 } camera { up = {0, 0, 0} }",
         "box.lua:3: camera.up is 0 and no direction; x is to the right in pictures"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char text[400], told[BW_WORDING] = "";
        BwError err = {0};
        BwScene *scene;
        BwSceneLoad load_def = {.log = {keep_message, told}};
        snprintf(text, sizeof text,
                 "local ball = sphere { center = {0, 0, 0}, radius = 1 }\n"
                 "scene { cell = 0.25 } walls { min = {-2, -2, -2}, max = {2, 2, 2} }\n%s",
                 cases[n].text);
        if (bw_scene_load_text(&scene, text, strlen(text), "box.lua", &load_def, &err) != BW_OK)
            fail_msg("%s", err.message);
        assert_string_equal(told, cases[n].told);
        bw_scene_destroy(scene);
    }
}

// Of liquids: most of a fill outside of the walls; small springs give what they say.
static void doubts_of_liquids_are_told(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"fill { shape = sphere { center = {1.7, 0, 0}, radius = 1 } }", ""},
        {"fill { shape = sphere { center = {2.3, 0, 0}, radius = 1 } }",
         "box.lua:2: fill: 71% of it lie outside of the walls and are cut off"},
        {"fill { shape = box { min = {-9, -9, -9}, max = {9, 0, 9} } }", ""},
        {"emitter { shape = sphere { center = {0, 0, 0}, radius = 0.01 }, flow = 1 }", ""},
        {"emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, flow = 1e6 }",
         "box.lua:2: emitter.flow of 1e+06 m^3/s fills the box of 64 m^3 in 6.4e-05 s, less than a frame"},
        {"emitter { kind = 'blob', shape = sphere { center = {0, 0, 0}, radius = 0.01 } }",
         "box.lua:2: emitter is smaller than half a cell of 0.25 m and may give nothing"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char text[400], told[BW_WORDING] = "";
        BwError err = {0};
        BwScene *scene;
        BwSceneLoad load_def = {.log = {keep_message, told}};
        snprintf(text, sizeof text,
                 "scene { fluid = 'liquid', cell = 0.25 } walls { min = {-2, -2, -2}, max = {2, 2, 2} }\n%s",
                 cases[n][0]);
        if (bw_scene_load_text(&scene, text, strlen(text), "box.lua", &load_def, &err) != BW_OK)
            fail_msg("%s", err.message);
        assert_string_equal(told, cases[n][1]);
        bw_scene_destroy(scene);
    }
}

// Solid fuel burns where something lights it; where nothing ever can, that is told.
static void fuel_that_never_burns_is_told(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"fuel = { lit = ball } }", ""},
        {"fuel = {} } emitter { shape = vent, temperature = 1200 }", ""},
        {"fuel = {} } emitter { shape = vent, fuel = 1 }", ""},
        {"fuel = {} }", "it is lit nowhere, and nothing in the scene gets as hot as its ignition, 743 K"},
        {"fuel = { ignition = 500 } } emitter { shape = vent, temperature = 450 }",
         "it is lit nowhere, and nothing in the scene gets as hot as its ignition, 500 K"},
        {"fuel = { heating = 0 } } emitter { shape = vent, temperature = 1200 }",
         "it is lit nowhere, and heating is 0"},
        {"fuel = { lit = ball, rate = 0 } }", "its rate is 0 m/s"},
        {"fuel = { lit = translate { ball, by = {5, 0, 0} } } }", "lit lies beside the obstacle"},
        {"fuel = { lit = ball }, temperature = 400 }",
         "the obstacle is held at 400 K, and its ignition is 743 K"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char text[400], told[BW_WORDING] = "", wanted[BW_WORDING] = "";
        BwError err = {0};
        BwScene *scene;
        BwSceneLoad load_def = {.log = {keep_message, told}};
        snprintf(
            text, sizeof text,
            "local ball, vent = sphere { center = {0, 0, 0}, radius = 1 }, sphere { center = {0, -3, 0}, "
            "radius = 0.5 }\nscene { fluid = 'fire', cell = 0.25 }\nobstacle { shape = ball, %s",
            cases[n][0]);
        if (cases[n][1][0] != '\0')
            snprintf(wanted, sizeof wanted, "box.lua:3: obstacle.fuel can never burn: %s", cases[n][1]);
        if (bw_scene_load_text(&scene, text, strlen(text), "box.lua", &load_def, &err) != BW_OK)
            fail_msg("%s", err.message);
        assert_string_equal(told, wanted);
        bw_scene_destroy(scene);
    }
}

// Propane's products pass two cells of 0.01 m in 0.02 * 0.152 / (1.205 * 0.44) s; a flame is not looked at
// any nearer.
static void quench_below_two_cells_is_told(void **state)
{
    (void)state;
    const float quench[3] = {0.0f, 0.0058f, 0.0057f};
    for (int n = 0; n < 3; n++) {
        char text[300], told[BW_WORDING] = "";
        BwError err = {0};
        BwScene *scene;
        BwSceneLoad load_def = {.log = {keep_message, told}};
        snprintf(text, sizeof text,
                 "scene { fluid = 'fire', cell = 0.01 }\nfire { fuel = 'propane', quench = %g }\n"
                 "fill { shape = sphere { center = {0, 0, 0}, radius = 0.1 }, fuel = 1 }",
                 (double)quench[n]);
        if (bw_scene_load_text(&scene, text, strlen(text), "match.lua", &load_def, &err) != BW_OK)
            fail_msg("%s", err.message);
        assert_string_equal(told, n < 2 ? ""
                                        : "match.lua:2: fire.quench of 0.0057 s acts as one of 0.00573 s, in "
                                          "which products pass two cells: a strain rate of 174 /s puts the "
                                          "flame out");
        bw_scene_destroy(scene);
    }
}

// A start at infinity is never, for all that has one; an end before it is a mistake.
static void spares_never_begin(void **state)
{
    (void)state;
    BwScene *scene = load_good("scene { cell = 1 } local ball = sphere { center = {0, 0, 0}, radius = 1 }\n"
                               "emitter { shape = ball, density = 1, start = math.huge,\n"
                               "          velocity = function(t) return {1 / (1 + t), 0, 0} end }\n"
                               "force { acceleration = {1, 0, 0}, start = math.huge, stop = math.huge }\n"
                               "sink { shape = ball, start = math.huge }\n"
                               "pump { shape = ball, velocity = {1, 0, 0}, start = math.huge }");
    const BwSceneDef *def = bw_scene_view_def(scene);
    assert_true(isinf(def->emitters[0].start) && isinf(def->forces[0].start) && isinf(def->sinks[0].start) &&
                isinf(def->pumps[0].start));
    BwBox box;
    BwError err = {0};
    assert_int_equal(bw_scene_extent(&box, def, &err), BW_OK);
    assert_true(box.low.x <= -1.0f && box.high.x >= 1.0f && isfinite(box.high.x));
    bw_scene_destroy(scene);
    static const char *const wrong[][2] = {
        {"start = math.huge, stop = 5", "force.stop is 5 s, force.start is inf s; stop must be above start"},
        {"start = -math.huge", "force.start is -inf"},
        {"start = 0 / 0", "force.start is nan"}};
    for (int n = 0; n < 3; n++) {
        char text[200];
        snprintf(text, sizeof text, "scene { cell = 1 } force { acceleration = {1, 0, 0}, %s }", wrong[n][0]);
        assert_int_equal(load(&scene, text, &err), BW_ERR_SCENE);
        if (strstr(err.message, wrong[n][1]) == NULL)
            fail_msg("%s", err.message);
    }
}

static void functions_of_space_need_cells_to_fill(void **state)
{
    (void)state;
    expect_refused("scene { cell = 1 } initial { density = function() return 1 end }", "initial.density",
                   "run with fluid \"smoke\" without walls");
    expect_refused("scene { cell = 1 } walls { min = {0, 0, 0}, max = {8, 8, 8} } smoke { envelope = 3 } "
                   "initial { temperature = function() return 300 end }",
                   "initial.temperature", "run with fluid \"smoke\" with an envelope");
}

static void what_the_stable_box_does_not_do_is_refused(void **state)
{
    (void)state;
    static const char alone[] = "run with fluid \"stable\""; // other fluids do
    const struct {
        const char *text, *refused, *verb;
    } cases[] = {
        {"gravity = {0, -1, 0} } walls { min = low, max = high", "scene.gravity", alone},
        {"gravity = function(t) return {0, -t, 0} end } walls { min = low, max = high", "scene.gravity",
         alone},
        {"cfl = 3 } walls { min = low, max = high", "scene.cfl", alone},
        {"} walls { min = low, max = high } solver { tolerance = 1e-3", "solver.tolerance", alone},
        {"} walls { min = low, max = high } solver { pressure = 'cg'", "solver.pressure", alone},
        {"} walls { min = low, max = high } solver { divergence_max = 1", "solver.divergence_max", alone},
        {"} walls { min = low, max = high } solver { iterations_max = 5", "solver.iterations_max", alone},
        {"} walls { min = low, max = high } body { shape = ball", "body", alone},
        {"} walls { min = low, max = high } surface_control { velocity = {1, 0, 0}", "surface_control",
         alone},
        {"} walls { min = low, max = high } surface_pressure { pressure = 1", "surface_pressure", alone},
        {"} walls { min = low, max = high } initial { temperature = function() return 300 end",
         "initial.temperature", alone},
        {"} walls { min = low, max = high, slip = 0.5", "walls.slip", alone},
        {"} walls { min = low, max = high, top = { velocity = {1, 0, 0} }", "walls.top.velocity",
         "run with fluid \"stable\" at a side without inflow"},
        {"} walls { min = low, max = high, bottom = { temperature = 300 }", "walls.bottom.temperature",
         alone},
        {"} walls { min = low, max = high, back = { slip = 0 }", "walls.back.slip", alone},
        {"} walls { min = low, max = high, top = { kind = keys { {0, 'wall'}, {1, 'open'} } }",
         "walls.top.kind over time", alone},
        {"} walls { min = low, max = high } emitter { shape = ball, density = 1, kind = 'blob'",
         "emitter.kind \"blob\"", alone},
        {"} walls { min = low, max = high } emitter { shape = ball, density = 1, velocity = {1, 0, 0}, kind "
         "= "
         "'spout'",
         "emitter.kind \"spout\"", alone},
        {"} walls { min = low, max = high } emitter { shape = ball, temperature = 300", "emitter.temperature",
         alone},
        {"} walls { min = low, max = high } emitter { shape = ball, density = 1, fuel = 1", "emitter.fuel",
         alone},
        {"} walls { min = low, max = high } emitter { shape = ball, density = 1, flow = 1", "emitter.flow",
         alone},
        {"} walls { min = low, max = high } emitter { shape = ball, density = 1, color = {1, 0, 0}",
         "emitter.color", alone},
        {"} walls { min = low, max = high } fill { shape = ball, temperature = 300", "fill.temperature",
         alone},
        {"} walls { min = low, max = high } fill { shape = ball, color = {1, 0, 0}", "fill.color", alone},
        {"} walls { min = low, max = high } obstacle { shape = ball, temperature = 300",
         "obstacle.temperature", alone},
        {"} walls { min = low, max = high } obstacle { shape = ball, slip = 0", "obstacle.slip", alone},
        {"} walls { min = low, max = high } obstacle { shape = ball, emit = { density = 1 }", "obstacle.emit",
         alone},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char text[400];
        snprintf(text, sizeof text,
                 "local ball, low, high = sphere { center = {0, 0, 0}, radius = 1 }, "
                 "{-2, -2, -2}, {2, 2, 2}\nscene { cell = 1, fluid = 'stable', %s }",
                 cases[n].text);
        expect_refused(text, cases[n].refused, cases[n].verb);
    }
}

static void what_the_stable_box_does_is_not_refused(void **state)
{
    (void)state;
    BwError err;
    BwScene *scene = load_good(
        "local ball = sphere { center = {0, 0, 0}, radius = 1 } "
        "scene { cell = 1, fluid = 'stable', gravity = {0, 0, 0}, steps = 2 } "
        "walls { min = {-2, -2, -2}, max = {2, 2, 2}, top = 'open', right = { kind = 'outflow', "
        "part = ball }, left = { kind = 'inflow', velocity = {1, 0, 0}, slip = 1 } } "
        "stable { viscosity = 1e-5, diffusion = 1e-5, sweeps = 10, solver = 'cg', confinement = 1 } "
        "emitter { shape = ball, density = 1, velocity = {0, 1, 0}, noise = 0.5 } "
        "sink { shape = ball } pump { shape = ball, velocity = {0, 1, 0} } "
        "force { acceleration = {1, 0, 0} } "
        "obstacle { shape = ball, slip = 1, motion = { velocity = {1, 0, 0} } }");
    assert_int_equal(bw_scene_def_check_runnable(bw_scene_view_def(scene), &err), BW_OK);
    bw_scene_destroy(scene);
}

static void a_flat_emitter_on_a_wall_is_refused(void **state)
{
    (void)state;
    const char *text = "scene { cell = 0.1 } walls { min = {0, 0, 0}, max = {2, 2, 2}, top = 'open' } "
                       "emitter { shape = disc { center = {1, %g, 1}, normal = {0, 1, 0}, radius = 0.5 }, "
                       "density = 1, velocity = {0, 1, 0} }";
    const double heights[] = {0.0, 0.1, 2.0};
    for (int n = 0; n < 3; n++) {
        char scene_text[400];
        BwError err = {0};
        snprintf(scene_text, sizeof scene_text, text, heights[n]);
        BwScene *scene = load_good(scene_text);
        BwResult result = bw_scene_def_check_runnable(bw_scene_view_def(scene), &err);
        assert_int_equal(result, n == 0 ? BW_ERR_SCENE : BW_OK);
        if (n == 0)
            assert_non_null(strstr(err.message, "is flat and lies on walls.bottom"));
        bw_scene_destroy(scene);
    }
}

static void output_that_nothing_writes_yet_is_refused(void **state)
{
    (void)state;
    expect_refused("scene { cell = 1 } output { mesh = true }", "output.mesh",
                   "written with fluid \"smoke\"");
    expect_refused("scene { cell = 1 } output { particles = true }", "output.particles",
                   "written with fluid \"smoke\"");
}

static void what_smoke_does_is_not_refused(void **state)
{
    (void)state;
    BwError err;
    BwScene *scene = load_good(
        "scene { cell = 1 } "
        "walls { min = {-2, -2, -2}, max = {2, 2, 2}, top = 'open', left = { slip = 1 } } "
        "obstacle { shape = sphere { center = {0, 0, 0}, radius = 1 }, slip = 1, "
        "emit = { density = 1, color = {0, 0, 1} } } "
        "emitter { shape = sphere { center = {0, 1, 0}, radius = 1 }, density = 1, color = {1, 0, 0} } "
        "fill { shape = sphere { center = {0, -1, 0}, radius = 1 }, color = {0, 1, 0} } "
        "output { images = true, vdb = true, vtk = true, up = 'z', half = true, vdb_compression = 'blosc', "
        "checkpoint_every = 5, compress = true, keep_checkpoints = true }");
    assert_int_equal(bw_scene_def_check_runnable(bw_scene_view_def(scene), &err), BW_OK);
    bw_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_described),
        cmocka_unit_test(defaults_pass_their_own_check),
        cmocka_unit_test(a_default_scene_needs_only_a_cell),
        cmocka_unit_test(c_callers_get_the_same_checks),
        cmocka_unit_test(c_functions_of_time_must_be_pure),
        cmocka_unit_test(a_script_fills_its_defs),
        cmocka_unit_test(curves_follow_keys_steps_and_functions),
        cmocka_unit_test(keys_of_turns_are_plain_numbers_in_2d),
        cmocka_unit_test(functions_of_time_are_limited_when_they_run),
        cmocka_unit_test(functions_of_place_name_the_point),
        cmocka_unit_test(many_calls_do_not_add_up),
        cmocka_unit_test(params_take_the_type_of_their_default),
        cmocka_unit_test(no_allocation_may_fail_unseen),
        cmocka_unit_test(noise_is_smooth_bounded_and_the_same),
        cmocka_unit_test(a_fluid_that_does_not_exist_yet_is_told),
        cmocka_unit_test(sources_without_end_need_walls),
        cmocka_unit_test(what_smoke_does_not_do_yet_is_refused),
        cmocka_unit_test(doubts_are_told),
        cmocka_unit_test(doubts_of_liquids_are_told),
        cmocka_unit_test(fuel_that_never_burns_is_told),
        cmocka_unit_test(quench_below_two_cells_is_told),
        cmocka_unit_test(spares_never_begin),
        cmocka_unit_test(functions_of_space_need_cells_to_fill),
        cmocka_unit_test(what_the_stable_box_does_not_do_is_refused),
        cmocka_unit_test(what_the_stable_box_does_is_not_refused),
        cmocka_unit_test(a_flat_emitter_on_a_wall_is_refused),
        cmocka_unit_test(output_that_nothing_writes_yet_is_refused),
        cmocka_unit_test(what_smoke_does_is_not_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
