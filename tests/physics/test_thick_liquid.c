// Thick liquids as scenes have them: a film down a slope, a column that slumps in very long steps, a drop
// that spins, a stream that is drawn out of a nozzle, a viscosity that changes in time; with the
// component-wise scheme beside the coupled one.
#include "liquid_run.h"

#include <stdio.h>

#ifdef FULL_SIZE
enum { turns = 10 };
#else
enum { turns = 2 };
#endif

// Down a slope along x, without ends, H deep.
static const float depth = 0.25f, pull = 1.0f, film_viscosity = 0.05f;

static BwSceneDef film_scene(int cells_deep, BwViscosityScheme scheme)
{
    BwSceneDef scene = liquid_scene(2, depth / (float)cells_deep, BW_LIQUID_APIC);
    scene.fps = 4.0f;
    scene.gravity = bw_curve_vector(pull, -9.81f, 0.0f);
    scene.liquid.viscosity = bw_curve_number(film_viscosity);
    scene.liquid.viscosity_scheme = scheme;
    set_box(&scene, 8.0f * scene.cell, 2.0f * depth, 0.0f);
    scene.walls.periodic[0] = true;
    scene.walls.slip = 0.0f;
    return scene;
}

typedef struct FilmErrors {
    double profile, energy; // the largest over the rows of cells, of the largest speed; and of the energy
} FilmErrors;

static FilmErrors film_errors(int cells_deep, BwViscosityScheme scheme)
{
    BwSceneDef scene = film_scene(cells_deep, scheme);
    BwFillDef fill = fill_corner(1.0f, depth, 1.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 20);
    const BwFrame *frame = frame_of(world);
    const BwFrameField *u = bw_frame_field(frame, "u");
    double top = (double)(pull * depth * depth / (2.0f * film_viscosity));
    FilmErrors errors = {0};
    for (int j = 0; j < cells_deep; j++) {
        double y = (j + 0.5) / cells_deep, exact = top * (2.0 * y - y * y);
        errors.profile = fmax(errors.profile, fabs((double)frame_value(frame, u, 3, j, 0) - exact) / top);
    }
    errors.energy = 2.0 * water_sums(frame).kinetic / (top * top * 8.0 / 15.0) - 1.0;
    printf("film, %d cells, %s: profile %.5f, energy %+.4f\n", cells_deep,
           scheme == BW_VISCOSITY_COUPLED ? "coupled" : "components", errors.profile, errors.energy);
    bw_world_destroy(world);
    return errors;
}

static void a_film_runs_down_a_slope(void **state)
{
    (void)state;
    FilmErrors coarse = film_errors(8, BW_VISCOSITY_COUPLED), fine = film_errors(16, BW_VISCOSITY_COUPLED),
               finest = film_errors(32, BW_VISCOSITY_COUPLED);
    film_errors(16, BW_VISCOSITY_COMPONENTS);
    gate("thick_film_profile_error_16", fine.profile, GATE_BELOW, 0.02);
    gate("thick_film_energy_error_16", fabs(fine.energy), GATE_BELOW, 0.005);
    gate("thick_film_order", 0.5 * log2(coarse.profile / finest.profile), GATE_ABOVE, 1.8);
}

// The height of a column a second after it was let go, as nu / (g H) counts seconds, in ten steps or a
// hundred.
static double slumped_height(double explicit_limits, int steps)
{
    const double h = 1.0 / 24.0, side = 0.5;
    double dt = sqrt(0.25 * explicit_limits * h * h / (10.0 * 9.81 * side)); // nu dt / h^2 is a quarter of it
    double viscosity = 0.25 * explicit_limits * h * h / dt;
    BwSceneDef scene = liquid_scene(2, (float)h, BW_LIQUID_APIC);
    BwFillDef fill = fill_of(bw_box(bw_vec3(0.75f, 0.0f, -1.0f), bw_vec3(1.25f, 0.5f, 1.0f)));
    scene.fps = (float)(1.0 / dt);
    scene.steps = steps;
    scene.liquid.viscosity = bw_curve_number((float)viscosity);
    set_box(&scene, 2.0f, 1.0f, 0.0f);
    scene.walls.slip = 0.0f;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 10);
    const BwFrame *frame = frame_of(world);
    double top = 0.0;
    for (int64_t p = 0; p < water_of(frame)->count; p++) {
        double place[3];
        bw_frame_particle_place(frame, water_of(frame), p, place);
        top = fmax(top, place[1]);
    }
    assert_int_equal(bw_world_view_stats(world)->stop_reason, BW_STOP_CONVERGED);
    printf("%g times the explicit limit, %d steps: height %.4f m, drift %.4f\n", explicit_limits, 10 * steps,
           top, bw_world_view_stats(world)->volume_drift);
    bw_world_destroy(world);
    return top;
}

static void long_steps_are_stable_and_right(void **state)
{
    (void)state;
    const double limits[] = {1e3, 1e5};
    for (int n = 0; n < 2; n++) {
        double height = slumped_height(limits[n], 1), true_height = slumped_height(limits[n], 10);
        gate("thick_column_slumps", true_height, GATE_BELOW, 0.46);
        gate("thick_column_height_error", fabs(height / true_height - 1.0), GATE_BELOW, 0.05);
    }
}

static const float turn = 6.2831853f; // rad/s

static BwResult rigid_turn(void *user, BwVec3 point, float value[4], BwError *err)
{
    (void)user, (void)err;
    value[0] = -turn * (point.y - 0.02f);
    value[1] = turn * (point.x - 0.01f);
    value[2] = 0.0f;
    return BW_OK;
}

static double spin_kept(BwViscosityScheme scheme, int count)
{
    BwSceneDef scene = liquid_scene(2, 1.0f / 24.0f, BW_LIQUID_APIC);
    BwFillDef fill = fill_of(ball(0.01f, 0.02f, 0.0f, 0.4f));
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.liquid.viscosity = bw_curve_number(1.0f);
    scene.liquid.viscosity_scheme = scheme;
    scene.initial.velocity.function = rigid_turn;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    double start = water_sums(frame_of(world)).spin;
    step_frames(world, 24 * count);
    double kept = water_sums(frame_of(world)).spin / start;
    bw_world_destroy(world);
    return kept;
}

static void a_drop_goes_on_spinning(void **state)
{
    (void)state;
    double kept = spin_kept(BW_VISCOSITY_COUPLED, turns);
    printf("spin kept over %d turns: coupled %.4f; over one: components %.4f\n", turns, kept,
           spin_kept(BW_VISCOSITY_COMPONENTS, 1));
    gate("thick_spin_changes", fabs(1.0 - kept), GATE_BELOW, 0.05);
}

// A stream that falls out of a nozzle is drawn out: as thin as it is fast, and whole.
static void a_stream_is_drawn_out(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / 96.0f, BW_LIQUID_APIC);
    BwEmitterDef nozzle = bw_emitter_def_default();
    nozzle.shape = bw_rectangle(bw_vec3(0.5f, 0.95f, 0.0f), bw_vec3(0.0f, -1.0f, 0.0f), 0.0625f, 1.0f);
    nozzle.velocity = bw_curve_vector(0.0f, -0.6f, 0.0f);
    scene.liquid.viscosity = bw_curve_number(0.1f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.walls.slip = 0.0f;
    scene.emitters = &nozzle;
    scene.emitter_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 14);
    const BwFrame *frame = frame_of(world);
    double volume[4] = {0}, momentum[4] = {0};
    for (int64_t p = 0; p < water_of(frame)->count; p++) {
        double place[3];
        bw_frame_particle_place(frame, water_of(frame), p, place);
        int row = (int)floor((0.9 - place[1]) / 0.1);
        if (row < 0 || row > 3)
            continue;
        volume[row] += (double)water_volumes(water_of(frame))[p];
        momentum[row] -=
            (double)(water_volumes(water_of(frame))[p] * water_velocities(water_of(frame))[3 * p + 1]);
    }
    for (int row = 0; row < 4; row++) { // each 0.1 m high: what passes in a second
        printf("%.2f m below: width %.4f m, speed %.3f m/s\n", 0.1 + 0.1 * row, volume[row] / 0.1,
               momentum[row] / volume[row]);
        gate("thick_stream_flow_error", fabs(momentum[row] / 0.1 / (0.0625 * 0.6) - 1.0), GATE_BELOW, 0.12);
    }
    gate("thick_stream_drift", fabs(bw_world_view_stats(world)->volume_drift), GATE_BELOW, 0.05);
    bw_world_destroy(world);
}

// A rope of honey, five cells thick, that comes down out of a nozzle: how much lower than its tip anything
// is, in cells. In its time of free fall that would be 40.
static double shed_below_rope(void)
{
    BwSceneDef scene = liquid_scene(3, 0.004f, BW_LIQUID_APIC);
    BwEmitterDef nozzle = bw_emitter_def_default();
    nozzle.shape = bw_disc(bw_vec3(0.04f, 0.19f, 0.04f), bw_vec3(0.0f, -1.0f, 0.0f), 0.01f);
    nozzle.velocity = bw_curve_vector(0.0f, -0.15f, 0.0f);
    scene.fps = 20.0f;
    scene.liquid.viscosity = bw_curve_number(0.4f);
    set_box(&scene, 0.08f, 0.2f, 0.08f);
    scene.emitters = &nozzle;
    scene.emitter_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 4);
    const BwFrame *frame = frame_of(world);
    double lowest = INFINITY;
    for (int64_t p = 0; p < water_of(frame)->count; p++) {
        double place[3];
        bw_frame_particle_place(frame, water_of(frame), p, place);
        lowest = fmin(lowest, place[1]);
    }
    bw_world_destroy(world);
    return (0.19 - 0.15 * 4.0 / 20.0 - lowest) / 0.004;
}

static void a_rope_sheds_nothing(void **state)
{
    (void)state;
    gate("thick_rope_sheds_cells_below", shed_below_rope(), GATE_BELOW, 3.0);
}

// From one moment on a film is ten times as thick, and ends up a tenth as fast.
static void viscosity_may_change_in_time(void **state)
{
    (void)state;
    BwSceneDef scene = film_scene(8, BW_VISCOSITY_COUPLED);
    BwFillDef fill = fill_corner(1.0f, depth, 1.0f);
    const BwKey keys[] = {{0.0, {0.05f}}, {2.0, {0.05f}}, {2.01, {0.5f}}};
    scene.liquid.viscosity = bw_curve_keys(keys, 3, 1);
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 8);
    double before = (double)bw_world_view_stats(world)->max_speed;
    step_frames(world, 8);
    gate("thick_film_later_over_before",
         fabs(10.0 * (double)bw_world_view_stats(world)->max_speed / before - 1.0), GATE_BELOW, 0.03);
    bw_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_film_runs_down_a_slope),     cmocka_unit_test(long_steps_are_stable_and_right),
        cmocka_unit_test(a_drop_goes_on_spinning),      cmocka_unit_test(a_stream_is_drawn_out),
        cmocka_unit_test(viscosity_may_change_in_time), cmocka_unit_test(a_rope_sheds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
