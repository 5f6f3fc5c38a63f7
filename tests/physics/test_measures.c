// The numbers of a frame against truth: kinetic energy and the viscosity that eats it, heat and what walls
// and obstacles give of it, forces and torques on obstacles.
#include "still_air.h"

static const double pi = 3.14159265358979323846, rho = BW_AIR_DENSITY,
                    heat_of_air = BW_AIR_DENSITY * BW_AIR_HEAT_CAPACITY;

static const BwStats *stats_of(BwWorld *world)
{
    return bw_world_view_stats(world);
}

static BwResult vortices(void *user, BwVec3 at, float value[4], BwError *err)
{
    (void)user;
    (void)err;
    value[0] = sinf(at.x) * cosf(at.y);
    value[1] = -cosf(at.x) * sinf(at.y);
    return BW_OK;
}

// Taylor and Green: E = rho pi^2 / 2 exp(-4 nu t) a metre of depth, and viscosity takes 4 nu E.
static void energy_of_dying_vortices(void **state)
{
    (void)state;
    const float nu = 0.05f, side = (float)(2.0 * pi);
    BwSceneDef scene = smoke_scene(2, side / 64.0f);
    set_box(&scene, side, side, 0.0f);
    scene.walls.periodic[0] = scene.walls.periodic[1] = true;
    scene.initial.velocity.function = vortices;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.smoke.advection = BW_ADVECT_REFLECTION;
    scene.smoke.viscosity = nu;
    scene.fps = 10.0f;
    scene.steps = 2;
    BwWorld *world = make_world(&scene, 2);
    gate("vortices_energy_error", fabs(stats_of(world)->kinetic_energy / (rho * pi * pi) - 1.0), GATE_BELOW,
         1e-3);
    step_frames(world, 10);
    double before = stats_of(world)->kinetic_energy, taken = 0.5 * stats_of(world)->dissipation;
    double rate = stats_of(world)->dissipation / before;
    step_frames(world, 10);
    double after = stats_of(world)->kinetic_energy;
    taken += 0.5 * stats_of(world)->dissipation;
    gate("vortices_dissipation_over_energy_error", fabs(rate / (4.0 * (double)nu) - 1.0), GATE_BELOW, 5e-3);
    gate("vortices_energy_lost_over_dissipation", fabs((before - after) / taken - 1.0), GATE_BELOW, 0.03);
    bw_world_destroy(world);
}

// Between a floor at rest and a lid the stress is nu U / H everywhere: the lid's work is dissipated.
static void dissipation_of_couette_flow(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(3, 1.0f / 16.0f);
    set_box(&scene, 1.0f, 1.0f, 0.5f);
    scene.walls.periodic[0] = scene.walls.periodic[2] = true;
    scene.walls.slip = 0.0f;
    scene.walls.side[BW_TOP].velocity = bw_curve_vector(0.5f, 0.0f, 0.0f);
    scene.smoke.viscosity = 1.0f;
    scene.fps = 1.0f;
    scene.steps = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 30);
    gate("couette_dissipation_error", fabs(stats_of(world)->dissipation / (rho * 0.5 * 0.5 * 0.5) - 1.0),
         GATE_BELOW, 1e-3);
    double energy = rho * 0.5 * 0.5 * 0.5 * 0.5 / 3.0; // the mean of u^2 is U^2 / 3
    gate("couette_energy_error", fabs(stats_of(world)->kinetic_energy / energy - 1.0), GATE_BELOW, 2e-3);
    bw_world_destroy(world);
}

static void heat_between_plates(void **state)
{
    (void)state;
    BwSceneDef scene = still_air(3, 1.0f / 16.0f, 1.0f);
    scene.walls.side[BW_BOTTOM].temperature = bw_curve_number(350.0f);
    scene.walls.side[BW_TOP].temperature = bw_curve_number(290.0f);
    BwWorld *world = make_world(&scene, 2);
    double before = stats_of(world)->heat;
    assert_true(fabs(before) < 1e-9);
    step_frames(world, 1);
    const BwStats *stats = stats_of(world);
    double given = stats->heat_flux[BW_BOTTOM] + stats->heat_flux[BW_TOP];
    gate("plates_heat_given_over_kept", fabs(given / stats->heat - 1.0), GATE_BELOW, 1e-4); // one step of 1 s
    step_frames(world, 30);
    double exact = heat_of_air * 60.0 * 0.5;
    gate("plates_flux_error", fabs(stats_of(world)->heat_flux[BW_BOTTOM] / exact - 1.0), GATE_BELOW, 1e-4);
    gate("plates_flux_out_error", fabs(stats_of(world)->heat_flux[BW_TOP] / exact + 1.0), GATE_BELOW, 1e-4);
    gate("plates_heat_error", fabs(stats_of(world)->heat / (heat_of_air * 20.0 * 0.5) - 1.0), GATE_BELOW,
         1e-4);
    assert_true(isnan(stats_of(world)->heat_flux[BW_LEFT]));
    bw_world_destroy(world);
}

// Between a hot cylinder and a cold one around it: 2 pi kappa dT / ln(R / r) a metre, out of one, into the
// other.
static void heat_between_cylinders(void **state)
{
    (void)state;
    const float inner = 0.15f, outer = 0.4f;
    BwSceneDef scene = still_air(2, 1.0f / 64.0f, 1.0f);
    Cylinders cylinders;
    put_cylinders(&cylinders, &scene, inner, outer);
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, 10);
    double exact = heat_of_air * 2.0 * pi * 100.0 / log((double)outer / (double)inner);
    const BwObstacleStats *told = stats_of(world)->obstacles;
    gate("cylinders_flux_error", fabs(told[1].heat_flux / exact - 1.0), GATE_BELOW, 0.01);
    gate("cylinders_flux_balance", fabs(told[0].heat_flux / told[1].heat_flux + 1.0), GATE_BELOW, 1e-4);
    bw_world_destroy(world);
}

// A square heated at the left and cooled at the right (de Vahl Davis 1983): the mean Nusselt number of the
// walls is 2.243 at a Rayleigh number of 1e4.
static void heat_through_a_heated_square(void **state)
{
    (void)state;
    const float kappa = 0.01f, nu = 0.0071f, span = 10.0f;
    BwSceneDef scene = smoke_scene(2, 1.0f / 32.0f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.fps = 1.0f;
    scene.cfl = 1.0f;
    scene.walls.slip = 0.0f;
    scene.smoke.ambient = 300.0f;
    scene.smoke.viscosity = nu;
    scene.smoke.conductivity = kappa;
    scene.smoke.buoyancy_heat = 1e4f * nu * kappa / span;
    scene.walls.side[BW_LEFT].temperature = bw_curve_number(305.0f);
    scene.walls.side[BW_RIGHT].temperature = bw_curve_number(295.0f);
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, 60);
    double unit = heat_of_air * (double)(kappa * span);
    const BwStats *stats = stats_of(world);
    printf("Nusselt number %.4f at the hot wall, %.4f at the cold\n", stats->heat_flux[BW_LEFT] / unit,
           -stats->heat_flux[BW_RIGHT] / unit);
    gate("heated_square_nusselt_error", fabs(stats->heat_flux[BW_LEFT] / unit / 2.243 - 1.0), GATE_BELOW,
         0.02);
    gate("heated_square_flux_balance", fabs(stats->heat_flux[BW_RIGHT] / stats->heat_flux[BW_LEFT] + 1.0),
         GATE_BELOW, 0.01);
    bw_world_destroy(world);
}

// The volume that solids take, as the shares of the faces across x inside the box tell.
static double volume_displaced(const BwFrame *frame, int cells)
{
    const BwFrameField *open = bw_frame_field(frame, "open_u");
    double sum = 0.0, h = (double)frame->cell_size;
    for (int z = 0; z < (frame->dimension == 3 ? cells : 1); z++)
        for (int y = 0; y < cells; y++)
            for (int x = 1; x < cells; x++)
                sum += 1.0 - (double)frame_value(frame, open, x, y, z);
    return sum * pow(h, frame->dimension);
}

// Air pushed evenly in a closed box stays at rest, and its pressure lifts a ball by the weight displaced, as
// if it hung from the push.
static void force_in_pushed_air(int dimension, BwAdvection advection, const char *name)
{
    const float cell = 1.0f / 24.0f;
    BwSceneDef scene = smoke_scene(dimension, cell);
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.fps = 24.0f;
    scene.steps = 2;
    scene.smoke.advection = advection;
    BwForceDef push = bw_force_def_default();
    push.acceleration = bw_curve_vector(3.0f, -7.0f, 0.0f);
    scene.forces = &push;
    scene.force_count = 1;
    // One ball in the middle of the air, and a block that stands on the floor, in a corner.
    BwObstacleDef obstacles[2] = {bw_obstacle_def_default(), bw_obstacle_def_default()};
    obstacles[0].shape = ball(0.0f, 0.0f, 0.0f, 0.2f);
    obstacles[0].motion.position =
        dimension == 3 ? bw_curve_vector(0.52f, 0.61f, 0.47f) : bw_curve_vector(0.52f, 0.61f, 0.0f);
    obstacles[1].shape =
        (BwShape){.kind = BW_SHAPE_BOX, .a = {0.1f, -1.0f, -1.0f}, .b = {0.27f, 0.22f, 2.0f}};
    scene.obstacles = obstacles;
    scene.obstacle_count = 2;
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, 2);
    const BwObstacleStats *told = stats_of(world)->obstacles;
    double volume = dimension == 3 ? 4.0 / 3.0 * pi * 0.008 : pi * 0.04;
    double *force =
        (double[3]){told[0].pressure_force[0], told[0].pressure_force[1], told[0].pressure_force[2]};
    char text[80];
    snprintf(text, sizeof text, "pushed_ball_force_error_%s", name);
    gate(text,
         fmax(fabs(force[0] / (-3.0 * rho * volume) - 1.0), fabs(force[1] / (7.0 * rho * volume) - 1.0)),
         GATE_BELOW, 0.02);
    snprintf(text, sizeof text, "pushed_ball_torque_over_force_%s", name);
    double torque = sqrt(pow(told[0].torque[0], 2) + pow(told[0].torque[1], 2) + pow(told[0].torque[2], 2));
    gate(text, torque / (7.0 * rho * volume), GATE_BELOW, 1e-3); // m
    double both = told[0].pressure_force[0] + told[1].pressure_force[0];
    snprintf(text, sizeof text, "pushed_solids_force_over_displaced_mass_%s", name);
    gate(text, fabs(both / (-3.0 * rho * volume_displaced(frame_of(world), 24)) - 1.0), GATE_BELOW, 1e-4);
    // Sideways the block displaces all its cross-section; up, only pressure from above meets it.
    double area = 0.17 * 0.22, depth = 1.0;
    snprintf(text, sizeof text, "pushed_block_force_error_%s", name);
    gate(text, fabs(told[1].pressure_force[0] / (-3.0 * rho * area * depth) - 1.0), GATE_BELOW, 0.02);
    bw_world_destroy(world);
}

static void pushed_air_lifts_what_is_in_it(void **state)
{
    (void)state;
    force_in_pushed_air(2, BW_ADVECT_MACCORMACK, "2d");
    force_in_pushed_air(2, BW_ADVECT_REFLECTION, "2d_reflection");
    force_in_pushed_air(3, BW_ADVECT_MACCORMACK, "3d");
}

// Pushed air at rest has the pressure rho a x, with a mean of 0 in a closed box and of 0 beyond an open side,
// whatever the scheme: reflection projects twice a step, and an outflow as often as it shuts faces.
static double pressure_error(BwAdvection advection, BwWallKind kind)
{
    enum { N = 16 };
    BwSceneDef scene = smoke_scene(2, 1.0f / N);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.fps = 24.0f;
    scene.steps = 2;
    scene.smoke.advection = advection;
    scene.walls.side[BW_RIGHT].kind = kind;
    scene.output.pressure = true;
    BwForceDef push = bw_force_def_default();
    push.acceleration = bw_curve_vector(kind == BW_WALL_CLOSED ? 5.0f : 0.0f, 0.0f, 0.0f);
    scene.forces = &push;
    scene.force_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 3);
    const BwFrame *frame = frame_of(world);
    const BwFrameField *p = bw_frame_field(frame, "pressure");
    assert_non_null(p);
    assert_string_equal(p->unit, "Pa");
    double worst = 0.0;
    for (int x = 0; x < N && kind == BW_WALL_CLOSED; x++)
        worst = fmax(worst, fabs((double)frame_value(frame, p, x, 5, 0) - rho * 5.0 * ((x + 0.5) / N - 0.5)));
    for (int x = 0; x < N && kind != BW_WALL_CLOSED; x++)
        worst = fmax(worst, fabs((double)frame_value(frame, p, x, 5, 0)));
    bw_world_destroy(world);
    return worst / (rho * 2.5);
}

static void pressure_of_pushed_air(void **state)
{
    (void)state;
    for (int n = 0; n < 4; n++)
        gate("pressure_of_pushed_air_error", pressure_error((BwAdvection)n, BW_WALL_CLOSED), GATE_BELOW,
             1e-4);
    gate("pressure_of_still_air", pressure_error(BW_ADVECT_MACCORMACK, BW_WALL_OUTFLOW), GATE_BELOW, 1e-6);
}

static BwResult even_wind(void *user, BwVec3 at, float value[4], BwError *err)
{
    (void)user;
    (void)at;
    (void)err;
    value[0] = 1.0f;
    return BW_OK;
}

static BwSceneDef tunnel(float cell, BwObstacleDef *cylinder)
{
    BwSceneDef scene = smoke_scene(2, cell);
    set_box(&scene, 4.0f, 3.0f, 0.0f);
    scene.walls.side[BW_LEFT].kind = BW_WALL_INFLOW;
    scene.walls.side[BW_LEFT].velocity = bw_curve_vector(1.0f, 0.0f, 0.0f);
    scene.walls.side[BW_RIGHT].kind = BW_WALL_OUTFLOW;
    scene.initial.velocity.function = even_wind;
    scene.fps = 20.0f;
    scene.steps = 4;
    scene.smoke.advection = BW_ADVECT_REFLECTION;
    *cylinder = bw_obstacle_def_default();
    cylinder->shape = ball(1.5f, 1.5f, 0.0f, 0.25f);
    scene.obstacles = cylinder;
    scene.obstacle_count = 1;
    return scene;
}

// D'Alembert: gas without friction that flows past a cylinder does not push it. The first step sets the flow
// up out of an even one, and the impulse of that is the mass displaced twice (the added mass of a cylinder).
static void frictionless_wind_does_not_drag(void **state)
{
    (void)state;
    BwObstacleDef cylinder;
    BwSceneDef scene = tunnel(1.0f / 64.0f, &cylinder);
    BwWorld *world = make_world(&scene, 2);
    for (int n = 0; n < 8; n++) {
        step_frames(world, 1);
        printf("  drag %g lift %g\n", stats_of(world)->obstacles[0].pressure_force[0] / (0.25 * rho),
               stats_of(world)->obstacles[0].pressure_force[1]);
    }
    double unit = 0.5 * rho * 0.5; // half rho U^2 D
    double drag = stats_of(world)->obstacles[0].pressure_force[0] / unit;
    printf("drag coefficient of frictionless wind %.4f\n", drag);
    gate("frictionless_drag", fabs(drag), GATE_BELOW, 0.1);
    bw_world_destroy(world);
}

// A frictionless cylinder that is set in motion within a step is held back by as much momentum as the air
// that it displaces would have (added mass 1).
static void air_holds_back_what_starts_to_move(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(2, 1.0f / 16.0f);
    set_box(&scene, 8.0f, 8.0f, 0.0f);
    for (int side = 0; side < 4; side++)
        scene.walls.side[side].kind = BW_WALL_OPEN;
    scene.fps = 100.0f;
    scene.steps = 1;
    BwObstacleDef cylinder = bw_obstacle_def_default();
    cylinder.shape = ball(4.0f, 4.0f, 0.0f, 0.5f);
    cylinder.motion.velocity = bw_curve_vector(0.1f, 0.0f, 0.0f);
    scene.obstacles = &cylinder;
    scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, 1);
    double exact = -rho * pi * 0.25 * 0.1 * 100.0;
    gate("added_mass_error", fabs(stats_of(world)->obstacles[0].pressure_force[0] / exact - 1.0), GATE_BELOW,
         0.03);
    bw_world_destroy(world);
}

// Between plates under a push the two plates together carry all of it.
static void plates_carry_the_push(void **state)
{
    (void)state;
    enum { N = 20 };
    BwSceneDef scene = smoke_scene(2, 1.0f / N);
    scene.fps = 1.0f;
    scene.steps = 1;
    scene.smoke.viscosity = 1.0f;
    set_box(&scene, 16.0f / N, 1.0f, 0.0f);
    scene.walls.periodic[0] = true;
    scene.walls.slip = 0.0f;
    BwForceDef push = bw_force_def_default();
    push.acceleration = bw_curve_vector(8.0f, 0.0f, 0.0f);
    scene.forces = &push;
    scene.force_count = 1;
    BwObstacleDef plates[2] = {bw_obstacle_def_default(), bw_obstacle_def_default()};
    plates[0].shape = (BwShape){.kind = BW_SHAPE_BOX, .a = {-9.0f, -9.0f, -9.0f}, .b = {9.0f, 0.13f, 9.0f}};
    plates[1].shape = (BwShape){.kind = BW_SHAPE_BOX, .a = {-9.0f, 0.82f, -9.0f}, .b = {9.0f, 9.0f, 9.0f}};
    scene.obstacles = plates;
    scene.obstacle_count = 2;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 10);
    const BwObstacleStats *told = stats_of(world)->obstacles;
    double exact = rho * 8.0 * 0.5 * (0.82 - 0.13) * 16.0 / N;
    for (int n = 0; n < 2; n++)
        gate("plate_drag_error", fabs(told[n].viscous_force[0] / exact - 1.0), GATE_BELOW, 1e-3);
    gate("plates_dissipation_error",
         fabs(stats_of(world)->dissipation / (rho * 64.0 * pow(0.69, 3) / 12.0 * 16.0 / N) - 1.0), GATE_BELOW,
         0.03);
    bw_world_destroy(world);
}

// A cylinder that turns in another at rest needs 4 pi nu w r^2 R^2 / (R^2 - r^2) a metre, and the other feels
// as much.
static void torque_of_a_turning_cylinder(void **state)
{
    (void)state;
    const float inner = 0.2f, outer = 0.42f, spin = 1.0f;
    BwSceneDef scene = smoke_scene(2, 1.0f / 64.0f);
    scene.fps = 10.0f;
    scene.steps = 1;
    scene.smoke.viscosity = 0.1f;
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.walls.slip = 0.0f;
    BwShape block[2] = {{.kind = BW_SHAPE_BOX, .a = {-9.0f, -9.0f, -9.0f}, .b = {9.0f, 9.0f, 9.0f}},
                        ball(0.0f, 0.0f, 0.0f, outer)};
    BwObstacleDef obstacles[2] = {bw_obstacle_def_default(), bw_obstacle_def_default()};
    obstacles[0].shape = (BwShape){.kind = BW_SHAPE_DIFFERENCE, .parts = block, .part_count = 2};
    obstacles[1].shape = ball(0.0f, 0.0f, 0.0f, inner);
    obstacles[0].motion.position = obstacles[1].motion.position = bw_curve_vector(0.5f, 0.5f, 0.0f);
    obstacles[1].motion.spin = bw_curve_vector(0.0f, 0.0f, spin);
    scene.obstacles = obstacles;
    scene.obstacle_count = 2;
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, 20);
    double r2 = (double)(inner * inner), R2 = (double)(outer * outer);
    double exact = rho * 4.0 * pi * 0.1 * (double)spin * r2 * R2 / (R2 - r2);
    const BwObstacleStats *told = stats_of(world)->obstacles;
    gate("turning_cylinder_torque_error", fabs(told[1].torque[2] / exact + 1.0), GATE_BELOW, 0.03);
    gate("resting_cylinder_torque_error", fabs(told[0].torque[2] / exact - 1.0), GATE_BELOW, 0.03);
    gate("turning_cylinder_force",
         hypot(told[1].viscous_force[0] + told[1].pressure_force[0],
               told[1].viscous_force[1] + told[1].pressure_force[1]) /
             exact,
         GATE_BELOW, 0.01);
    bw_world_destroy(world);
}

// The sums are the same bits whatever the number of workers.
static void numbers_do_not_depend_on_workers(void **state)
{
    (void)state;
    const char *text =
        "scene { cell = 1 / 12, fps = 24, frames = 8, steps = 2 }\n"
        "walls { min = {0, 0, 0}, max = {0.9, 1.1, 1}, slip = 0.2, top = { velocity = {1, 0, 0} },\n"
        "    bottom = { temperature = 400 } }\n"
        "smoke { viscosity = 0.02, conductivity = 0.01 }\n"
        "obstacle { shape = sphere { center = {0, 0, 0}, radius = 0.2 }, slip = 0,\n"
        "    temperature = 500, motion = { position = {0.5, 0.5, 0.5}, spin = {1, 2, 3} } }\n";
    BwScene *scene;
    BwError err = {0};
    if (bw_scene_load_text(&scene, text, strlen(text), "workers", NULL, &err) != BW_OK)
        fail_msg("%s", err.message);
    BwStats told[2];
    BwObstacleStats obstacle[2];
    for (int n = 0; n < 2; n++) {
        BwWorld *world = make_world(bw_scene_view_def(scene), n == 0 ? 1 : 5);
        step_frames(world, 3);
        told[n] = *stats_of(world);
        obstacle[n] = told[n].obstacles[0];
        bw_world_destroy(world);
    }
    bw_scene_destroy(scene);
    assert_memory_equal(&obstacle[0], &obstacle[1], sizeof obstacle[0]);
    assert_true(obstacle[0].heat_flux > 0.0 && obstacle[0].torque[2] < 0.0);
    assert_true(told[0].kinetic_energy == told[1].kinetic_energy && told[0].kinetic_energy > 0.0);
    assert_true(told[0].dissipation == told[1].dissipation && told[0].dissipation > 0.0);
    assert_true(told[0].heat == told[1].heat);
    assert_true(told[0].heat_flux[BW_BOTTOM] == told[1].heat_flux[BW_BOTTOM]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_of_dying_vortices),
        cmocka_unit_test(dissipation_of_couette_flow),
        cmocka_unit_test(heat_between_plates),
        cmocka_unit_test(heat_between_cylinders),
        cmocka_unit_test(heat_through_a_heated_square),
        cmocka_unit_test(pushed_air_lifts_what_is_in_it),
        cmocka_unit_test(pressure_of_pushed_air),
        cmocka_unit_test(frictionless_wind_does_not_drag),
        cmocka_unit_test(air_holds_back_what_starts_to_move),
        cmocka_unit_test(plates_carry_the_push),
        cmocka_unit_test(torque_of_a_turning_cylinder),
        cmocka_unit_test(numbers_do_not_depend_on_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
