// The explicit scheme of Foster and Metaxas 1996, against its rules, exact solutions, and what must be kept.
#include "liquid_run.h"
#include "operate/free_surface.h"

static const double pi = 3.14159265358979323846;

// A number from -1 to 1, another one for each n.
static float scattered(unsigned n)
{
    n = (n ^ 61) ^ (n >> 16);
    n *= 9u;
    n ^= n >> 4;
    n *= 0x27d4eb2du;
    n ^= n >> 15;
    return (float)n / 2147483648.0f - 1.0f;
}

static double divergence_of(const float side[6], int dimension)
{
    double sum = 0.0;
    for (int a = 0; a < dimension; a++)
        sum += (double)side[2 * a + 1] - (double)side[2 * a];
    return sum;
}

// By what the paper says, written another way: how many sides are open along each axis.
static bool closes_by_paper(unsigned open, int dimension)
{
    int one = 0, both = 0;
    for (int a = 0; a < dimension; a++) {
        int count = (int)(open >> (2 * a) & 1) + (int)(open >> (2 * a + 1) & 1);
        one += count == 1;
        both += count == 2;
    }
    return both == 0 || (one == 0 && both < dimension);
}

static void check_configuration(unsigned open, int dimension, double *worst, double *fallen, double *mean)
{
    float before[6] = {0}, side[6];
    for (int s = 0; s < 2 * dimension; s++)
        before[s] = scattered(64 * (unsigned)s + open);
    memcpy(side, before, sizeof side);
    bw_surface_cell_velocity(open, dimension, side);
    BwSurfaceRules rules = bw_surface_rules(open, dimension);
    assert_int_equal(rules.closes, closes_by_paper(open, dimension));
    if (rules.closes && open != 0)
        *worst = fmax(*worst, fabs(divergence_of(side, dimension)));
    for (int s = 0; s < 2 * dimension; s++) {
        bool stands = !(open >> s & 1) || rules.axis[s / 2] == BW_AXIS_FALLS;
        if (stands)
            *fallen = fmax(*fallen, fabs((double)side[s] - (double)before[s]));
    }
    for (int a = 0; a < dimension; a++)
        if (rules.axis[a] == BW_AXIS_SPLITS)
            *mean = fmax(*mean, fabs((double)side[2 * a] + (double)side[2 * a + 1] - (double)before[2 * a] -
                                     (double)before[2 * a + 1]));
}

// All 16 and 64 sets of open sides: closed cells have no divergence; what falls freely, and what is closed,
// is left alone; a sheet between two open sides keeps its mean.
static void every_configuration_obeys_its_rule(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        double worst = 0.0, fallen = 0.0, mean = 0.0;
        for (unsigned open = 0; open < 1u << (2 * dimension); open++)
            check_configuration(open, dimension, &worst, &fallen, &mean);
        gate(dimension == 2 ? "explicit_rules_2d_divergence" : "explicit_rules_3d_divergence", worst,
             GATE_BELOW, 1e-6);
        gate(dimension == 2 ? "explicit_rules_2d_left_alone" : "explicit_rules_3d_left_alone", fallen,
             GATE_BELOW, 0.0);
        gate(dimension == 2 ? "explicit_rules_2d_sheet_mean" : "explicit_rules_3d_sheet_mean", mean,
             GATE_BELOW, 1e-6);
    }
}

// The paper's own three cases.
static void printed_cases_are_as_printed(void **state)
{
    (void)state;
    float one[6] = {1.0f, 3.0f, 5.0f, 0.0f}; // top open: (10)
    bw_surface_cell_velocity(1u << BW_TOP, 2, one);
    assert_float_equal(one[BW_TOP], 5.0f - (3.0f - 1.0f), 1e-6f);
    float two[6] = {1.0f, 3.0f, 5.0f, 7.0f}; // right and top open: each as the side across
    bw_surface_cell_velocity(1u << BW_RIGHT | 1u << BW_TOP, 2, two);
    assert_float_equal(two[BW_RIGHT], 1.0f, 0.0f);
    assert_float_equal(two[BW_TOP], 5.0f, 0.0f);
    float three[6] = {1.0f, 3.0f, 5.0f, 7.0f}; // all but the bottom: sides fall, the top follows
    bw_surface_cell_velocity(1u << BW_LEFT | 1u << BW_RIGHT | 1u << BW_TOP, 2, three);
    assert_float_equal(three[BW_TOP], 5.0f, 0.0f);
    assert_float_equal(three[BW_LEFT], 1.0f, 0.0f);
    assert_float_equal(three[BW_RIGHT], 3.0f, 0.0f);
}

static BwSceneDef explicit_scene(int dimension, float cell)
{
    BwSceneDef scene = liquid_scene(dimension, cell, BW_LIQUID_MARKERS);
    scene.liquid.scheme = BW_SCHEME_EXPLICIT;
    scene.solver.pressure = BW_PRESSURE_RELAXATION;
    scene.solver.iterations_max = 5000;
    return scene;
}

static BwResult eddy(void *user, BwVec3 p, float value[4], BwError *err)
{
    (void)user, (void)err;
    value[0] = (float)(sin(pi * (double)p.x) * cos(pi * (double)p.y));
    value[1] = (float)(-cos(pi * (double)p.x) * sin(pi * (double)p.y));
    value[2] = 0.0f;
    return BW_OK;
}

// The root of the mean square error of an eddy of Taylor and Green between walls that slip, after 0.2 s.
static double eddy_error(int cells)
{
    enum { FRAMES = 5 };
    const double nu = 0.05, seconds = 0.2;
    BwSceneDef scene = explicit_scene(2, 1.0f / (float)cells);
    BwFillDef fill = fill_corner(1.0f, 1.0f, 1.0f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.fps = FRAMES / seconds;
    scene.liquid.viscosity = bw_curve_number((float)nu);
    scene.liquid.donor_cell = 0.0f;
    scene.liquid.particles_per_cell = 3;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.initial.velocity.function = eddy;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, FRAMES);
    const BwFrame *frame = bw_world_view_frame(world, NULL);
    const BwFrameField *u = bw_frame_field(frame, "u");
    double sum = 0.0, decay = exp(-2.0 * pi * pi * nu * seconds);
    for (int j = 0; j < cells; j++)
        for (int i = 1; i < cells; i++) {
            double x = (double)i / cells, y = (j + 0.5) / cells;
            double exact = sin(pi * x) * cos(pi * y) * decay;
            sum += pow((double)frame_value(frame, u, i, j, 0) - exact, 2.0);
        }
    bw_world_destroy(world);
    return sqrt(sum / (cells * (cells - 1)));
}

static void eddies_decay_to_second_order(void **state)
{
    (void)state;
    double coarse = eddy_error(8), fine = eddy_error(16), finest = eddy_error(32);
    printf("eddy errors: %g %g %g\n", coarse, fine, finest);
    gate("explicit_taylor_green_error_32", finest, GATE_BELOW, 2e-3);
    gate("explicit_taylor_green_order", log2(fine / finest), GATE_ABOVE, 1.8);
}

// Liquid at rest: the pressure is rho g depth, below the centre of the Surface cell, where it is that of the
// air; nothing moves; and the relaxation has nothing left to do.
static void water_stays_at_rest(void **state)
{
    (void)state;
    enum { CELLS = 16, DEEP = 10 };
    BwSceneDef scene = explicit_scene(2, 1.0f / CELLS);
    BwFillDef fill = fill_corner(1.0f, (float)DEEP / CELLS, 1.0f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.output.pressure = true;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 48);
    const BwFrame *frame = bw_world_view_frame(world, NULL);
    const BwFrameField *p = bw_frame_field(frame, "pressure");
    BwStats stats = {0};
    stats = *bw_world_view_stats(world);
    double worst = 0.0, scale = 1000.0 * liquid_gravity / CELLS;
    for (int j = 0; j < DEEP; j++)
        worst = fmax(worst, fabs((double)frame_value(frame, p, 5, j, 0) / scale - (DEEP - 1 - j)));
    gate("explicit_rest_pressure_cells", worst, GATE_BELOW, 1e-3);
    gate("explicit_rest_speed", (double)stats.max_speed, GATE_BELOW, 1e-4);
    gate("explicit_rest_sweeps_a_step", (double)stats.iterations / stats.steps, GATE_BELOW, 6.0);
    bw_world_destroy(world);
}

// Flow along a channel that a force drives: between walls that stick it is Poiseuille's, a H^2 / 8 nu in the
// middle; between those that slip it goes on gaining a t.
static double channel_speed(float slip, double seconds, int cells)
{
    BwSceneDef scene = explicit_scene(2, 1.0f / (float)cells);
    BwFillDef fill = fill_corner(1.0f, 1.0f, 1.0f);
    BwForceDef force = bw_force_def_default();
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.walls.periodic[0] = true;
    scene.walls.slip = slip;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.liquid.viscosity = bw_curve_number(0.1f);
    scene.fills = &fill;
    scene.fill_count = 1;
    force.acceleration = bw_curve_vector(0.4f, 0.0f, 0.0f);
    scene.forces = &force;
    scene.force_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, (int)(seconds * scene.fps));
    const BwFrame *frame = bw_world_view_frame(world, NULL);
    const BwFrameField *u = bw_frame_field(frame, "u");
    double middle = 0.5 * ((double)frame_value(frame, u, 3, cells / 2, 0) +
                           (double)frame_value(frame, u, 3, cells / 2 - 1, 0));
    bw_world_destroy(world);
    return middle;
}

static void walls_stick_or_slip(void **state)
{
    (void)state;
    gate("explicit_poiseuille_error", fabs(channel_speed(0.0f, 5.0, 16) / 0.5 - 1.0), GATE_BELOW, 0.02);
    gate("explicit_slip_error", fabs(channel_speed(1.0f, 1.0, 8) / 0.4 - 1.0), GATE_BELOW, 1e-3);
}

// A column collapses, without any viscosity.
typedef struct Collapse {
    double speed, rise, drift;
    int64_t iterations;
    int steps;
} Collapse;

static Collapse collapse(int dimension, int steps, float donor, float viscosity, int frames, float correction)
{
    BwSceneDef scene = explicit_scene(dimension, 1.0f / 16);
    BwFillDef fill = fill_corner(0.4f, 0.6f, 0.5f);
    set_box(&scene, 1.0f, 1.0f, 0.25f);
    scene.steps = steps;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.solver.iterations_max = 200;
    scene.solver.divergence_max = 1e-2f;
    scene.liquid.donor_cell = donor;
    scene.liquid.viscosity = bw_curve_number(viscosity);
    scene.liquid.volume_correction = correction;
    BwWorld *world = make_world(&scene, 1);
    Collapse result = {0};
    double energy = NAN;
    for (int n = 0; n < frames; n++) {
        BwStats stats = {0};
        step_frames(world, 1);
        stats = *bw_world_view_stats(world);
        WaterSums sums = water_sums(bw_world_view_frame(world, NULL));
        double total = sums.kinetic + liquid_gravity * sums.center[1];
        if (n == 0)
            energy = total;
        result.rise = worse(result.rise, total / energy - 1.0);
        result.speed = worse(result.speed, (double)stats.max_speed);
        result.drift = stats.volume_drift;
        result.iterations += stats.iterations;
        result.steps += stats.steps;
    }
    bw_world_destroy(world);
    return result;
}

// What falls 0.6 m has 3.4 m/s, and a jet up a wall somewhat more. A step of a whole frame is cut in parts.
// Central differences alone are stable in a thick liquid.
static void collapses_are_stable(void **state)
{
    (void)state;
    int frames = IS_FULL ? 96 : 48;
    Collapse thin = collapse(2, 0, NAN, 0.0f, frames, 0.5f),
             long_steps = collapse(2, 1, NAN, 0.0f, frames, 0.5f),
             thick = collapse(2, 1, 0.0f, 0.05f, 12, 0.5f),
             deep = collapse(3, 0, NAN, 1e-4f, IS_FULL ? 48 : 8, 0.5f),
             plain = collapse(2, 0, NAN, 0.0f, frames, 0.0f);
    gate("explicit_collapse_speed", thin.speed, GATE_BELOW, 5.0);
    gate("explicit_collapse_energy_gain", thin.rise, GATE_BELOW, 0.02);
    gate("explicit_collapse_volume_drift", fabs(thin.drift), GATE_BELOW, 0.02);
    gate("explicit_uncorrected_speed", plain.speed, GATE_BELOW, 5.0);
    gate("explicit_uncorrected_volume_drift", fabs(plain.drift), GATE_BELOW, 0.3);
    gate("explicit_long_steps_speed", long_steps.speed, GATE_BELOW, 5.0);
    gate("explicit_long_steps_energy_gain", long_steps.rise, GATE_BELOW, 0.02);
    gate("explicit_central_speed", thick.speed, GATE_BELOW, 5.0);
    gate("explicit_collapse_3d_speed", deep.speed, GATE_BELOW, 5.0);
    gate("explicit_collapse_3d_volume_drift", fabs(deep.drift), GATE_BELOW, 0.02);
}

// A drop alone falls as a stone does, whatever cells it is in.
static void drops_fall_freely(void **state)
{
    (void)state;
    BwSceneDef scene = explicit_scene(2, 1.0f / 16);
    BwFillDef fill = fill_of(ball(0.5f, 2.5f, 0.0f, 0.2f));
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.fps = 25.0;
    BwWorld *world = make_world(&scene, 1);
    double start = water_sums(bw_world_view_frame(world, NULL)).center[1];
    step_frames(world, 15);
    double fallen = start - water_sums(bw_world_view_frame(world, NULL)).center[1];
    gate("explicit_free_fall_error", fabs(fallen / (0.5 * liquid_gravity * 0.36) - 1.0), GATE_BELOW, 0.04);
    bw_world_destroy(world);
}

// Still water beside an outflow: what stands outside holds it, though a Surface cell has no pressure wherever
// the surface is in it. Markers that come and go in the uppermost cells make waves, which leave.
static void still_water_stays_beside_an_outflow(void **state)
{
    (void)state;
    BwFillDef fill = fill_of(bw_box(bw_vec3(-1.0f, -1.0f, -1.0f), bw_vec3(4.0f, 0.5f, 1.0f)));
    BwSceneDef scene = liquid_scene(2, 1.0f / 16.0f, BW_LIQUID_MARKERS);
    set_box(&scene, 3.0f, 1.0f, 0.0f);
    scene.liquid.scheme = BW_SCHEME_EXPLICIT;
    scene.steps_max = 10000;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.walls.side[BW_LEFT].kind = BW_WALL_OUTFLOW;
    scene.fps = 24.0;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 1);
    double first = bw_world_view_stats(world)->volume;
    step_frames(world, 71);
    double last = bw_world_view_stats(world)->volume;
    bw_world_destroy(world);
    gate("explicit_outflow_still_lost", 1.0 - last / first, GATE_BELOW, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_configuration_obeys_its_rule),
        cmocka_unit_test(printed_cases_are_as_printed),
        cmocka_unit_test(eddies_decay_to_second_order),
        cmocka_unit_test(water_stays_at_rest),
        cmocka_unit_test(walls_stick_or_slip),
        cmocka_unit_test(collapses_are_stable),
        cmocka_unit_test(drops_fall_freely),
        cmocka_unit_test(still_water_stays_beside_an_outflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
