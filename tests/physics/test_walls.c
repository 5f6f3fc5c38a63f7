// Sides of the box: inflow, outflow, vents, kinds that change in time. All from frames: what goes through
// each side is summed from the frame's own velocities.
#include "run.h"

#include <stdio.h>

// Cells of a box that starts at 0, and the fields of its frame.
typedef struct Box {
    const BwFrame *frame;
    const BwFrameField *u[3], *density, *temperature, *fluid;
    int size[3];
} Box;

static Box box_of(BwWorld *world, const BwSceneDef *scene)
{
    const BwFrame *frame = frame_of(world);
    Box box = {.frame = frame,
               .density = bw_frame_field(frame, "density"),
               .temperature = bw_frame_field(frame, "temperature"),
               .fluid = bw_frame_field(frame, "fluid")};
    const char *names[] = {"u", "v", "w"};
    const float high[3] = {scene->walls.max.x, scene->walls.max.y, scene->walls.max.z};
    for (int a = 0; a < 3; a++) {
        box.u[a] = bw_frame_field(frame, names[a]);
        box.size[a] = a < scene->dimension ? (int)lround((double)high[a] / (double)scene->cell) : 1;
    }
    return box;
}

static double value(const Box *box, const BwFrameField *field, const int at[3])
{
    return (double)frame_value(box->frame, field, at[0], at[1], at[2]);
}

// Volume that comes in through the inner faces of the cells along a side, per second.
static double inwards(const Box *box, int side, int depth)
{
    int axis = side / 2, b = (axis + 1) % 3, c = (axis + 2) % 3;
    double h = (double)box->frame->cell_size, area = box->frame->dimension == 3 ? h * h : h, sum = 0.0;
    for (int m = 0; m < box->size[b]; m++)
        for (int n = 0; n < box->size[c]; n++) {
            int at[3];
            at[axis] = side % 2 == 0 ? depth : box->size[axis] - depth;
            at[b] = m;
            at[c] = n;
            sum += (side % 2 == 0 ? 1.0 : -1.0) * value(box, box->u[axis], at) * area;
        }
    return sum;
}

static BwResult wind(void *user, BwVec3 point, float result[4], BwError *err)
{
    (void)point, (void)err;
    memcpy(result, user, 3 * sizeof *result);
    return BW_OK;
}

static BwSceneDef tunnel(int dimension, float cell, float speed)
{
    BwSceneDef scene = smoke_scene(dimension, cell);
    set_box(&scene, 2.0f, 1.0f, 1.0f);
    scene.walls.side[BW_LEFT].kind = BW_WALL_INFLOW;
    scene.walls.side[BW_LEFT].velocity = bw_curve_vector(speed, 0.0f, 0.0f);
    scene.walls.side[BW_RIGHT].kind = BW_WALL_OUTFLOW;
    return scene;
}

static void uniform_flow_stays_uniform(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        BwSceneDef scene = tunnel(dimension, 1.0f / 12.0f, 1.5f);
        float along[3] = {1.5f, 0.0f, 0.0f};
        scene.initial.velocity = (BwPlaceCurve){wind, along};
        BwWorld *world = make_world(&scene, 1);
        step_frames(world, 8);
        Box box = box_of(world, &scene);
        double worst = 0.0;
        for (int i = 1; i < box.size[0]; i++)
            for (int j = 0; j < box.size[1]; j++)
                for (int k = 0; k < box.size[2]; k++) {
                    int at[3] = {i, j, k};
                    worst = fmax(worst, fabs(value(&box, box.u[0], at) - 1.5));
                    worst = fmax(worst, fabs(value(&box, box.u[1], at)));
                }
        char name[64];
        snprintf(name, sizeof name, "tunnel_%dd_departure_from_uniform", dimension);
        gate(name, worst, GATE_BELOW, 1e-12);
        bw_world_destroy(world);
    }
}

// From rest, with the tunnel on a far side too: left to right, right to left, upwards, downwards.
static void what_comes_in_goes_out(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int side = 0; side < 4; side++) {
        BwSceneDef scene = smoke_scene(2, 1.0f / 20.0f);
        set_box(&scene, 1.0f, 1.2f, 0.0f);
        float speed = side % 2 == 0 ? 2.0f : -2.0f;
        scene.walls.side[side].kind = BW_WALL_INFLOW;
        scene.walls.side[side].velocity =
            bw_curve_vector(side / 2 == 0 ? speed : 0.0f, side / 2 == 1 ? speed : 0.0f, 0.0f);
        scene.walls.side[side ^ 1].kind = BW_WALL_OUTFLOW;
        BwObstacleDef obstacle = bw_obstacle_def_default();
        obstacle.shape = ball(0.5f, 0.6f, 0.0f, 0.2f);
        scene.obstacles = &obstacle;
        scene.obstacle_count = 1;
        scene.solver.tolerance = 1e-7f;
        BwWorld *world = make_world(&scene, 1);
        step_frames(world, 3);
        Box box = box_of(world, &scene);
        double in = inwards(&box, side, 1), out = inwards(&box, side ^ 1, 1);
        double area = side / 2 == 0 ? 1.2 : 1.0;
        worst = fmax(worst, fabs(in - 2.0 * area) / in);
        worst = fmax(worst, fabs(in + out) / in);
        bw_world_destroy(world);
    }
    gate("tunnel_net_flux_of_inflow", worst, GATE_BELOW, 1e-6);
}

// A round vent in the floor and a drain in the far wall: area by the middles of the faces.
static void vents_bring_area_times_speed(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(3, 1.0f / 16.0f);
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.walls.side[BW_BOTTOM].kind = BW_WALL_INFLOW;
    scene.walls.side[BW_BOTTOM].velocity = bw_curve_vector(0.4f, 3.0f, 0.0f);
    scene.walls.side[BW_BOTTOM].temperature = bw_curve_number(350.0f);
    scene.walls.side[BW_BOTTOM].part =
        (BwShape){.kind = BW_SHAPE_DISC, .a = {0.4f, 0.0f, 0.5f}, .b = {0.0f, 1.0f, 0.0f}, .radius = 0.21f};
    scene.walls.side[BW_RIGHT].kind = BW_WALL_OUTFLOW;
    scene.walls.side[BW_RIGHT].part =
        (BwShape){.kind = BW_SHAPE_BOX, .a = {0.9f, 0.5f, 0.25f}, .b = {1.1f, 0.75f, 0.75f}};
    scene.solver.tolerance = 1e-7f;
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, 4);
    Box box = box_of(world, &scene);
    int faces = 0;
    double closed = 0.0, warm = 0.0;
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 16; k++) {
            double x = (i + 0.5) / 16.0 - 0.4, z = (k + 0.5) / 16.0 - 0.5;
            bool is_vent = x * x + z * z <= 0.21 * 0.21;
            const int at[3] = {i, 0, k};
            faces += is_vent;
            warm = fmax(warm, is_vent ? fabs(value(&box, box.temperature, at) - 350.0) : 0.0);
            assert_true((value(&box, box.fluid, at) == 0.0) == is_vent);
        }
    // Inwards through the floor's own faces one cell up, less what fluid cells beside the vent exchange
    // there.
    double in = 0.0, out = 0.0, h = 1.0 / 16.0, area = h * h;
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 16; k++) {
            const int floor[3] = {i, 0, k}, above[3] = {i, 1, k};
            if (value(&box, box.fluid, floor) == 0.0)
                in += area * value(&box, box.u[1], above);
            const int beside[3] = {i - 1, 0, k};
            bool is_fluid = value(&box, box.fluid, floor) != 0.0;
            bool is_edge = i > 0 && is_fluid != (value(&box, box.fluid, beside) != 0.0);
            closed = fmax(closed, is_fluid ? fabs(value(&box, box.u[1], floor)) : 0.0);
            closed = fmax(closed, is_edge ? fabs(value(&box, box.u[0], floor)) : 0.0);
        }
    for (int j = 0; j < 16; j++)
        for (int k = 0; k < 16; k++) {
            const int at[3] = {15, j, k};
            if (value(&box, box.fluid, at) != 0.0)
                continue;
            bool is_drain = j >= 8 && j < 12 && k >= 4 && k < 12;
            assert_true(is_drain);
            for (int side = 0; side < 6 && is_drain; side++) {
                int beside[3] = {15, j, k}, face[3] = {15, j, k};
                beside[side / 2] += side % 2 == 0 ? -1 : 1;
                face[side / 2] += side % 2;
                if (beside[0] > 15 || value(&box, box.fluid, beside) == 0.0)
                    continue;
                double leaves = (side % 2 == 0 ? 1.0 : -1.0) * value(&box, box.u[side / 2], face);
                assert_true(leaves >= 0.0);
                out += area * leaves;
            }
        }
    gate("vent_flux_less_area_times_speed", fabs(in - faces * area * 3.0) / in, GATE_BELOW, 1e-7);
    gate("vent_flux_less_drain_flux", fabs(in - out) / in, GATE_BELOW, 1e-5);
    gate("vent_leak_beside_it", closed, GATE_BELOW, 1e-12);
    gate("vent_temperature_off", warm, GATE_BELOW, 1e-4);
    bw_world_destroy(world);
}

// Smoke blown against an outflow by a vortex that would draw air back in.
static void nothing_comes_back_through_an_outflow(void **state)
{
    (void)state;
    double in_open = 0.0, in_outflow = 0.0, divergence = 0.0, iterations = 0.0, steps = 0.0;
    for (int kind = BW_WALL_OPEN; kind <= BW_WALL_OUTFLOW; kind += BW_WALL_OUTFLOW - BW_WALL_OPEN) {
        BwSceneDef scene = tunnel(2, 1.0f / 16.0f, 0.5f);
        scene.walls.side[BW_RIGHT].kind = (BwWallKind)kind;
        BwForceDef force = bw_force_def_default();
        force.field = BW_FORCE_VORTEX;
        force.center = bw_curve_vector(1.8f, 0.5f, 0.0f);
        force.strength = bw_curve_number(20.0f);
        force.radius = 0.2f;
        scene.forces = &force;
        scene.force_count = 1;
        BwWorld *world = make_world(&scene, 1);
        for (int n = 0; n < 12; n++) {
            step_frames(world, 1);
            Box box = box_of(world, &scene);
            for (int j = 0; j < 16; j++) {
                const int at[3] = {31, j, 0};
                double back = -value(&box, box.u[0], at);
                double *most = kind == BW_WALL_OPEN ? &in_open : &in_outflow;
                *most = fmax(*most, back);
            }
            const BwStats *stats = bw_world_view_stats(world);
            if (kind == BW_WALL_OUTFLOW) {
                divergence = fmax(divergence, stats->divergence);
                iterations += stats->iterations;
                steps += stats->steps;
            }
        }
        bw_world_destroy(world);
    }
    gate("open_side_backflow", in_open, GATE_ABOVE, 0.5);
    gate("outflow_backflow", in_outflow, GATE_BELOW, 1e-12);
    gate("outflow_divergence", divergence, GATE_BELOW, 1e-4);
    // What is shut is found by rough answers, from what was shut before; with full ones it takes 17.
    gate("outflow_iterations_a_step", iterations / steps, GATE_BELOW, 12.0);
}

// A plume in a box whose sides and top are of a kind, its bottom too or a wall. Gives pressure iterations a
// step, and the fastest flow through the sides by the fastest of all.
static double plume_between(BwWallKind kind, BwWallKind bottom, double *through)
{
    BwSceneDef scene = smoke_scene(2, 1.0f / 32.0f);
    BwEmitterDef emitter = bw_emitter_def_default();
    double iterations = 0.0, steps = 0.0;
    emitter.shape = bw_sphere(bw_vec3(0.5f, 0.2f, 0.0f), 0.1f);
    emitter.density = bw_curve_number(1.0f);
    emitter.temperature = bw_curve_number(330.0f);
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    scene.has_walls = true;
    scene.walls.max = bw_vec3(1.0f, 1.5f, 0.0f);
    scene.walls.side[BW_LEFT].kind = scene.walls.side[BW_RIGHT].kind = scene.walls.side[BW_TOP].kind = kind;
    scene.walls.side[BW_BOTTOM].kind = bottom;
    BwWorld *world = make_world(&scene, 1);
    *through = 0.0;
    for (int n = 0; n < 24; n++) {
        step_frames(world, 1);
        const BwStats *stats = bw_world_view_stats(world);
        Box box = box_of(world, &scene);
        for (int j = 0; j < 48; j++) {
            const int left[3] = {1, j, 0}, right[3] = {31, j, 0};
            double speed = fmax(fabs(value(&box, box.u[0], left)), fabs(value(&box, box.u[0], right)));
            *through = fmax(*through, speed / stats->max_speed);
        }
        iterations += stats->iterations;
        steps += stats->steps;
    }
    bw_world_destroy(world);
    return iterations / steps;
}

// Where nothing brings volume, nothing can leave through valves: they are all shut, and that is found at
// once.
static void a_plume_between_outflows_is_sealed(void **state)
{
    (void)state;
    const BwWallKind bottoms[2][2] = {{BW_WALL_CLOSED, BW_WALL_CLOSED}, {BW_WALL_OPEN, BW_WALL_OUTFLOW}};
    for (int n = 0; n < 2; n++) {
        double through_open, through_outflow,
            open = plume_between(BW_WALL_OPEN, bottoms[n][0], &through_open),
            outflow = plume_between(BW_WALL_OUTFLOW, bottoms[n][1], &through_outflow);
        gate("plume_through_open_sides", through_open, GATE_ABOVE, 0.05);
        gate("plume_through_outflows", through_outflow, GATE_BELOW, 1e-4);
        gate("outflow_iterations_by_open", outflow / open, GATE_BELOW, 1.5);
    }
}

// Closed, then a fan, then closed again.
static void kinds_change_in_time(void **state)
{
    (void)state;
    BwSceneDef scene = tunnel(2, 1.0f / 16.0f, 1.0f);
    const BwKey keys[] = {{0.0, {BW_WALL_CLOSED}}, {0.21, {BW_WALL_INFLOW}}, {0.43, {BW_WALL_CLOSED}}};
    scene.walls.side[BW_LEFT].kind = BW_WALL_CLOSED;
    scene.walls.side[BW_LEFT].kind_curve =
        (BwCurve){.kind = BW_CURVE_STEPS, .components = 1, .keys = keys, .key_count = 3};
    scene.fps = 10.0;
    BwWorld *world = make_world(&scene, 1);
    for (int n = 1; n <= 6; n++) {
        step_frames(world, 1);
        Box box = box_of(world, &scene);
        double t = bw_world_view_stats(world)->time;
        const int first[3] = {0, 5, 0};
        bool is_on = t >= 0.21 && t < 0.43;
        assert_true(value(&box, box.fluid, first) == (is_on ? 0.0 : 1.0));
        double in = is_on ? inwards(&box, BW_LEFT, 1) : inwards(&box, BW_LEFT, 0);
        double off = fabs(in - (is_on ? 1.0 : 0.0));
        gate("kind_over_time_flux_off", off, GATE_BELOW, 1e-12);
    }
    bw_world_destroy(world);
}

static void a_box_that_cannot_breathe_is_named(void **state)
{
    (void)state;
    BwSceneDef scene = tunnel(2, 1.0f / 16.0f, 1.0f);
    scene.walls.side[BW_RIGHT].kind = BW_WALL_CLOSED;
    BwError err = {0};
    BwWorld *world = make_world(&scene, 1);
    assert_int_equal(bw_world_step_frame(world, NULL, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "flow in and nothing lets them out"));
    bw_world_destroy(world);
    scene = tunnel(2, 1.0f / 16.0f, -1.0f);
    world = make_world(&scene, 1);
    assert_int_equal(bw_world_step_frame(world, NULL, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "drawn out and nothing lets them in"));
    bw_world_destroy(world);
    scene.walls.side[BW_RIGHT] = scene.walls.side[BW_LEFT]; // what one fan brings the other takes
    world = make_world(&scene, 1);
    step_frames(world, 2);
    gate("two_fans_divergence", bw_world_view_stats(world)->divergence, GATE_BELOW, 1e-3);
    bw_world_destroy(world);
}

// An inflow brings clean air at its temperature; an emitter at the inlet makes it smoke.
static void an_inflow_brings_its_own_air(void **state)
{
    (void)state;
    BwSceneDef scene = tunnel(2, 1.0f / 16.0f, 1.0f);
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.walls.side[BW_LEFT].temperature = bw_curve_number(320.0f);
    BwFillDef fill = bw_fill_def_default();
    fill.shape = (BwShape){.kind = BW_SHAPE_BOX, .a = {0.0f, 0.0f, -1.0f}, .b = {2.0f, 1.0f, 1.0f}};
    fill.density = 1.0f;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 24);
    Box box = box_of(world, &scene);
    double smoke = 0.0, heat = 0.0, ahead = 1.0;
    for (int j = 0; j < 16; j++) {
        const int behind[3] = {10, j, 0}, before[3] = {26, j, 0};
        smoke = fmax(smoke, value(&box, box.density, behind));
        heat = fmax(heat, fabs(value(&box, box.temperature, behind) - 320.0));
        ahead = fmin(ahead, value(&box, box.density, before));
    }
    gate("inflow_smoke_behind_the_front", smoke, GATE_BELOW, 1e-3);
    gate("inflow_heat_off_behind_the_front", heat, GATE_BELOW, 0.1);
    gate("inflow_smoke_before_the_front", ahead, GATE_ABOVE, 0.99);
    bw_world_destroy(world);
}

// Air that an open side draws in has the side's temperature.
static void an_open_side_may_be_warm(void **state)
{
    (void)state;
    BwSceneDef scene = tunnel(2, 1.0f / 16.0f, -1.0f); // a fan at the left draws
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.walls.side[BW_RIGHT].kind = BW_WALL_OPEN;
    scene.walls.side[BW_RIGHT].temperature = bw_curve_number(330.0f);
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 24);
    Box box = box_of(world, &scene);
    const int drawn[3] = {26, 8, 0}, ahead[3] = {8, 8, 0};
    gate("open_side_heat_off", fabs(value(&box, box.temperature, drawn) - 330.0), GATE_BELOW, 0.1);
    gate("open_side_heat_ahead", value(&box, box.temperature, ahead), GATE_BELOW, 294.0);
    bw_world_destroy(world);
}

// Everything at once, with one worker and with three: a vent, a valve that shuts, a spinning plate.
static uint64_t hash_of_run(int dimension, int workers)
{
    BwSceneDef scene = tunnel(dimension, 1.0f / 16.0f, 1.0f);
    scene.walls.side[BW_TOP].kind = BW_WALL_OPEN;
    scene.walls.side[BW_TOP].part = ball(0.6f, 1.0f, dimension == 3 ? 0.5f : 0.0f, 0.2f);
    BwObstacleDef obstacle = bw_obstacle_def_default();
    obstacle.shape = (BwShape){.kind = BW_SHAPE_BOX, .a = {-0.3f, -0.04f, -0.3f}, .b = {0.3f, 0.04f, 0.3f}};
    obstacle.motion.position = bw_curve_vector(1.5f, 0.5f, dimension == 3 ? 0.5f : 0.0f);
    obstacle.motion.spin = bw_curve_vector(0.0f, 0.0f, 12.0f);
    scene.obstacles = &obstacle;
    scene.obstacle_count = 1;
    BwFillDef fill = bw_fill_def_default();
    fill.shape = ball(1.4f, 0.6f, dimension == 3 ? 0.3f : 0.0f, 0.4f);
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.steps = 2;
    BwWorld *world = make_world(&scene, workers);
    step_frames(world, 4);
    uint64_t hash = bw_frame_hash(frame_of(world));
    bw_world_destroy(world);
    return hash;
}

static void bits_do_not_depend_on_workers(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        assert_true(hash_of_run(dimension, 1) == hash_of_run(dimension, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_flow_stays_uniform),
        cmocka_unit_test(what_comes_in_goes_out),
        cmocka_unit_test(vents_bring_area_times_speed),
        cmocka_unit_test(nothing_comes_back_through_an_outflow),
        cmocka_unit_test(a_plume_between_outflows_is_sealed),
        cmocka_unit_test(kinds_change_in_time),
        cmocka_unit_test(a_box_that_cannot_breathe_is_named),
        cmocka_unit_test(an_inflow_brings_its_own_air),
        cmocka_unit_test(an_open_side_may_be_warm),
        cmocka_unit_test(bits_do_not_depend_on_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
