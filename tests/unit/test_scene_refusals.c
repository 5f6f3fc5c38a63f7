// What this version does not run is refused by name, and nothing else is.
#include "scene/check.h"
#include "scene/wording.h"
#include "scene_text.h"

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
        cmocka_unit_test(a_fluid_that_does_not_exist_yet_is_told),
        cmocka_unit_test(sources_without_end_need_walls),
        cmocka_unit_test(what_smoke_does_not_do_yet_is_refused),
        cmocka_unit_test(functions_of_space_need_cells_to_fill),
        cmocka_unit_test(what_the_stable_box_does_not_do_is_refused),
        cmocka_unit_test(what_the_stable_box_does_is_not_refused),
        cmocka_unit_test(a_flat_emitter_on_a_wall_is_refused),
        cmocka_unit_test(output_that_nothing_writes_yet_is_refused),
        cmocka_unit_test(what_smoke_does_is_not_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
