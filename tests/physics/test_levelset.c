// Water carried by a level set, alone and with particles: it stays at rest, keeps its volume when it sloshes
// whatever the step, its dam breaks as measured, in long steps too, what is poured fills the vessel, a drop
// falls as one does, its surface tension presses as it should, a spring in the air is born at rest, and a
// thin puddle stays.
#include "liquid_run.h"
#include "state_file.h"

#include <billow/cache.h>

#ifdef FULL_SIZE
enum { CELLS = 64, DAM_CELLS = 64, DAM_SECONDS = 10 };
#else
enum { CELLS = 32, DAM_CELLS = 32, DAM_SECONDS = 3 };
#endif

static BwStats stats_of(BwWorld *world)
{
    return *bw_world_view_stats(world);
}

static void stay_at_rest(int dimension, bool has_solid)
{
    BwSceneDef scene = liquid_scene(dimension, 1.0f / 16.0f, BW_LIQUID_PARTICLE_LEVELSET);
    BwFillDef fill = fill_corner(2.0f, 0.4123f, 2.0f);
    BwObstacleDef ball_on_floor = solid_of(ball(0.5f, 0.1f, dimension == 3 ? 0.5f : 0.0f, 0.2f));
    char name[64];
    set_box(&scene, 1.0f, 1.0f, dimension == 3 ? 1.0f : 0.0f);
    scene.solver.tolerance = 1e-8f;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.obstacles = &ball_on_floor;
    scene.obstacle_count = has_solid;
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, dimension == 3 ? 6 : 24);
    snprintf(name, sizeof name, "levelset_rest_speed_%dd%s", dimension, has_solid ? "_ball" : "");
    gate(name, (double)stats_of(world).max_speed / sqrt(liquid_gravity * 0.4123), GATE_BELOW, 1e-6);
    snprintf(name, sizeof name, "levelset_rest_volume_%dd%s", dimension, has_solid ? "_ball" : "");
    gate(name, fabs(stats_of(world).volume_drift), GATE_BELOW, 1e-4);
    bw_world_destroy(world);
}

static void water_at_rest_stays(void **state)
{
    (void)state;
    stay_at_rest(2, false);
    stay_at_rest(2, true);
    stay_at_rest(3, false);
    stay_at_rest(3, true);
}

// A wave across a tank, without any correction of its volume.
static double slosh(BwLiquidMethod method, BwSurfaceAdvection advection, float cfl)
{
    BwSceneDef scene = liquid_scene(2, 1.0f / CELLS, method);
    BwFillDef fill = fill_of(bw_plane(bw_vec3(0.5f, 0.4f, 0.0f), bw_vec3(0.3f, 1.0f, 0.0f)));
    double worst = 0.0;
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.cfl = cfl;
    scene.liquid.advection = advection;
    scene.liquid.volume_correction = 0.0f;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 2);
    for (int n = 0; n < 48; n++) {
        step_frames(world, 1);
        worst = fmax(worst, fabs(stats_of(world).volume_drift));
    }
    bw_world_destroy(world);
    return worst;
}

// Asked are 2% in calm cases. Long steps lose no more than short ones, for what rises enters air whose
// velocity has no divergence.
static void sloshing_keeps_its_volume(void **state)
{
    (void)state;
    gate("levelset_slosh_volume", slosh(BW_LIQUID_LEVELSET, BW_SURFACE_WENO, 2.0f), GATE_BELOW, 0.01);
    gate("levelset_slosh_volume_short_steps", slosh(BW_LIQUID_LEVELSET, BW_SURFACE_WENO, 0.5f), GATE_BELOW,
         0.01);
    gate("levelset_slosh_volume_traced", slosh(BW_LIQUID_LEVELSET, BW_SURFACE_MACCORMACK, 2.0f), GATE_BELOW,
         0.01);
    gate("particle_levelset_slosh_volume", slosh(BW_LIQUID_PARTICLE_LEVELSET, BW_SURFACE_WENO, 2.0f),
         GATE_BELOW, 0.01);
}

// What a dam break has lost when it is over, and at worst.
static double break_dam(float correction, double *worst)
{
    BwSceneDef scene = liquid_scene(2, 1.0f / DAM_CELLS, BW_LIQUID_PARTICLE_LEVELSET);
    BwFillDef fill = fill_corner(0.5f, 0.75f, 1.0f);
    set_box(&scene, 2.0f, 1.0f, 0.0f);
    scene.liquid.volume_correction = correction;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 2);
    *worst = 0.0;
    for (int n = 0; n < 24 * DAM_SECONDS; n++) {
        step_frames(world, 1);
        *worst = fmax(*worst, fabs(stats_of(world).volume_drift));
    }
    double drift = stats_of(world).volume_drift;
    bw_world_destroy(world);
    return drift;
}

static void a_splash_gets_its_volume_back(void **state)
{
    (void)state;
    double worst, drift = break_dam(0.0f, &worst);
    gate_wanted("levelset_dam_lost_alone", fabs(drift), 0.25, 0.1);
    drift = break_dam(0.5f, &worst);
    gate("levelset_dam_lost", fabs(drift), GATE_BELOW, 0.02);
    gate("levelset_dam_lost_at_worst", worst, GATE_BELOW, 0.03);
}

// One step a frame, in which the liquid would cross up to a hundred cells: all of it was lost.
static double break_dam_in_steps(BwLiquidMethod method, double seconds)
{
    BwSceneDef scene = liquid_scene(2, 1.0f / 24.0f, method);
    BwFillDef fill = fill_corner(0.4f, 0.6f, 1.0f);
    double worst = 0.0;
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.fps = 1.0 / seconds;
    scene.steps = 1;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 2);
    for (int n = 0; n * seconds < 3.0; n++) {
        step_frames(world, 1);
        assert_int_equal(stats_of(world).retries, 0);
        worst = fmax(worst, fabs(stats_of(world).volume_drift));
    }
    bw_world_destroy(world);
    return worst;
}

static void dams_break_in_long_steps(void **state)
{
    (void)state;
    static const BwLiquidMethod methods[] = {BW_LIQUID_LEVELSET, BW_LIQUID_PARTICLE_LEVELSET,
                                             BW_LIQUID_CHAIN};
    static const char *const names[] = {"levelset", "particle_levelset", "chain"};
    for (int n = 0; n < 9; n++) {
        char name[64];
        double seconds = n / 3 == 0 ? 0.125 : n / 3 == 1 ? 0.25 : 1.0;
        snprintf(name, sizeof name, "%s_dam_in_steps_of_%.3g_s", names[n % 3], seconds);
        gate(name, break_dam_in_steps(methods[n % 3], seconds), GATE_BELOW, 0.05);
    }
}

// m^2, of the liquid between two columns of cells, by the surface's distance.
static double area_between(const BwFrame *frame, int low, int high, double h)
{
    const BwFrameField *phi = bw_frame_field(frame, "phi");
    double sum = 0.0;
    for (int y = 0; y < CELLS; y++)
        for (int x = low; x < high; x++)
            sum += fmin(fmax(0.5 - (double)frame_value(frame, phi, x, y, 0) / h, 0.0), 1.0);
    return sum * h * h;
}

// A dam breaks on one side of a wall, and a pool is calm on the other: what the dam loses is its own affair.
static void each_region_gets_its_own_volume_back(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / CELLS, BW_LIQUID_PARTICLE_LEVELSET);
    BwFillDef fills[2] = {fill_corner(0.4f, 0.8f, 1.0f),
                          fill_of(bw_box(bw_vec3(1.1f, 0.0f, -1.0f), bw_vec3(2.0f, 0.3f, 1.0f)))};
    BwObstacleDef wall = solid_of(bw_box(bw_vec3(1.0f, -1.0f, -1.0f), bw_vec3(1.125f, 2.0f, 1.0f)));
    double h = 1.0 / CELLS, calm = 0.0, wild = 0.0;
    set_box(&scene, 2.0f, 1.0f, 0.0f);
    scene.fills = fills;
    scene.fill_count = 2;
    scene.obstacles = &wall;
    scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, 2);
    double first[2] = {area_between(frame_of(world), 0, CELLS, h),
                       area_between(frame_of(world), CELLS * 9 / 8, 2 * CELLS, h)};
    for (int n = 0; n < 48; n++) {
        step_frames(world, 1);
        double now[2] = {area_between(frame_of(world), 0, CELLS, h),
                         area_between(frame_of(world), CELLS * 9 / 8, 2 * CELLS, h)};
        wild = fmax(wild, fabs(now[0] / first[0] - 1.0));
        calm = fmax(calm, fabs(now[1] / first[1] - 1.0));
    }
    gate("levelset_regions_calm_pool", calm, GATE_BELOW, 1e-4);
    gate("levelset_regions_dam_at_worst", wild, GATE_BELOW, 0.05);
    gate("levelset_regions_all", fabs(stats_of(world).volume_drift), GATE_BELOW, 0.01);
    bw_world_destroy(world);
}

// A drop falls into a drain over one of two pools: what is gone was taken, and the other pool knows nothing
// of it. (What the drop had lost on its way is still owed, and goes to the pool below it.)
static void a_drained_drop_is_no_other_pools_affair(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / CELLS, BW_LIQUID_LEVELSET);
    BwFillDef fills[3] = {fill_corner(1.05f, 0.3f, 1.0f),
                          fill_of(bw_box(bw_vec3(1.1f, 0.0f, -1.0f), bw_vec3(2.0f, 0.15f, 1.0f))),
                          fill_of(ball(1.55f, 0.7f, 0.0f, 0.1f))};
    BwObstacleDef wall = solid_of(bw_box(bw_vec3(1.0f, -1.0f, -1.0f), bw_vec3(1.125f, 2.0f, 1.0f)));
    BwSinkDef drain = bw_sink_def_default();
    drain.shape = bw_box(bw_vec3(1.2f, 0.35f, -1.0f), bw_vec3(1.9f, 0.55f, 1.0f));
    double h = 1.0 / CELLS;
    set_box(&scene, 2.0f, 1.0f, 0.0f);
    scene.fills = fills;
    scene.fill_count = 3;
    scene.obstacles = &wall;
    scene.obstacle_count = 1;
    scene.sinks = &drain;
    scene.sink_count = 1;
    BwWorld *world = make_world(&scene, 2);
    double far = area_between(frame_of(world), 0, CELLS, h);
    step_frames(world, 36);
    gate("levelset_drained_far_pool", fabs(area_between(frame_of(world), 0, CELLS, h) / far - 1.0),
         GATE_BELOW, 1e-5);
    gate("levelset_drained_all", fabs(stats_of(world).volume_drift), GATE_BELOW, 0.01);
    bw_world_destroy(world);
}

// The stats of a splash tell its largest regions in order, and what all got is the sum of what each did.
static void check_told_regions(const BwStats *stats)
{
    double got = 0.0, lacks = 0.0;
    assert_true(stats->region_count >= 1 && stats->region_count <= BW_REGIONS_TOLD);
    for (int n = 0; n < stats->region_count; n++) {
        got += stats->regions[n].got;
        lacks += stats->regions[n].lacks;
        assert_true(n == 0 || stats->regions[n].volume <= stats->regions[n - 1].volume);
    }
    gate("levelset_regions_got_sum", fabs(got - stats->given_back) / stats->volume, GATE_BELOW, 1e-12);
    gate("levelset_regions_lacks_sum", fabs(lacks + stats->volume - stats->mass) / stats->volume, GATE_BELOW,
         1e-9);
}

// From one state of a splash that has lost volume, with the correction and without: they differ by what the
// stats say was given back.
static void what_regions_got_is_told(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / 32.0f, BW_LIQUID_LEVELSET);
    BwFillDef fills[2] = {fill_corner(0.4f, 0.8f, 1.0f), fill_of(ball(1.5f, 0.6f, 0.0f, 0.1f))};
    BwError err = {0};
    if (!bw_checkpoint_is_built())
        skip();
    set_box(&scene, 2.0f, 1.0f, 0.0f);
    scene.fills = fills;
    scene.fill_count = 2;
    BwWorld *corrected = make_world(&scene, 2);
    step_frames(corrected, 12);
    BwSceneDef plain_scene = scene;
    plain_scene.liquid.volume_correction = 0.0f;
    BwWorld *plain = make_world(&plain_scene, 2);
    must(bw_checkpoint_save(corrected, state_path, false, &err), &err);
    must(bw_checkpoint_adopt(plain, state_path, &err), &err);
    must(bw_world_step(corrected, 2e-3, NULL, &err), &err);
    must(bw_world_step(plain, 2e-3, NULL, &err), &err);
    BwStats with = stats_of(corrected), without = stats_of(plain);
    assert_int_equal(with.steps, 1);
    assert_int_equal(without.region_count, 0);
    check_told_regions(&with);
    printf("%d regions; %.3g of the volume was given back\n", (int)with.region_count,
           with.given_back / with.volume);
    gate("levelset_given_back_told", fabs((with.volume - without.volume) / with.given_back - 1.0), GATE_BELOW,
         0.1);
    bw_world_destroy(plain);
    bw_world_destroy(corrected);
}

// Drops that fall fast through the air and into a pool: they merge with it, and what they splash off comes
// down again, all of it counted.
static void regions_merge_and_split(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / CELLS, BW_LIQUID_PARTICLE_LEVELSET);
    BwFillDef fills[3] = {fill_corner(1.0f, 0.25f, 1.0f), fill_of(ball(0.3f, 0.7f, 0.0f, 0.1f)),
                          fill_of(ball(0.7f, 0.5f, 0.0f, 0.08f))};
    double before[2], after[2], h = 1.0 / CELLS;
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    fills[1].velocity = bw_vec3(0.0f, -3.0f, 0.0f);
    scene.fills = fills;
    scene.fill_count = 3;
    BwWorld *world = make_world(&scene, 2);
    before[0] = area_between(frame_of(world), 0, CELLS / 2, h);
    before[1] = area_between(frame_of(world), CELLS / 2, CELLS, h);
    step_frames(world, 2); // both in the air
    after[0] = area_between(frame_of(world), 0, CELLS / 2, h);
    after[1] = area_between(frame_of(world), CELLS / 2, CELLS, h);
    gate("levelset_drops_keep_their_own",
         fmax(fabs(after[0] / before[0] - 1.0), fabs(after[1] / before[1] - 1.0)), GATE_BELOW, 5e-3);
    step_frames(world, 34);
    gate("levelset_drops_merged", fabs(stats_of(world).volume_drift), GATE_BELOW, 0.02);
    bw_world_destroy(world);
}

// A spout above a vessel: the level should be the poured volume over the area.
static void pour(float correction, BwStats *stats, double *wanted)
{
    BwSceneDef scene = liquid_scene(2, 1.0f / CELLS, BW_LIQUID_PARTICLE_LEVELSET);
    BwEmitterDef emitter = bw_emitter_def_default();
    BwFillDef fill = fill_corner(2.0f, 0.2f, 1.0f);
    const double width = 0.2, speed = 0.5, seconds = 1.0;
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    emitter.shape = bw_disc(bw_vec3(0.5f, 0.6f, 0.0f), bw_vec3(0.0f, -1.0f, 0.0f), (float)(0.5 * width));
    emitter.velocity = bw_curve_vector(0.0f, (float)-speed, 0.0f);
    emitter.stop = seconds;
    scene.liquid.volume_correction = correction;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, 48);
    *stats = stats_of(world);
    *wanted = 0.2 + width * speed * seconds;
    bw_world_destroy(world);
}

static void what_is_poured_is_there(void **state)
{
    (void)state;
    BwStats stats;
    double wanted;
    pour(0.5f, &stats, &wanted);
    gate("levelset_poured_given", fabs(stats.mass / wanted - 1.0), GATE_BELOW, 0.01);
    gate("levelset_poured_level", fabs(stats.volume / wanted - 1.0), GATE_BELOW, 0.03);
    pour(0.0f, &stats, &wanted);
    gate_wanted("levelset_poured_level_alone", fabs(stats.volume / wanted - 1.0), 0.15, 0.03);
}

// A glass as in scenes/gallery/pouring.lua, m.
static const float glass_radius = 0.084f, glass_rim = 0.3f;

typedef struct Pour {
    float resolution, radius; // cells a metre; of the stream, m
    double seconds, rest;     // it is poured, and stands
} Pour;

static BwShape upright_cylinder(float middle, float bottom, float top, float size)
{
    return (BwShape){.kind = BW_SHAPE_CYLINDER,
                     .a = bw_vec3(middle, bottom, middle),
                     .b = bw_vec3(middle, top, middle),
                     .radius = size};
}

// The mean height of the water above the bottom of the glass, of the columns away from its wall.
static double level_in_glass(const BwFrame *frame, double middle, double bottom)
{
    const BwFrameField *phi = bw_frame_field(frame, "phi");
    double h = (double)frame->cell_size, sum = 0.0;
    int count = 0, reach = (int)((double)glass_radius / h);
    for (int z = -reach; z <= reach; z++)
        for (int x = -reach; x <= reach; x++) {
            if (hypot((x + 0.5) * h - middle, (z + 0.5) * h - middle) > 0.75 * (double)glass_radius)
                continue;
            for (int y = (int)lround(bottom / h); y < (int)((double)glass_rim / h); y++)
                sum += h * fmin(fmax(0.5 - (double)frame_value(frame, phi, x, y, z) / h, 0.0), 1.0);
            count++;
        }
    return sum / count;
}

// The fastest of all vertical velocities around the glass, of air too, m/s.
static double fastest_around_glass(const BwFrame *frame)
{
    const BwFrameField *v = bw_frame_field(frame, "v");
    double h = (double)frame->cell_size, fastest = 0.0;
    int reach = (int)(0.15 / h);
    for (int z = -reach; z <= reach; z++)
        for (int y = 1; y < (int)(0.48 / h); y++)
            for (int x = -reach; x <= reach; x++)
                fastest = fmax(fastest, fabs((double)frame_value(frame, v, x, y, z)));
    return fastest;
}

// A stream into a glass whose walls are three cells thick and more, and its level: the mean of half a second.
static double pour_into_glass(const Pour *pour, BwStats *stats, double *fastest)
{
    float cell = 1.0f / pour->resolution, middle = 0.5f * cell;
    float wall = fmaxf(0.014f, 3.5f * cell), bottom = cell * fmaxf(4.0f, roundf(0.016f / cell));
    int cells = (int)ceilf((glass_radius + wall) * pour->resolution + 2.5f - 1e-4f);
    BwShape parts[] = {upright_cylinder(middle, -0.01f, glass_rim, glass_radius + wall),
                       upright_cylinder(middle, bottom, 0.4f, glass_radius)};
    BwObstacleDef glass = solid_of((BwShape){.kind = BW_SHAPE_DIFFERENCE, .parts = parts, .part_count = 2});
    BwEmitterDef emitter = bw_emitter_def_default();
    emitter.shape =
        bw_disc(bw_vec3(middle - 0.035f, 0.44f, middle), bw_vec3(0.15f, -1.0f, 0.0f), pour->radius);
    emitter.velocity = bw_curve_vector(0.15f, -1.0f, 0.0f);
    emitter.stop = pour->seconds;
    BwSceneDef scene = liquid_scene(3, cell, BW_LIQUID_PARTICLE_LEVELSET);
    set_box(&scene, (float)(cells + 1) * cell, 0.48f, (float)(cells + 1) * cell);
    scene.walls.min = bw_vec3(-(float)cells * cell, 0.0f, -(float)cells * cell);
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        scene.walls.side[side].kind = side == BW_BOTTOM ? BW_WALL_CLOSED : BW_WALL_OPEN;
    scene.liquid.surface_particles = 2;
    scene.obstacles = &glass;
    scene.obstacle_count = 1;
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, (int)lround(24.0 * (pour->seconds + pour->rest)) - 12);
    double level = 0.0;
    for (int n = 0; n < 12; n++) {
        step_frames(world, 1);
        level += level_in_glass(frame_of(world), (double)middle, (double)bottom) / 12.0;
    }
    *stats = stats_of(world);
    *fastest = fastest_around_glass(frame_of(world));
    bw_world_destroy(world);
    return level;
}

static void what_is_poured_into_a_glass_is_its_level(void **state)
{
    (void)state;
#ifdef FULL_SIZE
    const Pour pour = {83.0f, 0.02f, 3.0, 1.0};
#else
    const Pour pour = {62.5f, 0.025f, 1.0, 1.0};
#endif
    BwStats stats;
    double radius = (double)pour.radius, wider = radius / (double)glass_radius, fastest,
           level = pour_into_glass(&pour, &stats, &fastest);
    double speed = hypot(0.15, 1.0), poured = speed * pour.seconds; // m, times the stream's area
    gate("levelset_glass_given", fabs(stats.mass / (3.14159265 * radius * radius * poured) - 1.0), GATE_BELOW,
         0.01);
    gate("levelset_glass_level", fabs(level / (wider * wider * poured) - 1.0), GATE_BELOW, 0.03);
    gate("levelset_glass_fastest", fastest, GATE_BELOW, 6.0); // far air too, which nothing holds up
}

// The middle of what is inside, by the surface's distance, m.
static double height_of_middle(const BwFrame *frame, int low, int high, double h)
{
    const BwFrameField *phi = bw_frame_field(frame, "phi");
    double sum = 0.0, moment = 0.0;
    for (int y = low; y < high; y++)
        for (int x = -CELLS; x < CELLS; x++) {
            double share = fmin(fmax(0.5 - (double)frame_value(frame, phi, x, y, 0) / h, 0.0), 1.0);
            sum += share;
            moment += share * (y + 0.5) * h;
        }
    return moment / sum;
}

static void a_drop_falls_freely(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / CELLS, BW_LIQUID_PARTICLE_LEVELSET);
    BwFillDef fill = fill_of(ball(0.0f, 0.0f, 0.0f, 0.25f));
    double h = 1.0 / CELLS, time = 12.0 / 24.0;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, 12);
    double fallen = -height_of_middle(frame_of(world), -3 * CELLS, CELLS, h);
    gate("levelset_fall_cells", fabs(fallen - 0.5 * liquid_gravity * time * time) / h, GATE_BELOW, 0.1);
    gate("levelset_fall_volume", fabs(stats_of(world).volume_drift), GATE_BELOW, 0.01);
    bw_world_destroy(world);
}

// Sixteen cells a diameter. Laplace's law, and what moves though nothing should.
static void a_drop_at_rest_is_pressed(int dimension, BwLiquidMethod method)
{
    const float radius = 0.005f, sigma = 0.072f;
    BwSceneDef scene = liquid_scene(dimension, radius / 8.0f, method);
    BwFillDef fill = fill_of(ball(0.0003f, 0.0002f, dimension == 3 ? 0.0001f : 0.0f, radius));
    char name[64];
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.liquid.surface_tension = sigma;
    scene.liquid.volume_correction = 0.0f;
    scene.fps = 100.0;
    scene.output.pressure = true;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, dimension == 3 ? 5 : 60);
    const BwFrame *frame = frame_of(world);
    double pressure = (double)frame_value(frame, bw_frame_field(frame, "pressure"), 0, 0, 0);
    double wanted = (dimension - 1) * (double)sigma / (double)radius,
           unit = sqrt((double)sigma / (1000.0 * (double)radius));
    snprintf(name, sizeof name, "%s_drop_pressure_%dd", method_name(method), dimension);
    gate(name, fabs(pressure / wanted - 1.0), GATE_BELOW, 0.02);
    snprintf(name, sizeof name, "%s_drop_speed_%dd", method_name(method), dimension);
    gate(name, (double)stats_of(world).max_speed / unit, GATE_BELOW, 0.01);
    bw_world_destroy(world);
}

static void drops_at_rest_are_pressed(void **state)
{
    (void)state;
    a_drop_at_rest_is_pressed(2, BW_LIQUID_LEVELSET);
    a_drop_at_rest_is_pressed(2, BW_LIQUID_PARTICLE_LEVELSET);
    a_drop_at_rest_is_pressed(3, BW_LIQUID_LEVELSET);
}

// A spring in the air that begins late gives its shape full at once, and that falls from rest: no faster than
// it can have got since, within the frame.
static void a_spring_in_the_air_is_born_at_rest(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / 32.0f, BW_LIQUID_LEVELSET);
    BwEmitterDef spring = bw_emitter_def_default();
    set_box(&scene, 1.0f, 2.0f, 0.0f);
    spring.shape = ball(0.5f, 1.5f, 0.0f, 0.1f);
    spring.flow = bw_curve_number(0.1f);
    scene.emitters = &spring;
    scene.emitter_count = 1;
    BwWorld *world = make_world(&scene, 1);
    for (int n = 0; n < 24 && stats_of(world).volume == 0.0; n++)
        step_frames(world, 1);
    assert_true(stats_of(world).volume > 0.0);
    gate("levelset_spring_born_speed", (double)stats_of(world).max_speed * 24.0 / liquid_gravity, GATE_BELOW,
         1.0);
    step_frames(world, 1);
    gate("levelset_spring_speed_after", (double)stats_of(world).max_speed * 24.0 / liquid_gravity, GATE_BELOW,
         2.5);
    bw_world_destroy(world);
}

// A pool that moves away from a side that is open, and falls out of it later, draws nothing in.
static void open_sides_bring_no_water(void **state)
{
    (void)state;
    for (int n = 0; n < 2; n++) {
        BwLiquidMethod method = n == 0 ? BW_LIQUID_LEVELSET : BW_LIQUID_PARTICLE_LEVELSET;
        BwSceneDef scene = liquid_scene(2, 1.0f / 16.0f, method);
        BwFillDef fill = fill_corner(2.0f, 0.5f, 1.0f);
        double came = 0.0, left = 0.0;
        char name[64];
        set_box(&scene, 2.0f, 1.0f, 0.0f);
        scene.walls.side[BW_RIGHT].kind = BW_WALL_OPEN;
        scene.fills = &fill;
        scene.fill_count = 1;
        fill.velocity = bw_vec3(-1.0f, 0.0f, 0.0f);
        BwWorld *world = make_world(&scene, 2);
        double start = stats_of(world).volume;
        for (int frame = 0; frame < 36; frame++) {
            step_frames(world, 1);
            BwStats stats = stats_of(world);
            came += stats.emitted;
            left += stats.removed[BW_REMOVED_OPEN];
        }
        snprintf(name, sizeof name, "levelset_open_side_%s_came_in", method_name(method));
        gate(name, came / start, GATE_BELOW, 0.0);
        snprintf(name, sizeof name, "levelset_open_side_%s_balance", method_name(method));
        gate(name, fabs(stats_of(world).volume + left - start) / start, GATE_BELOW, 0.03);
        bw_world_destroy(world);
    }
}

// A ball of 3.6 cells' radius bursts on a dry floor, and what it spreads to is thinner than half a cell.
static void a_puddle_stays(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(3, 1.0f / 32.0f, BW_LIQUID_LEVELSET);
    BwFillDef fill = fill_of(ball(0.375f, 0.6f, 0.375f, 0.1125f));
    double worst = 0.0;
    set_box(&scene, 0.75f, 0.75f, 0.75f);
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 2);
    for (int n = 0; n < (IS_FULL ? 96 : 14); n++) {
        step_frames(world, 1);
        worst = fmax(worst, fabs(stats_of(world).volume_drift));
    }
    gate("levelset_puddle_lost", worst, GATE_BELOW, 0.2);
    bw_world_destroy(world);
}

// Water that lies against sides that are no walls at the start counts until it has left. In m^3: what is off
// at the start, and by what passes a second later.
static void fill_against(BwWallKind left, BwWallKind right, float speed, double off[2], double *emitted)
{
    BwSceneDef scene = liquid_scene(2, 1.0f / 8.0f, BW_LIQUID_LEVELSET);
    BwFillDef fill = fill_corner(1.0f, 0.5f, 1.0f);
    double balance = 0.5;
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.walls.side[BW_LEFT].kind = left;
    scene.walls.side[BW_LEFT].velocity = bw_curve_vector(speed, 0.0f, 0.0f);
    scene.walls.side[BW_RIGHT].kind = right;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 2);
    off[0] = fabs(stats_of(world).volume - 0.5);
    *emitted = 0.0;
    for (int n = 0; n < 24; n++) {
        step_frames(world, 1);
        *emitted += stats_of(world).emitted;
        balance += stats_of(world).emitted - stats_of(world).removed[BW_REMOVED_OPEN];
    }
    off[1] = fabs(stats_of(world).mass - balance);
    bw_world_destroy(world);
}

static void fills_against_open_sides_count(void **state)
{
    (void)state;
    double open[2], outflow[2], rest[2], emitted, came;
    fill_against(BW_WALL_INFLOW, BW_WALL_OPEN, 0.5f, open, &emitted);
    fill_against(BW_WALL_INFLOW, BW_WALL_OUTFLOW, 0.5f, outflow, &emitted);
    fill_against(BW_WALL_INFLOW, BW_WALL_CLOSED, 0.0f, rest, &came);
    gate("levelset_fill_against_open", open[0], GATE_BELOW, 1e-3);
    gate("levelset_fill_against_outflow", outflow[0], GATE_BELOW, 1e-3);
    gate("levelset_fill_against_inflow", rest[0], GATE_BELOW, 1e-3);
    gate("levelset_open_balance", fmax(open[1], outflow[1]), GATE_BELOW, 1e-6);
    gate("levelset_inflow_at_rest_came_in", came, GATE_BELOW, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_at_rest_stays),
        cmocka_unit_test(sloshing_keeps_its_volume),
        cmocka_unit_test(a_splash_gets_its_volume_back),
        cmocka_unit_test(dams_break_in_long_steps),
        cmocka_unit_test(what_is_poured_is_there),
        cmocka_unit_test(what_is_poured_into_a_glass_is_its_level),
        cmocka_unit_test(each_region_gets_its_own_volume_back),
        cmocka_unit_test(a_drained_drop_is_no_other_pools_affair),
        cmocka_unit_test(what_regions_got_is_told),
        cmocka_unit_test(regions_merge_and_split),
        cmocka_unit_test(a_drop_falls_freely),
        cmocka_unit_test(drops_at_rest_are_pressed),
        cmocka_unit_test(a_spring_in_the_air_is_born_at_rest),
        cmocka_unit_test(open_sides_bring_no_water),
        cmocka_unit_test(fills_against_open_sides_count),
        cmocka_unit_test(a_puddle_stays),
    };
    return cmocka_run_group_tests(tests, name_state_file, remove_state_file);
}
