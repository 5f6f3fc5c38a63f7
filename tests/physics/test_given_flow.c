// A flow that the scene gives: whatever the fluid carries moves along it, and by nothing else. A disk that is
// turned by a quarter while a wind that changes in time blows it aside ends where it should, unchanged, as
// smoke, by particles and by level sets; no gravity, buoyancy or pressure has a say.
#include "busy_splash.h"

#include <math.h>
#include <stdio.h>

enum { CELLS = 32, FRAMES = 12 };

static const double pi = 3.141592653589793;

// A quarter of a turn in half a second about a middle that moves by .1 m there and back, with speed.
static double shift_at(double time)
{
    return 0.1 * (1.0 - cos(2.0 * pi * time)) / 2.0;
}

static BwResult turning(void *user, BwVec3 point, double time, float value[4], BwError *err)
{
    (void)user, (void)err;
    double x = (double)point.x - shift_at(time) - 0.5, y = (double)point.y - 0.5;
    value[0] = (float)(0.1 * pi * sin(2.0 * pi * time) - pi * y);
    value[1] = (float)(pi * x);
    return BW_OK;
}

static BwSceneDef given_scene(BwFluid fluid, BwLiquidMethod method, BwFillDef *fill)
{
    BwSceneDef scene = liquid_scene(2, 1.0f / CELLS, method);
    scene.fluid = fluid;
    if (fluid == BW_FLUID_SMOKE) {
        scene.liquid = bw_scene_def_default().liquid;
        scene.smoke.advection = BW_ADVECT_SEMI_LAGRANGIAN; // limiters move the centre of sharp smoke
    }
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    *fill = fill_of(ball(0.5f, 0.75f, 0.0f, 0.14f));
    scene.flow.velocity = bw_curve_place_vector(turning, NULL);
    scene.fills = fill;
    scene.fill_count = 1;
    return scene;
}

typedef struct Disk {
    double x, y, area, width; // m, m, m^2, and the root of its moment of inertia over the area
} Disk;

// Shares of cells: smoke's density, or what phi tells.
static Disk disk_of(const BwFrame *frame)
{
    const BwFrameField *density = bw_frame_field(frame, "density"), *phi = bw_frame_field(frame, "phi");
    double h = 1.0 / CELLS, sum = 0.0, moment[3] = {0.0};
    for (int j = 0; j < CELLS; j++)
        for (int i = 0; i < CELLS; i++) {
            double x = (i + 0.5) * h, y = (j + 0.5) * h,
                   share = phi != NULL
                               ? fmin(fmax(0.5 - (double)frame_value(frame, phi, i, j, 0) / h, 0.0), 1.0)
                               : (double)frame_value(frame, density, i, j, 0);
            sum += share;
            moment[0] += share * x;
            moment[1] += share * y;
            moment[2] += share * (x * x + y * y);
        }
    double x = moment[0] / sum, y = moment[1] / sum;
    return (Disk){x, y, sum * h * h, sqrt(moment[2] / sum - x * x - y * y)};
}

static void turn(BwFluid fluid, BwLiquidMethod method, double most_cells, double most_area)
{
    BwFillDef fill;
    BwSceneDef scene = given_scene(fluid, method, &fill);
    const char *what = fluid == BW_FLUID_SMOKE ? "smoke" : method_name(method);
    char name[64];
    BwWorld *world = make_world(&scene, 2);
    Disk before = disk_of(frame_of(world));
    step_frames(world, FRAMES);
    Disk after = disk_of(frame_of(world));
    double x = 0.25 + shift_at(0.5), y = 0.5; // a quarter of a turn from above the middle
    snprintf(name, sizeof name, "given_flow_place_cells_%s", what);
    gate(name, CELLS * hypot(after.x - x, after.y - y), GATE_BELOW, most_cells);
    snprintf(name, sizeof name, "given_flow_area_%s", what);
    gate(name, fabs(after.area / before.area - 1.0), GATE_BELOW, most_area);
    snprintf(name, sizeof name, "given_flow_width_cells_%s", what);
    if (fluid == BW_FLUID_LIQUID)
        gate(name, CELLS * fabs(after.width - before.width), GATE_BELOW, 0.1);
    bw_world_destroy(world);
}

static void disks_go_where_the_flow_leads(void **state)
{
    (void)state;
    turn(BW_FLUID_LIQUID, BW_LIQUID_LEVELSET, 0.05, 0.01);
    turn(BW_FLUID_LIQUID, BW_LIQUID_PARTICLE_LEVELSET, 0.05, 0.01);
    turn(BW_FLUID_LIQUID, BW_LIQUID_APIC, 0.05, 0.01);
    turn(BW_FLUID_LIQUID, BW_LIQUID_FLIP, 0.05, 0.01);
    turn(BW_FLUID_LIQUID, BW_LIQUID_MARKERS, 0.05, 0.01);
    turn(BW_FLUID_SMOKE, BW_LIQUID_APIC, 0.05, 1e-3);
}

// One that starts all of a sudden, and leads out of the tiles that were awake.
static BwResult gust(void *user, BwVec3 point, double time, float value[4], BwError *err)
{
    (void)user, (void)point, (void)err;
    value[0] = time > 0.1 ? 8.0f : 0.0f;
    return BW_OK;
}

static void a_sudden_flow_loses_nothing(void **state)
{
    (void)state;
    BwFillDef fill;
    BwSceneDef scene = given_scene(BW_FLUID_LIQUID, BW_LIQUID_PARTICLE_LEVELSET, &fill);
    scene.has_walls = false;
    scene.flow.velocity = bw_curve_place_vector(gust, NULL);
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, 6);
    gate("given_flow_sudden_volume", fabs(bw_world_view_stats(world)->volume_drift), GATE_BELOW, 0.01);
    gate("given_flow_sudden_retries", bw_world_view_stats(world)->retries, GATE_BELOW, 0.0);
    bw_world_destroy(world);
}

// A pool that a given flow lifts off the floor, or off a block that stands there, leaves air behind: what
// gets out of the open top is what there was, but for half a cell of its depth. In the middle of its way it
// is where it should be.
static void lift(BwLiquidMethod method, bool has_block)
{
    float ground = has_block ? 0.125f : 0.0f;
    BwFillDef fill = fill_of(bw_box(bw_vec3(0.0f, ground, -1.0f), bw_vec3(1.0f, 0.3f, 1.0f)));
    BwObstacleDef block = solid_of(bw_box(bw_vec3(-1.0f, -1.0f, -1.0f), bw_vec3(2.0f, 0.125f, 1.0f)));
    BwSceneDef scene = liquid_scene(2, 1.0f / CELLS, method);
    char name[64];
    double removed = 0.0;
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.walls.side[BW_TOP].kind = BW_WALL_OPEN;
    scene.flow.velocity = bw_curve_vector(0.0f, 0.5f, 0.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.obstacles = &block;
    scene.obstacle_count = has_block;
    BwWorld *world = make_world(&scene, 2);
    double start = bw_world_view_stats(world)->volume;
    step_frames(world, 12);
    Disk pool = disk_of(frame_of(world));
    snprintf(name, sizeof name, "given_flow_lifts_cells_%s%s", method_name(method),
             has_block ? "_block" : "");
    gate(name, CELLS * fabs(pool.y - 0.5 * ((double)ground + 0.3) - 0.25), GATE_BELOW, 0.5);
    for (int n = 0; n < 36; n++) {
        step_frames(world, 1);
        removed += bw_world_view_stats(world)->removed[BW_REMOVED_OPEN];
    }
    snprintf(name, sizeof name, "given_flow_lifted_out_cells_%s%s", method_name(method),
             has_block ? "_block" : "");
    gate(name, CELLS * fabs(removed - start), GATE_BELOW, 0.5);
    assert_true(bw_world_view_stats(world)->volume == 0.0);
    gate("given_flow_mass_left_cells", CELLS * fabs(bw_world_view_stats(world)->mass), GATE_BELOW, 0.5);
    bw_world_destroy(world);
}

static void liquid_that_is_lifted_leaves_air_behind(void **state)
{
    (void)state;
    lift(BW_LIQUID_LEVELSET, false);
    lift(BW_LIQUID_PARTICLE_LEVELSET, false);
    lift(BW_LIQUID_LEVELSET, true);
}

static void any_number_of_threads_does_the_same(void **state)
{
    (void)state;
    static const int workers[] = {1, 3};
    BwFillDef fill;
    BwSceneDef scene = given_scene(BW_FLUID_LIQUID, BW_LIQUID_PARTICLE_LEVELSET, &fill);
    gate("given_flow_differing_frames", differing_frames(&scene, workers, 2, 3), GATE_BELOW, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disks_go_where_the_flow_leads),
        cmocka_unit_test(a_sudden_flow_loses_nothing),
        cmocka_unit_test(liquid_that_is_lifted_leaves_air_behind),
        cmocka_unit_test(any_number_of_threads_does_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
