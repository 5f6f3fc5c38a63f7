// Solids that burn: gas leaves them by the mass that is kept, they lose what they should, catch fire, let it
// spread, and go out.
#include "run.h"

#include "cache/frame_file.h"

static BwWorld *world_of(const char *text, BwScene **scene)
{
    BwError err = {0};
    if (bw_scene_load_text(scene, text, strlen(text), "solid_fuel.lua", NULL, &err) != BW_OK)
        fail_msg("%s", err.message);
    return make_world(bw_scene_view_def(*scene), 2);
}

static void done(BwWorld *world, BwScene *scene)
{
    bw_world_destroy(world);
    bw_scene_destroy(scene);
}

// m^3, over so many frames.
static double gasified(BwWorld *world, int frames)
{
    double sum = 0.0;
    for (int n = 0; n < frames; n++) {
        step_frames(world, 1);
        assert_int_equal(bw_world_view_stats(world)->retries, 0);
        sum += bw_world_view_stats(world)->gasified;
    }
    return sum;
}

#define TUBE                                                                                                 \
    "walls { min = {0, 0}, max = {0.25, 2}, top = 'open' }\n"                                                \
    "solver { tolerance = 1e-7 }\n"                                                                          \
    "local function slab(fuel, speed) obstacle { shape = box { min = {-0.1, -1.5}, max = {0.35, 0.26} },\n"  \
    "    motion = { velocity = {0, speed} }, fuel = fuel } end\n"

// In a tube the gas of a slab that fills it goes at (1.23) as far as it is fuel; so it does where it is burnt
// on the surface, by so much faster as it is hot.
static void check_slab(const char *name, const char *fire, float speed, double expected)
{
    char text[1200], gate_name[96];
    snprintf(
        text, sizeof text,
        "scene { dimension = 2, fluid = 'fire', cell = 1 / 32, steps = 4, gravity = {0, 0} }\n" TUBE
        "%s\nslab({ rate = 0.001, density = 480, thickness = 1, lit = box { min = {-9, -9}, max = {9, 9} } "
        "}, %g)\n",
        fire, (double)speed);
    BwScene *scene;
    BwWorld *world = world_of(text, &scene);
    step_frames(world, 6);
    double lost = gasified(world, 6), surface = 0.26 + (double)speed * 0.5;
    const BwFrame *frame = frame_of(world);
    double v = (double)frame_value(frame, bw_frame_field(frame, "v"), 4, (int)(32.0 * surface) + 3, 0);
    snprintf(gate_name, sizeof gate_name, "solid_fuel.gas_speed, %s", name);
    gate(gate_name, fabs(v / expected - 1.0), GATE_BELOW, 1e-3);
    snprintf(gate_name, sizeof gate_name, "solid_fuel.volume_lost, %s", name);
    gate(gate_name, fabs(lost / (0.001 * 0.25 * 0.25) - 1.0), GATE_BELOW, 0.03);
    done(world, scene);
}

#define FUEL(speed)                                                                                          \
    "fire { subgrid = 0, fuel = { name = 'wood_gas', density = 1.2, density_products = 0.3, "                \
    "flame_speed = " speed " } }"

static void gas_leaves_as_mass_is_kept(void **state)
{
    (void)state;
    const double gas = (480.0 / 1.2 - 1.0) * 0.001; // m/s
    check_slab("at rest", FUEL("0.05"), 0.0f, gas);
    check_slab("moving", FUEL("0.05"), 0.3f, gas + 0.3);
    check_slab("burning on the surface", FUEL("0.6"), 0.0f, 4.0 * gas);
    check_slab("simple", "fire { model = 'simple', expansion = 0, subgrid = 0 }", 0.0f,
               (480.0 / 1.205 - 1.0) * 0.001);
}

#define BALL                                                                                                 \
    "walls { min = {-0.5, -0.5, -0.5}, max = {0.5, 0.5, 0.5}, left = 'open', right = 'open', top = 'open' "  \
    "}\n"

// The area of a ball is known; one that turns loses no less.
static void balls_lose_volume(void **state)
{
    (void)state;
    const char *const models[] = {"fire { fuel = { name = 'wood_gas', density_products = 0.3 } }",
                                  "fire { model = 'simple', fuel = 'wood_gas' }"};
    const double area = 4.0 * M_PI * 0.2 * 0.2;
    for (int n = 0; n < 2; n++) {
        char text[900];
        snprintf(text, sizeof text,
                 "scene { fluid = 'fire', cell = 1 / 24, fps = 48 }\n" BALL
                 "%s\nobstacle { shape = sphere { center = {0.03, 0, 0}, radius = 0.2 }, motion = { spin = "
                 "{0, 2, 0} },\n"
                 "    fuel = { rate = 0.002, lit = box { min = {-9, -9, -9}, max = {9, 9, 9} } } }",
                 models[n]);
        BwScene *scene;
        BwWorld *world = world_of(text, &scene);
        double lost = gasified(world, 6);
        gate(n == 0 ? "solid_fuel.ball_thin" : "solid_fuel.ball_simple",
             fabs(lost / (0.002 * area * 0.125) - 1.0), GATE_BELOW, 0.03);
        done(world, scene);
    }
}

#define ROD                                                                                                  \
    "scene { dimension = 2, fluid = 'fire', cell = 1 / 48, fps = 24, gravity = {0, 0} }\n"                   \
    "walls { min = {-0.5, -0.5}, max = {0.5, 0.5}, left = 'open', right = 'open', top = 'open', "            \
    "bottom = 'open' }\n" FUEL("0.5") "\nlocal rate, uneven = %g, %g\n"                                      \
                                      "obstacle { shape = sphere { center = {0.01, 0}, radius = %g / 48 }, " \
                                      "fuel = { density = 480,\n"                                            \
                                      "    rate = function(x, y, z, t) return rate * (1 + uneven * "         \
                                      "math.sin(2 * math.atan(y, x))) end,\n"                                \
                                      "    thickness = 1, lit = box { min = {-9, -9}, max = {9, 9} } } }"

// What burns around a rod is what it gives off, before a front or on the surface: gas slows down as it
// spreads out, and where some of the surface gives off more than the rest a front stands over that, too.
static void rods_burn_what_they_give_off(void **state)
{
    (void)state;
    static const struct {
        double cells, speeds, uneven, bound; // radius, speed over S and by how much it varies
    } rods[] = {{2.5, 1.2, 0.0, 0.1}, {2.5, 3.0, 0.0, 0.1}, {8.0, 1.2, 0.8, 0.25}};
    const double ratio = 480.0 / 1.2 - 1.0;
    for (int n = 0; n < 3; n++) {
        char text[1200], gate_name[96];
        snprintf(text, sizeof text, ROD, 0.5 * rods[n].speeds / ratio, rods[n].uneven, rods[n].cells);
        BwScene *scene;
        BwWorld *world = world_of(text, &scene);
        gasified(world, 24);
        double given = 0.0, burnt = 0.0;
        for (int m = 0; m < 12; m++) {
            given += ratio * gasified(world, 1);
            burnt += bw_world_view_stats(world)->burnt;
        }
        snprintf(gate_name, sizeof gate_name, "solid_fuel.rod, radius %g cells, %g +- %g S", rods[n].cells,
                 rods[n].speeds, rods[n].speeds * rods[n].uneven);
        gate(gate_name, fabs(burnt / given - 1.0), GATE_BELOW, rods[n].bound);
        done(world, scene);
    }
}

#define BAR                                                                                                  \
    "scene { dimension = 2, fluid = 'fire', cell = 1 / 24, steps = 3, gravity = {0, 0} }\n"                  \
    "walls { min = {0, 0}, max = {2, 1}, left = 'open', right = 'open', top = 'open' }\n"                    \
    "fire { fuel = { name = 'wood_gas', density_products = 0.3 } }\n"                                        \
    "local bar = box { min = {-1, -1}, max = {3, 0.2} }\n"

// Fire that only creeps: what turns to gas in a second is its rate times what is alight.
static void fire_creeps_along(void **state)
{
    (void)state;
    BwScene *scene;
    BwWorld *world =
        world_of(BAR "obstacle { shape = bar, fuel = { rate = 0.002, heating = 0, spread = 0.8,\n"
                     "    thickness = 1, lit = box { min = {-2, -2}, max = {0.4, 2} } } }",
                 &scene);
    double first = gasified(world, 6);
    gasified(world, 18);
    double last = gasified(world, 6);
    gate("solid_fuel.spread", fabs((last - first) / (0.002 * 0.25) / 0.8 - 1.0), GATE_BELOW, 0.15);
    done(world, scene);
}

// Each half at its own rate; all of it until it is spent.
static void rates_vary_and_fuel_is_spent(void **state)
{
    (void)state;
    BwScene *scene;
    BwWorld *world = world_of(BAR "obstacle { shape = bar, fuel = { spread = 0, thickness = 0.0005,\n"
                                  "    rate = function(x, y, z, t) return x < 1 and 0.001 or 0.003 end,\n"
                                  "    lit = box { min = {-2, -2}, max = {9, 2} } } }",
                              &scene);
    double start = gasified(world, 3);
    gate("solid_fuel.rate_by_place", fabs(start / (0.125 * 0.004) - 1.0), GATE_BELOW, 0.03);
    double rest = gasified(world, 24);
    gate("solid_fuel.spent", fabs((start + rest) / (2.0 * 0.0005) - 1.0), GATE_BELOW, 0.03);
    assert_true(gasified(world, 2) == 0.0);
    done(world, scene);
}

// Hot gas sets it alight from a distance, not the cold one; and it goes on once the gas is gone.
static void heat_sets_it_alight(void **state)
{
    (void)state;
    const char *const models[] = {"fire { fuel = { name = 'wood_gas', density_products = 0.3 } }",
                                  "fire { model = 'simple', fuel = 'wood_gas' }"};
    for (int model = 0; model < 2; model++)
        for (int is_hot = 0; is_hot < 2; is_hot++) {
            char text[1200];
            snprintf(
                text, sizeof text,
                "scene { dimension = 2, fluid = 'fire', cell = 1 / 24 }\n"
                "walls { min = {0, 0}, max = {1, 1.5}, left = 'open', right = 'open', top = 'open' }\n%s\n"
                "obstacle { shape = sphere { center = {0.5, 0.6}, radius = 0.1 }, fuel = { thickness = 1 } "
                "}\n"
                "emitter { shape = sphere { center = {0.5, 0.2}, radius = 0.15 }, temperature = %d,\n"
                "    velocity = {0, 1}, stop = 1 }",
                models[model], is_hot ? 1500 : 320);
            BwScene *scene;
            BwWorld *world = world_of(text, &scene);
            double during = gasified(world, 28);
            gasified(world, 8);
            double after = gasified(world, 4);
            if (is_hot)
                gate("solid_fuel.caught_fire", after / during, GATE_ABOVE, 0.05);
            else
                assert_true(during == 0.0 && after == 0.0);
            done(world, scene);
        }
}

// A rate of 0 and a surface that is held cold put it out; by the simple model so does gas that is kept cold;
// and a flame that is blown out, though the surface is wrapped in its own gas then.
static void it_is_put_out(void **state)
{
    (void)state;
    const char *const ways[] = {
        "fuel = { rate = keys { {0, 0.002}, {0.5, 0.002}, {0.6, 0} }, lit = all }",
        "fuel = { lit = all }, temperature = keys { {0, 800}, {0.5, 800}, {0.6, 350} }",
        "fuel = { lit = all, spread = 0 } }\nemitter { shape = sphere { center = {0.5, 0.5}, radius = 0.3 "
        "},\n"
        "    temperature = 290, start = 0.5",
        "fuel = { lit = all, spread = 0 } }\n"
        "emitter { shape = sphere { center = {0.5, 0.5}, radius = 1.2 },\n"
        "    temperature = 290, start = 0.5, stop = 1.2",
    };
    for (int n = 0; n < 4; n++) {
        char text[900];
        snprintf(text, sizeof text,
                 "scene { dimension = 2, fluid = 'fire', cell = 1 / 24 }\n"
                 "walls { min = {0, 0}, max = {1, 1.5}, left = 'open', right = 'open', top = 'open' }\n"
                 "fire { model = '%s', fuel = 'wood_gas', quench = %s }\n"
                 "local all = box { min = {-9, -9}, max = {9, 9} }\n"
                 "obstacle { shape = sphere { center = {0.5, 0.5}, radius = 0.1 }, %s }",
                 n == 2 ? "simple" : "thin", n == 3 ? "0.05" : "0", ways[n]);
        BwScene *scene;
        BwWorld *world = world_of(text, &scene);
        assert_true(gasified(world, 10) > 0.0);
        gasified(world, 26);
        assert_true(gasified(world, 2) == 0.0);
        done(world, scene);
    }
}

// Kept frames, which pictures are drawn from, show it as the frame does that the world gives.
static void it_gets_dark_in_kept_frames_too(void **state)
{
    (void)state;
    BwScene *scene;
    BwWorld *world = world_of(BAR "obstacle { shape = bar, color = {0.8, 0.5, 0.4}, fuel = { rate = 0.005,\n"
                                  "    lit = box { min = {-2, -2}, max = {0.4, 2} } } }",
                              &scene);
    step_frames(world, 12);
    const BwFrame *frame = frame_of(world);
    BwFrameFile *file;
    assert_int_equal(bw_frame_hold(&file, frame, bw_scene_view_def(scene), NULL), BW_OK);
    const BwFrameSolid *kept = bw_frame_file_view(file)->solids;
    gate("solid_fuel.darkened", (double)frame->solids[0].darkened, GATE_ABOVE, 0.03);
    assert_true(kept[0].darkened == frame->solids[0].darkened);
    assert_memory_equal(kept[0].color, frame->solids[0].color, sizeof kept[0].color);
    assert_true(kept[0].color[0] < 0.97f * 0.8f);
    bw_frame_file_destroy(file);
    done(world, scene);
}

// A ball that burns on its surface, on its way: through an open side, where what is left between it and the
// open air is less than a cell, and to other ends.
static const struct {
    const char *name, *right, *place; // of the middle, m, from its time
    float cells;                      // a metre
} ways[] = {
    {"leaves", "open", "-0.26 + 0.9 * t, 0.5", 24.0f},
    {"leaves, finer", "open", "-0.26 + 0.9 * t, 0.5", 28.0f},
    {"leaves by an outflow", "outflow", "-0.26 + 0.9 * t, 0.5", 24.0f},
    {"comes in", "open", "-0.79 - 0.14 + 0.9 * t, 0.5", 24.0f},
    {"meets a wall", "wall", "math.min(-0.26 + 0.9 * t, 0.6), 0.5", 24.0f},
    {"meets the floor", "open", "0, math.max(0.9 - 0.9 * t, 0.1)", 24.0f},
};

static BwWorld *ball_on_its_way(int n, BwScene **scene)
{
    char text[1200];
    snprintf(text, sizeof text,
             "scene { dimension = 2, fluid = 'fire', cell = 1 / %g, fps = 24 }\n"
             "walls { min = {-0.75, 0}, max = {0.75, 2}, left = 'open', right = '%s', top = 'open' }\n"
             "fire { fuel = { name = 'wood_gas', density = 1.1, density_products = 0.4 }, rise = 0.08, "
             "cooling = 5000, buoyancy_heat = 0.006 }\n"
             "obstacle { shape = sphere { center = {0, 0}, radius = 0.14 },\n"
             "    motion = { position = function(t) return {%s} end },\n"
             "    fuel = { rate = 0.0007, density = 500, lit = sphere { center = {0, 0}, radius = 1 } } }",
             (double)ways[n].cells, ways[n].right, ways[n].place);
    return world_of(text, scene);
}

// Hot gas that rises from rest through all of the box has at most sqrt(2 g' H), 6.2 m/s, and ball and gas
// begin with 0.9; and the gas that comes in is what the solid has lost, as much expanded as it has burnt.
static void balls_stay_calm_on_their_way(void **state)
{
    (void)state;
    for (int n = 0; n < (int)(sizeof ways / sizeof *ways); n++) {
        BwScene *scene;
        BwWorld *world = ball_on_its_way(n, &scene);
        double fastest = 0.0, lost = 0.0, came = 0.0;
        for (int m = 0; m < 36; m++) {
            step_frames(world, 1);
            const BwStats *stats = bw_world_view_stats(world);
            fastest = fmax(fastest, stats->max_speed);
            lost += stats->gasified;
            came += stats->expanded;
        }
        char name[96];
        snprintf(name, sizeof name, "solid_fuel.ball that %s, fastest", ways[n].name);
        gate(name, fastest, GATE_BELOW, 7.0);
        snprintf(name, sizeof name, "solid_fuel.ball that %s, gas of what is lost", ways[n].name);
        gate(name, fabs(came / (lost * (500.0 / 1.1 - 1.0) * 1.1 / 0.4) - 1.0), GATE_BELOW, 1e-4);
        done(world, scene);
    }
}

static void expect_refusal(const char *text, const char *message)
{
    BwScene *scene = NULL;
    BwError err = {0};
    BwResult result = bw_scene_load_text(&scene, text, strlen(text), "solid_fuel.lua", NULL, &err);
    if (result == BW_OK)
        result = bw_scene_def_check_runnable(bw_scene_view_def(scene), &err);
    assert_int_not_equal(result, BW_OK);
    if (strstr(err.message, message) == NULL)
        fail_msg("%s", err.message);
    bw_scene_destroy(scene);
}

static void wrong_fuels_are_refused(void **state)
{
    (void)state;
    expect_refusal(
        "scene { fluid = 'fire', cell = 0.1 }\nwalls { min = {0,0,0}, max = {1,1,1}, top = 'open' }\n"
        "obstacle { shape = plane { point = {0,0,0}, normal = {0,1,0} }, fuel = {} }",
        "has no end; one that burns must have one");
    expect_refusal(
        "scene { fluid = 'fire', cell = 0.1 }\nwalls { min = {0,0,0}, max = {1,1,1}, top = 'open' }\n"
        "obstacle { shape = sphere { center = {0,0,0}, radius = 1 }, fuel = { density = 1 } }",
        "obstacle.fuel.density is 1 kg/m^3; it must be above that of its gas");
    expect_refusal("scene { fluid = 'fire', cell = 0.1 }\n"
                   "obstacle { shape = sphere { center = {0,0,0}, radius = 1 }, fuel = { rate = -1 } }",
                   "solid_fuel.lua:2: obstacle.fuel.rate");
    expect_refusal("scene { fluid = 'smoke', cell = 0.1 }\n"
                   "obstacle { shape = sphere { center = {0,0,0}, radius = 1 }, fuel = {} }",
                   "fuel");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gas_leaves_as_mass_is_kept),
        cmocka_unit_test(balls_lose_volume),
        cmocka_unit_test(rods_burn_what_they_give_off),
        cmocka_unit_test(fire_creeps_along),
        cmocka_unit_test(rates_vary_and_fuel_is_spent),
        cmocka_unit_test(heat_sets_it_alight),
        cmocka_unit_test(it_is_put_out),
        cmocka_unit_test(it_gets_dark_in_kept_frames_too),
        cmocka_unit_test(balls_stay_calm_on_their_way),
        cmocka_unit_test(wrong_fuels_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
