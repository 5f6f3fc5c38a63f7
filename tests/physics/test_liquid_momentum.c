// Liquid in free space: a ball falls as it must, drops that meet keep their momentum, and a drop that spins
// keeps its angular momentum over a turn.
#include "liquid_run.h"

#include <stdio.h>

#ifdef FULL_SIZE
static const float cells = 64.0f;
#else
static const float cells = 24.0f;
#endif

static void gate_method(const char *what, int dimension, BwLiquidMethod method, double value, double bound)
{
    char name[96];
    snprintf(name, sizeof name, "liquid_%s_%dd_%s", what, dimension, method_name(method));
    gate(name, value, GATE_BELOW, bound);
}

// Scattered particles find their places on the way, which moves the centre by some hundredths of a cell: that
// is gated in cells.
static void gate_free_fall(int dimension, BwLiquidMethod method, BwLiquidSeeding seeding)
{
    bool is_lattice = seeding == BW_SEEDING_LATTICE;
    BwSceneDef scene = liquid_scene(dimension, 1.0f / cells, method);
    BwFillDef fill = fill_of(ball(0.03f, 0.02f, dimension == 3 ? 0.01f : 0.0f, 0.2f));
    double worst = 0.0, wobble = 0.0, moved = 0.0;
    fill.velocity = bw_vec3(0.7f, 1.0f, 0.0f);
    scene.liquid.seeding = seeding;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    WaterSums start = water_sums(frame_of(world));
    for (int n = 1; n <= 16; n++) {
        step_frames(world, 1);
        const BwFrame *frame = frame_of(world);
        WaterSums now = water_sums(frame);
        double t = frame->time, fall = 0.5 * liquid_gravity * t * t;
        double error =
            hypot(now.center[0] - start.center[0] - 0.7 * t, now.center[1] - start.center[1] - t + fall);
        worst = worse(worst, n >= 8 ? error / fall : 0.0);
        moved = worse(moved, error * (double)cells);
        wobble = fmax(wobble, fabs(now.spin));
        assert_true(fabs(now.volume / start.volume - 1.0) < 1e-6);
    }
    if (is_lattice)
        gate_method("free_fall_error", dimension, method, worst, 1e-4);
    else
        gate_method("free_fall_jittered_cells", dimension, method, moved, 0.05);
    gate_method("free_fall_spin", dimension, method, wobble / (0.2 * 0.7), 1e-3);
    bw_world_destroy(world);
}

static void a_ball_falls_as_it_must(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int seeding = BW_SEEDING_JITTERED; seeding <= BW_SEEDING_LATTICE; seeding++) {
            gate_free_fall(dimension, BW_LIQUID_APIC, (BwLiquidSeeding)seeding);
            gate_free_fall(dimension, BW_LIQUID_FLIP, (BwLiquidSeeding)seeding);
        }
}

// Drops down to a part of a cell fall as large ones do: where the grid falls too, no particle above the
// surface falls besides.
static void tiny_drops_fall_as_large_ones(void **state)
{
    (void)state;
    const float radii[] = {0.36f, 0.5f, 0.8f, 1.3f}; // cells
    const BwLiquidMethod methods[] = {BW_LIQUID_APIC, BW_LIQUID_FLIP, BW_LIQUID_MARKERS};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int m = 0; m < 3; m++) {
            double worst = 0.0;
            for (int r = 0; r < 4; r++) {
                BwSceneDef scene = liquid_scene(dimension, 1.0f / cells, methods[m]);
                BwFillDef fill = fill_of(ball(0.01f, 0.0f, 0.0f, radii[r] / cells));
                scene.fills = &fill;
                scene.fill_count = 1;
                BwWorld *world = make_world(&scene, 1);
                WaterSums start = water_sums(frame_of(world));
                assert_true(start.volume > 0.0);
                step_frames(world, 12);
                double t = frame_of(world)->time, fall = 0.5 * liquid_gravity * t * t;
                worst = worse(worst,
                              fabs((start.center[1] - water_sums(frame_of(world)).center[1]) / fall - 1.0));
                bw_world_destroy(world);
            }
            gate_method("tiny_drops_fall_error", dimension, methods[m], worst, 1e-4);
        }
}

// However far a drop falls, it is gravity that makes it fast.
static void a_long_fall_is_no_runaway(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / 16.0f, BW_LIQUID_APIC);
    BwFillDef fill = fill_of(ball(0.0f, 0.0f, 0.0f, 0.2f));
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    for (int n = 0; n < 72; n++) {
        step_frames(world, 1);
        assert_false(bw_world_view_stats(world)->runaway.is_found);
    }
    gate("liquid_long_fall_speed", (double)bw_world_view_stats(world)->max_speed, GATE_ABOVE, 25.0);
    bw_world_destroy(world);
}

// Two drops that meet, moved by a part of a cell: how much of the momentum of all particles the worst frame
// of so many has gained or lost.
static double momentum_lost(BwSceneDef *scene, float moved, int frames, double *energy)
{
    float x = moved * scene->cell, y = 0.61f * x;
    BwFillDef fills[2] = {fill_of(ball(x, y, 0.0f, 0.2f)), fill_of(ball(0.55f + x, 0.1f + y, 0.0f, 0.16f))};
    double worst = 0.0;
    fills[0].velocity = bw_vec3(2.0f, 0.3f, 0.0f);
    scene->gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene->liquid.seeding = BW_SEEDING_JITTERED;
    scene->fills = fills;
    scene->fill_count = 2;
    BwWorld *world = make_world(scene, 1);
    WaterSums start = water_sums(frame_of(world)), now = start;
    for (int n = 0; n < frames; n++) {
        step_frames(world, 1);
        now = water_sums(frame_of(world));
        worst = worse(worst, hypot(now.velocity[0] - start.velocity[0], now.velocity[1] - start.velocity[1]));
    }
    *energy = now.kinetic / start.kinetic;
    bw_world_destroy(world);
    return worst / hypot(start.velocity[0], start.velocity[1]);
}

// Pressure alone could change it, and is between the drops (operate/free_bodies.h).
static void gate_meeting(int dimension, BwLiquidMethod method)
{
    BwSceneDef scene = liquid_scene(dimension, 1.0f / cells, method);
    double energy, lost = momentum_lost(&scene, 0.0f, 12, &energy);
    gate_method("drops_that_meet_momentum", dimension, method, lost, 1e-4);
    // They did meet: as one they have less energy than before.
    gate_method("drops_that_meet_energy", dimension, method, energy, 0.97);
}

static void drops_that_meet_keep_their_momentum(void **state)
{
    (void)state;
    gate_meeting(2, BW_LIQUID_APIC);
    gate_meeting(2, BW_LIQUID_FLIP);
    gate_meeting(3, BW_LIQUID_APIC);
    gate_meeting(3, BW_LIQUID_FLIP);
}

// Along x, of the particles below 0.85 m.
static double lower_momentum(const BwFrame *frame)
{
    const BwFrameParticles *water = water_of(frame);
    double sum = 0.0;
    for (int64_t p = 0; p < water->count; p++) {
        double place[3];
        bw_frame_particle_place(frame, water, p, place);
        if (place[1] < 0.85)
            sum += (double)water_volumes(water)[p] * (double)water_velocities(water)[3 * p];
    }
    return sum;
}

// Root of the mean square over places of the drops in their cells.
static double typical_momentum_lost(int resolution)
{
    enum { PLACES = 8 };
    double sum = 0.0, energy;
    for (int n = 0; n < PLACES; n++) {
        BwSceneDef scene = liquid_scene(2, 1.0f / (float)resolution, BW_LIQUID_APIC);
        scene.cfl = 0.5f; // at once, and not after they have run into each other
        scene.seed = (uint64_t)n + 1;
        double lost = momentum_lost(&scene, 0.37f * (float)n, 4, &energy);
        sum += lost * lost;
    }
    return sqrt(sum / PLACES);
}

static void so_they_do_wherever_they_are(void **state)
{
    (void)state;
    gate("liquid_drops_that_meet_momentum_coarse", typical_momentum_lost(16), GATE_BELOW, 1e-4);
    gate("liquid_drops_that_meet_momentum_fine", typical_momentum_lost(IS_FULL ? 64 : 32), GATE_BELOW, 1e-4);
}

// Two pairs of drops meet at about the same time, far from each other: neither
// pair gets anything of what the other one does.
static void pairs_keep_their_own(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / 24.0f, BW_LIQUID_APIC);
    BwFillDef fills[4] = {fill_of(ball(0.0f, 0.0f, 0.0f, 0.2f)), fill_of(ball(0.55f, 0.1f, 0.0f, 0.16f)),
                          fill_of(ball(0.0f, 1.7f, 0.0f, 0.18f)), fill_of(ball(0.55f, 1.5f, 0.0f, 0.16f))};
    fills[0].velocity = bw_vec3(2.0f, 0.0f, 0.0f);
    fills[2].velocity = bw_vec3(1.5f, -0.2f, 0.0f);
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.fills = fills;
    scene.fill_count = 4;
    BwWorld *world = make_world(&scene, 1);
    double start = lower_momentum(frame_of(world)), worst = 0.0;
    for (int n = 0; n < 8; n++) {
        step_frames(world, 1);
        worst = worse(worst, fabs(lower_momentum(frame_of(world)) / start - 1.0));
    }
    gate("liquid_pairs_keep_their_own_momentum", worst, GATE_BELOW, 1e-4);
    bw_world_destroy(world);
}

static const float turns_a_second = 1.0f;

static BwResult rigid_turn(void *user, BwVec3 point, float value[4], BwError *err)
{
    (void)user, (void)err;
    float omega = 6.28318531f * turns_a_second;
    value[0] = -omega * (point.y - 0.02f);
    value[1] = omega * (point.x - 0.01f);
    value[2] = 0.0f;
    return BW_OK;
}

// In steps as long as cfl allows, and in those of a thousandth of a turn.
static void gate_spin(int dimension, BwLiquidMethod method, int steps, double bound)
{
    char name[96];
    BwSceneDef scene = liquid_scene(dimension, 1.0f / cells, method);
    BwFillDef fill = fill_of(ball(0.01f, 0.02f, 0.0f, 0.4f));
    double worst = 0.0;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.steps = steps;
    scene.initial.velocity.function = rigid_turn;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    WaterSums start = water_sums(frame_of(world)), now = start;
    for (int n = 0; n < 24; n++) { // one turn
        step_frames(world, 1);
        now = water_sums(frame_of(world));
        worst = fmax(worst, fabs(now.spin / start.spin - 1.0));
    }
    snprintf(name, sizeof name, "liquid_spin_lost_%dd_%s_%s", dimension, method_name(method),
             steps == 0 ? "cfl_2" : "short_steps");
    gate(name, worst, GATE_BELOW, bound);
    printf("kinetic energy after a turn: %.4f of that of the start\n", now.kinetic / start.kinetic);
    bw_world_destroy(world);
}

static void a_drop_that_spins_keeps_its_angular_momentum(void **state)
{
    (void)state;
    gate_spin(2, BW_LIQUID_APIC, 42, 0.02);
    gate_spin(2, BW_LIQUID_APIC, 0, 0.02);
    gate_spin(2, BW_LIQUID_FLIP, 0, 0.05);
    gate_spin(3, BW_LIQUID_APIC, 0, 0.02);
    if (IS_FULL)
        gate_spin(3, BW_LIQUID_FLIP, 0, 0.05);
}

static BwResult flying_turn(void *user, BwVec3 point, float value[4], BwError *err)
{
    rigid_turn(user, point, value, err);
    value[0] += 2.0f;
    return BW_OK;
}

// Spinning or not, it flies straight on: particles that follow the velocity at the start of a step, as if it
// stood still meanwhile, are led aside by dt/2 omega x U.
static void a_drop_that_spins_flies_straight_on(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / cells, BW_LIQUID_APIC);
    BwFillDef fill = fill_of(ball(0.01f, 0.02f, 0.0f, 0.4f));
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.initial.velocity.function = flying_turn;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    WaterSums start = water_sums(frame_of(world));
    step_frames(world, 12);
    WaterSums now = water_sums(frame_of(world));
    gate("liquid_flying_spin_aside", fabs(now.center[1] - start.center[1]), GATE_BELOW, 0.01 * 2.0 * 0.5);
    gate("liquid_flying_spin_behind", fabs(now.center[0] - start.center[0] - 2.0 * 0.5), GATE_BELOW, 0.01);
    gate("liquid_flying_spin_lost", fabs(now.spin / start.spin - 1.0), GATE_BELOW, 0.02);
    bw_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_ball_falls_as_it_must),
                                       cmocka_unit_test(tiny_drops_fall_as_large_ones),
                                       cmocka_unit_test(a_long_fall_is_no_runaway),
                                       cmocka_unit_test(drops_that_meet_keep_their_momentum),
                                       cmocka_unit_test(so_they_do_wherever_they_are),
                                       cmocka_unit_test(pairs_keep_their_own),
                                       cmocka_unit_test(a_drop_that_spins_keeps_its_angular_momentum),
                                       cmocka_unit_test(a_drop_that_spins_flies_straight_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
