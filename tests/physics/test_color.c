// Coloured smoke: colour rides on density, mixes by mass, and no colour comes up that mixing cannot give.
// Density and flow do not know of it.
#include "run.h"

typedef struct Totals {
    double mass, color[3]; // sums over cells of density, and of density times colour
} Totals;

typedef struct Pixels {
    const BwFrame *frame;
    const float *density, *color[3];
    size_t count;
} Pixels;

static Pixels pixels_of(const BwFrame *frame)
{
    static const char *const names[3] = {"color_r", "color_g", "color_b"};
    Pixels pixels = {.frame = frame,
                     .density = bw_frame_field(frame, "density")->values,
                     .count = (size_t)frame->tile_count * 64 * (size_t)frame->layers};
    for (int c = 0; c < 3; c++) {
        const BwFrameField *field = bw_frame_field(frame, names[c]);
        assert_non_null(field);
        assert_string_equal(field->unit, "1");
        assert_true(field->background == 0.0f);
        pixels.color[c] = field->values;
    }
    return pixels;
}

static Totals totals_of(const BwFrame *frame)
{
    Pixels pixels = pixels_of(frame);
    Totals totals = {0};
    for (size_t n = 0; n < pixels.count; n++) {
        totals.mass += (double)pixels.density[n];
        for (int c = 0; c < 3; c++)
            totals.color[c] += (double)pixels.density[n] * (double)pixels.color[c][n];
    }
    return totals;
}

static BwEmitterDef warm_emitter(float x, float y, float z, float radius)
{
    BwEmitterDef emitter = bw_emitter_def_default();
    emitter.shape = ball(x, y, z, radius);
    emitter.density = bw_curve_number(1.0f);
    emitter.temperature = bw_curve_number(400.0f);
    return emitter;
}

// The largest distance of a cell's colour from one colour, where there is smoke; elsewhere it is 0.
static double farthest_from(const BwFrame *frame, const float color[3])
{
    Pixels pixels = pixels_of(frame);
    double farthest = 0.0;
    for (size_t n = 0; n < pixels.count; n++)
        for (int c = 0; c < 3; c++) {
            float wanted = pixels.density[n] > 0.0f ? color[c] : 0.0f;
            farthest = fmax(farthest, fabs((double)pixels.color[c][n] - (double)wanted));
        }
    return farthest;
}

static bool same_values(const BwFrame *a, const BwFrame *b, const char *name)
{
    const BwFrameField *one = bw_frame_field(a, name), *other = bw_frame_field(b, name);
    size_t bytes = (size_t)a->tile_count * 64 * (size_t)a->layers * sizeof(float);
    return a->tile_count == b->tile_count && memcmp(one->values, other->values, bytes) == 0;
}

static const BwAdvection schemes[] = {BW_ADVECT_MACCORMACK, BW_ADVECT_REFLECTION, BW_ADVECT_CUBIC,
                                      BW_ADVECT_SEMI_LAGRANGIAN};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

// Everything that emits and everything that takes away, in one colour: of it all smoke is, to the bit.
static void one_color_stays_what_it_is(void **state)
{
    (void)state;
    const float teal[3] = {0.1f, 0.7f, 0.6f};
    double farthest = 0.0;
    int differing = 0;
    for (int s = 0; s < SCHEMES; s++) {
        BwSceneDef scene = smoke_scene(3, 1.0f / 16.0f);
        scene.smoke.advection = schemes[s];
        scene.smoke.dissipation = 0.1f;
        BwEmitterDef emitters[2] = {warm_emitter(0.5f, 0.2f, 0.5f, 0.15f), bw_emitter_def_default()};
        BwObstacleDef obstacle = bw_obstacle_def_default();
        obstacle.shape = ball(0.0f, 0.0f, 0.0f, 0.15f);
        obstacle.motion.velocity = bw_curve_vector(1.0f, 0.3f, 0.0f);
        emitters[1].density_rate = bw_curve_number(3.0f);
        obstacle.emit = &emitters[1];
        scene.emitters = emitters;
        scene.emitter_count = 1;
        scene.obstacles = &obstacle;
        scene.obstacle_count = 1;
        BwWorld *plain = make_world(&scene, 2);
        step_frames(plain, 6);
        assert_null(bw_frame_field(frame_of(plain), "color_r"));
        memcpy(emitters[0].color, teal, sizeof teal);
        memcpy(emitters[1].color, teal, sizeof teal);
        BwWorld *world = make_world(&scene, 2);
        step_frames(world, 6);
        farthest = fmax(farthest, farthest_from(frame_of(world), teal));
        differing += !same_values(frame_of(plain), frame_of(world), "density");
        emitters[1].color[0] = 0.9f;
        BwWorld *mixed = make_world(&scene, 2);
        step_frames(mixed, 6);
        differing += !same_values(frame_of(plain), frame_of(mixed), "density");
        differing += !same_values(frame_of(plain), frame_of(mixed), "u");
        bw_world_destroy(mixed);
        bw_world_destroy(world);
        bw_world_destroy(plain);
    }
    gate("color_one_is_exact", farthest, GATE_BELOW, 0.0);
    gate("color_changes_density_or_flow", differing, GATE_BELOW, 0);
}

typedef struct Mixing {
    double mass_error, color_error; // relative change of totals
    double outside;                 // farthest from the segment between the two colours
    double least_share, most_share; // of the second colour, by cells of some density
} Mixing;

static const float red[3] = {0.9f, 0.1f, 0.05f}, blue[3] = {0.1f, 0.2f, 0.95f};

static void look_at_mixture(const BwFrame *frame, Mixing *mixing)
{
    Pixels pixels = pixels_of(frame);
    double axis[3], length = 0.0;
    for (int c = 0; c < 3; c++) {
        axis[c] = (double)blue[c] - (double)red[c];
        length += axis[c] * axis[c];
    }
    for (size_t n = 0; n < pixels.count; n++) {
        double share = 0.0;
        if (!(pixels.density[n] > 0.0f))
            continue;
        for (int c = 0; c < 3; c++)
            share += ((double)pixels.color[c][n] - (double)red[c]) * axis[c] / length;
        double on_line = fmin(fmax(share, 0.0), 1.0);
        for (int c = 0; c < 3; c++)
            mixing->outside = fmax(mixing->outside,
                                   fabs((double)pixels.color[c][n] - ((double)red[c] + on_line * axis[c])));
        mixing->least_share = fmin(mixing->least_share, share);
        mixing->most_share = fmax(mixing->most_share, share);
    }
}

static Mixing mix(int dimension, BwAdvection scheme, int frames)
{
    BwSceneDef scene = smoke_scene(dimension, 1.0f / (dimension == 3 ? 24.0f : 48.0f));
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.smoke.advection = scheme;
    BwFillDef fills[2] = {bw_fill_def_default(), bw_fill_def_default()};
    float z = dimension == 3 ? 0.5f : 0.0f;
    fills[0].shape = ball(0.35f, 0.5f, z, 0.2f);
    fills[1].shape = ball(0.65f, 0.52f, z, 0.2f);
    fills[0].temperature = 400.0f;
    fills[1].density = 0.7f;
    memcpy(fills[0].color, red, sizeof red);
    memcpy(fills[1].color, blue, sizeof blue);
    scene.fills = fills;
    scene.fill_count = 2;
    BwForceDef force = bw_force_def_default();
    force.field = BW_FORCE_VORTEX;
    force.center = bw_curve_vector(0.5f, 0.5f, z);
    force.axis = bw_curve_vector(0.0f, 0.0f, 1.0f);
    force.strength = bw_curve_number(6.0f);
    force.radius = 0.3f;
    scene.forces = &force;
    scene.force_count = 1;
    BwWorld *world = make_world(&scene, 2);
    Totals first = totals_of(frame_of(world));
    Mixing mixing = {.least_share = 1.0};
    for (int n = 0; n < frames; n++) {
        step_frames(world, 1);
        look_at_mixture(frame_of(world), &mixing);
    }
    Totals last = totals_of(frame_of(world));
    mixing.mass_error = fabs(last.mass / first.mass - 1.0);
    for (int c = 0; c < 3; c++)
        mixing.color_error = fmax(mixing.color_error, fabs(last.color[c] / first.color[c] - 1.0));
    bw_world_destroy(world);
    return mixing;
}

// In a closed box the sum of colour times density is kept as that of density is, so when all is mixed, all
// has the mean by mass.
static void two_colors_mix_by_mass(void **state)
{
    (void)state;
    static const char *const names[] = {"maccormack", "reflection", "cubic", "semi_lagrangian"};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int s = 0; s < SCHEMES; s++) {
            Mixing mixing = mix(dimension, schemes[s], dimension == 2 ? 48 : 16);
            char name[64];
            snprintf(name, sizeof name, "color_outside_segment_%dd_%s", dimension, names[s]);
            gate(name, mixing.outside, GATE_BELOW, 1e-6);
            if (schemes[s] == BW_ADVECT_SEMI_LAGRANGIAN) // it keeps no totals
                continue;
            snprintf(name, sizeof name, "mass_change_%dd_%s", dimension, names[s]);
            gate(name, mixing.mass_error, GATE_BELOW, 1e-4);
            snprintf(name, sizeof name, "color_change_%dd_%s", dimension, names[s]);
            gate(name, mixing.color_error, GATE_BELOW, 1e-4);
        }
}

// How far the colour of a cell is outside of a tetrahedron with corners at black and the three primaries,
// scaled by `top`.
static double outside_corner(const Pixels *pixels, size_t n, double top)
{
    double sum = 0.0, outside = 0.0;
    for (int c = 0; c < 3; c++) {
        double value = (double)pixels->color[c][n];
        sum += value;
        outside = fmax(outside, -value);
    }
    return fmax(outside, sum - top);
}

// Black, red, green and blue smoke thrown into one another: what comes of it lies between all four.
static void many_colors_stay_in_their_hull(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(3, 1.0f / 20.0f);
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    BwFillDef fills[4];
    for (int n = 0; n < 4; n++) {
        fills[n] = bw_fill_def_default();
        fills[n].shape = ball(n % 2 ? 0.3f : 0.7f, 0.5f, n / 2 ? 0.35f : 0.65f, 0.18f);
        fills[n].velocity = bw_vec3(n % 2 ? 2.0f : -2.0f, 0.3f * (float)n, n / 2 ? 2.0f : -2.0f);
        fills[n].density = 1.0f + 0.5f * (float)n;
        for (int c = 0; c < 3; c++)
            fills[n].color[c] = c == n ? 0.8f : 0.0f;
    }
    scene.fills = fills;
    scene.fill_count = 4;
    BwWorld *world = make_world(&scene, 2);
    Totals first = totals_of(frame_of(world));
    double outside = 0.0, change = 0.0;
    for (int frame = 0; frame < 16; frame++) {
        step_frames(world, 1);
        Pixels pixels = pixels_of(frame_of(world));
        for (size_t n = 0; n < pixels.count; n++)
            outside = fmax(outside, outside_corner(&pixels, n, 0.8));
    }
    Totals last = totals_of(frame_of(world));
    for (int c = 0; c < 3; c++)
        change = fmax(change, fabs(last.color[c] / first.color[c] - 1.0));
    gate("color_outside_hull", outside, GATE_BELOW, 1e-5);
    gate("color_change_of_four", change, GATE_BELOW, 1e-4);
    bw_world_destroy(world);
}

typedef enum Emission { HELD, BLOWN, BLOWN_FLAT, BY_RATE, SOFT, FROM_SOLID, EMISSIONS } Emission;

static const char *const emission_names[] = {"held", "blown", "blown_flat", "by_rate", "soft", "from_solid"};

// Green smoke of a source in a closed box with a cloud of red smoke in it, through which it goes: the green
// of all is what the source let out, the red of all what was there.
static void check_emission(Emission kind)
{
    BwSceneDef scene = smoke_scene(3, 1.0f / 20.0f);
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.fps = 48.0;
    BwFillDef fill = bw_fill_def_default();
    BwEmitterDef emitter = bw_emitter_def_default();
    BwObstacleDef obstacle = bw_obstacle_def_default();
    fill.shape =
        (BwShape){.kind = BW_SHAPE_BOX, .a = bw_vec3(0.0f, 0.4f, 0.0f), .b = bw_vec3(1.0f, 0.8f, 1.0f)};
    fill.color[1] = fill.color[2] = emitter.color[0] = emitter.color[2] = 0.0f;
    emitter.shape = ball(0.5f, 0.3f, 0.5f, 0.15f);
    emitter.density = bw_curve_number(kind == BLOWN ? 2.0f : 1.0f);
    emitter.temperature = bw_curve_number(420.0f);
    if (kind == BLOWN || kind == BLOWN_FLAT)
        emitter.velocity = bw_curve_vector(0.0f, 1.0f, 0.0f);
    if (kind == BLOWN_FLAT)
        emitter.shape = (BwShape){.kind = BW_SHAPE_DISC,
                                  .a = bw_vec3(0.5f, 0.3f, 0.5f),
                                  .b = bw_vec3(0.0f, 1.0f, 0.0f),
                                  .radius = 0.15f};
    if (kind == BY_RATE) {
        emitter.density = (BwCurve){0};
        emitter.density_rate = bw_curve_number(4.0f);
    }
    emitter.falloff = kind == SOFT ? 0.2f : 0.0f;
    obstacle.shape = ball(0.5f, 0.3f, 0.5f, 0.15f);
    if (kind == FROM_SOLID)
        emitter.shape = (BwShape){0};
    obstacle.emit = &emitter;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.emitters = &emitter;
    scene.obstacles = &obstacle;
    scene.emitter_count = kind != FROM_SOLID;
    scene.obstacle_count = kind == FROM_SOLID;
    BwWorld *world = make_world(&scene, 2);
    double volume = pow(1.0 / 20.0, 3.0), emitted = 0.0, removed = 0.0;
    Totals first = totals_of(frame_of(world));
    for (int n = 0; n < 24; n++) {
        step_frames(world, 1);
        emitted += bw_world_view_stats(world)->emitted;
        removed += bw_world_view_stats(world)->removed[BW_REMOVED_SOLID];
    }
    Totals last = totals_of(frame_of(world));
    char name[64];
    snprintf(name, sizeof name, "color_emitted_%s", emission_names[kind]);
    gate(name, fabs(last.color[1] * volume / emitted - 1.0), GATE_BELOW, 5e-3);
    snprintf(name, sizeof name, "color_kept_%s", emission_names[kind]);
    gate(name, fabs(last.color[0] / first.color[0] - 1.0), GATE_BELOW, 1e-3);
    assert_true(emitted > 1e-3 && fabs(removed) < 1e-3 * emitted);
    bw_world_destroy(world);
}

static void sources_bring_their_color(void **state)
{
    (void)state;
    for (Emission kind = HELD; kind < EMISSIONS; kind++)
        check_emission(kind);
}

// Fills are laid over one another; what a function of place puts there is white; what emits no smoke has no
// colour to give; and what dissolves takes its colour along.
static void starts_and_losses_are_colored(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(2, 1.0f / 32.0f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    BwFillDef fills[2] = {bw_fill_def_default(), bw_fill_def_default()};
    BwEmitterDef heater = bw_emitter_def_default();
    fills[0].shape = ball(0.5f, 0.5f, 0.0f, 0.4f);
    fills[1].shape = ball(0.5f, 0.5f, 0.0f, 0.2f);
    memcpy(fills[0].color, red, sizeof red);
    memcpy(fills[1].color, blue, sizeof blue);
    heater.shape = ball(0.5f, 0.1f, 0.0f, 0.05f);
    heater.temperature = bw_curve_number(300.0f);
    scene.fills = fills;
    scene.fill_count = 2;
    scene.emitters = &heater;
    scene.emitter_count = 1;
    scene.smoke.dissipation = 0.5f;
    BwWorld *world = make_world(&scene, 2);
    const BwFrame *frame = frame_of(world);
    const BwFrameField *r = bw_frame_field(frame, "color_r");
    assert_true(fabsf(frame_value(frame, r, 16, 16, 0) - blue[0]) < 1e-6f);
    assert_true(fabsf(frame_value(frame, r, 16, 26, 0) - red[0]) < 1e-6f);
    assert_true(frame_value(frame, r, 1, 1, 0) == 0.0f);
    step_frames(world, 12);
    frame = frame_of(world);
    r = bw_frame_field(frame, "color_r");
    assert_true(frame_value(frame, bw_frame_field(frame, "density"), 16, 16, 0) < 0.8f);
    assert_true(fabsf(frame_value(frame, r, 16, 16, 0) - blue[0]) < 1e-5f);
    bw_world_destroy(world);
    for (int n = 0; n < 2; n++)
        fills[n].color[0] = fills[n].color[1] = fills[n].color[2] = 1.0f;
    heater.color[0] = 0.5f;
    world = make_world(&scene, 2);
    assert_null(bw_frame_field(frame_of(world), "color_r"));
    bw_world_destroy(world);
}

// With all that wakes and sleeps, and colours in three dimensions: the same bits with any number of workers.
static void threads_give_the_same_colors(void **state)
{
    (void)state;
    uint64_t hashes[3];
    for (int run = 0; run < 3; run++) {
        BwSceneDef scene = smoke_scene(3, 1.0f / 20.0f);
        BwEmitterDef emitters[4];
        for (int n = 0; n < 4; n++) {
            emitters[n] = warm_emitter(0.4f * (float)(n % 2), 0.1f * (float)n, 0.4f * (float)(n / 2), 0.22f);
            emitters[n].velocity = bw_curve_vector(0.0f, 1.0f + (float)n, 0.0f);
            emitters[n].noise = (BwNoiseDef){0.8f, 0.1f, 3.0f};
            for (int c = 0; c < 3; c++)
                emitters[n].color[c] = c == n ? 0.9f : 0.1f;
        }
        scene.emitters = emitters;
        scene.emitter_count = 4;
        BwWorld *world = make_world(&scene, run == 0 ? 1 : run == 1 ? 3 : 8);
        step_frames(world, 3);
        hashes[run] = bw_frame_hash(frame_of(world));
        bw_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_color_stays_what_it_is),     cmocka_unit_test(two_colors_mix_by_mass),
        cmocka_unit_test(many_colors_stay_in_their_hull), cmocka_unit_test(sources_bring_their_color),
        cmocka_unit_test(starts_and_losses_are_colored),  cmocka_unit_test(threads_give_the_same_colors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
