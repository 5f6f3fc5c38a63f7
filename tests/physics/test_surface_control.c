// Wind, calm and churn over liquids, by level sets and by particles: the air's velocity is the blend that it
// should be (Fedkiw 2003, eq. 1.18), the liquid takes up just the momentum of the drag, where the shape is
// and nowhere else, waves decay as fast as theory has it, and eddies that are confined last.
#include "liquid_run.h"

#include <stdio.h>

static const double pi = 3.14159265358979323846;

static void gate_of(const char *what, BwLiquidMethod method, double value, GateSide side, double bound)
{
    char name[96];
    snprintf(name, sizeof name, "control_%s_%s", what, method_name(method));
    gate(name, value, side, bound);
}

// A pool two metres long, 16 cells a metre, without ends, its surface on faces of the grid.
enum { POOL_CELLS = 16, POOL_DEPTH = 8 };

static BwSceneDef pool_scene(BwLiquidMethod method, const BwFillDef *fill, const BwSurfaceControlDef *control)
{
    BwSceneDef scene = liquid_scene(2, 1.0f / POOL_CELLS, method);
    set_box(&scene, 2.0f, 1.0f, 0.0f);
    scene.walls.periodic[0] = true;
    scene.fills = fill;
    scene.fill_count = 1;
    scene.surface_controls = control;
    scene.surface_control_count = 1;
    return scene;
}

static BwFillDef pool_fill(void)
{
    return fill_of(bw_plane(bw_vec3(0.0f, 0.5f, 0.0f), bw_vec3(0.0f, 1.0f, 0.0f)));
}

static BwSurfaceControlDef wind(float speed, float blend, float drag)
{
    BwSurfaceControlDef control = bw_surface_control_def_default();
    control.velocity = bw_curve_vector(speed, 0.0f, 0.0f);
    control.blend = bw_curve_number(blend);
    control.drag = bw_curve_number(drag);
    return control;
}

static double speed_at(const BwFrame *frame, int x, int y)
{
    return (double)frame_value(frame, bw_frame_field(frame, "u"), x, y, 0);
}

static void the_air_is_blended(void **state)
{
    (void)state;
    BwFillDef fill = pool_fill();
    BwSurfaceControlDef control = wind(2.0f, 0.3f, 0.0f);
    BwSceneDef scene = pool_scene(BW_LIQUID_LEVELSET, &fill, &control);
    scene.steps = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 1);
    double air = 0.0, water = 0.0;
    for (int x = 0; x < 2 * POOL_CELLS; x++) {
        air = fmax(air, fabs(speed_at(frame_of(world), x, POOL_DEPTH) - 0.6));
        water = fmax(water, fabs(speed_at(frame_of(world), x, POOL_DEPTH - 1)));
    }
    bw_world_destroy(world);
    gate("control_blend_error", air, GATE_BELOW, 1e-6);
    gate("control_blend_in_liquid", water, GATE_BELOW, 1e-6);
}

// The momentum of all columns over their length, m^2/s.
static double momentum_of(const BwFrame *frame)
{
    double sum = 0.0;
    for (int y = 0; y < POOL_DEPTH; y++)
        for (int x = 0; x < 2 * POOL_CELLS; x++)
            sum += speed_at(frame, x, y);
    return sum / (2.0 * POOL_CELLS * POOL_CELLS);
}

// A drag of d on an uppermost cell that nothing but particles shares its momentum from: h du/dt = d (w - u).
static void gate_momentum(BwLiquidMethod method, double bound)
{
    const double drag = 0.02, speed = 3.0, h = 1.0 / POOL_CELLS;
    BwFillDef fill = pool_fill();
    BwSurfaceControlDef control = wind((float)speed, 0.0f, (float)drag);
    BwSceneDef scene = pool_scene(method, &fill, &control);
    control.stop = 6.0 / 24.0;
    scene.steps = 4;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 7);
    double time = 23.5 / 96.0; // velocities are those of the middle of a step
    double wanted = h * speed * (1.0 - exp(-drag / h * time));
    gate_of("wind_momentum_error", method, fabs(momentum_of(frame_of(world)) / wanted - 1.0), GATE_BELOW,
            bound);
    bw_world_destroy(world);
}

static void wind_gives_its_momentum(void **state)
{
    (void)state;
    gate_momentum(BW_LIQUID_LEVELSET, 0.01);
    gate_momentum(BW_LIQUID_PARTICLE_LEVELSET, 0.01);
    gate_momentum(BW_LIQUID_APIC, 0.05);
    gate_momentum(BW_LIQUID_FLIP, 0.15);
}

// Over the left half alone: the rest learns of it by pressure only.
static void wind_stays_in_its_shape(void **state)
{
    (void)state;
    BwFillDef fill = pool_fill();
    BwSurfaceControlDef control = wind(2.0f, 0.5f, 0.05f);
    BwSceneDef scene = pool_scene(BW_LIQUID_LEVELSET, &fill, &control);
    control.shape = bw_box(bw_vec3(0.0f, 0.0f, -1.0f), bw_vec3(1.0f, 1.0f, 1.0f));
    scene.steps = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 1);
    const BwFrame *frame = frame_of(world);
    gate("control_air_inside", fabs(speed_at(frame, POOL_CELLS / 2, POOL_DEPTH) - 1.0), GATE_BELOW, 0.03);
    gate("control_air_outside", fabs(speed_at(frame, 3 * POOL_CELLS / 2, POOL_DEPTH)), GATE_BELOW, 0.03);
    bw_world_destroy(world);
}

// The first standing wave of a tank a metre wide, as it passes through the flat state.
enum { WAVE_CELLS = 64 };
static const double wave_depth = 0.5, wave_height = 0.02;

static double wave_omega(void)
{
    return sqrt(liquid_gravity * pi * tanh(pi * wave_depth));
}

static BwResult standing_wave(void *user, BwVec3 point, float value[4], BwError *err)
{
    (void)user, (void)err;
    double x = pi * (double)point.x, y = pi * (double)point.y;
    double size = wave_height * wave_omega() / sinh(pi * wave_depth);
    value[0] = (float)(-size * sin(x) * cosh(y));
    value[1] = (float)(size * cos(x) * sinh(y));
    value[2] = 0.0f;
    return BW_OK;
}

// The surface at the wall at its highest between two and two and a half periods, m above rest.
static double last_crest(BwLiquidMethod method, double drag, double *drift)
{
    BwSceneDef scene = liquid_scene(2, 1.0f / WAVE_CELLS, method);
    BwFillDef fill = fill_corner(1.0f, (float)wave_depth, 1.0f);
    BwSurfaceControlDef control = bw_surface_control_def_default();
    double crest = 0.0, period = 2.0 * pi / wave_omega();
    control.kind = BW_CONTROL_CALM;
    control.drag = bw_curve_number((float)drag);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.fps = 20.0 / period;
    scene.initial.velocity.function = standing_wave;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.surface_controls = &control;
    scene.surface_control_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 40);
    for (int n = 0; n < 10; n++) {
        step_frames(world, 1);
        crest = fmax(crest, surface_height(frame_of(world), 0, 0, WAVE_CELLS) / WAVE_CELLS - wave_depth);
    }
    *drift = fabs(bw_world_view_stats(world)->volume_drift);
    bw_world_destroy(world);
    return crest;
}

// The energy of a wave decays by what the drag takes of the square of the surface's speed: that of its height
// by drag k tanh(k d) (1 + coth(k d)^2) / 2. Along the surface the uppermost cell alone feels it, and follows
// the wave below less the faster it is slowed: by w^2 / (w^2 + (drag / h)^2) of the square.
static double calm_over_theory(BwLiquidMethod method)
{
    const double drag = 0.1, omega = wave_omega(), high = tanh(pi * wave_depth), slowed = drag * WAVE_CELLS;
    double along = omega * omega / (omega * omega + slowed * slowed) / (high * high);
    double rate = 0.5 * drag * pi * high * (1.0 + along), time = 2.25 * 2.0 * pi / omega, drift;
    double free = last_crest(method, 0.0, &drift), calmed = last_crest(method, drag, &drift);
    printf("a crest of %.4f m, calmed to %.4f m\n", free, calmed);
    gate_of("calm_volume", method, drift, GATE_BELOW, 0.01);
    return -log(calmed / free) / time / rate;
}

static void calm_damps_waves(void **state)
{
    (void)state;
    gate("control_calm_rate_error", fabs(calm_over_theory(BW_LIQUID_LEVELSET) - 1.0), GATE_BELOW, 0.05);
    double particles = calm_over_theory(BW_LIQUID_APIC); // they take what the drag does farther down
    gate("control_calm_rate_of_particles", particles, GATE_ABOVE, 1.0);
    gate("control_calm_rate_of_particles_most", particles, GATE_BELOW, 4.0);
}

static void churn_stirs(void **state)
{
    (void)state;
    BwFillDef fill = pool_fill();
    BwSurfaceControlDef control = bw_surface_control_def_default();
    BwSceneDef scene = pool_scene(BW_LIQUID_PARTICLE_LEVELSET, &fill, &control);
    control.kind = BW_CONTROL_CHURN;
    control.strength = bw_curve_number(1.0f);
    control.drag = bw_curve_number(0.5f);
    control.scale = 0.3f;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 24);
    gate("control_churn_speed", (double)bw_world_view_stats(world)->max_speed, GATE_ABOVE, 0.3);
    gate("control_churn_speed_most", (double)bw_world_view_stats(world)->max_speed, GATE_BELOW, 5.0);
    gate("control_churn_volume", fabs(bw_world_view_stats(world)->volume_drift), GATE_BELOW, 0.02);
    bw_world_destroy(world);
}

// Eddies in a tank that is full of water.
static BwResult eddies(void *user, BwVec3 point, float value[4], BwError *err)
{
    (void)user, (void)err;
    double x = 4.0 * pi * (double)point.x, y = 4.0 * pi * (double)point.y;
    value[0] = (float)(sin(x) * cos(y));
    value[1] = (float)(-cos(x) * sin(y));
    value[2] = 0.0f;
    return BW_OK;
}

static double eddy_energy(BwLiquidMethod method, float confinement)
{
    BwSceneDef scene = liquid_scene(2, 1.0f / 32.0f, method);
    BwFillDef fill = fill_corner(1.0f, 1.0f, 1.0f);
    double sum = 0.0;
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.liquid.confinement = confinement;
    scene.initial.velocity.function = eddies;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 12);
    for (int y = 0; y < 32; y++)
        for (int x = 0; x < 32; x++) {
            double u = speed_at(frame_of(world), x, y),
                   v = (double)frame_value(frame_of(world), bw_frame_field(frame_of(world), "v"), x, y, 0);
            sum += (u * u + v * v) / (32.0 * 32.0);
        }
    bw_world_destroy(world);
    return sum;
}

static void confined_eddies_last(void **state)
{
    (void)state;
    static const BwLiquidMethod methods[] = {BW_LIQUID_LEVELSET, BW_LIQUID_APIC, BW_LIQUID_FLIP,
                                             BW_LIQUID_MARKERS};
    for (size_t n = 0; n < sizeof methods / sizeof *methods; n++) {
        double plain = eddy_energy(methods[n], 0.0f), confined = eddy_energy(methods[n], 0.5f);
        printf("%s: energy %.4f, confined %.4f, of 0.5\n", method_name(methods[n]), plain, confined);
        gate_of("confined_energy_ratio", methods[n], confined / plain, GATE_ABOVE, 1.005);
        gate_of("confined_energy_most", methods[n], confined / plain, GATE_BELOW, 1.5);
    }
}

// The most that a tank is off in a second of a wind.
static double blown_volume(float x, float y, float blend, float drag)
{
    BwFillDef fill = fill_corner(3.0f, 0.4f, 1.0f);
    BwSurfaceControlDef wind = bw_surface_control_def_default();
    BwSceneDef scene = liquid_scene(2, 1.0f / 32.0f, BW_LIQUID_PARTICLE_LEVELSET);
    double worst = 0.0;
    set_box(&scene, 2.0f, 1.0f, 0.0f);
    wind.velocity = bw_curve_vector(x, y, 0.0f);
    wind.blend = bw_curve_number(blend);
    wind.drag = bw_curve_number(drag);
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.surface_controls = &wind;
    scene.surface_control_count = 1;
    BwWorld *world = make_world(&scene, 2);
    for (int n = 0; n < 24; n++) {
        step_frames(world, 1);
        worst = fmax(worst, fabs(bw_world_view_stats(world)->volume_drift));
    }
    bw_world_destroy(world);
    return worst;
}

// A storm piles the water up at a wall and blows it back: what its wind moves out of the tank at one wall and
// in at the other is half of the water in a few steps.
static void blending_keeps_the_volume(void **state)
{
    (void)state;
    gate("control_blend_volume_along", blown_volume(3.0f, 0.0f, 0.5f, 0.0f), GATE_BELOW, 0.005);
    gate("control_blend_volume_down", blown_volume(0.0f, -1.0f, 0.5f, 0.0f), GATE_BELOW, 0.03);
    gate("control_blend_volume_up", blown_volume(1.0f, 1.0f, 0.5f, 0.0f), GATE_BELOW, 0.02);
    gate("control_storm_volume", blown_volume(20.0f, 0.0f, 1.0f, 0.05f), GATE_BELOW, 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_air_is_blended),
        cmocka_unit_test(wind_gives_its_momentum),
        cmocka_unit_test(wind_stays_in_its_shape),
        cmocka_unit_test(calm_damps_waves),
        cmocka_unit_test(churn_stirs),
        cmocka_unit_test(confined_eddies_last),
        cmocka_unit_test(blending_keeps_the_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
