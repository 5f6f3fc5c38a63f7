// What a scene may say and hardly means is told when it is loaded.
#include "scene/check.h"
#include "scene/wording.h"
#include "scene_text.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubts_are_told),
        cmocka_unit_test(doubts_of_liquids_are_told),
        cmocka_unit_test(fuel_that_never_burns_is_told),
        cmocka_unit_test(quench_below_two_cells_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
