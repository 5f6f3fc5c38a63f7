// Bodies that ride in liquids, against what is known of them: they fall freely, keep their angular momentum,
// float as deep as their density asks, bob with the period of their draft, go with the flow, and stay where
// walls, obstacles and other bodies let them.
#include "liquid_run.h"

#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979;

static BwBodyDef body_of(BwShape shape, float density, BwVec3 position)
{
    BwBodyDef body = bw_body_def_default();
    body.shape = shape;
    body.material_density = density;
    body.position = position;
    return body;
}

// An upright can of radius and height, about its middle.
static BwShape can_of(float radius, float height)
{
    return bw_cylinder(bw_vec3(0.0f, -0.5f * height, 0.0f), bw_vec3(0.0f, 0.5f * height, 0.0f), radius);
}

static const BwBodyStats *told_of(const BwWorld *world, int n)
{
    const BwStats *stats = bw_world_view_stats(world);
    assert_true(n < stats->body_count);
    return &stats->bodies[n];
}

// A tank of water with bodies in it.
static BwSceneDef tank_scene(int dimension, float cell, const BwFillDef *fill, const BwBodyDef *bodies,
                             int count)
{
    BwSceneDef scene = liquid_scene(dimension, cell, BW_LIQUID_LEVELSET);
    set_box(&scene, 0.5f, 0.6f, 0.5f);
    scene.fills = fill;
    scene.fill_count = 1;
    scene.bodies = bodies;
    scene.body_count = count;
    return scene;
}

static void free_fall_is_exact(void **state)
{
    (void)state;
    BwBodyDef body = body_of(can_of(0.05f, 0.12f), 500.0f, bw_vec3(0.0f, 10.0f, 0.0f));
    BwFillDef fill = fill_of(bw_sphere(bw_vec3(0.0f, 0.0f, 0.0f), 0.1f));
    BwSceneDef scene = liquid_scene(3, 0.05f, BW_LIQUID_LEVELSET);
    body.velocity = bw_vec3(1.0f, 2.0f, 0.0f);
    body.rotation = bw_vec3(0.3f, 0.0f, 0.4f);
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.bodies = &body;
    scene.body_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 12);
    double t = 0.5,
           error = hypot(told_of(world, 0)->position[0] - t,
                         told_of(world, 0)->position[1] - (10.0 + 2.0 * t - 0.5 * liquid_gravity * t * t));
    gate("body_free_fall_m", error, GATE_BELOW, 1e-6);
    gate("body_free_fall_m_s", fabs(told_of(world, 0)->velocity[1] - (2.0 - liquid_gravity * t)), GATE_BELOW,
         1e-6);
    bw_world_destroy(world);
}

// The angular momentum of a box, from what is told of its spin and shown of its turn.
static void momentum_of(const BwWorld *world, const BwFrame *frame, const double inertia[3],
                        double momentum[3])
{
    BwQuat turn = frame->solids[0].pose.rotation;
    const double *w = told_of(world, 0)->spin;
    BwVec3 local = bw_quat_rotate(bw_quat_conjugate(turn), bw_vec3((float)w[0], (float)w[1], (float)w[2]));
    local = bw_vec3(local.x * (float)inertia[0], local.y * (float)inertia[1], local.z * (float)inertia[2]);
    BwVec3 all = bw_quat_rotate(turn, local);
    for (int a = 0; a < 3; a++)
        momentum[a] = (double)bw_component(all, a);
}

// A brick that spins about nearly its middle axis tumbles over and over.
static void a_tumbling_body_keeps_its_angular_momentum(void **state)
{
    (void)state;
    const double a = 0.1, b = 0.2, c = 0.3, m = 500.0 * a * b * c,
                 inertia[3] = {m * (b * b + c * c) / 12.0, m * (a * a + c * c) / 12.0,
                               m * (a * a + b * b) / 12.0};
    BwBodyDef body = body_of(bw_box(bw_vec3(-0.05f, -0.1f, -0.15f), bw_vec3(0.05f, 0.1f, 0.15f)), 500.0f,
                             bw_vec3(0.0f, 5.0f, 0.0f));
    BwFillDef fill = fill_of(bw_sphere(bw_vec3(0.0f, 0.0f, 0.0f), 0.1f));
    BwSceneDef scene = liquid_scene(3, 0.05f, BW_LIQUID_LEVELSET);
    body.spin = bw_vec3(0.1f, 8.0f, 0.1f);
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.bodies = &body;
    scene.body_count = 1;
    BwWorld *world = make_world(&scene, 1);
    double first[3], last[3], worst = 0.0, turned = 0.0;
    momentum_of(world, frame_of(world), inertia, first);
    double size = sqrt(first[0] * first[0] + first[1] * first[1] + first[2] * first[2]);
    for (int n = 0; n < 48; n++) {
        step_frames(world, 1);
        momentum_of(world, frame_of(world), inertia, last);
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, fabs(last[k] - first[k]) / size);
        BwVec3 axis = bw_quat_rotate(frame_of(world)->solids[0].pose.rotation, bw_vec3(0.0f, 1.0f, 0.0f));
        turned = fmax(turned, 1.0 - (double)axis.y);
    }
    bw_world_destroy(world);
    gate("body_momentum_drift", worst, GATE_BELOW, 1e-4); // floats of poses, and a lattice of nodes
    gate("body_tumbles", turned, GATE_ABOVE, 1.0);
}

// Settled by its drag, it is as deep in the water as its density asks.
static void gate_draft(BwLiquidMethod method, float density, float tilt)
{
    char name[96];
    float depth = 0.3f, height = 0.16f;
    BwBodyDef body = body_of(can_of(0.09f, height), density, bw_vec3(0.25f, 0.33f, 0.25f));
    BwFillDef fill = fill_corner(0.5f, depth, 0.5f);
    body.damping = 6.0f;
    body.rotation = bw_vec3(tilt, 0.0f, 0.0f);
    BwSceneDef scene = tank_scene(3, 0.5f / 12.0f, &fill, &body, 1);
    scene.liquid.method = method;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 60);
    double low = told_of(world, 0)->position[1] - 0.5 * (double)height, draft = (double)depth - low,
           wanted = (double)height * (double)density / 1000.0;
    snprintf(name, sizeof name, "body_draft_%s_%g", method_name(method), (double)density);
    gate(name, fabs(draft / wanted - 1.0), GATE_BELOW, 0.05);
    snprintf(name, sizeof name, "body_wet_%s_%g", method_name(method), (double)density);
    gate(name, fabs(told_of(world, 0)->wet / ((double)density / 1000.0) - 1.0), GATE_BELOW, 0.05);
    bw_world_destroy(world);
}

static void a_can_floats_as_deep_as_its_density_asks(void **state)
{
    (void)state;
    gate_draft(BW_LIQUID_LEVELSET, 500.0f, 0.0f);
    gate_draft(BW_LIQUID_APIC, 700.0f, 0.0f);
}

static void a_can_bobs_with_the_period_of_its_draft(void **state)
{
    (void)state;
    float depth = 0.3f, height = 0.16f;
    BwBodyDef body = body_of(can_of(0.09f, height), 500.0f, bw_vec3(0.25f, 0.32f, 0.25f));
    BwFillDef fill = fill_corner(0.5f, depth, 0.5f);
    body.damping = 0.0f;
    BwSceneDef scene = tank_scene(3, 0.5f / 12.0f, &fill, &body, 1);
    scene.fps = 60.0;
    BwWorld *world = make_world(&scene, 1);
    double wanted = 2.0 * pi * sqrt(0.08 / liquid_gravity), before = 0.0, first = 0.0, last = 0.0,
           highest = 0.0;
    int crossings = 0;
    for (int n = 1; n <= 150; n++) {
        step_frames(world, 1);
        double y = told_of(world, 0)->position[1] - 0.3;
        if (before < 0.0 && y >= 0.0) {
            last = (n - y / (y - before)) / 60.0;
            first = crossings++ == 0 ? last : first;
        }
        before = y;
        highest = n > 100 ? fmax(highest, y) : highest;
    }
    bw_world_destroy(world);
    assert_true(crossings > 2);
    gate("body_bobbing_period", fabs((last - first) / (crossings - 1) / wanted - 1.0), GATE_BELOW, 0.1);
    gate("body_bobbing_kept", fabs(highest / 0.02 - 1.0), GATE_BELOW, 0.1);
}

// What is heavier than water sinks to the floor and lies there; what leaves the water is not held by it.
static void bodies_stay_where_they_may(void **state)
{
    (void)state;
    BwBodyDef bodies[4] = {
        body_of(bw_sphere(bw_vec3(0.0f, 0.0f, 0.0f), 0.06f), 3000.0f, bw_vec3(0.1f, 0.4f, 0.25f)),
        body_of(bw_sphere(bw_vec3(0.0f, 0.0f, 0.0f), 0.06f), 300.0f, bw_vec3(0.35f, 0.3f, 0.25f)),
        body_of(bw_sphere(bw_vec3(0.0f, 0.0f, 0.0f), 0.06f), 300.0f, bw_vec3(0.37f, 0.42f, 0.26f)),
        body_of(can_of(0.05f, 0.12f), 400.0f, bw_vec3(0.2f, 0.45f, 0.4f))};
    BwFillDef fill = fill_corner(0.5f, 0.3f, 0.5f);
    BwObstacleDef post = solid_of(bw_box(bw_vec3(0.2f, -0.1f, 0.15f), bw_vec3(0.26f, 0.7f, 0.3f)));
    BwSceneDef scene = tank_scene(3, 0.5f / 12.0f, &fill, bodies, 4);
    bodies[1].velocity = bw_vec3(-2.0f, 0.0f, 0.0f);
    bodies[3].velocity = bw_vec3(1.0f, 0.0f, 2.0f);
    scene.obstacles = &post;
    scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, 1);
    double deepest = 0.0, apart = 1.0;
    for (int n = 0; n < 36; n++) {
        step_frames(world, 1);
        const BwFrame *frame = frame_of(world);
        assert_int_equal(frame->solid_count, 5);
        for (int b = 0; b < 4; b++) {
            const double *p = told_of(world, b)->position;
            BwVec3 at = bw_vec3((float)p[0], (float)p[1], (float)p[2]);
            double radius = b == 3 ? 0.05 : 0.06, most = 0.5 - radius;
            deepest = fmax(deepest, radius - fmin(fmin(p[0], p[1]), p[2]));
            deepest = fmax(deepest, fmax(p[0], p[2]) - most);
            deepest = fmax(deepest, radius - (double)bw_shape_distance(&post.shape, at));
        }
        const double *p = told_of(world, 1)->position, *q = told_of(world, 2)->position;
        apart = fmin(apart, sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                                 (p[2] - q[2]) * (p[2] - q[2])));
    }
    gate("body_in_solids_m", deepest, GATE_BELOW, 0.006);
    gate("bodies_overlap_m", 0.12 - apart, GATE_BELOW, 0.006);
    gate("body_sunk_m", fabs(told_of(world, 0)->position[1] - 0.06), GATE_BELOW, 0.006);
    bw_world_destroy(world);
}

// In a stream a body takes on its velocity.
static void bodies_go_with_the_flow(void **state)
{
    (void)state;
    BwBodyDef body = body_of(bw_sphere(bw_vec3(0.0f, 0.0f, 0.0f), 0.05f), 1000.0f, bw_vec3(0.3f, 0.2f, 0.0f));
    BwFillDef fill = fill_corner(2.0f, 0.4f, 1.0f);
    BwSceneDef scene = liquid_scene(2, 1.0f / 24.0f, BW_LIQUID_LEVELSET);
    set_box(&scene, 2.0f, 0.7f, 0.0f);
    scene.walls.periodic[0] = true;
    fill.velocity = bw_vec3(0.5f, 0.0f, 0.0f);
    body.damping = 4.0f;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.bodies = &body;
    scene.body_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 24);
    double t = 1.0, wanted = 0.5 * (1.0 - exp(-4.0 * t));
    gate("body_drag_speed", fabs(told_of(world, 0)->velocity[0] / wanted - 1.0), GATE_BELOW, 0.02);
    gate("body_neutral_rise_m", fabs(told_of(world, 0)->position[1] - 0.2), GATE_BELOW, 0.005);
    bw_world_destroy(world);
}

// Drag of any strength brings a body to the flow, and no farther: in water at rest it stays where it is, half
// in the air too.
static void drag_of_any_strength_holds(void **state)
{
    (void)state;
    const float dampings[] = {1e2f, 1e4f, 1e9f, 1e30f};
    for (int n = 0; n < 4; n++) {
        BwBodyDef body = body_of(bw_box(bw_vec3(-0.1f, -0.1f, -1.0f), bw_vec3(0.1f, 0.1f, 1.0f)), 500.0f,
                                 bw_vec3(0.5f, 0.45f, 0.0f));
        BwFillDef fill = fill_corner(1.0f, 0.5f, 1.0f);
        BwSceneDef scene = liquid_scene(2, 1.0f / 16.0f, BW_LIQUID_LEVELSET);
        set_box(&scene, 1.0f, 1.0f, 0.0f);
        body.rotation = bw_vec3(0.0f, 0.0f, 0.4f);
        body.damping = dampings[n];
        scene.fills = &fill;
        scene.fill_count = 1;
        scene.bodies = &body;
        scene.body_count = 1;
        BwWorld *world = make_world(&scene, 1);
        step_frames(world, 12);
        const BwBodyStats *told = told_of(world, 0);
        gate("body_damped_speed", hypot(told->velocity[0], told->velocity[1]), GATE_BELOW,
             fmax(2.0 * 9.81 / (double)dampings[n], 1e-5));
        gate("body_damped_spin", fabs(told->spin[2]), GATE_BELOW, fmax(2e2 / (double)dampings[n], 1e-4));
        bw_world_destroy(world);
    }
}

// A body of next to no mass, below the surface, is as light as air: it leaps no higher than one that is.
static void weightless_bodies_are_as_light_as_air(void **state)
{
    (void)state;
    double fastest[2] = {0.0, 0.0};
    for (int n = 0; n < 2; n++) {
        BwBodyDef body = body_of(bw_box(bw_vec3(-0.1f, -0.1f, -1.0f), bw_vec3(0.1f, 0.1f, 1.0f)), 1.205f,
                                 bw_vec3(0.5f, 0.45f, 0.0f));
        BwFillDef fill = fill_corner(1.0f, 0.5f, 1.0f);
        BwSceneDef scene = liquid_scene(2, 1.0f / 16.0f, BW_LIQUID_LEVELSET);
        set_box(&scene, 1.0f, 1.0f, 0.0f);
        if (n == 1) {
            body.mass = 1e-9f;
            body.material_density = bw_body_def_default().material_density;
        }
        scene.fills = &fill;
        scene.fill_count = 1;
        scene.bodies = &body;
        scene.body_count = 1;
        BwWorld *world = make_world(&scene, 1);
        for (int frame = 0; frame < 12; frame++) {
            step_frames(world, 1);
            fastest[n] = fmax(fastest[n], fabs(told_of(world, 0)->velocity[1]));
        }
        bw_world_destroy(world);
    }
    gate("body_weightless_speed", fastest[1] / fastest[0], GATE_BELOW, 1.01);
}

// Threads do not matter.
static void bodies_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    BwBodyDef bodies[2] = {body_of(can_of(0.06f, 0.14f), 500.0f, bw_vec3(0.15f, 0.4f, 0.2f)),
                           body_of(can_of(0.06f, 0.14f), 800.0f, bw_vec3(0.3f, 0.5f, 0.25f))};
    BwFillDef fill = fill_corner(0.25f, 0.4f, 0.5f);
    uint64_t hash[2];
    bodies[1].rotation = bw_vec3(0.4f, 0.2f, 0.9f);
    for (int n = 0; n < 2; n++) {
        BwSceneDef scene = tank_scene(3, 0.5f / 12.0f, &fill, bodies, 2);
        scene.liquid.method = BW_LIQUID_APIC;
        BwWorld *world = make_world(&scene, n == 0 ? 1 : 3);
        step_frames(world, 10);
        hash[n] = bw_frame_hash(frame_of(world));
        bw_world_destroy(world);
    }
    gate("body_threads_differ", hash[0] == hash[1] ? 0.0 : 1.0, GATE_BELOW, 0.0);
}

enum { CANS = 12, ALONG = 6, ACROSS = 4, SQUARES = ALONG * ACROSS };

static BwResult flow_kind(void *user, double time, float value[4], BwError *err)
{
    (void)user, (void)err;
    value[0] = (float)(time < 6.0 ? BW_WALL_INFLOW : BW_WALL_CLOSED);
    return BW_OK;
}

static BwResult flow_velocity(void *user, double time, float value[4], BwError *err)
{
    (void)user, (void)err;
    value[0] = (float)(0.9 * fmin(1.0, fmax(0.0, 6.0 - time)));
    value[1] = value[2] = 0.0f;
    return BW_OK;
}

// The half-metre square of the container that a place is in.
static int square_of(double x, double z)
{
    int i = (int)fmin(fmax(2.0 * x, 0.0), ALONG - 1.0), k = (int)fmin(fmax(2.0 * z, 0.0), ACROSS - 1.0);
    return ALONG * k + i;
}

// Adds the speed along the surface to each square, at points 10 cm apart.
static void add_speeds(const BwFrame *frame, double speed[SQUARES])
{
    BwError err = {0};
    for (int n = 0; n < 30 * 20; n++) {
        double at[3] = {0.05 + 0.1 * (n % 30), 0.95, 0.05 + 0.1 * (double)(n / 30)};
        float phi = 1.0f, u = 0.0f, w = 0.0f;
        while (at[1] > 0.0 && bw_frame_sample(frame, "phi", at, &phi, &err) == BW_OK && phi >= 0.0f)
            at[1] -= 0.1;
        bw_frame_sample(frame, "u", at, &u, &err);
        bw_frame_sample(frame, "w", at, &w, &err);
        speed[square_of(at[0], at[2])] += hypot((double)u, (double)w);
    }
}

// How many squares are slower than one.
static int rank_of(const double speed[SQUARES], int square)
{
    int slower = 0;
    for (int n = 0; n < SQUARES; n++)
        slower += speed[n] < speed[square];
    return slower;
}

// The paper's soda cans (figure 12): water flows into a container whose walls it sticks to, along all of one
// end, and is turned off; cans gather where it is slow. In the slowest third of the container a third would
// be by chance; twice as many are asked for.
static void cans_gather_where_the_water_is_slow(void **state)
{
    (void)state;
    BwBodyDef cans[CANS];
    BwFillDef fill = fill_of(bw_box(bw_vec3(0.0f, 0.0f, 0.0f), bw_vec3(3.0f, 0.3f, 2.0f)));
    BwObstacleDef post = solid_of(bw_cylinder(bw_vec3(1.6f, -0.1f, 0.9f), bw_vec3(1.6f, 0.75f, 0.9f), 0.15f));
    double speed[SQUARES] = {0};
    int gathered = 0;
    if (!IS_FULL)
        skip();
    for (int n = 0; n < CANS; n++) {
        cans[n] = body_of(can_of(0.1f, 0.34f), 350.0f,
                          bw_vec3(0.5f + 0.28f * (float)(n % 4), 0.4f, 0.35f + 0.35f * (float)(n / 4)));
        cans[n].damping = 2.0f;
        cans[n].rotation = bw_vec3(0.0f, 0.7f * (float)n, n % 3 > 0 ? 0.5f * (float)pi : 0.0f);
    }
    BwSceneDef scene = tank_scene(3, 0.1f, &fill, cans, CANS);
    set_box(&scene, 3.0f, 1.0f, 2.0f);
    scene.walls.slip = 0.0f;
    scene.walls.side[BW_LEFT].kind_curve = bw_curve_function(flow_kind, NULL, 1);
    scene.walls.side[BW_LEFT].velocity = bw_curve_function(flow_velocity, NULL, 3);
    scene.walls.side[BW_LEFT].part = bw_box(bw_vec3(-1.0f, 0.3f, 0.0f), bw_vec3(1.0f, 0.5f, 2.0f));
    scene.liquid.viscosity = bw_curve_number(1e-2f);
    scene.obstacles = &post;
    scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, 1);
    for (int n = 0; n < 36; n++) {
        step_frames(world, 8);
        add_speeds(frame_of(world), speed);
    }
    for (int n = 0; n < CANS; n++) {
        const double *place = told_of(world, n)->position;
        gathered += rank_of(speed, square_of(place[0], place[2])) < SQUARES / 3;
    }
    bw_world_destroy(world);
    gate("cans_in_slowest_third", (double)gathered / CANS, GATE_ABOVE, 2.0 / 3.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(free_fall_is_exact),
                                       cmocka_unit_test(a_tumbling_body_keeps_its_angular_momentum),
                                       cmocka_unit_test(a_can_floats_as_deep_as_its_density_asks),
                                       cmocka_unit_test(a_can_bobs_with_the_period_of_its_draft),
                                       cmocka_unit_test(bodies_stay_where_they_may),
                                       cmocka_unit_test(bodies_go_with_the_flow),
                                       cmocka_unit_test(drag_of_any_strength_holds),
                                       cmocka_unit_test(weightless_bodies_are_as_light_as_air),
                                       cmocka_unit_test(cans_gather_where_the_water_is_slow),
                                       cmocka_unit_test(bodies_are_the_same_for_any_number_of_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
