// What every fluid that serves the walls and sources of a scene must make of them.
#include "run.h"

static const BwFluid fluids[] = {BW_FLUID_SMOKE, BW_FLUID_STABLE};
enum { FLUIDS = sizeof fluids / sizeof *fluids, CELLS = 24 };

// The flow in a cell after one frame of a vortex that turns about the middle of a box.
static float turned_flow(BwFluid fluid, int dimension, const char *component, int x, int y, int z)
{
    BwSceneDef scene = smoke_scene(dimension, 1.0f / CELLS);
    scene.fluid = fluid;
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    BwForceDef force = bw_force_def_default();
    force.field = BW_FORCE_VORTEX;
    force.center = bw_curve_vector(0.5f, 0.5f, dimension == 3 ? 0.5f : 0.0f);
    force.strength = bw_curve_number(5.0f);
    scene.forces = &force;
    scene.force_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 1);
    const BwFrame *frame = frame_of(world);
    float value = frame_value(frame, bw_frame_field(frame, component), x, y, z);
    bw_world_destroy(world);
    return value;
}

// About z in 2-D: above the middle the flow goes to the left.
static void a_vortex_without_an_axis_turns_a_flat_box(void **state)
{
    (void)state;
    for (int n = 0; n < FLUIDS; n++)
        gate("sources.flat_vortex", (double)turned_flow(fluids[n], 2, "u", CELLS / 2, CELLS * 3 / 4, 0),
             GATE_BELOW, -0.02);
}

// About y in 3-D: in front of the middle, where z is larger, the flow goes to the right.
static void a_vortex_without_an_axis_turns_about_y(void **state)
{
    (void)state;
    for (int n = 0; n < FLUIDS; n++)
        gate("sources.vortex", (double)turned_flow(fluids[n], 3, "u", CELLS / 2, CELLS / 2, CELLS * 3 / 4),
             GATE_ABOVE, 0.02);
}

// Ten thousand cells of 0.1 mm make a metre, though neither number is exact in float.
static void long_walls_do_not_grow_by_rounding(void **state)
{
    (void)state;
    for (int n = 0; n < FLUIDS; n++) {
        BwSceneDef scene = smoke_scene(2, 1e-4f);
        scene.fluid = fluids[n];
        set_box(&scene, 1.0f, 0.0016f, 0.0f);
        BwWorld *world = make_world(&scene, 1);
        assert_int_equal(frame_of(world)->tile_count, 1250 * 2);
        bw_world_destroy(world);
    }
}

// Speckled smoke that is emitted, as it stands after one frame.
static double emitted_with_seed(BwFluid fluid, uint64_t seed, float *sample)
{
    BwSceneDef scene = smoke_scene(2, 1.0f / CELLS);
    scene.fluid = fluid;
    scene.seed = seed;
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    BwEmitterDef emitter = bw_emitter_def_default();
    emitter.shape = ball(0.5f, 0.5f, 0.0f, 0.3f);
    emitter.density = bw_curve_number(1.0f);
    emitter.noise = (BwNoiseDef){.amplitude = 0.8f, .size = 0.15f, .speed = 1.0f};
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 1);
    const BwFrame *frame = frame_of(world);
    *sample = frame_value(frame, bw_frame_field(frame, "density"), CELLS / 2, CELLS / 2, 0);
    double mass = bw_world_view_stats(world)->mass;
    bw_world_destroy(world);
    return mass;
}

// Another number, another texture; the same number, the same one.
static void a_seed_changes_the_noise_of_emitters(void **state)
{
    (void)state;
    for (int n = 0; n < FLUIDS; n++) {
        float one, again, other;
        double mass = emitted_with_seed(fluids[n], 7, &one);
        emitted_with_seed(fluids[n], 7, &again);
        double mass_other = emitted_with_seed(fluids[n], 8, &other);
        gate("sources.seed_again", fabs((double)one - (double)again), GATE_BELOW, 0.0);
        gate("sources.seed_other", fabs((double)one - (double)other), GATE_ABOVE, 0.01);
        gate("sources.seed_mass", fabs(mass_other / mass - 1.0), GATE_BELOW, 0.3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vortex_without_an_axis_turns_a_flat_box),
        cmocka_unit_test(a_vortex_without_an_axis_turns_about_y),
        cmocka_unit_test(a_seed_changes_the_noise_of_emitters),
        cmocka_unit_test(long_walls_do_not_grow_by_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
