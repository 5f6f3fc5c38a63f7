// The words of liquids: their defaults, their rules, what is refused, and what is told of a liquid that is
// hardly meant.
#include "gate.h"

#include <billow/scene.h>

#include <math.h>
#include <string.h>

enum { TEXT_SIZE = 600 };

static const char start[] = "local drop = sphere { center = {0, 0, 0}, radius = 1 }\n"
                            "local floor = box { min = {-4, -4, -4}, max = {4, -3, 4} }\n";

static BwResult load(BwScene **scene, const char *text, const BwLog *log, BwError *err)
{
    char whole[TEXT_SIZE + sizeof start];
    BwSceneLoad load_def = {.log = log != NULL ? *log : (BwLog){0}};
    snprintf(whole, sizeof whole, "%s%s", start, text);
    return bw_scene_load_text(scene, whole, strlen(whole), "water.lua", &load_def, err);
}

static BwScene *load_good(const char *text)
{
    BwScene *scene;
    BwError err = {0};
    if (load(&scene, text, NULL, &err) != BW_OK)
        fail_msg("%s", err.message);
    return scene;
}

static void a_script_sets_the_liquid(void **state)
{
    (void)state;
    BwSceneDef plain = bw_scene_def_default();
    assert_int_equal(plain.liquid.method, BW_LIQUID_APIC);
    assert_int_equal(plain.liquid.seeding, BW_SEEDING_JITTERED);
    assert_int_equal(plain.liquid.particles_per_cell, 2);
    assert_true(plain.liquid.surface_tension == 0.0f &&
                fabsf(plain.liquid.contact_angle - 1.57079633f) < 1e-6f);
    assert_true(isnan(plain.liquid.narrow_band));
    assert_float_equal(plain.liquid.volume_correction, 0.5f, 0.0f);
    BwScene *scene = load_good("scene { cell = 0.1, fluid = 'liquid' } fill { shape = drop }\n"
                               "liquid { method = 'flip', flip_ratio = 0.9, narrow_band = 0,\n"
                               "         particles_per_cell = 3, seeding = 'lattice', viscosity = 1e-3,\n"
                               "         density = 900, volume_correction = 0 }");
    const BwLiquidDef *liquid = &bw_scene_view_def(scene)->liquid;
    assert_int_equal(liquid->method, BW_LIQUID_FLIP);
    assert_int_equal(liquid->seeding, BW_SEEDING_LATTICE);
    assert_int_equal(liquid->particles_per_cell, 3);
    assert_true(liquid->narrow_band == 0.0f && liquid->volume_correction == 0.0f);
    assert_float_equal(liquid->flip_ratio, 0.9f, 0.0f);
    assert_float_equal(liquid->density, 900.0f, 0.0f);
    assert_true(liquid->viscosity.kind == BW_CURVE_CONSTANT && liquid->viscosity.value[0] == 1e-3f);
    bw_scene_destroy(scene);
}

static void wrong_numbers_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"flip_ratio = 0.9", "liquid.flip_ratio is given; only method = \"flip\" has a use for it"},
        {"redistance = 'pde'", "liquid.redistance is given; only level sets have a use for it"},
        {"method = 'levelset', surface_particles = 3",
         "liquid.surface_particles is given; only method = \"particle_levelset\" has a use for it"},
        {"method = 'levelset', narrow_band = 0",
         "liquid.narrow_band is given; only liquids carried by particles have a use for it"},
        {"elastic = { modulus = 100 }, viscosity_scheme = 'components'",
         "liquid.viscosity_scheme is \"components\"; an elastic liquid has to couple them"},
        {"method = 'height', elastic = { modulus = 1 }",
         "liquid.elastic is given; a height field has nothing to carry its strain"},
        {"elastic = { yield = 0.1 }", "liquid.elastic has no modulus; yield and flow have no use without"},
        {"elastic = { modulus = 1 }, melt = { viscosity_solid = 1 }",
         "liquid.melt is given, and so is elastic: it does either"},
        {"advection = 'cubic'",
         "liquid.advection is \"cubic\"; known: semi_lagrangian, maccormack, upwind, eno, weno"},
        {"yield_stress = -1", "liquid.yield_stress is -1; it must be"},
        {"shear_exponent = 0", "liquid.shear_exponent is 0; it must be"},
        {"viscosity = function(t) return t end } fill { shape = drop, viscosity = 1",
         "liquid.viscosity changes over time, and a fill or an emitter has a viscosity of its own"},
        {"melt = { solid = 350, liquid = 340 }",
         "liquid.melt.liquid is 340 K, liquid.melt.solid is 350 K; liquid must be above solid"},
        {"heat_capacity = 0", "liquid.heat_capacity is 0; it must be"},
        {"melt = { latent_heat = -1 }", "liquid.melt.latent_heat is -1; it must be"},
        {"contact_angle = 3.2", "liquid.contact_angle is 3.2; it must be"},
        {"contact_angle = -0.1", "liquid.contact_angle is -0.1; it must be"},
        {"surface_tension = -1", "liquid.surface_tension is -1; it must be"},
        {"particles_per_cell = 5", "liquid.particles_per_cell is 5; it must be"},
        {"narrow_band = -1", "liquid.narrow_band is -1; it must be"},
        {"volume_correction = 1.5", "liquid.volume_correction is 1.5; it must be"},
        {"seeding = 'random'", "liquid.seeding is \"random\"; known: jittered, lattice"},
        {"} output { mesh_resolution = 5",
         "output.mesh_resolution is 5; it must be a whole number from 1 to 4"},
        {"} output { mesh_smoothing = -1",
         "output.mesh_smoothing is -1; it must be a whole number from 0 to 100"},
        {"} walls { min = {0, 0, 0}, max = {1, 1, 1}, left = { color = {1, 0, 0} }",
         "walls.left.color is given; only what flows in has one"},
        {"} surface_control { velocity = {1, 0, 0}, strength = 2",
         "surface_control.strength is given; only kind = \"churn\" has a use for it"},
        {"} surface_control { kind = 'wind'",
         "surface_control.velocity is missing; kind = \"wind\" needs it"},
        {"} surface_control { kind = 'churn', speed = 2",
         "surface_control.strength is missing; kind = \"churn\" needs it"},
        {"} surface_control { kind = 'calm', velocity = {1, 0, 0}",
         "surface_control.velocity is given; only kind = \"wind\" has a use for it"},
        {"} surface_control { kind = 'calm', drag = -1", "surface_control.drag is -1; it must be"},
        {"} output { mesh_from = 'air'", "output.mesh_from is \"air\"; known: levelset, particles"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char text[TEXT_SIZE];
        BwScene *scene;
        BwError err = {0};
        snprintf(text, sizeof text, "scene { cell = 0.1, fluid = 'liquid' } liquid { %s }", cases[n][0]);
        assert_int_equal(load(&scene, text, NULL, &err), BW_ERR_SCENE);
        if (strstr(err.message, cases[n][1]) == NULL)
            fail_msg("%s, wanted: %s", err.message, cases[n][1]);
    }
}

static void keep_message(void *user, BwLogLevel level, const char *message)
{
    assert_int_equal(level, BW_LOG_WARNING);
    snprintf(user, TEXT_SIZE, "%s", message);
}

// "" where there is nothing to tell.
static void doubts_are_told(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"} obstacle { shape = floor } fill { shape = drop }", ""},
        {"} obstacle { shape = floor }",
         "water.lua:3: scene has no fill, no emitter and no inflow; there will be no liquid in it"},
        {"} fill { shape = drop }",
         "water.lua:3: scene has no walls and no obstacle; the liquid will fall without end"},
        {", gravity = {0, 0, 0} } fill { shape = drop }",
         "water.lua:3: scene.gravity is 0 and nothing else moves the liquid; it will stay where it is"},
        {", gravity = {0, 0, 0} } fill { shape = drop, velocity = {1, 0, 0} }", ""},
        {", gravity = {0, 0, 0} } fill { shape = drop } force { acceleration = {1, 0, 0} }", ""},
        {", gravity = {0, 0, 0} } fill { shape = drop } initial { velocity = function(x, y, z) return {y, "
         "-x, "
         "0} end }",
         ""},
        {"} walls { min = {3, 0, 0}, max = {5, 2, 2} } fill { shape = drop }",
         "water.lua:3: fill lies outside of the walls and has no effect"},
        {"} obstacle { shape = floor } fill { shape = drop } liquid { narrow_band = 0 }", ""},
        {"} obstacle { shape = floor } obstacle { shape = scale { drop, by = 0.5 } } fill { shape = drop }",
         ""},
        {"} obstacle { shape = scale { drop, by = 2 } } fill { shape = drop }",
         "water.lua:3: fill gives no liquid: all of it is inside of obstacles"},
        {"} obstacle { shape = drop, motion = { position = function(t) return {4 * t, 0, 0} end } } "
         "fill { shape = scale { drop, by = 0.9 } }",
         "water.lua:3: fill gives no liquid: all of it is inside of obstacles"},
        {"} obstacle { shape = drop, motion = { position = {9, 0, 0} } } fill { shape = drop }", ""},
        {"} walls { min = {-4, -4, -4}, max = {4, 4, 4} } fill { shape = drop }\n"
         "fill { shape = translate { difference { box { min = {-1, -1, -1}, max = {2, 1, 1} }, "
         "box { min = {-2, -2, -2}, max = {1, 2, 2} } }, by = {3, 0, 0} } }",
         "water.lua:4: fill gives no liquid: all of it is inside of obstacles or outside of the walls"},
        {"} obstacle { shape = scale { drop, by = 2 } } emitter { shape = drop, flow = 0.1 }",
         "water.lua:3: emitter gives nothing: all of it is inside of obstacles"},
        {"} obstacle { shape = scale { drop, by = 2 } } emitter { shape = drop, kind = 'blob', start = 0.1 }",
         "water.lua:3: emitter gives nothing: all of it is inside of obstacles"},
        {"} obstacle { shape = scale { drop, by = 2 } } emitter { shape = disc { center = {0, 0.5, 0}, "
         "normal "
         "= {1, 1, 0}, radius = 0.5 }, flow = 0.1 }",
         "water.lua:3: emitter gives nothing: all of it is inside of obstacles"},
        {"} obstacle { shape = floor } emitter { shape = disc { center = {0, -2, 0}, normal = {0, 1, 0}, "
         "radius = 0.5 }, flow = 0.1 }",
         ""},
        {"} obstacle { shape = scale { drop, by = 2 }, motion = { velocity = {1, 0, 0} } } emitter { shape = "
         "drop, flow = 0.1 }",
         ""},
        {"} obstacle { shape = drop } emitter { shape = scale { drop, by = 2 }, flow = 0.1 }", ""},
        {"} obstacle { shape = floor } emitter { shape = rotate { disc { center = {0, 2, 0}, normal = {0, 1, "
         "0}, "
         "radius = 0.5 }, axis = {0, 0, 1}, angle = deg(90) }, velocity = {0, -1, 0} }",
         "water.lua:3: emitter gives nothing: its shape is flat and its velocity runs along it; what comes "
         "out goes across, along the shape's normal"},
        {"} obstacle { shape = floor } emitter { shape = disc { center = {0, 2, 0}, normal = {0, 1, 0}, "
         "radius = 0.5 }, velocity = {5, -1, 0} }",
         ""},
        {"} obstacle { shape = floor } emitter { shape = drop, velocity = {0, 0, 0} }",
         "water.lua:3: emitter gives nothing: its velocity is 0"},
        {"} obstacle { shape = floor } fill { shape = drop } liquid { surface_tension = 0.072 }",
         "water.lua:3: liquid.surface_tension of 0.072 N/m matters below 0.0027 m (the capillary length), "
         "less than a cell of 0.25 m; it does next to nothing here"},
        {"} obstacle { shape = floor } fill { shape = drop } liquid { surface_tension = 700 }", ""},
        {", gravity = {0, 0, 0} } fill { shape = drop } liquid { surface_tension = 0.072 }", ""},
        {"} obstacle { shape = floor } fill { shape = drop } look { show_walls = true }",
         "water.lua:3: look.show_walls shows nothing: the scene has no walls"},
        {"} walls { min = {-1, -1, -1}, max = {1, 1, 1} } fill { shape = drop } look { show_walls = true }",
         ""},
        {"} obstacle { shape = floor } fill { shape = drop } liquid { narrow_band = 0.3 }",
         "water.lua:3: liquid.narrow_band of 0.3 m acts as one of 1 m, four cells, or more in fast water"},
        {"} obstacle { shape = floor } fill { shape = drop } liquid { narrow_band = 1 }", ""},
        {"} obstacle { shape = floor } liquid { method = 'levelset' } "
         "fill { shape = box { min = {-1, 0, -1}, max = {1, 0.1, 1} } }",
         "water.lua:3: fill is 0.1 m thick, less than half a cell of 0.25 m; a level set may hold none of "
         "it"},
        {"} obstacle { shape = floor } fill { shape = box { min = {-1, 0, -1}, max = {1, 0.1, 1} } }", ""},
        {"} obstacle { shape = difference { cylinder { from = {0, -2, 0}, to = {0, 2, 0}, radius = 2 }, "
         "cylinder { from = {0, -2 + 0.5, 0}, to = {0, 3, 0}, radius = 2 - 0.5 } } } fill { shape = drop } "
         "liquid { method = 'particle_levelset' }",
         "water.lua:3: obstacle has walls thinner than three cells, 0.75 m; a level set that stands on one "
         "side "
         "of them leaks. Take smaller cells, thicker walls, or the method \"apic\""},
        {"} obstacle { shape = difference { cylinder { from = {0, -2, 0}, to = {0, 2, 0}, radius = 2 }, "
         "cylinder { from = {0, -2 + 0.9, 0}, to = {0, 3, 0}, radius = 2 - 0.9 } } } fill { shape = drop } "
         "liquid { method = 'particle_levelset' }",
         ""},
        {"} obstacle { shape = difference { cylinder { from = {0, -2, 0}, to = {0, 2, 0}, radius = 2 }, "
         "cylinder { from = {0, -2 + 0.5, 0}, to = {0, 3, 0}, radius = 2 - 0.5 } } } fill { shape = drop } "
         "liquid { method = 'apic' }",
         ""},
        {"} walls { min = {-3, -3, -3}, max = {3, 3, 3} } fill { shape = drop } body { shape = drop, "
         "material_density = 300, position = {9, 0, 0} }",
         "water.lua:3: body lies outside of the walls: closed sides move it inside at once, and beyond "
         "others it stays out and has no effect"},
        {", dimension = 2 } walls { min = {-3, -3}, max = {3, 3} } fill { shape = box { min = {-3, -3}, max "
         "= "
         "{3, 0} } } body { shape = box { min = {-1, -1}, max = {1, 1} }, position = {9, 0} }",
         "water.lua:3: body lies outside of the walls: closed sides move it inside at once, and beyond "
         "others it stays out and has no effect"},
        {"} walls { min = {-1, -1, -1}, max = {1, 1, 1} } fill { shape = drop } body { shape = box { min = "
         "{-2, -0.25, -0.25}, max = {2, 0.25, 0.25} }, position = {0, 0, 0} }",
         "water.lua:3: body is 4 m wide along x, and the box 2 m: it has no room, and is pushed out of it"},
        {"} walls { min = {-1, -1, -1}, max = {1, 1, 1}, left = 'open' } fill { shape = drop } body { shape "
         "= "
         "box { min = {-2, -0.25, -0.25}, max = {2, 0.25, 0.25} }, position = {0, 0, 0} }",
         ""},
        {"} walls { min = {-3, -3, -3}, max = {3, 3, 3} } emitter { shape = drop, kind = 'spout', "
         "velocity = {0, -1, 0}, "
         "offset = function(t) return {9 + t, 0, 0} end }",
         "water.lua:3: emitter lies outside of the walls and has no effect"},
        {"} walls { min = {-3, -3, -3}, max = {3, 3, 3} } emitter { shape = translate { drop, by = {-9, 0, "
         "0} }, kind = 'spout', "
         "velocity = {0, -1, 0}, offset = keys { {0, {7.5, 0, 0}}, {5, {9, 0, 0}} } }",
         ""},
        {"} flow { velocity = {1, 0, 0} } fill { shape = drop }", ""},
        {"} walls { min = {-2, -2, -2}, max = {2, 2, 2}, right = 'outflow' } liquid { method = 'height' } "
         "fill { shape = box { min = {-3, -3, -3}, max = {3, 0, 3} } }",
         "water.lua:3: fill reaches the right side, which is no wall: the outermost cells there are outside, "
         "and a height field holds none of it in them"},
        {"} walls { min = {-2, -2, -2}, max = {2, 2, 2}, right = 'outflow' } liquid { method = 'height' } "
         "fill { shape = box { min = {-3, -3, -3}, max = {1.75, 0, 3} } }",
         ""},
        {"} obstacle { shape = floor } fill { shape = drop } liquid { contact_angle = deg(30) }",
         "water.lua:3: liquid.contact_angle does nothing without surface_tension"},
        {"} obstacle { shape = floor } fill { shape = drop } liquid { shear_exponent = 0.5 }",
         "water.lua:3: liquid.shear_exponent does nothing without viscosity"},
        {"} obstacle { shape = floor } fill { shape = drop } liquid { shear_exponent = 0.5, viscosity = 1, "
         "contact_angle = deg(30), surface_tension = 700 }",
         ""},
        {"} obstacle { shape = floor } fill { shape = drop } liquid { heat_capacity = 2000 }",
         "water.lua:3: liquid.heat_capacity does nothing: nothing here has a temperature"},
        {"} obstacle { shape = floor } fill { shape = drop } liquid { melt = { latent_heat = 2e5 } }",
         "water.lua:3: liquid.melt.latent_heat does nothing: no heat is conducted here without "
         "melt.viscosity_solid, melt.conductivity, or a wall or obstacle with a temperature"},
        {"} obstacle { shape = floor } fill { shape = drop } liquid { melt = { heat_transfer = 10 } }",
         "water.lua:3: liquid.melt.heat_transfer does nothing: no heat is conducted here without "
         "melt.viscosity_solid, melt.conductivity, or a wall or obstacle with a temperature"},
        {"} obstacle { shape = floor, temperature = 400 } fill { shape = drop } "
         "liquid { heat_capacity = 2000, melt = { latent_heat = 2e5, solid = 310 } }",
         ""},
        {", gravity = {0, 0, 0} } flow { velocity = {1, 0, 0} } fill { shape = drop }", ""},
        {"} walls { min = {-1.1, -1, -1}, max = {1, 1, 1} } fill { shape = drop }",
         "water.lua:3: walls: along x from -1.1 to 1 m are no whole cells of 0.25 m; the box is enlarged to "
         "-1.25 to 1 m, 9 cells"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char text[TEXT_SIZE], told[TEXT_SIZE] = "";
        BwScene *scene;
        BwError err = {0};
        BwLog log = {keep_message, told};
        snprintf(text, sizeof text, "scene { cell = 0.25, fluid = 'liquid' %s", cases[n][0]);
        if (load(&scene, text, &log, &err) != BW_OK)
            fail_msg("%s", err.message);
        assert_string_equal(told, cases[n][1]);
        bw_scene_destroy(scene);
    }
}

// Emitters that would give nothing, or too much.
static void wrong_emitters_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"shape = drop", "emitter emits nothing; give it velocity, flow or kind = \"blob\""},
        {"kind = 'spout', shape = drop", "emitter.velocity is missing; a spout needs it"},
        {"kind = 'spout', shape = drop, flow = 1", "emitter.velocity is missing; a spout needs it"},
        {"kind = 'spout', shape = drop, flow = 1, velocity = {1, 0, 0}", "either follows from the other"},
        {"shape = disc { center = {0, 0, 0}, normal = {0, 1, 0}, radius = 1 }, flow = 1, velocity = {1, 0, "
         "0}",
         "either follows from the other"},
        {"kind = 'blob', shape = disc { center = {0, 0, 0}, normal = {0, 1, 0}, radius = 1 }",
         "emitter.shape is flat: a blob of it has no volume"},
        {"kind = 'blob', shape = drop, flow = 1", "emitter.flow is given; a blob is its shape full, once"},
        {"shape = drop, flow = 1, spread = 0.1", "only kind = \"spout\" has a use for it"},
        {"shape = drop, flow = -1", "emitter.flow"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char text[TEXT_SIZE];
        BwScene *scene = NULL;
        BwError err = {0};
        snprintf(text, sizeof text, "scene { cell = 0.25, fluid = 'liquid' } emitter { %s }", cases[n][0]);
        assert_true(load(&scene, text, NULL, &err) != BW_OK);
        if (strstr(err.message, cases[n][1]) == NULL)
            fail_msg("%s", err.message);
    }
}

static void expect(const char *text, const char *refused)
{
    char whole[TEXT_SIZE];
    BwError err = {0};
    snprintf(whole, sizeof whole, "scene { cell = 0.25, fluid = 'liquid' } fill { shape = drop } %s", text);
    BwScene *scene = load_good(whole);
    BwResult result = bw_scene_def_check_runnable(bw_scene_view_def(scene), &err);
    bw_scene_destroy(scene);
    assert_int_equal(result, refused == NULL ? BW_OK : BW_ERR_SCENE);
    if (refused != NULL)
        assert_string_equal(err.message, refused);
}

static void what_liquids_do_not_do_is_refused(void **state)
{
    (void)state;
    expect("liquid { method = 'chain' } walls { min = {0, 0, 0}, max = {1, 1, 1} }",
           "liquid.method \"chain\" cannot be run with fluid \"liquid\" in 3-D by this version");
    expect("liquid { method = 'levelset' } fill { shape = floor, color = {1, 0, 0} }",
           "liquid.method \"levelset\" cannot be run with fluid \"liquid\" that carries color, temperature, "
           "viscosity, age or "
           "source by this version");
    expect("liquid { method = 'particle_levelset' } output { particles = true }",
           "output.particles cannot be written with fluid \"liquid\" carried by a level set or a height "
           "field by this version");
    expect("surface_control { kind = 'calm', blend = 0.5 }",
           "surface_control.blend cannot be run with fluid \"liquid\" carried by particles by this version");
    expect("walls { min = {0, 0, 0}, max = {1, 1, 1} } liquid { method = 'height' } "
           "surface_control { kind = 'calm', blend = 0.5 }",
           "surface_control.blend cannot be run with fluid \"liquid\" below a height field by this version");
    expect("liquid { scheme = 'explicit' }",
           "liquid.scheme \"explicit\" cannot be run with fluid \"liquid\" "
           "without method = \"markers\", \"chain\" or \"height\" by this version");
    expect("liquid { viscosity = function(t) return t end }", NULL);
    expect("liquid { viscosity_scheme = 'components', yield_stress = 10 }",
           "liquid.viscosity_scheme \"components\" cannot be run with fluid \"liquid\" whose viscosity is "
           "not one "
           "number by this version");
    expect("liquid { viscosity = keys { {0, 0}, {1, 1e-3} }, viscosity_scheme = 'components' }", NULL);
    expect("liquid { elastic = { modulus = 100, yield = 0.1, flow = 2 } }", NULL);
    expect("liquid { method = 'flip', elastic = { modulus = 100, yield = 0 } }", NULL);
    expect("liquid { method = 'levelset', elastic = { modulus = 100 } }", NULL);
    expect("liquid { method = 'particle_levelset', elastic = { modulus = 100 } }", NULL);
    expect("emitter { shape = drop, density = 1 }",
           "emitter.density cannot be run with fluid \"liquid\" by this version");
    expect("emitter { shape = drop, flow = 1, noise = 0.5 }",
           "emitter.noise.amplitude cannot be run with fluid \"liquid\" by this version");
    expect("emitter { shape = drop, flow = 1, offset = {1, 0, 0} }",
           "emitter.offset cannot be run with fluid \"liquid\" of a blob or a spring by this version");
    expect(
        "liquid { method = 'levelset' } emitter { shape = drop, velocity = {0, 1, 0}, offset = {1, 0, 0} }",
        "emitter.offset cannot be run with fluid \"liquid\" carried by a level set or a height field by "
        "this version");
    expect("emitter { shape = drop, temperature = 300 }",
           "emitter gives no liquid; give it velocity, flow or kind = \"blob\"");
    expect("liquid { narrow_band = 0.5 } fill { shape = floor, color = {1, 0, 0} }",
           "liquid.narrow_band cannot be run with fluid \"liquid\" that carries color, temperature, "
           "viscosity, age or "
           "source by this version");
    expect("fill { shape = plane { point = {0, 0, 0}, normal = {0, 1, 0} } }",
           "fill.shape has no end; without walls { min, max } the liquid would have none either");
}

static void what_liquids_do_is_not_refused(void **state)
{
    (void)state;
    expect("emitter { shape = drop, velocity = {0, -1, 0}, offset = function(t) return {t, 0, 0} end }",
           NULL);
    expect("emitter { kind = 'blob', shape = drop, start = 1 }"
           " emitter { shape = disc { center = {0, 3, 0}, normal = {0, -1, 0}, radius = 0.1 }, flow = 0.01 }"
           " emitter { kind = 'spout', shape = drop, velocity = {0, -1, 0}, spread = deg(5) }"
           " sink { shape = floor, flow = 0.01 } sink { shape = drop, start = 3 }"
           " pump { shape = drop, velocity = {1, 0, 0} }"
           " walls { min = {-4, -4, -4}, max = {4, 4, 4}, left = { kind = 'inflow', velocity = {1, 0, 0} },"
           " right = keys { {0, 'wall'}, {1, 'outflow'} } }",
           NULL);
    expect(
        "emitter { kind = 'blob', shape = drop, color = {1, 0, 0}, temperature = function(t) return 300 + "
        "t end }"
        " fill { shape = floor, color = {0, 1, 0}, temperature = 300 } output { age = true, source = true }"
        " walls { min = {-4, -4, -4}, max = {4, 4, 4}, left = { kind = 'inflow', velocity = {1, 0, 0},"
        " color = {0, 0, 1}, temperature = 280 } }",
        NULL);
    expect("walls { min = {-4, -4, -4}, max = {4, 4, 4}, top = 'open', right = keys { {0, 'wall'}, {1, "
           "'open'} },"
           " slip = 0.5 } obstacle { shape = floor, slip = 0, motion = { velocity = {0.1, 0, 0} } }"
           " force { acceleration = {1, 0, 0} } initial { velocity = function() return {1, 0, 0} end }"
           " output { particles = true, particles_ply = true, pressure = true, vdb = true, vtk = true, mesh "
           "= true,"
           " obj = true, gltf = true, mesh_resolution = 2, mesh_from = 'particles', mesh_smoothing = 0 }",
           NULL);
    expect("liquid { method = 'particle_levelset', advection = 'eno', redistance = 'pde', correction_side = "
           "'inside',"
           " surface_particles = 3, surface_tension = 0.07, confinement = 0.5, volume_correction = 0 }",
           NULL);
    expect("liquid { method = 'levelset' } surface_control { kind = 'calm', blend = 1, drag = 0 }", NULL);
    expect(
        "liquid { confinement = 1 } surface_control { kind = 'churn', strength = function(t) return t end }",
        NULL);
    expect("liquid { method = 'flip', viscosity = 1e-3, narrow_band = 0, seeding = 'lattice' }", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_script_sets_the_liquid),
        cmocka_unit_test(wrong_numbers_are_refused),
        cmocka_unit_test(doubts_are_told),
        cmocka_unit_test(wrong_emitters_are_refused),
        cmocka_unit_test(what_liquids_do_not_do_is_refused),
        cmocka_unit_test(what_liquids_do_is_not_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
