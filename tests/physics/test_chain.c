// Flat liquids within chains of surface particles: an area that turns keeps what it has, drops that meet
// become one chain, regions that grow from chains find what is liquid, and water rests, swings, falls and
// rises as it should, by the explicit scheme and by a projection.
#include "liquid_run.h"

#include <stdio.h>

static const double pi = 3.14159265358979;

static BwSceneDef chain_scene(float cell, BwLiquidScheme scheme)
{
    BwSceneDef scene = liquid_scene(2, cell, BW_LIQUID_CHAIN);
    scene.liquid.scheme = scheme;
    scene.steps_max = 10000;
    if (scheme == BW_SCHEME_EXPLICIT)
        scene.solver.divergence_max = 1e-2f;
    return scene;
}

static const char *scheme_name(BwLiquidScheme scheme)
{
    return scheme == BW_SCHEME_EXPLICIT ? "explicit" : "split";
}

static BwStats next_frame(BwWorld *world)
{
    step_frames(world, 1);
    return *bw_world_view_stats(world);
}

// The chains of a frame: how many, and the area of each one.
enum { CHAINS_MAX = 64 };
typedef struct Chains {
    int count;
    double areas[CHAINS_MAX], center[2]; // m^2; m, of all
} Chains;

static Chains chains_of(const BwFrame *frame)
{
    const BwFrameParticles *set = bw_frame_particles(frame, "surface");
    assert_non_null(set);
    const int32_t *number = bw_frame_attribute(set->attributes, set->attribute_count, "chain")->integers;
    Chains chains = {0};
    double all = 0.0;
    for (int64_t p = 0, start = 0; p < set->count; p++) {
        double a[3], b[3];
        if (p > 0 && number[p] != number[p - 1])
            start = p;
        int64_t next = p + 1 < set->count && number[p + 1] == number[p] ? p + 1 : start;
        assert_true(number[p] < CHAINS_MAX);
        chains.count = number[p] + 1;
        bw_frame_particle_place(frame, set, p, a);
        bw_frame_particle_place(frame, set, next, b);
        double part = 0.5 * (a[0] * b[1] - b[0] * a[1]);
        chains.areas[number[p]] += part;
        for (int n = 0; n < 2; n++)
            chains.center[n] += part * (a[n] + b[n]) / 3.0;
        all += part;
    }
    for (int n = 0; n < 2; n++)
        chains.center[n] /= all;
    return chains;
}

static BwResult turning(void *user, BwVec3 point, double time, float value[4], BwError *err)
{
    (void)user, (void)time, (void)err;
    value[0] = (float)(-2.0 * pi * ((double)point.y - 0.5));
    value[1] = (float)(2.0 * pi * ((double)point.x - 0.5));
    return BW_OK;
}

// A notched disk, once around, and nothing is given back.
static void an_area_that_turns_is_kept(void **state)
{
    (void)state;
    const BwShape parts[2] = {ball(0.5f, 0.72f, 0.0f, 0.15f),
                              bw_box(bw_vec3(0.47f, 0.5f, -1.0f), bw_vec3(0.53f, 0.8f, 1.0f))};
    BwFillDef fill = fill_of(bw_difference(parts, 2));
    BwSceneDef scene = chain_scene(1.0f / 32.0f, BW_SCHEME_SPLIT);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.liquid.volume_correction = 0.0f;
    scene.flow.velocity = bw_curve_place_vector(turning, NULL);
    scene.fps = 24.0;
    scene.cfl = 0.5f;
    BwWorld *world = make_world(&scene, 2);
    Chains before = chains_of(frame_of(world));
    step_frames(world, 24);
    Chains after = chains_of(frame_of(world));
    bw_world_destroy(world);
    assert_int_equal(after.count, 1);
    gate("chain_turn_area", fabs(after.areas[0] / before.areas[0] - 1.0), GATE_BELOW, 0.01);
    gate("chain_turn_center_cells",
         hypot(after.center[0] - before.center[0], after.center[1] - before.center[1]) * 32.0, GATE_BELOW,
         0.1);
}

// Two drops that fly at each other without weight.
static void gate_meeting(BwLiquidScheme scheme, BwWallKind sides)
{
    char name[96];
    const char *kind = sides == BW_WALL_OPEN ? "_open" : "";
    BwFillDef fills[2] = {fill_of(ball(0.3f, 0.5f, 0.0f, 0.12f)), fill_of(ball(0.7f, 0.52f, 0.0f, 0.12f))};
    BwSceneDef scene = chain_scene(1.0f / 24.0f, scheme);
    fills[0].velocity.x = 0.5f;
    fills[1].velocity.x = -0.5f;
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    for (int side = 0; side < 4; side++)
        scene.walls.side[side].kind = sides;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.fills = fills;
    scene.fill_count = 2;
    scene.fps = 24.0;
    BwWorld *world = make_world(&scene, 1);
    assert_int_equal(chains_of(frame_of(world)).count, 2);
    double volume = bw_world_view_stats(world)->volume;
    gate("chain_two_drops_area", fabs(volume / (2.0 * pi * 0.12 * 0.12) - 1.0), GATE_BELOW, 0.01);
    step_frames(world, 10);
    Chains chains = chains_of(frame_of(world));
    snprintf(name, sizeof name, "chain_drops_that_met_%s%s", scheme_name(scheme), kind);
    gate(name, chains.count, GATE_BELOW, 1.0);
    snprintf(name, sizeof name, "chain_drops_that_met_area_%s%s", scheme_name(scheme), kind);
    gate(name, fabs(chains.areas[0] / volume - 1.0), GATE_BELOW, 0.02);
    bw_world_destroy(world);
}

static void drops_that_meet_are_one_chain(void **state)
{
    (void)state;
    gate_meeting(BW_SCHEME_EXPLICIT, BW_WALL_CLOSED);
    gate_meeting(BW_SCHEME_SPLIT, BW_WALL_CLOSED);
    gate_meeting(BW_SCHEME_SPLIT, BW_WALL_OPEN); // nothing comes near them
}

// A drop in the air inside of a ring in the air inside of a pool: cells away from all surfaces are what they
// should be.
static void regions_grow_to_what_is_liquid(void **state)
{
    (void)state;
    enum { CELLS = 48 };
    const double radius[4] = {0.42, 0.32, 0.2, 0.1};
    const BwShape hole = ball(0.5f, 0.5f, 0.0f, 0.42f), outer = ball(0.5f, 0.5f, 0.0f, 0.32f),
                  inner = ball(0.5f, 0.5f, 0.0f, 0.2f);
    const BwShape pool[2] = {bw_box(bw_vec3(-1.0f, -1.0f, -1.0f), bw_vec3(2.0f, 0.95f, 1.0f)), hole},
                  ring[2] = {outer, inner};
    BwFillDef fills[3] = {fill_of(bw_difference(pool, 2)), fill_of(bw_difference(ring, 2)),
                          fill_of(ball(0.5f, 0.5f, 0.0f, 0.1f))};
    BwSceneDef scene = chain_scene(1.0f / CELLS, BW_SCHEME_EXPLICIT);
    int wrong = 0, looked_at = 0;
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.fills = fills;
    scene.fill_count = 3;
    BwWorld *world = make_world(&scene, 1);
    const BwFrame *frame = frame_of(world);
    const BwFrameField *fluid = bw_frame_field(frame, "fluid");
    assert_non_null(fluid);
    assert_int_equal(chains_of(frame).count, 5);
    for (int j = 0; j < CELLS; j++)
        for (int i = 0; i < CELLS; i++) {
            double x = (i + 0.5) / CELLS, y = (j + 0.5) / CELLS, r = hypot(x - 0.5, y - 0.5),
                   near = fabs(y - 0.95);
            for (int n = 0; n < 4; n++)
                near = fmin(near, fabs(r - radius[n]));
            bool is_liquid = (r > radius[0] && y < 0.95) || (r < radius[1] && r > radius[2]) || r < radius[3];
            if (near < 0.72 / CELLS)
                continue;
            looked_at++;
            wrong += (frame_value(frame, fluid, i, j, 0) > 0.5f) != is_liquid;
        }
    bw_world_destroy(world);
    gate("chain_regions_looked_at", looked_at, GATE_ABOVE, 1500);
    gate("chain_regions_wrong", wrong, GATE_BELOW, 0);
}

// The mean height of the surface between two walls, m: of what is below all links that go left there.
static double mean_level(const BwFrame *frame, double width)
{
    const BwFrameParticles *set = bw_frame_particles(frame, "surface");
    double sum = 0.0;
    for (int64_t p = 0; p < set->count; p++) {
        double a[3], b[3];
        bw_frame_particle_place(frame, set, p, a);
        bw_frame_particle_place(frame, set, (p + 1) % set->count, b);
        double from = fmin(fmax(a[0], 0.0), width), to = fmin(fmax(b[0], 0.0), width);
        if (from == to || a[1] < 0.0 || b[1] < 0.0)
            continue;
        double first = a[1] + (from - a[0]) / (b[0] - a[0]) * (b[1] - a[1]),
               last = a[1] + (to - a[0]) / (b[0] - a[0]) * (b[1] - a[1]);
        sum += 0.5 * (first + last) * (from - to);
    }
    return sum / width;
}

// The paper's soup without its bowl: half of a drop falls into it and it comes to rest higher.
static void gate_soup(BwLiquidScheme scheme)
{
    char name[96];
    BwFillDef fills[2] = {fill_corner(0.15f, 0.1f, 1.0f), fill_of(ball(0.0f, 0.15f, 0.0f, 0.03f))};
    BwSceneDef scene = chain_scene(0.01f, scheme);
    fills[1].velocity.y = -0.2f;
    set_box(&scene, 0.15f, 0.3f, 0.0f);
    scene.fills = fills;
    scene.fill_count = 2;
    scene.liquid.viscosity = bw_curve_number(0.003f);
    scene.fps = 30.0;
    double worst = 0.0, rise = 0.5 * pi * 0.03 * 0.03 / 0.15;
    BwWorld *world = make_world(&scene, 1);
    for (int n = 0; n < (IS_FULL ? 150 : 60); n++)
        worst = fmax(worst, fabs(next_frame(world).volume_drift));
    snprintf(name, sizeof name, "chain_soup_drift_%s", scheme_name(scheme));
    gate(name, worst, GATE_BELOW, 0.02);
    snprintf(name, sizeof name, "chain_soup_rise_%s", scheme_name(scheme));
    gate(name, fabs((mean_level(frame_of(world), 0.15) - 0.1) / rise - 1.0), GATE_BELOW, 0.02);
    assert_int_equal(chains_of(frame_of(world)).count, 1);
    bw_world_destroy(world);
}

static void a_drop_raises_the_level(void **state)
{
    (void)state;
    gate_soup(BW_SCHEME_EXPLICIT);
    gate_soup(BW_SCHEME_SPLIT);
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

static void gate_wave(BwLiquidScheme scheme)
{
    enum { CELLS = 32, A_PERIOD = 48 };
    char name[96];
    Wave wave = {0.6 / CELLS, 2.0 * pi, 0.51};
    double wanted = 2.0 * pi / omega_of(&wave), last = 0.0, crossing[3] = {0};
    int found = 0;
    BwFillDef fill = fill_corner(1.0f, (float)wave.depth, 1.0f);
    BwSceneDef scene = chain_scene(1.0f / CELLS, scheme);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.fps = A_PERIOD / wanted;
    scene.initial.velocity = (BwPlaceCurve){wave_velocity, &wave};
    BwWorld *world = make_world(&scene, 1);
    for (int n = 1; n <= 2 * A_PERIOD && found < 3; n++) {
        double part = 0.0;
        next_frame(world);
        for (int i = 0; i < CELLS; i++)
            part += surface_height(frame_of(world), i, 0, CELLS) / CELLS *
                    cos(wave.number * (i + 0.5) / CELLS) * 2.0 / CELLS;
        if (n > 3 && part * last < 0.0)
            crossing[found++] = (n - part / (part - last)) / scene.fps;
        last = part;
    }
    bw_world_destroy(world);
    snprintf(name, sizeof name, "chain_wave_period_%s", scheme_name(scheme));
    gate(name, fabs((crossing[2] - crossing[0]) / wanted - 1.0), GATE_BELOW, 0.05);
}

static void a_standing_wave_has_its_period(void **state)
{
    (void)state;
    gate_wave(BW_SCHEME_EXPLICIT);
    gate_wave(BW_SCHEME_SPLIT);
}

// A column that falls over a ball: it stays in one piece or some, and nothing is lost.
static void gate_collapse(BwLiquidScheme scheme)
{
    char name[96];
    BwFillDef fill = fill_corner(0.3f, 0.6f, 1.0f);
    BwObstacleDef ground = solid_of(ball(0.8f, 0.0f, 0.0f, 0.15f));
    BwSceneDef scene = chain_scene(1.0f / 20.0f, scheme);
    double drift = 0.0, fastest = 0.0;
    set_box(&scene, 1.5f, 1.0f, 0.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.obstacles = &ground;
    scene.obstacle_count = 1;
    scene.fps = 24.0;
    BwWorld *world = make_world(&scene, 1);
    for (int n = 0; n < (IS_FULL ? 120 : 36); n++) {
        BwStats stats = next_frame(world);
        drift = fmax(drift, fabs(stats.volume_drift));
        fastest = fmax(fastest, (double)stats.max_speed);
    }
    bw_world_destroy(world);
    snprintf(name, sizeof name, "chain_collapse_drift_%s", scheme_name(scheme));
    gate(name, drift, GATE_BELOW, 0.05);
    snprintf(name, sizeof name, "chain_collapse_speed_%s", scheme_name(scheme));
    gate(name, fastest / sqrt(2.0 * liquid_gravity * 0.6), GATE_BELOW, 3.0);
}

static void a_collapse_keeps_the_area(void **state)
{
    (void)state;
    gate_collapse(BW_SCHEME_EXPLICIT);
    gate_collapse(BW_SCHEME_SPLIT);
}

// m^3, within a mesh.
static double mesh_volume(const BwFrameMesh *mesh)
{
    double sum = 0.0;
    for (int32_t n = 0; n < mesh->triangle_count; n++) {
        const int32_t *corner = mesh->triangles[n];
        sum += (double)bw_dot(mesh->vertices[corner[0]],
                              bw_cross(mesh->vertices[corner[1]], mesh->vertices[corner[2]])) /
               6.0;
    }
    return sum;
}

// A ball on the axis, a ring around it, and a pool that a wall ends, turned about the axis.
static void chains_turn_into_meshes(void **state)
{
    (void)state;
    const struct {
        const char *name;
        BwFillDef fill;
        double volume;
    } cases[] = {
        {"chain_turned_ball", fill_of(ball(0.0f, 0.5f, 0.0f, 0.2f)), 4.0 / 3.0 * pi * 0.008},
        {"chain_turned_ring", fill_of(ball(0.3f, 0.5f, 0.0f, 0.1f)), 2.0 * pi * pi * 0.3 * 0.01},
        {"chain_turned_pool", fill_corner(0.5f, 0.3f, 1.0f), pi * 0.25 * 0.3},
    };
    BwError err = {0};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        BwSceneDef scene = chain_scene(1.0f / 30.0f, BW_SCHEME_SPLIT);
        BwSurface *surface;
        set_box(&scene, 0.5f, 1.0f, 0.0f);
        scene.fills = &cases[n].fill;
        scene.fill_count = 1;
        BwWorld *world = make_world(&scene, 1);
        BwSurfaceDef def = bw_surface_def_default();
        assert_int_equal(bw_surface_create(&surface, &def, &err), BW_OK);
        const BwFrameMesh *mesh = bw_surface_mesh(surface, frame_of(world), &err);
        if (mesh == NULL)
            fail_msg("%s", err.message);
        gate(cases[n].name, fabs(mesh_volume(mesh) / cases[n].volume - 1.0), GATE_BELOW, 0.02);
        bw_surface_destroy(surface);
        bw_world_destroy(world);
    }
}

// Pixels of a picture that are not the background, and how wide and high they lie.
typedef struct Seen {
    int count, width, height;
} Seen;

static Seen seen_of(const BwImage *image)
{
    int low[2] = {image->width_px, image->height_px}, high[2] = {-1, -1};
    Seen seen = {0};
    for (int y = 0; y < image->height_px; y++)
        for (int x = 0; x < image->width_px; x++) {
            const uint8_t *pixel = image->pixels + 3 * (y * image->width_px + x);
            if (pixel[0] < 40 && pixel[1] > 215 && pixel[2] < 40)
                continue;
            low[0] = x < low[0] ? x : low[0];
            low[1] = y < low[1] ? y : low[1];
            high[0] = x > high[0] ? x : high[0];
            high[1] = y > high[1] ? y : high[1];
            seen.count++;
        }
    seen.width = high[0] - low[0] + 1;
    seen.height = high[1] - low[1] + 1;
    return seen;
}

// A drop on the axis is drawn as a ball: a disc from the side and from above.
static void chains_are_drawn_turned(void **state)
{
    (void)state;
    const double radius = 0.05, away = 1.0, half = 0.1, pixels = 160.0,
                 disc = tan(asin(radius / away)) / tan(half) * 0.5 * pixels;
    const BwVec3 eyes[2] = {{0.0f, 0.15f, (float)away}, {0.0f, 0.15f + (float)away, 0.0f}};
    BwFillDef fill = fill_of(ball(0.0f, 0.15f, 0.0f, (float)radius));
    BwSceneDef scene = chain_scene(1.0f / 100.0f, BW_SCHEME_SPLIT);
    double area_off = 0.0, round_off = 0.0;
    BwError err = {0};
    set_box(&scene, 0.1f, 0.3f, 0.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.look = bw_scene_def_default().look;
    scene.look.revolve = true;
    scene.look.show_ground = false;
    scene.look.background[0] = scene.look.background[2] = 0.0f;
    scene.look.background[1] = 1.0f;
    scene.look.water_color[1] = 0.0f;
    scene.look.water_absorption = 1e4f;
    scene.output.width = scene.output.height = (int)pixels;
    scene.camera.field_of_view = 2.0f * (float)half;
    scene.camera.target = bw_curve_vector(0.0f, 0.15f, 0.0f);
    BwWorld *world = make_world(&scene, 1);
    for (int n = 0; n < 2; n++) {
        BwRendererDef def = bw_renderer_def_default();
        BwRenderer *renderer;
        scene.camera.position = bw_curve_vector(eyes[n].x, eyes[n].y, eyes[n].z);
        def.scene = &scene;
        def.worker_count = 1;
        assert_int_equal(bw_renderer_create(&renderer, &def, &err), BW_OK);
        const BwImage *image = bw_renderer_draw(renderer, frame_of(world), &err);
        if (image == NULL)
            fail_msg("%s", err.message);
        Seen seen = seen_of(image);
        area_off = fmax(area_off, fabs(seen.count / (pi * disc * disc) - 1.0));
        round_off = fmax(round_off, fmax(fabs(seen.width - 2.0 * disc), fabs(seen.height - 2.0 * disc)));
        bw_renderer_destroy(renderer);
    }
    bw_world_destroy(world);
    gate("chain_drawn_turned_area", area_off, GATE_BELOW, 0.05);
    gate("chain_drawn_turned_px", round_off, GATE_BELOW, 3.0);
}

// What would take steps without end is refused, with what to do.
static void steps_without_end_are_refused(void **state)
{
    (void)state;
    BwFillDef fill = fill_corner(0.3f, 0.3f, 1.0f);
    BwSceneDef scene = chain_scene(1.0f / 30.0f, BW_SCHEME_EXPLICIT);
    BwError err = {0};
    set_box(&scene, 0.5f, 0.5f, 0.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.steps_max = 100;
    scene.liquid.viscosity = bw_curve_number(100.0f);
    BwWorld *world = make_world(&scene, 1);
    assert_int_equal(bw_world_step_frame(world, NULL, &err), BW_ERR_SCENE);
    assert_non_null(strstr(err.message, "with a viscosity of 100 m^2/s, speeds of 0 m/s and 9.81 m/s^2"));
    assert_non_null(strstr(err.message, "more than 10 times steps_max = 100"));
    bw_world_destroy(world);
    // So much takes more than steps_max, which it may.
    scene.liquid.viscosity = bw_curve_number(0.7f);
    world = make_world(&scene, 1);
    step_frames(world, 1);
    bw_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_area_that_turns_is_kept),     cmocka_unit_test(drops_that_meet_are_one_chain),
        cmocka_unit_test(regions_grow_to_what_is_liquid), cmocka_unit_test(a_drop_raises_the_level),
        cmocka_unit_test(a_standing_wave_has_its_period), cmocka_unit_test(a_collapse_keeps_the_area),
        cmocka_unit_test(chains_turn_into_meshes),        cmocka_unit_test(chains_are_drawn_turned),
        cmocka_unit_test(steps_without_end_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
