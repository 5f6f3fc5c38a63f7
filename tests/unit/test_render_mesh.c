// Pictures of water by its mesh: rays meet triangles where they are, also while these move; light is bent,
// mirrored and swallowed as the laws of optics say; smoke and colours are seen through water; motion is
// blurred; and the picture by the level set is the same where water is smooth.
#include "random.h"
#include "render/optics.h"
#include "render/water_mesh.h"
#include "water_picture.h"

static const double water_index = (double)BW_WATER_INDEX;

static int need_embree(void **state)
{
    (void)state;
    if (!bw_mesh_rays_are_there())
        skip();
    return 0;
}

static double reflectance(double cosine)
{
    float out;
    return (double)bw_fresnel((float)(1.0 / water_index), (float)cosine, &out);
}

static double cosine_in_water(double sine)
{
    return sqrt(1.0 - sine * sine / (water_index * water_index));
}

enum { AROUND = 96, RINGS = 48 };

// A ball of radius 1 as a mesh, whose triangles are seen counter-clockwise from outside.
static void make_ball(BwVec3 *places, int32_t (*triangles)[3], float x)
{
    for (int n = 0; n < (RINGS + 1) * AROUND; n++) {
        float down = 3.14159265f * (float)(n / AROUND) / RINGS,
              turn = 6.2831853f * (float)(n % AROUND) / AROUND;
        places[n] = bw_vec3(x + sinf(down) * cosf(turn), cosf(down), -sinf(down) * sinf(turn));
    }
    for (int n = 0; n < RINGS * AROUND; n++) {
        int32_t a = n, b = n / AROUND * AROUND + (n + 1) % AROUND;
        const int32_t pair[2][3] = {{a, a + AROUND, b}, {b, a + AROUND, b + AROUND}};
        memcpy(triangles[2 * n], pair, sizeof pair);
    }
}

static void rays_meet_a_moving_ball(void **state)
{
    (void)state;
    enum { VERTICES = (RINGS + 1) * AROUND, TRIANGLES = 2 * RINGS * AROUND };
    BwVec3 *starts = malloc(2 * VERTICES * sizeof *starts), *ends = starts + VERTICES;
    int32_t(*triangles)[3] = malloc(TRIANGLES * sizeof *triangles);
    make_ball(starts, triangles, 0.0f);
    make_ball(ends, triangles, 2.0f);
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    BwMeshRays *rays;
    assert_int_equal(bw_mesh_rays_create(&rays, &allocator, NULL), BW_OK);
    BwRayMesh mesh = {VERTICES, TRIANGLES, starts, ends, (const int32_t(*)[3])triangles};
    assert_int_equal(bw_mesh_rays_set(rays, &mesh, NULL), BW_OK);
    Random random = random_seeded(3);
    double off = 0.0, lean = 0.0;
    for (int n = 0; n < 2000; n++) {
        float time = (float)random_between(&random, 0.0, 1.0), y = (float)random_between(&random, -0.9, 0.9);
        const float from[3] = {2.0f * time, y, 5.0f};
        BwMeshHit hit;
        assert_true(bw_mesh_rays_hit(rays, from, bw_vec3(0.0f, 0.0f, -1.0f), INFINITY, time, &hit));
        off = fmax(off, fabs((double)hit.t - (5.0 - sqrt(1.0 - (double)(y * y)))));
        lean = fmax(lean, fabs((double)(hit.normal.y - y)));
        assert_false(bw_mesh_rays_hit(rays, from, bw_vec3(0.0f, 0.0f, -1.0f), 3.9f, time, &hit));
        assert_false(bw_mesh_rays_hit(rays, (float[3]){2.0f * time - 1.1f, y, 5.0f},
                                      bw_vec3(0.0f, 0.0f, -1.0f), INFINITY, time, &hit));
    }
    gate("ball_of_triangles_off", off, GATE_BELOW, 4e-3); // which are as far inside of the ball
    gate("ball_of_triangles_lean", lean, GATE_BELOW, 0.05);
    assert_true(bw_mesh_rays_is_near(rays, (float[3]){1.0f, 1.2f, 0.0f}, 0.21f)); // the shutter is half open
    assert_false(bw_mesh_rays_is_near(rays, (float[3]){1.0f, 1.2f, 0.0f}, 0.19f));
    assert_false(bw_mesh_rays_is_near(rays, (float[3]){1.0f, 0.0f, 0.0f}, 0.9f));
    bw_mesh_rays_destroy(rays);
    free(starts);
    free(triangles);
}

// From inside of a box full of water every ray meets one of its sides, up to the very edges.
static void the_box_of_water_has_sharp_edges(void **state)
{
    (void)state;
    const int32_t count[3] = {2, 2, 2};
    Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, everywhere, NULL);
    BwWater water = {.allocator = bw_allocator_or_default((BwAllocator){0})};
    BwWaterMesh mesh = {.allocator = water.allocator};
    BwSolids solids = {.allocator = water.allocator};
    BwWaterMeshDef def = {.frame = &liquid->puff->frame,
                          .water = &water,
                          .solids = &solids,
                          .ground = -INFINITY,
                          .surface = bw_surface_def_default()};
    assert_int_equal(bw_water_build(&water, NULL, def.frame, NULL), BW_OK);
    assert_int_equal(bw_water_mesh_build(&mesh, NULL, &def, NULL), BW_OK);
    Random random = random_seeded(5);
    double off = 0.0, lean = 0.0;
    for (int n = 0; n < 4000; n++) {
        double edge = random_between(&random, 0.0, 6.2831853);
        double away = 0.7071 + random_between(&random, -0.01, 0.01);
        BwVec3 ray =
            bw_normalize(bw_vec3((float)away, (float)sqrt(1.0 - away * away), (float)(0.3 * sin(edge))));
        BwCrossing crossing;
        bool is_inside = false;
        assert_true(bw_water_mesh_cross(&mesh, (float[3]){8.0f, 8.0f, 8.0f}, ray, INFINITY, 0.5f, &is_inside,
                                        &crossing));
        assert_true(is_inside);
        off = fmax(off, fabs((double)(crossing.t * fmaxf(ray.x, ray.y)) - 8.0));
        lean = fmax(lean, 1.0 - fmax((double)crossing.normal.x, (double)crossing.normal.y));
    }
    gate("box_of_water_off_cells", off, GATE_BELOW, 0.1);
    gate("box_of_water_lean", lean, GATE_BELOW, 1e-6);
    // On the ground it has no bottom, and nothing of one along the walls.
    def.ground = 0.0;
    assert_int_equal(bw_water_mesh_build(&mesh, NULL, &def, NULL), BW_OK);
    for (int n = 0; n < 4000; n++) {
        double away = 0.7071 + random_between(&random, -0.01, 0.01);
        BwVec3 ray = bw_vec3(0.0f, -(float)sqrt(1.0 - away * away), (float)away);
        BwCrossing crossing;
        bool is_inside = true;
        if (bw_water_mesh_cross(&mesh, (float[3]){8.0f, 8.0f, 8.0f}, ray, -8.0f / ray.y, 0.5f, &is_inside,
                                &crossing))
            assert_true(crossing.normal.z == 1.0f);
        assert_true(is_inside);
    }
    assert_true(bw_water_mesh_holds(&mesh, (float[3]){8.0f, 15.9f, 8.0f}));
    assert_false(bw_water_mesh_holds(&mesh, (float[3]){8.0f, 16.1f, 8.0f}));
    bw_water_mesh_free(&mesh);
    bw_water_free(&water);
    liquid_free(liquid);
}

// The ground under a pool, seen slantwise in the light of a slanting lamp: what comes in, gets down, up and
// out.
static double light_of_ground(float level, float absorption, float color)
{
    const int32_t count[3] = {8, 3, 8};
    Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, pool, &level);
    BwSceneDef scene = dark_scene(liquid);
    static const BwLightDef lamp = {{0.5f, 0.8660254f, 0.0f}, {1.0f, 1.0f, 1.0f}, 2.0f};
    scene.lights = &lamp;
    scene.look.show_ground = true;
    scene.look.water_absorption = absorption;
    for (int c = 0; c < 3; c++) {
        scene.look.water_color[c] = color;
        scene.look.background[c] = 0.0f;
        scene.look.ground[c] = 0.8f;
    }
    // The same place of the ground is seen without water.
    float sine = 0.8660254f / BW_WATER_INDEX, shift = level > 0.0f ? 0.0f : sine / sqrtf(1.0f - sine * sine);
    BwVec3 target = bw_vec3(2.0f, fmaxf(level, 0.0f), 2.0f - shift);
    look_from(&scene, bw_add(target, bw_vec3(0.0f, 20.0f, 34.6410162f)), target, 0.006f);
    uint8_t *pixels = draw_once(&scene, &liquid->puff->frame, 2);
    double light = mean_light(pixels, 0);
    free(pixels);
    liquid_free(liquid);
    return light;
}

static void light_falls_off_along_the_refracted_way(void **state)
{
    (void)state;
    double view = cosine_in_water(sin(1.0471976)), lamp = cosine_in_water(0.5);
    double faint = light_of_ground(1.0f, 0.2f, 0.0f), strong = light_of_ground(1.0f, 0.8f, 0.0f);
    gate("refracted_way_error", fabs(log(faint / strong) / (0.6 / view + 0.6 / lamp) - 1.0), GATE_BELOW,
         0.01);
    double clear = light_of_ground(1.0f, 0.8f, 1.0f), dry = light_of_ground(-1.0f, 0.8f, 1.0f);
    double truth = (1.0 - reflectance(0.5)) * (1.0 - reflectance(0.8660254));
    gate("clear_water_light_error", fabs(clear / dry / truth - 1.0), GATE_BELOW, 0.01);
}

// The end of a pool's shadow on the ground, from straight above, half a metre across.
static uint8_t *draw_shadow(void)
{
    const float level = 1.0f;
    const int32_t count[3] = {4, 4, 4};
    Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, pool, &level);
    BwSceneDef scene = dark_scene(liquid);
    static const BwLightDef lamp = {{0.5f, 1.0f, 0.0f}, {1.0f, 1.0f, 1.0f}, 1.0f};
    scene.lights = &lamp;
    scene.look.show_ground = true;
    for (int c = 0; c < 3; c++)
        scene.look.ground[c] = 0.8f;
    look_from(&scene, bw_vec3(-0.6f, 20.0f, 1.4f), bw_vec3(-0.6f, 0.0f, 1.0f), 0.0225f);
    uint8_t *pixels = draw_once(&scene, &liquid->puff->frame, 2);
    liquid_free(liquid);
    return pixels;
}

// Its rim is as wide as the map of light has it, up to where light is whole. A texel is 33 pixels wide.
static void shadows_end_softly(void **state)
{
    (void)state;
    uint8_t *pixels = draw_shadow();
    double step = 0.0, low = INFINITY, high = 0.0;
    for (int n = 0; n < PIXELS; n++) {
        double light = (double)linear_bytes(pixels[3 * n]);
        if (n % WIDTH > 0)
            step = fmax(step, fabs(light - (double)linear_bytes(pixels[3 * n - 3])));
        low = fmin(low, light);
        high = fmax(high, light);
    }
    gate("shadow_contrast", high / low, GATE_ABOVE, 4.0);
    gate("shadow_rim_step_of_light", step / high, GATE_BELOW, 0.05);
    free(pixels);
}

// A ball of water turns what is behind it upside down.
static void a_ball_inverts_what_is_behind_it(void **state)
{
    (void)state;
    const int32_t count[3] = {4, 4, 4};
    const float shape[4] = {1.0f, 1.0f, 1.0f, 0.5f};
    Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, ball, shape);
    BwSceneDef scene = dark_scene(liquid);
    const BwShape board = bw_box(bw_vec3(-3.0f, -3.0f, -0.1f), bw_vec3(3.0f, 3.0f, 0.1f));
    const BwFrameSolid solid = {
        &board, {{1.0f, 4.0f, -2.0f}, bw_quat_identity()}, {1.0f, 0.0f, 0.0f}, false, 0.0f};
    scene.look.ambient_light = 1.0f;
    scene.look.water_absorption = 1e-3f;
    for (int c = 0; c < 3; c++)
        scene.look.background[c] = 0.0f;
    liquid->puff->frame.solids = &solid;
    liquid->puff->frame.solid_count = 1;
    look_from(&scene, bw_vec3(1.0f, 1.0f, 7.0f), bw_vec3(1.0f, 1.0f, 0.0f), 0.25f);
    uint8_t *pixels = draw_once(&scene, &liquid->puff->frame, 2);
    int red[2] = {0, 0}, all = 0; // in the middle of the ball, above and below its center
    double radius = 0.3 / 6.0 / (2.0 * tan(0.125)) * HEIGHT;
    for (int n = 0; n < PIXELS; n++) {
        double x = n % WIDTH + 0.5 - 0.5 * WIDTH, y = n / WIDTH + 0.5 - 0.5 * HEIGHT;
        if (hypot(x, y) > radius || fabs(y) < 3.0)
            continue;
        bool is_red = pixels[3 * n] > 60 && pixels[3 * n] > 2 * pixels[3 * n + 1];
        red[y > 0.0] += is_red;
        all += y > 0.0;
    }
    assert_true(all > 200);
    gate("red_above_in_a_ball", (double)red[0] / all, GATE_BELOW, 0.02);
    gate("red_below_in_a_ball", (double)red[1] / all, GATE_ABOVE, 0.95);
    free(pixels);
    liquid_free(liquid);
}

static float slab(const void *context, float x, float y, float z)
{
    (void)context, (void)x, (void)y;
    return fabsf(z - 1.4f) - 0.2f;
}

// Black smoke behind a slab of clear water, straight before the camera: what is left of the backdrop is what
// the two faces of the slab mirror. Beside it in the mirror, behind the camera, there is none.
static void smoke_is_seen_through_water(void **state)
{
    (void)state;
    const int32_t count[3] = {4, 4, 4};
    Liquid *liquid = liquid_make(1.0f / 16.0f, at_origin, count, slab, NULL);
    BwFrame *frame = &liquid->puff->frame;
    size_t cells = (size_t)frame->tile_count * 512;
    float *density = calloc(cells, sizeof *density);
    for (size_t n = 0; n < cells; n++)
        density[n] = frame->tiles[n / 512].z == 0 ? 1.0f : 0.0f; // z up to .5 m
    BwFrameField fields[2] = {liquid->fields[0], {"density", "1", BW_AT_CELL, 0.0f, density, false}};
    BwSceneDef scene = dark_scene(liquid);
    scene.look.absorption = 100.0f;
    for (int c = 0; c < 3; c++) {
        scene.look.background[c] = 0.8f;
        scene.look.water_color[c] = 1.0f;
        scene.look.smoke_color[c] = 0.0f;
    }
    look_from(&scene, bw_vec3(1.0f, 0.9f, 60.0f), bw_vec3(1.0f, 0.9f, 0.0f), 0.01f);
    frame->fields = fields;
    frame->field_count = 2;
    uint8_t *pixels = draw_once(&scene, frame, 2);
    double back = (double)bw_tone_inverse(bw_srgb_decode(0.8f)), r = reflectance(1.0);
    double truth = r + (1.0 - r) * (1.0 - r) * r / (1.0 - r * r);
    gate("black_smoke_behind_water_error", fabs(mean_light(pixels, 1) / back - truth), GATE_BELOW, 0.003);
    free(pixels);
    free(density);
    liquid_free(liquid);
}

// A ball of water that flies to the right at 3 m/s, x metres from where it is at the time of the frame.
typedef struct Flight {
    Liquid *liquid;
    float *velocity;
    BwFrameField fields[4];
} Flight;

static Flight make_flight(float x)
{
    const int32_t count[3] = {4, 4, 4};
    const float shape[4] = {1.0f + x, 1.0f, 1.0f, 0.4f};
    Flight flight = {.liquid = liquid_make(1.0f / 16.0f, at_origin, count, ball, shape)};
    BwFrame *frame = &flight.liquid->puff->frame;
    size_t cells = (size_t)frame->tile_count * 512;
    flight.velocity = calloc(2 * cells, sizeof *flight.velocity);
    for (size_t n = 0; n < cells; n++)
        flight.velocity[n] = 3.0f;
    flight.fields[0] = flight.liquid->fields[0];
    flight.fields[1] = (BwFrameField){"u", "m/s", BW_AT_FACE_X, 3.0f, flight.velocity, false};
    flight.fields[2] = (BwFrameField){"v", "m/s", BW_AT_FACE_Y, 0.0f, flight.velocity + cells, false};
    flight.fields[3] = (BwFrameField){"w", "m/s", BW_AT_FACE_Z, 0.0f, flight.velocity + cells, false};
    return flight;
}

static uint8_t *draw_flight(float x, float shutter, int workers)
{
    Flight flight = make_flight(x);
    BwFrame *frame = &flight.liquid->puff->frame;
    frame->fields = flight.fields;
    frame->field_count = 4;
    BwSceneDef scene = dark_scene(flight.liquid);
    scene.look.ambient_light = 0.35f;
    scene.camera.shutter = shutter;
    look_from(&scene, bw_vec3(1.0f, 1.0f, 6.0f), bw_vec3(1.0f, 1.0f, 0.0f), 0.3f);
    uint8_t *pixels = draw_once(&scene, frame, workers);
    free(flight.velocity);
    liquid_free(flight.liquid);
    return pixels;
}

// The picture of a moving ball is the mean of the pictures of balls that stand along its way.
static void motion_is_blurred(void **state)
{
    (void)state;
    enum { STEPS = 16 };
    double *mean = calloc(3 * PIXELS, sizeof *mean), off = 0.0, apart = 0.0;
    for (int n = 0; n < STEPS; n++) {
        float x = 3.0f * 0.8f / 24.0f * (((float)n + 0.5f) / STEPS - 0.5f);
        uint8_t *pixels = draw_flight(x, 0.0f, 2);
        for (int p = 0; p < 3 * PIXELS; p++)
            mean[p] += (double)linear_bytes(pixels[p]) / STEPS;
        free(pixels);
    }
    uint8_t *blurred = draw_flight(0.0f, 0.8f, 2), *still = draw_flight(0.0f, 0.0f, 2);
    uint8_t *other = draw_flight(0.0f, 0.8f, 3);
    for (int p = 0; p < 3 * PIXELS; p++) {
        off += fabs((double)linear_bytes(blurred[p]) - mean[p]);
        apart += fabs((double)linear_bytes(still[p]) - mean[p]);
    }
    gate("blurred_ball_off_of_still_one", off / apart, GATE_BELOW,
         0.45); // eight rays a pixel are not the whole
    assert_memory_equal(blurred, other, 3 * PIXELS);
    free(blurred);
    free(still);
    free(other);
    free(mean);
}

static float waves(const void *context, float x, float y, float z)
{
    (void)context;
    return 0.98f * (y - 1.0f - 0.05f * sinf(2.0f * x + z) - 0.03f * sinf(3.0f * z - x));
}

// A pool round a block that is turned aside, which its water does not quite touch, as behind a moving one.
typedef struct Dock {
    float level, gap, half; // m
} Dock;

static float block_distance(const Dock *dock, float x, float z)
{
    const float cosine = 0.8660254f, sine = 0.5f; // 30 degrees
    float along = fabsf(cosine * (x - 1.0f) - sine * (z - 1.0f)) - dock->half,
          across = fabsf(sine * (x - 1.0f) + cosine * (z - 1.0f)) - dock->half;
    float out_x = fmaxf(along, 0.0f), out_z = fmaxf(across, 0.0f);
    return sqrtf(out_x * out_x + out_z * out_z) + fminf(fmaxf(along, across), 0.0f);
}

static float docked(const void *context, float x, float y, float z)
{
    const Dock *dock = context;
    return fmaxf(y - dock->level, dock->gap - block_distance(dock, x, z));
}

// The surface goes on to the solid: seen from below it has no holes along it, which would show as saw-teeth.
static void water_ends_at_the_solid(void **state)
{
    (void)state;
    const int32_t count[3] = {4, 3, 4};
    const float cell = 1.0f / 16.0f;
    const Dock dock = {0.72f, 0.2f * cell, 0.3f};
    Liquid *liquid = liquid_make(cell, at_origin, count, docked, &dock);
    BwFrame *frame = &liquid->puff->frame;
    const BwShape block = bw_box(bw_vec3(-0.3f, -1.0f, -0.3f), bw_vec3(0.3f, 2.0f, 0.3f));
    const BwFrameSolid solid = {&block,
                                {bw_vec3(1.0f, 0.0f, 1.0f), {0.0f, 0.25881905f, 0.0f, 0.96592583f}},
                                {1.0f, 1.0f, 1.0f},
                                false,
                                0.0f};
    frame->solids = &solid;
    frame->solid_count = 1;
    BwWater water = {.allocator = bw_allocator_or_default((BwAllocator){0})};
    BwWaterMesh mesh = {.allocator = water.allocator};
    BwSolids solids = {.allocator = water.allocator};
    assert_int_equal(bw_solids_set(&solids, frame, false, 2.0f, NULL), BW_OK);
    BwWaterMeshDef def = {.frame = frame,
                          .water = &water,
                          .solids = &solids,
                          .ground = -INFINITY,
                          .surface = bw_surface_def_default()};
    def.surface.into_solids = 1.0f;
    assert_int_equal(bw_water_build(&water, NULL, frame, NULL), BW_OK);
    assert_int_equal(bw_water_mesh_build(&mesh, NULL, &def, NULL), BW_OK);
    Random random = random_seeded(11);
    int rays = 0, holes = 0;
    while (rays < 4000) {
        double point[3] = {random_between(&random, 0.5, 1.5), 0.5, random_between(&random, 0.5, 1.5)};
        float off = bw_solids_gap(&solids, point, 1.0f) / cell, place[3];
        if (!(off > 0.25f && off < 0.7f))
            continue;
        BwCrossing crossing;
        bool is_inside = true;
        rays++;
        bw_water_place(&water, point, place);
        holes +=
            !bw_water_mesh_cross(&mesh, place, bw_vec3(0.0f, 1.0f, 0.0f), 6.0f, 0.5f, &is_inside, &crossing);
    }
    gate("holes_along_a_solid_share", (double)holes / rays, GATE_BELOW, 0.002);
    bw_water_mesh_free(&mesh);
    bw_solids_free(&solids);
    bw_water_free(&water);
    liquid_free(liquid);
}

// Smooth water is the same by its mesh and by its level set, within a few bytes.
static void both_ways_to_draw_agree(void **state)
{
    (void)state;
    const int32_t count[3] = {16, 8, 16};
    Liquid *liquid = liquid_make(1.0f / 32.0f, at_origin, count, waves, NULL);
    BwSceneDef scene = dark_scene(liquid);
    scene.light_count = 0;
    scene.fluid = BW_FLUID_LIQUID;
    scene.look.show_ground = true;
    scene.look.ambient_light = 0.35f;
    uint8_t *mesh = draw_once(&scene, &liquid->puff->frame, 2);
    scene.look.water = BW_WATER_LEVELSET;
    uint8_t *level_set = draw_once(&scene, &liquid->puff->frame, 2);
    double sum = 0.0, far = 0.0;
    for (int n = 0; n < 3 * PIXELS; n++) {
        sum += abs(mesh[n] - level_set[n]);
        far += abs(mesh[n] - level_set[n]) > 12;
    }
    gate("mesh_and_level_set_apart_bytes", sum / (3 * PIXELS), GATE_BELOW, 1.5);
    gate("mesh_and_level_set_far_apart_share", far / (3 * PIXELS), GATE_BELOW, 0.02);
    free(mesh);
    free(level_set);
    liquid_free(liquid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(rays_meet_a_moving_ball, need_embree),
        cmocka_unit_test_setup(the_box_of_water_has_sharp_edges, need_embree),
        cmocka_unit_test_setup(light_falls_off_along_the_refracted_way, need_embree),
        cmocka_unit_test_setup(shadows_end_softly, need_embree),
        cmocka_unit_test_setup(a_ball_inverts_what_is_behind_it, need_embree),
        cmocka_unit_test_setup(smoke_is_seen_through_water, need_embree),
        cmocka_unit_test_setup(motion_is_blurred, need_embree),
        cmocka_unit_test_setup(water_ends_at_the_solid, need_embree),
        cmocka_unit_test_setup(both_ways_to_draw_agree, need_embree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
