// A puff that a steady wind carries without losing mass or its way, at the origin and 1e5 cells from it;
// slots are reused.
#include "run.h"

#include <stdio.h>

#ifdef FULL_SIZE
enum { FURTHER_CELLS = 600 };
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

// Variance of the density along an axis after so many steps, in cells^2: that of the ball at the start, and
// what linear interpolation adds a step, f (1 - f) for a path that ends f of a cell beyond a sample.
static double variance_after(int steps, double cells_a_step, double radius)
{
    double f = cells_a_step - floor(cells_a_step);
    return radius * radius / 5.0 + steps * f * (1.0 - f);
}

static double clamped(double at, double low, double high)
{
    return at < low ? low : at > high ? high : at;
}

// Tiles within `envelope` cells of where a Gaussian of that mass and spread, centred on a tile's corner, is
// above a threshold.
static int gaussian_tiles(double mass, const double variance[3], double threshold, double envelope)
{
    double peak = mass / sqrt(pow(2.0 * 3.14159265, 3.0) * variance[0] * variance[1] * variance[2]);
    double spread = sqrt(2.0 * fmax(log(peak / threshold), 0.0)), axis[3];
    int count = 0, reach = 0;
    for (int a = 0; a < 3; a++) {
        axis[a] = spread * sqrt(variance[a]) + envelope;
        reach = (int)fmax(reach, axis[a] / 8.0 + 1.0);
    }
    for (int z = -reach; z <= reach; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                double sum = 0.0;
                const int tile[3] = {x, y, z};
                for (int a = 0; a < 3; a++) // the point of the tile that is nearest to the middle
                    sum += pow(clamped(0.0, 8.0 * tile[a], 8.0 * tile[a] + 8.0) / axis[a], 2.0);
                count += sum <= 1.0;
            }
    return count;
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
    double most_tiles = 0.0; // over those of the Gaussian that first-order diffusion makes of the puff
    for (int n = 1; n <= total; n++) {
        step_frames(world, 1);
        const BwStats *stats = bw_world_view_stats(world);
        slept += stats->removed[BW_REMOVED_SLEEP] / 1e-3;
        double variance[3];
        for (int a = 0; a < 3; a++)
            variance[a] = variance_after(n, (double)(wind[a] * courant), 4.5);
        double envelope = ceil((double)courant * 1.1) + 3.0; // as far as the step's paths reach
        int expected = gaussian_tiles(first_mass, variance, (double)scene.smoke.threshold, envelope);
        most_tiles = fmax(most_tiles, (double)stats->tiles / expected);
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
    snprintf(name, sizeof name, "puff_tiles_over_gaussian_%s_courant_%g_at_%g", method, (double)courant,
             (double)origin);
    gate(name, most_tiles, GATE_BELOW, 1.5);
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
