// Objects and water: a cup of mesh with walls of half a cell, half full, holds all of its water while it is
// moved, tilted and shaken; so do shapes with thin round walls that stand still; a body that plunges raises
// the level by its volume.
#include "liquid_run.h"
#include "mesh_maker.h"

#include <stdio.h>

#ifdef FULL_SIZE
enum { RADIUS = 6, STEPS = 1000, POOL = 64 }; // cells; steps of the cup
#else
enum { RADIUS = 5, STEPS = 120, POOL = 24 };
#endif

static const double displaced_error = 0.02; // of the body's volume

enum { ROUND = 48, PROFILE = 6 };

static const float cup_wall = 0.5f; // cells
static const float cup_height = 2.4f * RADIUS, cup_depth = 1.2f * RADIUS;

// The outline of the cup from the middle of its foot up and down again to that of its floor, which is at the
// origin: a body of revolution.
static BwVec3 cup_point(int n, int turn)
{
    const float outline[PROFILE][2] = {{0.0f, -cup_wall},
                                       {RADIUS + cup_wall, -cup_wall},
                                       {RADIUS + cup_wall, cup_height},
                                       {RADIUS, cup_height},
                                       {RADIUS, 0.0f},
                                       {0.0f, 0.0f}};
    double angle = 2.0 * 3.14159265358979323846 * (turn % ROUND) / ROUND;
    return bw_vec3(outline[n][0] * (float)cos(angle), outline[n][1], outline[n][0] * (float)sin(angle));
}

static BwShape make_cup(float cell)
{
    static Soup soup[2 * PROFILE * ROUND];
    int count = 0;
    for (int n = 0; n + 1 < PROFILE; n++)
        for (int turn = 0; turn < ROUND; turn++) {
            BwVec3 a = cup_point(n, turn), b = cup_point(n, turn + 1), c = cup_point(n + 1, turn),
                   d = cup_point(n + 1, turn + 1);
            if (n > 0)
                soup[count++] = (Soup){{a, c, b}};
            if (n + 2 < PROFILE)
                soup[count++] = (Soup){{b, c, d}};
        }
    for (int n = 0; n < count; n++)
        for (int c = 0; c < 3; c++)
            soup[n].corner[c] = bw_mul(soup[n].corner[c], cell);
    return load_soup(soup, count);
}

// To and fro and up and down, by so much that water climbs, and never to the rim.
static BwResult moved(void *user, double time, float value[4], BwError *err)
{
    (void)err;
    float cell = *(const float *)user;
    value[0] = cell * 3.0f * (float)sin(5.0 * time);
    value[1] = cell * 0.3f * (float)sin(31.0 * time);
    value[2] = cell * 2.0f * (float)sin(3.0 * time);
    return BW_OK;
}

static BwResult tilted(void *user, double time, float value[4], BwError *err)
{
    (void)user, (void)err;
    value[0] = 0.15f * (float)sin(2.1 * time);
    value[1] = 0.4f * (float)time;
    value[2] = 0.25f * (float)sin(1.7 * time);
    return BW_OK;
}

// Particles that are not between the floor, the side and the rim of the cup.
static int64_t count_outside(const BwFrame *frame)
{
    const BwFrameParticles *water = water_of(frame);
    int64_t outside = 0;
    for (int64_t p = 0; p < water->count; p++) {
        double place[3];
        bw_frame_particle_place(frame, water, p, place);
        BwVec3 at = bw_pose_to_local(frame->solids[0].pose,
                                     bw_vec3((float)place[0], (float)place[1], (float)place[2]));
        at = bw_mul(at, 1.0f / frame->cell_size);
        float away = sqrtf(at.x * at.x + at.z * at.z);
        outside += !(at.y > -0.5f * cup_wall && away < RADIUS + 0.5f * cup_wall && at.y < cup_height + 2.0f);
    }
    return outside;
}

static void a_cup_holds_its_water(void **state)
{
    (void)state;
    float cell = 0.1f / RADIUS; // a cup of 20 cm
    for (int method = BW_LIQUID_APIC; method <= BW_LIQUID_FLIP; method++) {
        BwSceneDef scene = liquid_scene(3, cell, (BwLiquidMethod)method);
        BwFillDef fill = fill_of(bw_cylinder(bw_vec3(0.0f, 0.0f, 0.0f), bw_vec3(0.0f, cell * cup_depth, 0.0f),
                                             cell * (RADIUS + 0.25f)));
        BwObstacleDef cup = solid_of(make_cup(cell));
        cup.motion.position = bw_curve_function(moved, &cell, 3);
        cup.motion.rotation = bw_curve_function(tilted, &cell, 3);
        scene.liquid.seeding = BW_SEEDING_JITTERED;
        scene.fills = &fill;
        scene.obstacles = &cup;
        scene.fill_count = scene.obstacle_count = 1;
        scene.steps = 1;
        scene.fps = 120.0;
        BwWorld *world = make_world(&scene, 2);
        double volume = water_volume(frame_of(world));
        int64_t outside = 0;
        for (int step = 0; step < STEPS; step++) {
            step_frames(world, 1);
            if (step % 10 == 9)
                outside = count_outside(frame_of(world));
        }
        char name[64];
        snprintf(name, sizeof name, "cup_particles_outside_%s", method_name((BwLiquidMethod)method));
        gate(name, (double)outside, GATE_BELOW, 0.0);
        snprintf(name, sizeof name, "cup_volume_lost_%s", method_name((BwLiquidMethod)method));
        gate(name, fabs(water_volume(frame_of(world)) / volume - 1.0), GATE_BELOW, 1e-6);
        bw_world_destroy(world);
        bw_shape_file_destroy((BwShapeFile *)cup.shape.content);
    }
}

// The surface's height, from the level set along a column; the body is below where the search begins.
static double level_at(const BwFrame *frame, double x, double z)
{
    BwError err = {0};
    double low = 0.46, high = 1.0;
    for (int n = 0; n < 40; n++) {
        const double at[3] = {x, 0.5 * (low + high), z};
        float phi;
        assert_int_equal(bw_frame_sample(frame, "phi", at, &phi, &err), BW_OK);
        *(phi < 0.0f ? &low : &high) = at[1];
    }
    return low;
}

// The mean height over the pool, whatever waves there are.
static double mean_level(const BwFrame *frame)
{
    double sum = 0.0;
    for (int n = 0; n < 400; n++)
        sum += level_at(frame, 0.025 + 0.05 * (n % 20), 0.025 + 0.05 * (double)(n / 20));
    return sum / 400.0;
}

static BwResult plunged(void *user, double time, float value[4], BwError *err)
{
    (void)user, (void)err;
    value[0] = value[2] = 0.5f;
    value[1] = (float)fmax(0.25, 0.75 - 0.25 * time);
    return BW_OK;
}

// A ball sinks into a pool, and stays: the level is higher by its volume over the pool's area.
static void a_body_displaces_its_volume(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846, radius = 0.2;
    BwSceneDef scene = liquid_scene(3, 1.0f / POOL, BW_LIQUID_APIC);
    BwFillDef fill = fill_corner(1.0f, 0.5f, 1.0f);
    BwObstacleDef body = solid_of(ball(0.0f, 0.0f, 0.0f, (float)radius));
    body.motion.position = bw_curve_function(plunged, NULL, 3);
    set_box(&scene, 1.0f, 1.2f, 1.0f);
    scene.fills = &fill;
    scene.obstacles = &body;
    scene.fill_count = scene.obstacle_count = 1;
    scene.fps = 24.0;
    BwWorld *world = make_world(&scene, 2);
    double before = mean_level(frame_of(world)), rise = 0.0;
    step_frames(world, 72);
    for (int frame = 0; frame < 24; frame++) { // waves go on
        step_frames(world, 1);
        rise += (mean_level(frame_of(world)) - before) / 24.0;
    }
    double expected = 4.0 / 3.0 * pi * radius * radius * radius;
    printf("level rises by %.5f m, %.5f wanted\n", rise, expected);
    gate("displaced_volume_error", fabs(rise / expected - 1.0), GATE_BELOW, displaced_error);
    bw_world_destroy(world);
}

// Water in a vessel of shapes with thin round walls that stands still: what is inside of its wall.
typedef struct Vessel {
    const char *name;
    bool is_bowl;
    float wall; // cells
    bool is_stirred;
    BwCurveFn *motion; // NULL: it stands still
} Vessel;

enum { VESSEL = 4, PARTS = 3 }; // cells, its radius

static const float vessel_off = 0.4f; // cells, of where it is on the grid

static BwVec3 vessel_middle(float cell, float wall)
{
    float away = 8.0f + vessel_off, up = 2.0f + wall + vessel_off;
    return bw_vec3(cell * away, cell * up, cell * away);
}

// A can that is open above, or the lower half of a ball; its floor, or the middle of the ball, is `at`.
static BwShape make_vessel(const Vessel *vessel, BwVec3 at, float cell, BwShape part[PARTS])
{
    float radius = cell * VESSEL, wall = cell * vessel->wall, rim = at.y + 6.0f * cell;
    part[0] = vessel->is_bowl
                  ? bw_sphere(at, radius + wall)
                  : bw_cylinder(bw_vec3(at.x, at.y - wall, at.z), bw_vec3(at.x, rim, at.z), radius + wall);
    part[1] = vessel->is_bowl ? bw_sphere(at, radius)
                              : bw_cylinder(at, bw_vec3(at.x, rim + 4.0f * cell, at.z), radius);
    part[2] = bw_box(bw_vec3(-1.0f, vessel->is_bowl ? at.y : rim, -1.0f), bw_vec3(2.0f, 2.0f, 2.0f));
    return bw_difference(part, PARTS);
}

// By all of it, what is in the wall's outer half or beyond. The vessel may have moved from where it was made.
static double vessel_leak(const BwFrame *frame, const Vessel *vessel, BwVec3 made_at)
{
    const BwFrameParticles *water = water_of(frame);
    double sum = 0.0, most = (double)frame->cell_size * (VESSEL + 0.5 * (double)vessel->wall);
    for (int64_t p = 0; p < water->count; p++) {
        double place[3];
        bw_frame_particle_place(frame, water, p, place);
        BwVec3 from = bw_sub(bw_pose_to_local(frame->solids[0].pose,
                                              bw_vec3((float)place[0], (float)place[1], (float)place[2])),
                             made_at);
        double x = (double)from.x, y = (double)from.y, z = (double)from.z, below = fmin(y, 0.0),
               away = sqrt(x * x + z * z + (vessel->is_bowl ? y * y : 0.0));
        bool is_low = !vessel->is_bowl && below < -0.5 * (double)(vessel->wall * frame->cell_size);
        sum += is_low || away > most ? (double)water_volumes(water)[p] : 0.0;
    }
    return sum / water_volume(frame);
}

// Nothing is outside; where the vessel stands still, what is left of motion is below a twentieth of sqrt(g
// H), on average. In a can whose wall is a little thicker than a cell the edge between floor and wall still
// stirs a little more than that.
static void gate_vessel(BwWorld *world, const Vessel *vessel, BwVec3 at)
{
    const BwFrame *frame = frame_of(world);
    double speed = sqrt(2.0 * water_sums(frame).kinetic),
           depth = (vessel->is_bowl ? VESSEL : 3.2) * (double)frame->cell_size;
    char name[64];
    snprintf(name, sizeof name, "%s_leak", vessel->name);
    gate(name, vessel_leak(frame, vessel, at), GATE_BELOW, 0.0);
    snprintf(name, sizeof name, "%s_speed", vessel->name);
    if (vessel->motion == NULL)
        gate_wanted(name, speed / sqrt(liquid_gravity * depth), vessel->is_stirred ? 0.1 : 0.05, 0.05);
    snprintf(name, sizeof name, "%s_drift", vessel->name);
    gate_wanted(name, fabs(bw_world_view_stats(world)->volume_drift), 0.03, 0.02);
}

// To and fro and around, by less than water climbs to the rim for.
static BwResult shaken(void *user, double time, float value[4], BwError *err)
{
    (void)err;
    float cell = *(const float *)user;
    value[0] = cell * 0.6f * (float)sin(6.0 * time);
    value[1] = 0.0f;
    value[2] = cell * 0.5f * (float)sin(4.0 * time);
    return BW_OK;
}

static void thin_round_walls_hold_water(void **state)
{
    (void)state;
    static const Vessel vessels[] = {{.name = "can_0.4", .wall = 0.4f},
                                     {.name = "can_0.8", .wall = 0.8f},
                                     {.name = "can_1.2", .wall = 1.2f, .is_stirred = true},
                                     {.name = "bowl_0.8", .wall = 0.8f, .is_bowl = true},
                                     {.name = "bowl_1.2", .wall = 1.2f, .is_bowl = true},
                                     {.name = "shaken_can_0.4", .wall = 0.4f, .motion = shaken},
                                     {.name = "shaken_can_0.8", .wall = 0.8f, .motion = shaken},
                                     {.name = "shaken_can_1.2", .wall = 1.2f, .motion = shaken}};
    float cell = 1.0f / 16.0f;
    for (int n = 0; n < (int)(sizeof vessels / sizeof *vessels); n++) {
        const Vessel *vessel = &vessels[n];
        BwShape wall[PARTS], water[2];
        BwVec3 at = vessel_middle(cell, vessel->wall);
        at.y += vessel->is_bowl ? cell * VESSEL : 0.0f;
        float level = vessel->is_bowl ? at.y - 0.8f * cell : at.y + 3.2f * cell;
        BwSceneDef scene = liquid_scene(3, cell, BW_LIQUID_APIC);
        BwObstacleDef solid = solid_of(make_vessel(vessel, at, cell, wall));
        if (vessel->motion != NULL)
            solid.motion.position = bw_curve_function(vessel->motion, &cell, 3);
        water[0] = wall[1];
        water[1] = bw_box(bw_vec3(-1.0f, level, -1.0f), bw_vec3(2.0f, 2.0f, 2.0f));
        BwFillDef fill = fill_of(bw_difference(water, 2));
        set_box(&scene, 1.0f, 1.0f, 1.0f);
        scene.liquid.seeding = BW_SEEDING_JITTERED;
        scene.fills = &fill;
        scene.obstacles = &solid;
        scene.fill_count = scene.obstacle_count = 1;
        scene.fps = 24.0;
        BwWorld *world = make_world(&scene, 2);
        step_frames(world, 24);
        gate_vessel(world, vessel, at);
        bw_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cup_holds_its_water),
        cmocka_unit_test(a_body_displaces_its_volume),
        cmocka_unit_test(thin_round_walls_hold_water),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
