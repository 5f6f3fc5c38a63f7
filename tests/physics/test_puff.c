// A puff that a steady wind carries without losing mass or its way, at the origin and 1e5 cells from it;
// slots are reused.
#include "run.h"

#include <stdio.h>

#ifdef FULL_SIZE
enum { FURTHER_CELLS = 2000 };
#else
enum { FURTHER_CELLS = 0 };
#endif

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
static void check_puff(float courant, float origin, BwAdvection advection)
{
    BwSceneDef scene = smoke_scene(3, 0.1f);
    const float wind[3] = {1.0f, 0.37f, 0.21f};
    scene.smoke.wind = bw_curve_vector(wind[0], wind[1], wind[2]);
    scene.smoke.buoyancy_weight = 0.0f;
    scene.smoke.threshold = 1e-4f; // what flows out past the rim is thinner than this, and not counted
    scene.smoke.advection = advection;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    // One step a frame, so that the Courant number is what it says.
    scene.fps = (double)(1.0f / (courant * scene.cell));
    scene.steps = 1;
    BwFillDef fill = bw_fill_def_default();
    fill.shape = ball(0.1f * (origin + 0.3f), 0.1f * (origin - 0.2f), -0.1f * origin, 0.45f);
    fill.velocity = bw_vec3(wind[0], wind[1], wind[2]);
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 2);
    double start[3], end[3], first_mass, mass, slept = 0.0;
    centre_of_smoke(frame_of(world), start, &first_mass);
    int steps = (int)(200.0f / courant) + 1, total = steps + (int)((float)FURTHER_CELLS / courant);
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
    const char *method = advection == BW_ADVECT_MACCORMACK ? "maccormack" : "semi_lagrangian";
    snprintf(name, sizeof name, "puff_mass_loss_%s_courant_%g_at_%g", method, (double)courant,
             (double)origin);
    gate(name, fabs(loss), GATE_BELOW, 0.005);
    snprintf(name, sizeof name, "puff_balance_%s_courant_%g_at_%g", method, (double)courant, (double)origin);
    gate(name, balance, GATE_BELOW, 0.0005);
    snprintf(name, sizeof name, "puff_centre_cells_%s_courant_%g_at_%g", method, (double)courant,
             (double)origin);
    gate(name, worst_centre, GATE_BELOW, 0.25);
    snprintf(name, sizeof name, "puff_tiles_growth_%s_courant_%g_at_%g", method, (double)courant,
             (double)origin);
    gate(name, (double)most_tiles / (double)early_tiles, GATE_BELOW, 2.5);
    bw_world_destroy(world);
}

static void a_puff_rides_the_wind(void **state)
{
    (void)state;
    check_puff(0.7f, -37.0f, BW_ADVECT_SEMI_LAGRANGIAN);
    check_puff(2.3f, 1e5f, BW_ADVECT_SEMI_LAGRANGIAN);
#ifdef FULL_SIZE
    check_puff(0.7f, 1e5f, BW_ADVECT_SEMI_LAGRANGIAN);
    check_puff(2.3f, -37.0f, BW_ADVECT_SEMI_LAGRANGIAN);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_puff_rides_the_wind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
