// Smoke against what physics says: buoyant acceleration, and a puff that a wind carries without losing mass
// or its way.
#include "run.h"

#include <stdio.h>
#include <stdlib.h>

// A warm column without ends (periodic along y) between cold air: nothing resists it, so it gains beta (T -
// T_ambient) each second.
static void a_warm_column_accelerates_as_it_should(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(2, 1.0f / 32.0f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.walls.periodic[1] = true;
    BwFillDef fill = bw_fill_def_default();
    fill.shape = (BwShape){
        .kind = BW_SHAPE_BOX, .a = bw_vec3(0.375f, -10.0f, -1.0f), .b = bw_vec3(0.625f, 10.0f, 1.0f)};
    fill.density = 0.0f;
    fill.temperature = 333.15f;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 6);
    const BwFrame *frame = frame_of(world);
    double beta = 9.81 / 293.15, expected = beta * 40.0 * frame->time;
    double up = (double)frame_value(frame, bw_frame_field(frame, "v"), 16, 10, 0);
    gate("buoyancy_relative_error", fabs(up / expected - 1.0), GATE_BELOW, 0.01);
    bw_world_destroy(world);
}

// Heavy smoke sinks with alpha times its density.
static void heavy_smoke_sinks(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(2, 1.0f / 32.0f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.walls.periodic[1] = true;
    scene.smoke.buoyancy_weight = 0.8f;
    BwFillDef fill = bw_fill_def_default();
    fill.shape = (BwShape){
        .kind = BW_SHAPE_BOX, .a = bw_vec3(0.375f, -10.0f, -1.0f), .b = bw_vec3(0.625f, 10.0f, 1.0f)};
    fill.density = 2.0f;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 6);
    const BwFrame *frame = frame_of(world);
    double up = (double)frame_value(frame, bw_frame_field(frame, "v"), 16, 10, 0);
    gate("weight_relative_error", fabs(up / (-0.8 * 2.0 * frame->time) - 1.0), GATE_BELOW, 0.01);
    bw_world_destroy(world);
}

static void centre_of_smoke(const BwFrame *frame, double centre[3], double *mass)
{
    const BwFrameField *density = bw_frame_field(frame, "density");
    *mass = centre[0] = centre[1] = centre[2] = 0.0;
    for (int32_t tile = 0; tile < frame->tile_count; tile++)
        for (int n = 0; n < 512; n++) {
            double value = (double)density->values[(size_t)tile * 512 + (size_t)n];
            centre[0] += value * (frame->tiles[tile].x * 8 + n % 8 + 0.5);
            centre[1] += value * (frame->tiles[tile].y * 8 + n / 8 % 8 + 0.5);
            centre[2] += value * (frame->tiles[tile].z * 8 + n / 64 + 0.5);
            *mass += value;
        }
    for (int a = 0; a < 3; a++)
        centre[a] /= *mass;
}

// A puff in a steady wind, far from any wall: it keeps its mass but for what sleeping tiles took, and arrives
// where the wind says. `origin` in cells.
static void check_puff(float courant, float origin, int far, bool full)
{
    BwSceneDef scene = smoke_scene(3, 0.1f);
    const float wind[3] = {1.0f, 0.37f, 0.21f};
    scene.smoke.wind = bw_curve_vector(wind[0], wind[1], wind[2]);
    scene.smoke.buoyancy_weight = 0.0f;
    scene.smoke.threshold = 1e-4f;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    // One step a frame, so that the Courant number is what it says.
    scene.fps = (double)(1.0f / (courant * scene.cell));
    scene.steps = 1;
    BwFillDef fill = bw_fill_def_default();
    fill.shape = ball(0.1f * (origin + 0.3f), 0.1f * (origin - 0.2f), -0.1f * origin, 0.8f);
    fill.velocity = bw_vec3(wind[0], wind[1], wind[2]);
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 2);
    double start[3], end[3], first_mass, mass, slept = 0.0;
    centre_of_smoke(frame_of(world), start, &first_mass);
    int steps = (int)(200.0f / courant) + 1, total = full ? (int)((float)far / courant) : steps;
    double worst_centre = 0.0, balance = 0.0, loss = 0.0;
    int64_t most_tiles = 0, early_tiles = 0;
    for (int n = 1; n <= total; n++) {
        step_frames(world, 1);
        const BwStats *stats = bw_world_view_stats(world);
        slept += stats->removed[BW_REMOVED_SLEEP] / 1e-3;
        early_tiles = n <= steps && stats->tiles > early_tiles ? stats->tiles : early_tiles;
        most_tiles = stats->tiles > most_tiles ? stats->tiles : most_tiles;
        if (n != steps)
            continue;
        centre_of_smoke(frame_of(world), end, &mass);
        loss = 1.0 - mass / first_mass;
        balance = fabs(first_mass - mass - slept) / first_mass;
        for (int a = 0; a < 3; a++)
            worst_centre = fmax(worst_centre, fabs(end[a] - start[a] - (double)(wind[a] * courant) * n));
    }
    char name[96];
    snprintf(name, sizeof name, "puff_mass_loss_courant_%g_at_%g", (double)courant, (double)origin);
    gate(name, fabs(loss), GATE_BELOW, 0.005);
    snprintf(name, sizeof name, "puff_balance_courant_%g_at_%g", (double)courant, (double)origin);
    gate(name, balance, GATE_BELOW, 0.0005);
    snprintf(name, sizeof name, "puff_centre_cells_courant_%g_at_%g", (double)courant, (double)origin);
    gate(name, worst_centre, GATE_BELOW, 0.25);
    snprintf(name, sizeof name, "puff_tiles_growth_courant_%g_at_%g", (double)courant, (double)origin);
    gate(name, (double)most_tiles / (double)early_tiles, GATE_BELOW, 2.5);
    bw_world_destroy(world);
}

static void a_puff_rides_the_wind(void **state)
{
    (void)state;
    const float courants[] = {0.7f, 2.3f}, origins[] = {-37.0f, 1e5f};
    for (int n = 0; n < 2; n++)
        for (int k = 0; k < 2; k++)
            check_puff(courants[n], origins[k], 2200, getenv("BW_TEST_FULL") != NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warm_column_accelerates_as_it_should),
        cmocka_unit_test(heavy_smoke_sinks),
        cmocka_unit_test(a_puff_rides_the_wind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
