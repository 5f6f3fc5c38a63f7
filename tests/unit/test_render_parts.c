// Pictures of particles, meshes and columns: each where the camera projects it, hidden by what is nearer and
// hiding what is farther, lit from the side of the lamp, the same on any number of threads.
#include "frame_parts.h"
#include "picture.h"
#include "render/camera.h"
#include "starved_picture.h"

static const int32_t one_tile[3] = {1, 1, 1};

// An empty box of a metre, seen from the front, with a lamp from the left.
static Puff *empty_box(BwSceneDef *scene)
{
    static const BwLightDef lamp = {{-1.0f, 0.0f, 0.3f}, {1.0f, 1.0f, 1.0f}, 1.0f};
    Puff *puff = puff_make(0.125f, at_origin, one_tile, nothing, NULL);
    *scene = plain_scene(puff, at_origin, one_tile);
    scene->lights = &lamp;
    scene->light_count = 1;
    scene->camera.position = bw_curve_vector(0.5f, 0.5f, 4.0f);
    scene->camera.target = bw_curve_vector(0.5f, 0.5f, 0.0f);
    scene->camera.field_of_view = 0.5f;
    for (int c = 0; c < 3; c++)
        scene->look.background[c] = 0.0f;
    return puff;
}

// A few particles of one tile, in colours.
typedef struct Drops {
    BwFrameParticles set;
    BwTileCoord tile;
    int32_t tiles[4];
    BwVec3 positions[4];
    float colors[4][3];
    BwFrameAttribute color;
} Drops;

static void add_drops(Drops *drops, BwFrame *frame, int count, float radius)
{
    drops->color = (BwFrameAttribute){"color", "1", 3, drops->colors[0], NULL};
    drops->set = (BwFrameParticles){.name = "drops",
                                    .radius = radius,
                                    .tile_count = 1,
                                    .tiles = &drops->tile,
                                    .count = count,
                                    .tile = drops->tiles,
                                    .positions = drops->positions,
                                    .attributes = &drops->color,
                                    .attribute_count = 1};
    frame->particles = &drops->set;
    frame->particle_set_count = 1;
}

static void set_color(float color[3], float r, float g, float b)
{
    color[0] = r;
    color[1] = g;
    color[2] = b;
}

// Where light of a colour is in the picture: its mean place and the pixels that have any.
typedef struct Spot {
    double x, y, left_light, right_light;
    int count;
} Spot;

static Spot spot_of(const uint8_t *pixels, int channel)
{
    Spot spot = {0};
    for (int n = 0; n < 160 * 120; n++) {
        if (pixels[3 * n + channel] < 24)
            continue;
        spot.x += n % 160 + 0.5;
        spot.y += n / 160 + 0.5;
        spot.count++;
    }
    spot.x /= spot.count;
    spot.y /= spot.count;
    for (int n = 0; n < 160 * 120; n++)
        *(n % 160 < spot.x ? &spot.left_light : &spot.right_light) +=
            (double)linear_bytes(pixels[3 * n + channel]);
    return spot;
}

static void project(const BwSceneDef *scene, const double place[3], double *x_px, double *y_px)
{
    BwCamera camera;
    float x, y;
    const BwBox box = {{0.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}};
    bw_camera_at(&camera, scene, box, 0.0, 160.0f / 120.0f, NULL);
    bw_camera_project(&camera, place, &x, &y);
    *x_px = 80.0 * (1.0 + (double)x);
    *y_px = 60.0 * (1.0 - (double)y);
}

static void a_particle_is_where_the_camera_projects_it(void **state)
{
    (void)state;
    BwSceneDef scene;
    Puff *puff = empty_box(&scene);
    Drops drops = {.positions = {{0.25f, 0.75f, 0.5f}}};
    set_color(drops.colors[0], 0.0f, 1.0f, 0.0f);
    add_drops(&drops, &puff->frame, 1, 0.06f);
    double x, y, worst = 0.0;
    for (int step = 0; step < 5; step++) {
        drops.positions[0].x = 0.1f + 0.2f * (float)step;
        drops.positions[0].y = 0.85f - 0.13f * (float)step;
        const double place[3] = {(double)drops.positions[0].x, (double)drops.positions[0].y, 0.5};
        uint8_t *pixels = draw_once(&scene, &puff->frame, 2);
        Spot spot = spot_of(pixels, 1);
        project(&scene, place, &x, &y);
        worst = fmax(worst, hypot(spot.x - x, spot.y - y));
        // A disc of the right size: 120 px are 2 tan(0.25) times the distance, 3.5 m.
        double radius = 0.06 * 60.0 / (tan(0.25) * 3.5), area = 3.14159265 * radius * radius;
        assert_true(fabs(spot.count / area - 1.0) < 0.25);
        assert_true(spot.left_light > 1.3 * spot.right_light); // the lamp is on the left
        free(pixels);
    }
    gate("particle_off_its_projection_px", worst, GATE_BELOW, 0.5);
    puff_free(puff);
}

// Smaller than a pixel it is still there.
static void the_smallest_particle_is_seen(void **state)
{
    (void)state;
    BwSceneDef scene;
    Puff *puff = empty_box(&scene);
    Drops drops = {.positions = {{0.37f, 0.61f, 0.5f}}};
    set_color(drops.colors[0], 1.0f, 1.0f, 1.0f);
    add_drops(&drops, &puff->frame, 1, 0.0f);
    uint8_t *pixels = draw_once(&scene, &puff->frame, 1);
    Spot spot = spot_of(pixels, 0);
    assert_true(spot.count >= 1 && spot.count <= 4);
    free(pixels);
    puff_free(puff);
}

// The nearer of two particles hides the other, whichever comes first; a solid between them hides one.
static void the_nearest_is_seen(void **state)
{
    (void)state;
    BwSceneDef scene;
    Puff *puff = empty_box(&scene);
    for (int first = 0; first < 2; first++) {
        Drops drops = {0};
        drops.positions[first] = bw_vec3(0.5f, 0.5f, 0.8f);
        drops.positions[1 - first] = bw_vec3(0.5f, 0.5f, 0.2f);
        set_color(drops.colors[first], 1.0f, 0.0f, 0.0f);
        set_color(drops.colors[1 - first], 0.0f, 0.0f, 1.0f);
        add_drops(&drops, &puff->frame, 2, 0.1f);
        uint8_t *pixels = draw_once(&scene, &puff->frame, 1);
        const uint8_t *middle = pixels + 3 * (60 * 160 + 80);
        assert_true(middle[0] > 60 && middle[2] < 20);
        free(pixels);
        const BwShape plate = {.kind = BW_SHAPE_BOX, .a = {0.2f, 0.2f, 0.45f}, .b = {0.8f, 0.8f, 0.55f}};
        BwFrameSolid solid = {&plate, bw_pose_identity(), {0.0f, 1.0f, 0.0f}, false, 0.0f};
        puff->frame.solids = &solid;
        puff->frame.solid_count = 1;
        add_drops(&drops, &puff->frame, 2, 0.1f);
        drops.positions[first].z = 0.1f; // now both are behind the plate
        pixels = draw_once(&scene, &puff->frame, 1);
        middle = pixels + 3 * (60 * 160 + 80);
        assert_true(middle[1] > 60 && middle[0] < 20 && middle[2] < 20);
        free(pixels);
        puff->frame.solid_count = 0;
    }
    puff_free(puff);
}

// Behind a slab of black smoke a particle is darker by what Beer and Lambert say; before it, as bright.
static void smoke_dims_what_is_behind_it(void **state)
{
    (void)state;
    const int32_t slab[3] = {1, 1, 1};
    float density = 1.0f;
    BwSceneDef scene;
    Puff *puff = empty_box(&scene), *smoke = puff_make(0.125f, at_origin, slab, uniform, &density);
    Drops drops = {.tile = {0, 0, -1}, .positions = {{0.5f, 0.5f, 0.5f}}}; // at z = -0.5, behind the slab
    set_color(drops.colors[0], 1.0f, 1.0f, 1.0f);
    for (int c = 0; c < 3; c++)
        scene.look.smoke_color[c] = 0.0f;
    scene.look.absorption = 0.7f;
    scene.look.ambient_light = 0.0f; // the sky would come through the smoke
    add_drops(&drops, &puff->frame, 1, 0.1f);
    add_drops(&drops, &smoke->frame, 1, 0.1f);
    double light[2][2];
    for (int before = 0; before < 2; before++) {
        drops.tile.z = before ? 1 : -1;
        uint8_t *clear = draw_once(&scene, &puff->frame, 1), *dim = draw_once(&scene, &smoke->frame, 1);
        light[before][0] = (double)linear_bytes(clear[3 * (60 * 160 + 80)]);
        light[before][1] = (double)linear_bytes(dim[3 * (60 * 160 + 80)]);
        free(clear);
        free(dim);
    }
    // The lamp's way to the front of the particle is clear of the slab but for its rim.
    gate("particle_behind_smoke_error", fabs(light[0][1] / light[0][0] / exp(-0.7) - 1.0), GATE_BELOW, 0.05);
    gate("particle_before_smoke_error", fabs(light[1][1] / light[1][0] - 1.0), GATE_BELOW, 0.02);
    puff_free(puff);
    puff_free(smoke);
}

// A square of two triangles facing the camera covers the pixels that its corners project to, without a gap
// along the diagonal, seen from either side.
static void a_mesh_covers_its_outline(void **state)
{
    (void)state;
    BwSceneDef scene;
    Puff *puff = empty_box(&scene);
    const BwVec3 vertices[4] = {
        {-0.3f, -0.2f, 0.0f}, {0.3f, -0.2f, 0.0f}, {0.3f, 0.2f, 0.0f}, {-0.3f, 0.2f, 0.0f}};
    int32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    BwFrameMesh mesh = {.name = "square",
                        .origin = {0.5, 0.5, 0.5},
                        .vertex_count = 4,
                        .triangle_count = 2,
                        .vertices = vertices,
                        .triangles = (const int32_t(*)[3])triangles};
    puff->frame.meshes = &mesh;
    puff->frame.mesh_count = 1;
    double low[2], high[2];
    project(&scene, (double[3]){0.2, 0.7, 0.5}, &low[0], &low[1]);
    project(&scene, (double[3]){0.8, 0.3, 0.5}, &high[0], &high[1]);
    for (int side = 0; side < 2; side++) {
        uint8_t *pixels = draw_once(&scene, &puff->frame, 2);
        int wrong = 0;
        for (int n = 0; n < 160 * 120; n++) {
            double x = n % 160, y = n / 160;
            bool is_inside = x >= low[0] && x + 1.0 <= high[0] && y >= low[1] && y + 1.0 <= high[1];
            bool is_outside = x + 1.0 < low[0] || x > high[0] || y + 1.0 < low[1] || y > high[1];
            wrong += (is_inside && pixels[3 * n + 2] < 60) || (is_outside && pixels[3 * n + 2] > 8);
        }
        gate("mesh_wrong_pixels", wrong, GATE_BELOW, 0.0);
        free(pixels);
        for (int n = 0; n < 2; n++) {
            int32_t swap = triangles[n][1];
            triangles[n][1] = triangles[n][2];
            triangles[n][2] = swap;
        }
    }
    puff_free(puff);
}

// The first and the last lit column of pixels.
static void lit_ends(const uint8_t *pixels, double ends[2])
{
    ends[0] = 160.0;
    ends[1] = 0.0;
    for (int n = 0; n < 160 * 120; n++)
        if (pixels[3 * n + 2] >= 24) {
            ends[0] = fmin(ends[0], n % 160);
            ends[1] = fmax(ends[1], n % 160 + 1);
        }
}

// Columns seen from above: their surface is as large as its height makes it, and a dry column leaves a gap.
static void columns_stand_at_their_height(void **state)
{
    (void)state;
    enum { ACROSS = 16, ALONG = 8 };
    static float heights[ACROSS * ALONG], depths[ACROSS * ALONG];
    BwSceneDef scene;
    Puff *puff = empty_box(&scene);
    for (int n = 0; n < ACROSS * ALONG; n++) {
        heights[n] = n % ACROSS < 8 ? 0.3f : 0.6f;
        depths[n] = 0.1f;
    }
    const BwFrameAttribute depth = {"depth", "m", 1, depths, NULL};
    BwFrameColumns water = {.name = "water",
                            .cell_size = 1.0f / 16.0f,
                            .count = {ACROSS, ALONG},
                            .heights = heights,
                            .attributes = &depth,
                            .attribute_count = 1};
    puff->frame.columns = &water;
    puff->frame.column_set_count = 1;
    scene.camera.position = bw_curve_vector(0.5f, 4.5f, 0.5f); // from above
    scene.camera.target = bw_curve_vector(0.5f, 0.0f, 0.5f);
    scene.camera.up = bw_curve_vector(0.0f, 0.0f, -1.0f);
    uint8_t *pixels = draw_once(&scene, &puff->frame, 2);
    int wet = spot_of(pixels, 2).count;
    double ends[2], wanted[2], y;
    lit_ends(pixels, ends);
    project(&scene, (double[3]){0.5 / 16.0, 0.3, 0.5}, &wanted[0], &y);
    project(&scene, (double[3]){15.5 / 16.0, 0.6, 0.5}, &wanted[1], &y);
    gate("columns_left_end_px", fabs(ends[0] - wanted[0]), GATE_BELOW, 1.0);
    gate("columns_right_end_px", fabs(ends[1] - wanted[1]), GATE_BELOW, 1.0);
    assert_true(wanted[1] + wanted[0] > 161.5); // the higher half looks larger
    free(pixels);
    for (int k = 0; k < ALONG; k++)
        depths[k * ACROSS + 4] = 0.0f; // takes the strips on both of its sides away
    pixels = draw_once(&scene, &puff->frame, 2);
    int left = spot_of(pixels, 2).count;
    free(pixels);
    // Strips go by 1 / distance^2: two of the seven at 4.2 m are gone, beside seven at 3.9 m and one between.
    gate("share_of_columns_error", fabs((double)left / wet - 0.877), GATE_BELOW, 0.02);
    puff_free(puff);
}

// In 2-D: discs, and water from its surface to the ground, in their colours.
static void flat_pictures_show_them_too(void **state)
{
    (void)state;
    const int32_t count[3] = {4, 3, 0};
    Puff *puff = puff_make(1.0f / 8.0f, at_origin, count, nothing, NULL); // 4 m x 3 m
    BwSceneDef scene = plain_scene(puff, at_origin, (const int32_t[3]){4, 3, 1});
    Drops drops = {.tile = {1, 2, 0}, .positions = {{0.5f, 0.5f, 0.0f}}}; // at (1.5, 2.5)
    set_color(drops.colors[0], 1.0f, 0.0f, 0.0f);
    add_drops(&drops, &puff->frame, 1, 0.2f);
    static float heights[32];
    static float blue[32][3];
    for (int n = 0; n < 32; n++) {
        heights[n] = 1.5f;
        blue[n][2] = 1.0f;
    }
    const BwFrameAttribute color = {"color", "1", 3, blue[0], NULL};
    BwFrameColumns water = {.name = "water",
                            .cell_size = 1.0f / 8.0f,
                            .count = {32, 1},
                            .heights = heights,
                            .attributes = &color,
                            .attribute_count = 1};
    puff->frame.columns = &water;
    puff->frame.column_set_count = 1;
    uint8_t *pixels = draw_once(&scene, &puff->frame, 2);
    // 160 px are 4 m: the disc is at (60, 20) and 8 px wide on each side, the surface at row 60.
    const uint8_t *disc = pixels + 3 * (20 * 160 + 60), *beside = pixels + 3 * (20 * 160 + 72);
    const uint8_t *below = pixels + 3 * (64 * 160 + 60), *above = pixels + 3 * (56 * 160 + 60);
    assert_true(disc[0] > 150 && disc[1] < 60);
    assert_true(beside[0] == above[0] && beside[1] == above[1]);
    assert_true(below[2] > 150 && below[0] < 60);
    assert_true(above[2] < 100);
    free(pixels);
    puff_free(puff);
}

static void they_do_not_depend_on_workers(void **state)
{
    (void)state;
    static FrameParts parts;
    parts_make(&parts);
    parts.tiles[0] = (BwTileCoord){0, 0, 0};
    parts.tiles[1] = (BwTileCoord){0, 0, 0};
    memset(parts.mesh.origin, 0, sizeof parts.mesh.origin);
    BwSceneDef scene = {.cell = 0.125f, .dimension = 3, .fps = 24.0};
    scene.look = (BwLookDef){.smoke_color = {0.9f, 0.9f, 0.9f},
                             .background = {0.2f, 0.2f, 0.2f},
                             .ground = {0.3f, 0.3f, 0.3f},
                             .show_ground = true,
                             .ambient_light = 0.35f,
                             .water_color = {0.3f, 0.66f, 0.78f}};
    scene.output.width = 160;
    scene.output.height = 120;
    uint8_t *one = draw_once(&scene, &parts.frame, 1);
    for (int workers = 2; workers < 6; workers++) {
        uint8_t *many = draw_once(&scene, &parts.frame, workers);
        assert_memory_equal(one, many, 3 * 160 * 120);
        free(many);
    }
    parts.frame.particle_set_count = parts.frame.column_set_count = parts.frame.mesh_count = 0;
    uint8_t *none = draw_once(&scene, &parts.frame, 1);
    assert_memory_not_equal(one, none, 3 * 160 * 120);
    free(none);
    free(one);
}

// Each allocation fails once: the renderer says so, gives all back, and draws the same picture later.
static void short_memory_is_told(void **state)
{
    (void)state;
    static FrameParts parts;
    parts_make(&parts);
    BwSceneDef scene;
    Puff *puff = empty_box(&scene);
    BwRendererDef def = bw_renderer_def_default();
    def.scene = &scene;
    draw_short_of_memory(def, &parts.frame);
    puff_free(puff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_particle_is_where_the_camera_projects_it),
        cmocka_unit_test(the_smallest_particle_is_seen),
        cmocka_unit_test(the_nearest_is_seen),
        cmocka_unit_test(smoke_dims_what_is_behind_it),
        cmocka_unit_test(a_mesh_covers_its_outline),
        cmocka_unit_test(columns_stand_at_their_height),
        cmocka_unit_test(flat_pictures_show_them_too),
        cmocka_unit_test(they_do_not_depend_on_workers),
        cmocka_unit_test(short_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
