// Open sides of a box: what leaves is not held up and is accounted for, and what stands or blows beside them
// does no harm.
#include "open_plume.h"

// A ball that leaves less than a cell between itself and the open top, over a hot source.
static void a_solid_beside_an_open_side_stays_calm(void **state)
{
    (void)state;
    for (int n = 0; n < 3; n++) {
        Plume plume;
        plume_create(&plume, 2, 32, TOP, 1.0f, 1.0f);
        plume.emitter.temperature = bw_curve_number(800.0f);
        BwObstacleDef solid = bw_obstacle_def_default();
        solid.shape = ball(0.25f, 0.94f - 0.25f * (float)n / 32.0f, 0.0f, 0.06f);
        plume.scene.obstacles = &solid;
        plume.scene.obstacle_count = 1;
        char name[100];
        snprintf(name, sizeof name, "open_side_%g_cells_from_a_ball_fastest", 0.25 * n);
        gate(name, fastest_of(&plume.scene, 100), GATE_BELOW, 10.0); // sqrt(2 (500 / 293) g 1 m) is 5.8 m/s
    }
}

// A fan draws 3 m/s times the height of its side, less its corner, out of the box. What comes in through the
// open top is as much, wherever the box ends on the tiles.
static void a_fan_beside_an_open_side_stays_calm(void **state)
{
    (void)state;
    const int cells[] = {16, 20, 12};
    for (int n = 0; n < 3; n++) {
        BwSceneDef scene = smoke_scene(2, 1.0f / 16.0f);
        set_box(&scene, 1.0f, (float)cells[n] / 16.0f, 0.0f);
        scene.walls.side[BW_TOP].kind = BW_WALL_OPEN;
        scene.walls.side[BW_LEFT].kind = BW_WALL_INFLOW;
        scene.walls.side[BW_LEFT].velocity = bw_curve_vector(-3.0f, 0.0f, 0.0f);
        BwFillDef fill = bw_fill_def_default();
        fill.shape = ball(0.5f, 0.5f, 0.0f, 0.12f);
        scene.fills = &fill;
        scene.fill_count = 1;
        char name[100];
        snprintf(name, sizeof name, "open_side_%d_cells_up_beside_a_fan_fastest", cells[n]);
        gate(name, fastest_of(&scene, 60), GATE_BELOW, 10.0);
    }
}

// A stream along x with an isolated vortex in it (Taylor 1918: no circulation far away).
typedef struct Vortex {
    float stream, swirl; // m/s: of the stream, and the fastest of the vortex
    BwVec3 center;
    float radius; // m, where it is fastest
} Vortex;

static BwResult vortex_flow(void *user, BwVec3 point, float value[4], BwError *err)
{
    (void)err;
    const Vortex *vortex = user;
    float x = (point.x - vortex->center.x) / vortex->radius,
          y = (point.y - vortex->center.y) / vortex->radius;
    float swirl = vortex->swirl * expf(0.5f * (1.0f - x * x - y * y));
    value[0] = vortex->stream - swirl * y;
    value[1] = swirl * x;
    value[2] = 0.0f;
    return BW_OK;
}

// Of the velocity less the stream, m^4/s^2.
static double swirl_energy(const BwFrame *frame, double stream)
{
    const BwFrameField *u = bw_frame_field(frame, "u"), *v = bw_frame_field(frame, "v");
    const BwFrameField *fluid = bw_frame_field(frame, "fluid");
    double sum = 0.0;
    for (int64_t n = 0; n < frame->tile_count * 64 * frame->layers; n++)
        if (fluid->values[n] > 0.0f)
            sum += pow((double)u->values[n] - stream, 2.0) + pow((double)v->values[n], 2.0);
    return 0.5 * sum * pow((double)frame->cell_size, 2.0);
}

static void vortex_leaves(float swirl, float cfl, BwAdvection advection, const char *name)
{
    BwSceneDef scene = smoke_scene(2, 1.0f / 48.0f);
    set_box(&scene, 2.0f, 1.0f, 0.0f);
    scene.cfl = cfl;
    scene.fps = 24;
    scene.smoke.advection = advection;
    for (int side = 0; side < 4; side++)
        scene.walls.side[side].kind = BW_WALL_OPEN;
    Vortex vortex = {1.0f, swirl, bw_vec3(1.2f, 0.5f, 0.0f), 0.1f};
    scene.initial.velocity = (BwPlaceCurve){vortex_flow, &vortex};
    BwWorld *world = make_world(&scene, 1);
    double start = swirl_energy(frame_of(world), 1.0);
    step_frames(world, 36); // 1.5 m
    char gate_name[100];
    snprintf(gate_name, sizeof gate_name, "vortex_%g_of_the_stream_%s_cfl_%g_energy_left", (double)swirl,
             name, (double)cfl);
    gate(gate_name, swirl_energy(frame_of(world), 1.0) / start, GATE_BELOW, 0.05);
    bw_world_destroy(world);
}

static void vortices_leave(void **state)
{
    (void)state;
    const char *names[] = {"semi_lagrangian", "cubic", "maccormack", "reflection"};
    for (int n = 1; n < 4; n++) {
        vortex_leaves(0.3f, 2.0f, (BwAdvection)n, names[n]);
        vortex_leaves(1.0f, 2.0f, (BwAdvection)n, names[n]);
    }
    vortex_leaves(1.0f, 0.5f, BW_ADVECT_MACCORMACK, names[2]);
    vortex_leaves(2.0f, 1.0f, BW_ADVECT_MACCORMACK, names[2]);
}

// The balance of a world's smoke from its start on, m^3.
typedef struct Balance {
    double given;         // there at the start, and emitted
    double gone, through; // removed for any reason; of that, through open sides
} Balance;

static Balance balance_at_start(const BwWorld *world)
{
    return (Balance){.given = bw_world_view_stats(world)->mass};
}

static void step_and_count(BwWorld *world, Balance *balance)
{
    step_frames(world, 1);
    const BwStats *stats = bw_world_view_stats(world);
    balance->given += stats->emitted;
    balance->through += stats->removed[BW_REMOVED_OPEN];
    for (int n = 0; n < BW_REMOVED_COUNT; n++)
        balance->gone += stats->removed[n];
}

// What is neither there nor accounted for, over all that was given.
static double lost_share(const BwWorld *world, const Balance *balance)
{
    return fabs(balance->given - balance->gone - bw_world_view_stats(world)->mass) / balance->given;
}

// How much of a disc lies beyond a line that is so far beyond its middle, in radii.
static double share_beyond(double line)
{
    if (fabs(line) >= 1.0)
        return line > 0.0 ? 0.0 : 1.0;
    return (acos(line) - line * sqrt(1.0 - line * line)) / acos(-1.0);
}

// A disc of smoke in an even stream of 1 m/s passes the right side as its shape tells.
static void disc_leaves(BwWallKind kind, float temperature, BwAdvection advection, const char *name)
{
    static Vortex stream = {.stream = 1.0f, .radius = 1.0f};
    BwSceneDef scene = smoke_scene(2, 1.0f / 32.0f);
    set_box(&scene, 2.0f, 1.0f, 0.0f);
    scene.fps = 24;
    scene.smoke.advection = advection;
    scene.smoke.buoyancy_weight = scene.smoke.buoyancy_heat = 0.0f;
    scene.smoke.wind = bw_curve_vector(1.0f, 0.0f, 0.0f);
    scene.walls.side[BW_LEFT].kind = BW_WALL_INFLOW;
    scene.walls.side[BW_LEFT].velocity = bw_curve_vector(1.0f, 0.0f, 0.0f);
    scene.walls.side[BW_RIGHT].kind = kind;
    if (temperature > 0.0f)
        scene.walls.side[BW_RIGHT].temperature = bw_curve_number(temperature);
    scene.initial.velocity = (BwPlaceCurve){vortex_flow, &stream};
    BwFillDef fill = bw_fill_def_default();
    fill.shape = ball(1.2f, 0.5f, 0.0f, 0.25f);
    fill.velocity = bw_vec3(1.0f, 0.0f, 0.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    Balance balance = balance_at_start(world);
    double apart = 0.0, lost = 0.0, early = 0.0;
    for (int n = 1; n <= 36; n++) {
        step_and_count(world, &balance);
        double there = share_beyond((0.8 - n / 24.0) / 0.25);
        apart = fmax(apart, fabs(balance.through / balance.given - there));
        lost = fmax(lost, lost_share(world, &balance));
        early = n <= 12 ? fmax(early, fabs(balance.through) / balance.given) : early;
    }
    char gate_name[100];
    snprintf(gate_name, sizeof gate_name, "disc_through_%s_left_off_by", name);
    gate(gate_name, apart, GATE_BELOW, 0.06);
    snprintf(gate_name, sizeof gate_name, "disc_through_%s_not_accounted_for", name);
    gate(gate_name, lost, GATE_BELOW, 1e-4);
    snprintf(gate_name, sizeof gate_name, "disc_through_%s_left_before_it_came", name);
    gate(gate_name, early, GATE_BELOW, 1e-4);
    gate("disc_left_behind", bw_world_view_stats(world)->mass / balance.given, GATE_BELOW, 0.01);
    bw_world_destroy(world);
}

static void what_leaves_is_counted(void **state)
{
    (void)state;
    disc_leaves(BW_WALL_OPEN, 0.0f, BW_ADVECT_MACCORMACK, "open_maccormack");
    disc_leaves(BW_WALL_OPEN, 300.0f, BW_ADVECT_MACCORMACK, "open_warm_maccormack");
    disc_leaves(BW_WALL_OUTFLOW, 0.0f, BW_ADVECT_CUBIC, "outflow_cubic");
    disc_leaves(BW_WALL_OUTFLOW, 0.0f, BW_ADVECT_REFLECTION, "outflow_reflection");
}

// Plumes out of an emitter: all that came is there or was counted on its way out, but in a closed box, where
// nothing is said to leave.
static void plumes_are_accounted_for(void **state)
{
    (void)state;
    const Opening openings[] = {TOP, SIDES, OUTFLOW_ALL, UNBOUNDED, CLOSED};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int n = 0; n < 5; n++) {
            Plume plume;
            plume_create(&plume, dimension, dimension == 2 ? 24 : 12, openings[n], 1.0f, 1.0f);
            plume.scene.smoke.threshold = 0.01f;
            BwWorld *world = make_world(&plume.scene, 2);
            Balance balance = balance_at_start(world);
            for (int frame = 0; frame < 60; frame++)
                step_and_count(world, &balance);
            char name[100];
            snprintf(name, sizeof name, "plume_%s_%dd_not_accounted_for", opening_names[openings[n]],
                     dimension);
            gate(name, lost_share(world, &balance), GATE_BELOW, 0.01);
            if (openings[n] == CLOSED)
                assert_true(balance.through == 0.0);
            if (openings[n] == TOP)
                gate("plume_out_of_the_top_left", balance.through / balance.given, GATE_ABOVE, 0.1);
            bw_world_destroy(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vortices_leave),
        cmocka_unit_test(what_leaves_is_counted),
        cmocka_unit_test(plumes_are_accounted_for),
        cmocka_unit_test(a_solid_beside_an_open_side_stays_calm),
        cmocka_unit_test(a_fan_beside_an_open_side_stays_calm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
