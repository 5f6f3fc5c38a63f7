// No step is longer than cfl says: whatever drives the flow, and whichever way, nothing crosses more than
// `cfl` cells in the step that it is found to move in.
#include "run.h"

#include "domain/measure.h"
#include "solvers/smoke.h"

static BwSmoke *make_smoke(const BwSceneDef *scene, BwPool **pool)
{
    BwError err = {0};
    BwPoolDef pool_def = {.allocator = bw_allocator_or_default((BwAllocator){0}), .worker_count = 1};
    assert_int_equal(bw_pool_create(pool, &pool_def, &err), BW_OK);
    BwSolverSetup setup = {.scene = scene, .allocator = pool_def.allocator, .pool = *pool};
    void *solver;
    if (bw_smoke_solver.create(&solver, &setup, &err) != BW_OK)
        fail_msg("%s", err.message);
    return solver;
}

// Along any axis.
static double fastest(const BwSmoke *smoke)
{
    double speed = 0.0;
    for (int a = 0; a < smoke->flow.grid->dimension; a++)
        speed = fmax(speed, (double)bw_field_max_abs(&smoke->flow.domain, &smoke->flow.velocity.u[a],
                                                     &smoke->flow.domain.face[a], 0.0f));
    return speed;
}

// The most cells that the flow crosses in one of so many steps, over cfl. Where nothing moves, steps are of
// a fiftieth of a second, as if a frame ended there.
static double longest_of_steps(const BwSceneDef *scene, int count)
{
    BwPool *pool;
    BwSmoke *smoke = make_smoke(scene, &pool);
    BwError err = {0};
    double worst = 0.0, time = 0.0;
    for (int n = 0; n < count; n++) {
        BwStats stats = {0};
        double limit;
        assert_int_equal(bw_smoke_solver.step_limit(smoke, time, &limit, &err), BW_OK);
        double dt = fmin(limit, 0.02);
        if (bw_smoke_solver.step(smoke, time, dt, &stats, &err) != BW_OK)
            fail_msg("%s", err.message);
        worst = fmax(worst, fastest(smoke) * dt / (double)scene->cell);
        time += dt;
    }
    assert_true(smoke->flow.max_speed > 0.1f);
    bw_smoke_solver.destroy(smoke);
    bw_pool_destroy(pool);
    return worst / (double)scene->cfl;
}

// A square metre of still air at cfl 1.
static BwSceneDef still_room(void)
{
    BwSceneDef scene = smoke_scene(2, 1.0f / 32.0f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.cfl = 1.0f;
    return scene;
}

enum { STEPS = 40 };

// The pressure may add a little to what forces do, where the flow has to squeeze past a wall.
static const double most = 1.05;

static void check(const char *what, const BwSceneDef *scene)
{
    char line[64];
    snprintf(line, sizeof line, "step_limit_%s", what);
    gate(line, longest_of_steps(scene, STEPS), GATE_BELOW, most);
}

static BwFillDef hot_spot(void)
{
    BwFillDef fill = bw_fill_def_default();
    fill.shape = ball(0.5f, 0.5f, 0.0f, 0.2f);
    fill.temperature = 900.0f;
    fill.density = 1.0f;
    return fill;
}

static void hot_gas_keeps_to_cfl(void **state)
{
    (void)state;
    BwFillDef fill = hot_spot();
    BwSceneDef scene = still_room();
    scene.fills = &fill;
    scene.fill_count = 1;
    check("hot_gas", &scene);
    scene.smoke.buoyancy_heat = -0.5f;
    check("hot_gas_that_sinks", &scene);
    scene.smoke.buoyancy_heat = 0.0f;
    scene.smoke.buoyancy_weight = -300.0f;
    check("light_smoke", &scene);
    scene.smoke.buoyancy_heat = NAN;
    scene.gravity = bw_curve_vector(0.0f, 98.0f, 0.0f);
    check("gravity_that_points_up", &scene);
}

static void emitters_keep_to_cfl(void **state)
{
    (void)state;
    BwEmitterDef emitter = bw_emitter_def_default();
    emitter.shape = ball(0.5f, 0.5f, 0.0f, 0.2f);
    emitter.temperature = bw_curve_number(900.0f);
    BwSceneDef scene = still_room();
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    check("hot_emitter", &scene);
    scene.smoke.buoyancy_heat = -0.5f;
    check("hot_emitter_that_sinks", &scene);
    emitter.temperature = bw_curve_number(scene.smoke.ambient);
    emitter.density = bw_curve_number(1.0f);
    scene.smoke.buoyancy_weight = 300.0f;
    check("heavy_emitter", &scene);
}

static void heated_surfaces_keep_to_cfl(void **state)
{
    (void)state;
    BwSceneDef scene = still_room();
    scene.smoke.buoyancy_heat = -0.5f;
    scene.walls.side[BW_TOP].temperature = bw_curve_number(900.0f);
    scene.walls.side[BW_TOP].part =
        (BwShape){.kind = BW_SHAPE_BOX, .a = {-1.0f, 0.9f, -1.0f}, .b = {0.5f, 1.1f, 1.0f}};
    check("hot_ceiling_that_sinks", &scene);
    BwObstacleDef obstacle = bw_obstacle_def_default();
    obstacle.shape = ball(0.5f, 0.5f, 0.0f, 0.1f);
    obstacle.temperature = bw_curve_number(900.0f);
    scene = still_room();
    scene.smoke.buoyancy_heat = -0.5f;
    scene.obstacles = &obstacle;
    scene.obstacle_count = 1;
    check("hot_ball_that_sinks", &scene);
}

static void forces_keep_to_cfl(void **state)
{
    (void)state;
    BwForceDef force = bw_force_def_default();
    force.shape = ball(0.3f, 0.5f, 0.0f, 0.2f);
    force.acceleration = bw_curve_vector(0.0f, -500.0f, 0.0f);
    BwSceneDef scene = still_room();
    scene.forces = &force;
    scene.force_count = 1;
    check("force", &scene);
    force.start = 0.1; // the air is at rest until then
    check("force_that_begins", &scene);
    force = bw_force_def_default();
    force.field = BW_FORCE_VORTEX;
    force.center = bw_curve_vector(0.5f, 0.5f, 0.0f);
    force.radius = 0.3f;
    force.strength = bw_curve_number(-500.0f);
    check("vortex_that_turns_back", &scene);
}

static void pumps_keep_to_cfl(void **state)
{
    (void)state;
    BwPumpDef pump = bw_pump_def_default();
    pump.shape = ball(0.5f, 0.5f, 0.0f, 0.15f);
    pump.velocity = bw_curve_vector(-8.0f, -6.0f, 0.0f);
    pump.start = 0.1;
    BwSceneDef scene = still_room();
    scene.pumps = &pump;
    scene.pump_count = 1;
    check("pump", &scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hot_gas_keeps_to_cfl),        cmocka_unit_test(emitters_keep_to_cfl),
        cmocka_unit_test(heated_surfaces_keep_to_cfl), cmocka_unit_test(forces_keep_to_cfl),
        cmocka_unit_test(pumps_keep_to_cfl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
