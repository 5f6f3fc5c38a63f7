// Scenes: the table of fields is whole, defaults pass their own checks, scripts fill Defs as they say,
// functions of time keep their limits when a world runs, and no failing allocation is missed.
#include "gate.h"
#include "scene/check.h"
#include "scene/extent.h"
#include "scene/noise.h"
#include "scene/wording.h"
#include "scene_text.h"

#include <billow/scene.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        cmocka_unit_test(spares_never_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
