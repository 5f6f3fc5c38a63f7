// Liquids below a height field: a standing wave has its period and a solitary drop of the surface its volume,
// by the explicit scheme and by a projection; water at rest over terrain rests; and what comes in and goes
// out is counted.
#include "liquid_run.h"

#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979;

static BwSceneDef height_scene(int dimension, float cell, BwLiquidScheme scheme)
{
    BwSceneDef scene = liquid_scene(dimension, cell, BW_LIQUID_HEIGHT);
    scene.liquid.scheme = scheme;
    scene.steps_max = 10000;
    return scene;
}

static const char *scheme_name(BwLiquidScheme scheme)
{
    return scheme == BW_SCHEME_EXPLICIT ? "explicit" : "split";
}

static const BwFrameColumns *columns_of(BwWorld *world)
{
    const BwFrameColumns *columns = bw_frame_columns(frame_of(world), "water");
    assert_non_null(columns);
    return columns;
}

static BwStats next_frame(BwWorld *world)
{
    step_frames(world, 1);
    return *bw_world_view_stats(world);
}

// A wave that stands between two walls, as it is when the surface is flat.
typedef struct Wave {
    double amplitude, number, depth; // m, 1/m, m
} Wave;

static double omega_of(const Wave *wave)
{
    return sqrt(liquid_gravity * wave->number * tanh(wave->number * wave->depth));
}

static BwResult wave_velocity(void *user, BwVec3 point, float value[4], BwError *err)
{
    (void)err;
    const Wave *wave = user;
    double k = wave->number, speed = wave->amplitude * omega_of(wave) / sinh(k * wave->depth);
    value[0] = (float)(-speed * cosh(k * (double)point.y) * sin(k * (double)point.x));
    value[1] = (float)(speed * sinh(k * (double)point.y) * cos(k * (double)point.x));
    value[2] = 0.0f;
    return BW_OK;
}

// How much of cos(k x) the surface holds, m.
static double wave_part(const BwFrameColumns *columns, double k)
{
    double sum = 0.0;
    for (int32_t i = 0; i < columns->count[0]; i++)
        sum +=
            (double)columns->heights[i] * cos(k * (columns->low[0] + i + 0.5) * (double)columns->cell_size);
    return 2.0 * sum / columns->count[0];
}

typedef struct Swing {
    double period, highest, drift;
} Swing;

// Two periods of a wave as long as its box.
static Swing swing(BwSceneDef *scene, Wave *wave)
{
    enum { A_PERIOD = 48 };
    double wanted = 2.0 * pi / omega_of(wave), last = 0.0, crossing[4] = {0};
    int found = 0;
    Swing swing = {0};
    scene->fps = A_PERIOD / wanted;
    scene->initial.velocity = (BwPlaceCurve){wave_velocity, wave};
    BwWorld *world = make_world(scene, 1);
    for (int n = 1; n <= 2 * A_PERIOD + A_PERIOD / 2 && found < 4; n++) {
        BwStats stats = next_frame(world);
        double part = wave_part(columns_of(world), wave->number);
        if (n > 3 && part * last < 0.0)
            crossing[found++] = (n - part / (part - last)) / scene->fps;
        last = part;
        swing.highest = fmax(swing.highest, fabs(part));
        swing.drift = fmax(swing.drift, fabs(stats.volume_drift));
    }
    bw_world_destroy(world);
    swing.period = (crossing[3] - crossing[1]) / wanted;
    return swing;
}

static void gate_wave(int dimension, BwLiquidScheme scheme, double amplitude)
{
    char name[96];
    float cell = 1.0f / 32.0f;
    Wave wave = {amplitude * (double)cell, 2.0 * pi, 0.51};
    BwFillDef fill = fill_corner(1.0f, (float)wave.depth, 1.0f);
    BwSceneDef scene = height_scene(dimension, cell, scheme);
    set_box(&scene, 1.0f, 1.0f, 0.2f);
    scene.fills = &fill;
    scene.fill_count = 1;
    Swing is = swing(&scene, &wave);
    snprintf(name, sizeof name, "height_period_%dd_%s_%g_cells", dimension, scheme_name(scheme), amplitude);
    gate(name, fabs(is.period - 1.0), GATE_BELOW, 0.05);
    snprintf(name, sizeof name, "height_crest_%dd_%s_%g_cells", dimension, scheme_name(scheme), amplitude);
    gate(name, fabs(is.highest / wave.amplitude - 1.0), GATE_BELOW, 0.15);
    snprintf(name, sizeof name, "height_wave_drift_%dd_%s_%g_cells", dimension, scheme_name(scheme),
             amplitude);
    gate(name, is.drift, GATE_BELOW, 1e-6);
}

static void a_standing_wave_has_its_period(void **state)
{
    (void)state;
    for (int n = 0; n < 2; n++) {
        BwLiquidScheme scheme = n == 0 ? BW_SCHEME_EXPLICIT : BW_SCHEME_SPLIT;
        gate_wave(2, scheme, 0.3);
        gate_wave(2, scheme, 1.2);
        gate_wave(3, scheme, 0.3);
    }
}

// How much of a long wave's height comes back from the right end of a channel; and m^3 that came in there.
static double reflected(BwLiquidMethod method, BwLiquidScheme scheme, BwWallKind end, BwOutflowRule rule,
                        double *came_in)
{
    enum { LONG = 144, WAVE = 48, GAUGE = 50 };
    const double deep = 0.25, high = 0.03, cell = 1.0 / 16.0;
    BwFillDef fills[WAVE + 1];
    BwSceneDef scene = liquid_scene(2, (float)cell, method);
    for (int n = 0; n < WAVE; n++) {
        double top = deep + 0.5 * high * (1.0 + cos(pi * (n + 0.5) / WAVE));
        fills[n] = fill_of(bw_box(bw_vec3((float)(n * cell), -1.0f, -1.0f),
                                  bw_vec3((float)((n + 1) * cell), (float)top, 1.0f)));
    }
    fills[WAVE] = fill_corner(9.1f, (float)deep, 1.0f);
    set_box(&scene, (float)(LONG * cell), 0.5f, 0.0f);
    scene.liquid.scheme = scheme;
    scene.liquid.outflow = rule;
    scene.solver.iterations_max = 5000;
    scene.walls.side[BW_RIGHT].kind = end;
    scene.fills = fills;
    scene.fill_count = WAVE + 1;
    scene.fps = 20.0;
    double speed = sqrt(liquid_gravity * deep), crest = 0.0, back = 0.0;
    double passes = GAUGE * cell / speed, returns = (2.0 * LONG - GAUGE) * cell / speed;
    BwWorld *world = make_world(&scene, 1);
    *came_in = 0.0;
    while (bw_world_view_stats(world)->time < returns + 1.0) {
        BwStats stats = next_frame(world);
        double time = stats.time;
        *came_in += stats.emitted;
        double height = fabs(surface_height(frame_of(world), GAUGE, 0, 8) * cell - deep);
        if (time < passes + 2.0)
            crest = fmax(crest, height);
        else if (time > returns - 1.0)
            back = fmax(back, height);
    }
    bw_world_destroy(world);
    return back / crest;
}

// What the trough behind it draws back is a small part of the wave, 0.045 m^3; a projection lets nothing in.
// The paper's rule is told, and bound by nothing.
static void a_wave_leaves_by_an_outflow(void **state)
{
    (void)state;
    const BwLiquidScheme paper = BW_SCHEME_EXPLICIT, split = BW_SCHEME_SPLIT;
    const BwLiquidMethod height = BW_LIQUID_HEIGHT;
    double came_in;
    gate("outflow_closed_reflects", reflected(height, paper, BW_WALL_CLOSED, BW_OUTFLOW_COLUMN, &came_in),
         GATE_ABOVE, 0.7);
    gate("outflow_reflects_explicit", reflected(height, paper, BW_WALL_OUTFLOW, BW_OUTFLOW_COLUMN, &came_in),
         GATE_BELOW, 0.1);
    gate("outflow_draws_back_explicit", came_in / 0.045, GATE_BELOW, 0.05);
    gate("outflow_reflects_split", reflected(height, split, BW_WALL_OUTFLOW, BW_OUTFLOW_COLUMN, &came_in),
         GATE_BELOW, 0.1);
    gate("outflow_draws_back_split", came_in / 0.045, GATE_BELOW, 1e-6);
    printf("outflow_reflects_by_the_paper %g\n",
           reflected(height, paper, BW_WALL_OUTFLOW, BW_OUTFLOW_FOLLOWS, &came_in));
}

// A block of water that collapses over a ball on the floor: nothing is lost in many steps.
static void gate_collapse(int dimension, BwLiquidScheme scheme)
{
    char name[96];
    BwFillDef fills[2] = {fill_corner(0.4f, 0.6f, 1.0f), fill_corner(1.5f, 0.2f, 1.0f)};
    BwObstacleDef ground = solid_of(ball(1.0f, 0.0f, dimension == 3 ? 0.25f : 0.0f, 0.3f));
    BwSceneDef scene = height_scene(dimension, 1.0f / 16.0f, scheme);
    double drift = 0.0, fastest = 0.0;
    int64_t steps = 0;
    set_box(&scene, 1.5f, 1.0f, 0.5f);
    scene.fills = fills;
    scene.fill_count = 2;
    scene.obstacles = &ground;
    scene.obstacle_count = 1;
    scene.solver.divergence_max = scheme == BW_SCHEME_EXPLICIT ? 1e-2f : 0.0f;
    scene.fps = 24.0;
    scene.dt_max = 0.004;
    BwWorld *world = make_world(&scene, 1);
    while (steps < (IS_FULL || dimension == 2 ? 2000 : 200)) {
        BwStats stats = next_frame(world);
        steps += stats.steps;
        drift = fmax(drift, fabs(stats.volume_drift));
        fastest = fmax(fastest, (double)stats.max_speed);
    }
    bw_world_destroy(world);
    snprintf(name, sizeof name, "height_collapse_drift_%dd_%s", dimension, scheme_name(scheme));
    gate(name, drift, GATE_BELOW, 0.01);
    snprintf(name, sizeof name, "height_collapse_speed_%dd_%s", dimension, scheme_name(scheme));
    gate(name, fastest / sqrt(2.0 * liquid_gravity * 0.6), GATE_BELOW, 3.0);
}

static void a_collapse_keeps_the_volume(void **state)
{
    (void)state;
    for (int n = 0; n < 4; n++)
        gate_collapse(2 + n / 2, n % 2 == 0 ? BW_SCHEME_EXPLICIT : BW_SCHEME_SPLIT);
}

// Water at rest over ground that rises out of it.
static void gate_rest(BwLiquidScheme scheme)
{
    char name[96];
    BwFillDef fill = fill_corner(1.5f, 0.43f, 1.0f);
    BwObstacleDef ground = solid_of(ball(1.1f, 0.0f, 0.2f, 0.6f));
    BwSceneDef scene = height_scene(3, 1.0f / 12.0f, scheme);
    set_box(&scene, 1.5f, 1.0f, 0.5f);
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.obstacles = &ground;
    scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 24);
    snprintf(name, sizeof name, "height_rest_speed_%s", scheme_name(scheme));
    gate(name, (double)next_frame(world).max_speed / sqrt(liquid_gravity * 0.43), GATE_BELOW, 1e-3);
    bw_world_destroy(world);
}

static void water_rests_over_ground(void **state)
{
    (void)state;
    gate_rest(BW_SCHEME_EXPLICIT);
    gate_rest(BW_SCHEME_SPLIT);
}

static BwResult burst(void *user, double time, float value[4], BwError *err)
{
    (void)user, (void)err;
    value[0] = (float)(0.2 * exp(-time / 0.5));
    return BW_OK;
}

// A dam that bursts: what comes in tails off as it is asked to, and adds up to the integral of the rate.
static void gate_burst(BwLiquidMethod method, BwLiquidScheme scheme, bool is_in_water)
{
    char name[96];
    BwFillDef fill = fill_corner(3.0f, 0.25f, 1.0f);
    BwEmitterDef emitter = bw_emitter_def_default();
    BwSceneDef scene = liquid_scene(2, 1.0f / 16.0f, method);
    double came = 0.0, first = 0.0, second = 0.0;
    emitter.shape = is_in_water ? bw_box(bw_vec3(0.0f, 0.0f, -1.0f), bw_vec3(0.2f, 0.2f, 1.0f))
                                : bw_box(bw_vec3(0.1f, 0.5f, -1.0f), bw_vec3(0.3f, 0.6f, 1.0f));
    emitter.flow = bw_curve_function(burst, NULL, 1);
    set_box(&scene, 3.0f, 1.0f, 0.0f);
    scene.liquid.scheme = scheme;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    scene.fps = 24.0;
    BwWorld *world = make_world(&scene, 1);
    double before = bw_world_view_stats(world)->volume;
    for (int n = 0; n < 48; n++) {
        double emitted = next_frame(world).emitted;
        came += emitted;
        first += n < 12 ? emitted : 0.0;
        second += n >= 12 && n < 24 ? emitted : 0.0;
    }
    double wanted = 0.2 * 0.5 * (1.0 - exp(-4.0));
    snprintf(name, sizeof name, "inflow_volume_%s_%s_%s", method_name(method), scheme_name(scheme),
             is_in_water ? "below" : "above");
    gate(name, fabs(came / wanted - 1.0), GATE_BELOW, 0.01);
    snprintf(name, sizeof name, "inflow_decay_%s_%s_%s", method_name(method), scheme_name(scheme),
             is_in_water ? "below" : "above");
    gate(name, fabs(second / first / exp(-1.0) - 1.0), GATE_BELOW, 0.02);
    if (method == BW_LIQUID_HEIGHT)
        assert_true(fabs((bw_world_view_stats(world)->volume - before) / wanted - 1.0) < 0.01);
    bw_world_destroy(world);
}

static void a_burst_dam_tails_off(void **state)
{
    (void)state;
    gate_burst(BW_LIQUID_HEIGHT, BW_SCHEME_EXPLICIT, true);
    gate_burst(BW_LIQUID_HEIGHT, BW_SCHEME_SPLIT, true);
    gate_burst(BW_LIQUID_HEIGHT, BW_SCHEME_SPLIT, false);
    gate_burst(BW_LIQUID_MARKERS, BW_SCHEME_EXPLICIT, false);
}

// Half a second of inflow, then an outflow.
static BwResult turning_kind(void *user, double time, float value[4], BwError *err)
{
    (void)user, (void)err;
    value[0] = (float)(time < 0.5 + 1e-6 ? BW_WALL_INFLOW : BW_WALL_OUTFLOW); // asked at the end of a step
    return BW_OK;
}

// As the paper's cove: an inflow pushes a wave into a channel and turns into an outflow, by which the water
// that was added leaves. The wave stands above the part of the side that lets it out. What is left of it
// after it has come back from the other end is told, and bound by nothing.
static void gate_turning(BwLiquidScheme scheme)
{
    char name[96];
    const double deep = 0.5, speed = 0.4, along = 3.0, high = speed * sqrt(deep / liquid_gravity);
    BwFillDef fill = fill_corner((float)along, (float)deep, 1.0f);
    BwSceneDef scene = height_scene(2, 1.0f / 16.0f, scheme);
    double came = 0.0, highest = 0.0, off = 0.0, mean = 0.0, fastest = 0.0, drift = 0.0;
    set_box(&scene, (float)along, 1.0f, 0.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.walls.side[BW_LEFT].kind_curve = bw_curve_function(turning_kind, NULL, 1);
    scene.walls.side[BW_LEFT].velocity = bw_curve_vector((float)speed, 0.0f, 0.0f);
    scene.walls.side[BW_LEFT].part = bw_box(bw_vec3(-1.0f, 0.0f, -1.0f), bw_vec3(1.0f, (float)deep, 1.0f));
    scene.fps = 24.0;
    BwWorld *world = make_world(&scene, 1);
    for (int n = 1; n <= 6 * 24; n++) {
        BwStats stats = next_frame(world);
        came += n <= 12 ? stats.emitted : 0.0;
        fastest = fmax(fastest, (double)stats.max_speed);
        drift = fmax(drift, fabs(stats.volume_drift));
        const BwFrameColumns *columns = columns_of(world);
        for (int32_t i = 1; i < columns->count[0]; i++) { // the first is outside
            double height = (double)columns->heights[i] - deep;
            highest = fmax(highest, height);
            off = n > 5 * 24 ? fmax(off, fabs(height)) : off;
            mean += n > 5 * 24 ? height / (24.0 * (columns->count[0] - 1)) : 0.0;
        }
    }
    bw_world_destroy(world);
    snprintf(name, sizeof name, "turning_inflow_%s", scheme_name(scheme));
    gate(name, fabs(came / (0.5 * speed * deep) - 1.0), GATE_BELOW, 0.01);
    snprintf(name, sizeof name, "turning_wave_%s", scheme_name(scheme));
    gate(name, highest / high, GATE_ABOVE, 0.7);
    snprintf(name, sizeof name, "turning_level_%s", scheme_name(scheme));
    gate(name, fabs(mean) / high, GATE_BELOW, 0.25);
    snprintf(name, sizeof name, "turning_drift_%s", scheme_name(scheme));
    gate(name, drift, GATE_BELOW, 1e-6);
    snprintf(name, sizeof name, "turning_speed_%s", scheme_name(scheme));
    gate(name, fastest, GATE_BELOW, sqrt(2.0 * liquid_gravity * deep)); // all of its depth as speed
    printf("turning_left_%s %g\n", scheme_name(scheme), off / high);
}

static void an_inflow_turns_into_an_outflow(void **state)
{
    (void)state;
    gate_turning(BW_SCHEME_EXPLICIT);
    gate_turning(BW_SCHEME_SPLIT);
}

// Drops of a surface that rises: as many as are asked for, on ballistic ways without drag, foam where they
// land, and the same ones again by the same seed.
static void spray_flies_and_leaves_foam(void **state)
{
    (void)state;
    BwFillDef fills[2] = {fill_corner(0.3f, 0.9f, 1.0f), fill_corner(1.5f, 0.3f, 1.0f)};
    BwSceneDef scene = height_scene(3, 1.0f / 12.0f, BW_SCHEME_SPLIT);
    set_box(&scene, 1.5f, 2.0f, 0.5f);
    scene.fills = fills;
    scene.fill_count = 2;
    scene.walls.side[BW_TOP].kind = BW_WALL_OPEN;
    scene.liquid.spray.speed = 0.3f;
    scene.liquid.spray.rate = 3000.0f;
    scene.liquid.spray.drag = 0.0f;
    scene.liquid.spray.breakup = 0.0f;
    scene.liquid.foam.life = 5.0f;
    scene.fps = 48.0;
    uint64_t hash[2];
    double worst = 0.0;
    int64_t drops = 0, foam = 0;
    for (int run = 0; run < 2; run++) {
        BwWorld *world = make_world(&scene, 1 + run);
        float speed[64] = {0};
        int32_t ids[64];
        int64_t known = 0;
        for (int n = 0; n < 48; n++) {
            BwStats stats = next_frame(world);
            const BwFrameParticles *spray = bw_frame_particles(frame_of(world), "spray");
            assert_non_null(spray);
            drops = stats.spray > drops ? stats.spray : drops;
            foam = stats.foam;
            const float *velocity =
                bw_frame_attribute(spray->attributes, spray->attribute_count, "velocity")->values;
            const int32_t *id = bw_frame_attribute(spray->attributes, spray->attribute_count, "id")->integers;
            for (int64_t p = 0; p < spray->count; p++)
                for (int64_t k = 0; k < known; k++)
                    if (ids[k] == id[p]) {
                        double fell = (double)(speed[k] - velocity[3 * p + 1]) * scene.fps;
                        worst = fmax(worst, fabs(fell / liquid_gravity - 1.0));
                    }
            known = spray->count < 64 ? spray->count : 64;
            for (int64_t k = 0; k < known; k++) {
                ids[k] = id[k];
                speed[k] = velocity[3 * k + 1];
            }
        }
        hash[run] = bw_frame_hash(frame_of(world));
        bw_world_destroy(world);
    }
    gate("spray_drops", (double)drops, GATE_ABOVE, 20);
    gate("spray_foam_left", (double)foam, GATE_ABOVE, 20);
    gate("spray_fall_error", worst, GATE_BELOW, 1e-2);
    assert_true(hash[0] == hash[1]);
}

// Drops start a little below the surface, also of a film that is thinner than that: no state holds a drop
// outside of its box, for none is read back.
static void spray_of_a_film_is_in_the_box(void **state)
{
    (void)state;
    BwFillDef fill = fill_corner(0.6f, 0.6f, 0.5f);
    BwSceneDef scene = height_scene(3, 1.0f / 16.0f, BW_SCHEME_SPLIT);
    set_box(&scene, 1.5f, 1.0f, 1.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.walls.side[BW_TOP].kind = BW_WALL_OPEN;
    scene.liquid.spray.speed = 0.2f;
    scene.liquid.spray.rate = 5e4f;
    BwWorld *world = make_world(&scene, 2);
    double lowest = 1.0;
    int64_t drops = 0;
    for (int n = 0; n < 20; n++) {
        next_frame(world);
        const BwFrame *frame = frame_of(world);
        const BwFrameParticles *spray = bw_frame_particles(frame, "spray");
        for (int64_t p = 0; spray != NULL && p < spray->count; p++, drops++) {
            double place[3];
            bw_frame_particle_place(frame, spray, p, place);
            lowest = fmin(lowest, place[1]);
        }
    }
    bw_world_destroy(world);
    gate("spray_of_a_film_drops", (double)drops, GATE_ABOVE, 1000);
    gate("spray_below_the_floor", fmax(-lowest, 0.0), GATE_BELOW, 0.0);
}

// A spring fills a box, whose room is 0.5 m^2 (less a layer of cells where it is open above), beyond that.
static void gate_full(BwLiquidScheme scheme, BwWallKind top)
{
    const double cell = 1.0 / 16.0, room = top == BW_WALL_CLOSED ? 0.5 : 0.5 - cell;
    char name[96];
    BwFillDef fill = fill_corner(1.0f, 0.3f, 1.0f);
    BwEmitterDef emitter = bw_emitter_def_default();
    BwSinkDef sink = bw_sink_def_default();
    BwSceneDef scene = height_scene(2, (float)cell, scheme);
    emitter.shape = bw_sphere(bw_vec3(0.25f, 0.15f, 0.0f), 0.1f);
    emitter.flow = bw_curve_number(0.15f);
    sink.shape = bw_sphere(bw_vec3(0.75f, 0.1f, 0.0f), 0.08f);
    sink.flow = bw_curve_number(0.01f);
    set_box(&scene, 1.0f, 0.5f, 0.0f);
    scene.walls.side[BW_TOP].kind = top;
    scene.fills = &fill;
    scene.emitters = &emitter;
    scene.sinks = &sink;
    scene.fill_count = scene.emitter_count = scene.sink_count = 1;
    BwWorld *world = make_world(&scene, 1);
    double emitted = 0.0, removed = 0.0, fastest = 0.0, most = 0.0,
           first = bw_world_view_stats(world)->volume;
    for (int n = 0; n < 60; n++) {
        BwStats stats = next_frame(world);
        emitted += stats.emitted;
        removed += stats.removed[BW_REMOVED_OPEN] + stats.removed[BW_REMOVED_SINK];
        fastest = fmax(fastest, (double)stats.max_speed);
        most = fmax(most, stats.volume);
    }
    double last = bw_world_view_stats(world)->volume;
    bw_world_destroy(world);
    const char *what = top == BW_WALL_CLOSED ? "sealed" : "open";
    snprintf(name, sizeof name, "height_full_%s_%s", what, scheme_name(scheme));
    gate(name, most / room, GATE_BELOW, 1.0 + 1e-6);
    snprintf(name, sizeof name, "height_filled_%s_%s", what, scheme_name(scheme));
    gate(name, last / room, GATE_ABOVE, 0.97);
    snprintf(name, sizeof name, "height_full_balance_%s_%s", what, scheme_name(scheme));
    gate(name, fabs(first + emitted - removed - last), GATE_BELOW, 1e-9);
    snprintf(name, sizeof name, "height_full_speed_%s_%s", what, scheme_name(scheme));
    gate(name, fastest, GATE_BELOW, sqrt(2.0 * liquid_gravity * 0.5)); // all of its depth as speed
}

static void a_box_holds_what_it_has_room_for(void **state)
{
    (void)state;
    gate_full(BW_SCHEME_EXPLICIT, BW_WALL_CLOSED);
    gate_full(BW_SCHEME_EXPLICIT, BW_WALL_OPEN);
    gate_full(BW_SCHEME_SPLIT, BW_WALL_CLOSED);
    gate_full(BW_SCHEME_SPLIT, BW_WALL_OPEN);
}

// A block comes down into a sealed box that is full: what it takes the room of is told as lost, and the box
// holds no more than there is room for.
static void gate_squeezed(BwLiquidScheme scheme)
{
    const double width = 0.25, depth = 0.2;
    const BwKey keys[2] = {{.time = 0.0, .value = {0.5f, 0.625f, 0.0f}},
                           {.time = 0.5, .value = {0.5f, 0.625f - (float)depth, 0.0f}}};
    char name[96];
    BwFillDef fill = fill_corner(1.0f, 0.5f, 1.0f);
    BwObstacleDef block = solid_of(bw_box(bw_vec3(-0.125f, -0.125f, -1.0f), bw_vec3(0.125f, 0.125f, 1.0f)));
    BwSceneDef scene = height_scene(2, 1.0f / 16.0f, scheme);
    block.motion.position = bw_curve_keys(keys, 2, 3);
    set_box(&scene, 1.0f, 0.5f, 0.0f);
    scene.fills = &fill;
    scene.obstacles = &block;
    scene.fill_count = scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, 1);
    double lost = 0.0, first = bw_world_view_stats(world)->volume;
    for (int n = 0; n < 15; n++)
        lost += next_frame(world).removed[BW_REMOVED_SOLID];
    BwStats last = *bw_world_view_stats(world);
    bw_world_destroy(world);
    double room = 0.5 - width * depth;
    snprintf(name, sizeof name, "height_squeezed_volume_%s", scheme_name(scheme));
    gate(name, fabs(last.volume / room - 1.0), GATE_BELOW, scheme == BW_SCHEME_SPLIT ? 0.005 : 0.05);
    snprintf(name, sizeof name, "height_squeezed_balance_%s", scheme_name(scheme));
    gate(name, fabs(first - lost - last.volume) + fabs(last.mass - last.volume), GATE_BELOW, 1e-9);
}

static void solids_press_water_out_of_a_full_box(void **state)
{
    (void)state;
    gate_squeezed(BW_SCHEME_EXPLICIT);
    gate_squeezed(BW_SCHEME_SPLIT);
}

// A stream past a block and out of the box: its surface is level, and so rises nowhere, though columns beside
// it are none.
static void a_stream_rises_nowhere(void **state)
{
    (void)state;
    BwFillDef fill = fill_corner(2.0f, 0.25f, 1.0f);
    BwSceneDef scene = height_scene(3, 1.0f / 16.0f, BW_SCHEME_SPLIT);
    fill.velocity = bw_vec3(0.5f, 0.0f, 0.0f);
    set_box(&scene, 2.0f, 0.5f, 0.25f);
    scene.walls.side[BW_RIGHT].kind = BW_WALL_OUTFLOW;
    scene.walls.side[BW_LEFT].kind = BW_WALL_INFLOW;
    scene.walls.side[BW_LEFT].velocity = bw_curve_vector(0.5f, 0.0f, 0.0f);
    scene.walls.side[BW_LEFT].part = bw_box(bw_vec3(-1.0f, 0.0f, -1.0f), bw_vec3(1.0f, 0.25f, 1.0f));
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    double up = 0.0;
    for (int n = 0; n < 24; n++) {
        next_frame(world);
        const BwFrameColumns *columns = columns_of(world);
        const BwFrameAttribute *velocity =
            bw_frame_attribute(columns->attributes, columns->attribute_count, "velocity");
        for (int c = 0; c < columns->count[0] * columns->count[1]; c++)
            up = fmax(up, fabs((double)velocity->values[3 * c + 1]));
    }
    bw_world_destroy(world);
    gate("height_stream_rises_m_s", up, GATE_BELOW, 0.1);
}

// How far above its level the water gets that a ball, half sunk, is drawn through, in cells. Slow as it is
// its bow wave is v^2 / (2 g), an eighth of a cell.
static double highest_beside_a_ball(void)
{
    const double level = 0.25;
    const float cell = 1.0f / 24.0f;
    const BwKey keys[2] = {{.time = 0.0, .value = {0.4f, 0.27f, 0.5f}},
                           {.time = 1.5, .value = {1.0f, 0.27f, 0.5f}}};
    BwFillDef fill = fill_corner(2.0f, (float)level, 1.0f);
    BwObstacleDef sphere = solid_of(ball(0.0f, 0.0f, 0.0f, 0.15f));
    BwSceneDef scene = height_scene(3, cell, BW_SCHEME_SPLIT);
    sphere.motion.position = bw_curve_keys(keys, 2, 3);
    set_box(&scene, 1.5f, 0.5f, 1.0f);
    scene.walls.side[BW_TOP].kind = BW_WALL_OPEN;
    scene.fills = &fill;
    scene.obstacles = &sphere;
    scene.fill_count = scene.obstacle_count = 1;
    scene.fps = 12.0;
    BwWorld *world = make_world(&scene, 1);
    double highest = 0.0;
    for (int n = 0; n < 18; n++) {
        next_frame(world);
        const BwFrameColumns *columns = columns_of(world);
        for (int c = 0; c < columns->count[0] * columns->count[1]; c++)
            highest = fmax(highest, (double)columns->heights[c] - level);
    }
    bw_world_destroy(world);
    return highest / (double)cell;
}

static void a_ball_carries_no_water_on_its_back(void **state)
{
    (void)state;
    gate("height_beside_a_ball_cells", highest_beside_a_ball(), GATE_BELOW, 3.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spray_of_a_film_is_in_the_box),
        cmocka_unit_test(a_standing_wave_has_its_period),
        cmocka_unit_test(a_wave_leaves_by_an_outflow),
        cmocka_unit_test(a_collapse_keeps_the_volume),
        cmocka_unit_test(water_rests_over_ground),
        cmocka_unit_test(a_burst_dam_tails_off),
        cmocka_unit_test(an_inflow_turns_into_an_outflow),
        cmocka_unit_test(spray_flies_and_leaves_foam),
        cmocka_unit_test(a_box_holds_what_it_has_room_for),
        cmocka_unit_test(a_stream_rises_nowhere),
        cmocka_unit_test(solids_press_water_out_of_a_full_box),
        cmocka_unit_test(a_ball_carries_no_water_on_its_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
