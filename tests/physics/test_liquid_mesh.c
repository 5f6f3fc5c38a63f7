// Meshes of liquids as they run: every frame is closed, keeps the volume of the liquid, and stays between the
// walls and outside of solids.
#include "liquid_run.h"
#include "mesh_walk.h"

#include <billow/surface.h>

#include <stdio.h>

#ifdef FULL_SIZE
enum { CELLS = 48, FRAMES = 30, ROUND = 2, THIN_CELLS = 30, TAP_FRAMES = 48 };
#else
enum {
    CELLS = 16,
    FRAMES = 24,
    ROUND = 4,
    THIN_CELLS = 20,
    TAP_FRAMES = 30
}; // every so many frames are looked at at the finer resolution
#endif

typedef struct Watched {
    int64_t faults;
    double volume; // largest difference from the liquid's, as a part of it
    double depth;  // cells, that a vertex is inside a solid
    double beyond; // cells, that one is beyond the walls
    double mean;   // of the difference
} Watched;

static double depth_in_solids(const BwFrame *frame, const BwFrameMesh *mesh)
{
    double depth = 0.0;
    for (int s = 0; s < frame->solid_count; s++)
        for (int32_t n = 0; n < mesh->vertex_count; n++) {
            BwVec3 local = bw_pose_to_local(frame->solids[s].pose, mesh->vertices[n]);
            depth = fmax(depth, -(double)bw_shape_distance(frame->solids[s].shape, local));
        }
    return depth / (double)frame->cell_size;
}

// Cells, that a vertex is beyond the walls.
static double way_beyond_walls(const BwFrame *frame, const BwFrameMesh *mesh)
{
    double way = 0.0;
    for (int32_t n = 0; n < mesh->vertex_count && frame->has_walls; n++)
        for (int a = 0; a < 3; a++) {
            double at = mesh->origin[a] + (double)bw_component(mesh->vertices[n], a);
            way = fmax(way, fmax((double)bw_component(frame->walls.low, a) - at,
                                 at - (double)bw_component(frame->walls.high, a)));
        }
    return way / (double)frame->cell_size;
}

static void look_at(Watched *watched, BwSurface *surface, BwWorld *world)
{
    BwError err = {0};
    const BwFrame *frame = frame_of(world);
    const BwFrameMesh *mesh = bw_surface_mesh(surface, frame, &err);
    if (mesh == NULL)
        fail_msg("%s", err.message);
    MeshFaults faults = mesh_walk(mesh);
    double volume = mesh_volume(mesh) / bw_world_view_stats(world)->mass - 1.0;
    watched->faults += faults.edges + faults.fans + faults.lone;
    watched->volume = fmax(watched->volume, fabs(volume));
    watched->mean += volume / FRAMES;
    watched->beyond = fmax(watched->beyond, way_beyond_walls(frame, mesh));
    watched->depth = fmax(watched->depth, depth_in_solids(frame, mesh));
}

static void watch(const char *name, BwSceneDef *scene, double volume_error)
{
    Watched plain = {0}, fine = {0}, wrapped = {0};
    BwError err = {0};
    BwSurface *surfaces[3];
    BwSurfaceDef def = bw_surface_def_default();
    for (int n = 0; n < 3; n++) {
        def.resolution = n == 0 ? 1 : 2;
        def.from = n == 2 ? BW_MESH_FROM_PARTICLES : BW_MESH_FROM_LEVELSET;
        assert_int_equal(bw_surface_create(&surfaces[n], &def, &err), BW_OK);
    }
    BwWorld *world = make_world(scene, 2);
    for (int frame = 0; frame < FRAMES; frame++) {
        look_at(&plain, surfaces[0], world);
        if (frame % ROUND == 0) {
            look_at(&fine, surfaces[1], world);
            look_at(&wrapped, surfaces[2], world);
        }
        step_frames(world, 1);
    }
    char gate_name[80];
    snprintf(gate_name, sizeof gate_name, "mesh_faults_%s", name);
    gate(gate_name, (double)(plain.faults + fine.faults + wrapped.faults), GATE_BELOW, 0.0);
    snprintf(gate_name, sizeof gate_name, "mesh_volume_error_%s", name);
    gate(gate_name, plain.volume, GATE_BELOW, volume_error);
    snprintf(gate_name, sizeof gate_name, "mesh_volume_error_%s_fine", name);
    gate(gate_name, fine.volume, GATE_BELOW, volume_error);
    snprintf(gate_name, sizeof gate_name, "mesh_volume_error_%s_wrapped", name);
    gate(gate_name, wrapped.volume, GATE_BELOW, volume_error);
    snprintf(gate_name, sizeof gate_name, "mesh_depth_in_solids_%s", name);
    gate(gate_name, fmax(fmax(plain.depth, fine.depth), wrapped.depth), GATE_BELOW, 1e-3);
    snprintf(gate_name, sizeof gate_name, "mesh_beyond_walls_%s", name);
    gate(gate_name, fmax(fmax(plain.beyond, fine.beyond), wrapped.beyond), GATE_BELOW, 1e-5);
    printf("%s: mean difference of volume %.2f%%\n", name, 100.0 * plain.mean);
    for (int n = 0; n < 3; n++)
        bw_surface_destroy(surfaces[n]);
    bw_world_destroy(world);
}

// As scenes are by default, in a box.
static void set_up(BwSceneDef *scene, float x, float y, float z)
{
    set_box(scene, x, y, z);
    scene->fps = 24.0;
    scene->liquid.seeding = BW_SEEDING_JITTERED;
    scene->liquid.narrow_band = NAN;
}

static void dam_break_past_a_post(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(3, 1.0f / CELLS, BW_LIQUID_APIC);
    BwFillDef fill = fill_corner(0.6f, 0.75f, 1.0f);
    BwObstacleDef post = solid_of(bw_cylinder(bw_vec3(1.3f, 0.0f, 0.5f), bw_vec3(1.3f, 0.8f, 0.5f), 0.15f));
    set_up(&scene, 2.0f, 1.0f, 1.0f);
    scene.fills = &fill;
    scene.obstacles = &post;
    scene.fill_count = scene.obstacle_count = 1;
    watch("dam", &scene, 0.03);
}

static void drop_into_a_periodic_pool(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(3, 1.0f / CELLS, BW_LIQUID_APIC);
    const BwFillDef fills[2] = {fill_corner(1.0f, 0.4f, 1.0f),
                                fill_of(bw_sphere(bw_vec3(0.5f, 0.7f, 0.5f), 0.2f))};
    set_up(&scene, 1.0f, 1.0f, 1.0f);
    scene.walls.periodic[0] = true;
    scene.fills = fills;
    scene.fill_count = 2;
    watch("drop", &scene, 0.03);
}

// A ball of water bursts on a solid ball and runs down it and over the floor, in films and drops thinner than
// a cell: meshes still have the volume of the particles, when the level set alone has a tenth.
static void thin_splash_keeps_its_volume(void **state)
{
    (void)state;
    BwError err = {0};
    BwSurface *surfaces[3];
    BwSceneDef scene = liquid_scene(3, 1.0f / THIN_CELLS, BW_LIQUID_APIC);
    BwFillDef fill = fill_of(bw_sphere(bw_vec3(0.05f, 1.1f, 0.0f), 0.25f));
    const BwObstacleDef solids[2] = {
        solid_of(bw_sphere(bw_vec3(0.0f, 0.4f, 0.0f), 0.4f)),
        solid_of(bw_box(bw_vec3(-4.0f, -0.5f, -4.0f), bw_vec3(4.0f, 0.0f, 4.0f)))};
    scene.fps = 24.0;
    scene.liquid.seeding = BW_SEEDING_JITTERED;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.obstacles = solids;
    scene.obstacle_count = 2;
    for (int n = 0; n < 3; n++) {
        BwSurfaceDef def = bw_surface_def_default();
        def.resolution = n == 0 ? 1 : 2;
        def.from = n == 2 ? BW_MESH_FROM_PARTICLES : BW_MESH_FROM_LEVELSET;
        assert_int_equal(bw_surface_create(&surfaces[n], &def, &err), BW_OK);
    }
    BwWorld *world = make_world(&scene, 2);
    Watched watched[3] = {{0}};
    for (int frame = 0; frame <= 18; frame++) {
        for (int n = 0; n < 3; n++)
            look_at(&watched[n], surfaces[n], world);
        step_frames(world, 1);
    }
    gate("mesh_faults_thin_splash", (double)(watched[0].faults + watched[1].faults + watched[2].faults),
         GATE_BELOW, 0.0);
    gate("mesh_volume_error_thin_splash", watched[0].volume, GATE_BELOW, 0.03);
    gate("mesh_volume_error_thin_splash_fine", watched[1].volume, GATE_BELOW, 0.03);
    gate("mesh_volume_error_thin_splash_wrapped", watched[2].volume, GATE_BELOW, 0.03);
    for (int n = 0; n < 3; n++)
        bw_surface_destroy(surfaces[n]);
    bw_world_destroy(world);
}

// A tap over a bowl: a thin stream, the film that it strikes the bowl with, a shallow pool on a curved floor.
static void tap_over_a_bowl_keeps_its_volume(void **state)
{
    (void)state;
    BwError err = {0};
    BwSurface *surfaces[2];
    BwSceneDef scene = liquid_scene(3, 1.0f / THIN_CELLS, BW_LIQUID_APIC);
    const BwShape parts[3] = {bw_sphere(bw_vec3(0.5f, 0.5f, 0.5f), 0.45f),
                              bw_sphere(bw_vec3(0.5f, 0.5f, 0.5f), 0.33f),
                              bw_box(bw_vec3(0.0f, 0.5f, 0.0f), bw_vec3(1.0f, 1.0f, 1.0f))};
    BwObstacleDef bowl = solid_of(bw_difference(parts, 3));
    BwEmitterDef tap = bw_emitter_def_default();
    tap.shape = bw_disc(bw_vec3(0.53f, 0.95f, 0.48f), bw_vec3(0.0f, -1.0f, 0.0f), 0.06f);
    tap.velocity = bw_curve_vector(0.0f, -0.8f, 0.0f);
    set_up(&scene, 1.0f, 1.0f, 1.0f);
    scene.emitters = &tap;
    scene.obstacles = &bowl;
    scene.emitter_count = scene.obstacle_count = 1;
    for (int n = 0; n < 2; n++) {
        BwSurfaceDef def = bw_surface_def_default();
        def.resolution = 1 + n;
        assert_int_equal(bw_surface_create(&surfaces[n], &def, &err), BW_OK);
    }
    BwWorld *world = make_world(&scene, 2);
    Watched plain = {0}, fine = {0};
    for (int frame = 0; frame < TAP_FRAMES; frame++) {
        step_frames(world, 1);
        look_at(&plain, surfaces[0], world);
        look_at(&fine, surfaces[1], world);
    }
    gate("mesh_faults_tap", (double)(plain.faults + fine.faults), GATE_BELOW, 0.0);
    gate("mesh_volume_error_tap", plain.volume, GATE_BELOW, 0.03);
    gate("mesh_volume_error_tap_fine", fine.volume, GATE_BELOW, 0.03);
    for (int n = 0; n < 2; n++)
        bw_surface_destroy(surfaces[n]);
    bw_world_destroy(world);
}

// Water at rest: its mesh is flat, and stays so, around the level set and around the particles.
static void gate_at_rest(BwMeshFrom from, const char *name)
{
    BwError err = {0};
    BwSurface *surface;
    BwSurfaceDef def = bw_surface_def_default();
    BwSceneDef scene = liquid_scene(3, 1.0f / CELLS, BW_LIQUID_APIC);
    BwFillDef fill = fill_corner(1.0f, 0.53f, 1.0f);
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.fps = 24.0;
    def.from = from;
    assert_int_equal(bw_surface_create(&surface, &def, &err), BW_OK);
    BwWorld *world = make_world(&scene, 2);
    double least = 1e9, most = -1e9;
    for (int frame = 0; frame < 6; frame++) {
        const BwFrameMesh *mesh = bw_surface_mesh(surface, frame_of(world), &err);
        assert_non_null(mesh);
        least = 1e9, most = -1e9;
        for (int32_t n = 0; n < mesh->vertex_count; n++) {
            BwVec3 at = mesh->vertices[n];
            bool is_on_wall = at.x == 0.0f || at.x == 1.0f || at.z == 0.0f || at.z == 1.0f || at.y == 0.0f;
            least = fmin(least, is_on_wall ? 1e9 : (double)at.y);
            most = fmax(most, (double)at.y);
        }
        step_frames(world, 1);
    }
    char gate_name[64];
    snprintf(gate_name, sizeof gate_name, "rest_%s_flat_cells", name);
    gate(gate_name, (most - least) * CELLS, GATE_BELOW, 0.05);
    snprintf(gate_name, sizeof gate_name, "rest_%s_level_cells", name);
    gate(gate_name, fabs(most - 0.53) * CELLS, GATE_BELOW, 0.1);
    bw_surface_destroy(surface);
    bw_world_destroy(world);
}

static void water_at_rest_is_flat(void **state)
{
    (void)state;
    gate_at_rest(BW_MESH_FROM_LEVELSET, "mesh");
    gate_at_rest(BW_MESH_FROM_PARTICLES, "wrapped");
}

// Without walls, two drops that meet, and do not spread to a sheet thinner than a cell, which is shown as
// thick as one.
static void drops_without_walls(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(3, 1.0f / CELLS, BW_LIQUID_FLIP);
    BwFillDef fills[2] = {fill_of(bw_sphere(bw_vec3(-0.3f, 0.0f, 0.03f), 0.28f)),
                          fill_of(bw_sphere(bw_vec3(0.3f, 0.0f, -0.03f), 0.28f))};
    fills[0].velocity = bw_vec3(0.2f, 0.0f, 0.0f);
    fills[1].velocity = bw_vec3(-0.2f, 0.0f, 0.0f);
    scene.fps = 24.0;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.fills = fills;
    scene.fill_count = 2;
    watch("two_drops", &scene, 0.03);
}

// A drop that flies as one has one velocity, also where faces beyond it have none.
static void a_drop_flies_as_one(void **state)
{
    (void)state;
    BwError err = {0};
    BwSurface *surface;
    BwSurfaceDef def = bw_surface_def_default();
    BwSceneDef scene = liquid_scene(3, 1.0f / CELLS, BW_LIQUID_APIC);
    BwFillDef fill = fill_of(bw_sphere(bw_vec3(0.0f, 0.0f, 0.0f), 0.3f));
    double worst = 0.0;
    fill.velocity = bw_vec3(1.0f, 0.0f, 0.0f);
    scene.fps = 24.0;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    assert_int_equal(bw_surface_create(&surface, &def, &err), BW_OK);
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, 3);
    const BwFrameMesh *mesh = bw_surface_mesh(surface, frame_of(world), &err);
    assert_non_null(mesh);
    const BwFrameAttribute *velocity =
        bw_frame_attribute(mesh->attributes, mesh->attribute_count, "velocity");
    for (int32_t n = 0; n < mesh->vertex_count; n++)
        worst = fmax(worst, fabs((double)velocity->values[3 * n] - 1.0));
    gate("mesh_velocity_error_flying_drop", worst, GATE_BELOW, 1e-3);
    bw_surface_destroy(surface);
    bw_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dam_break_past_a_post),        cmocka_unit_test(drop_into_a_periodic_pool),
        cmocka_unit_test(a_drop_flies_as_one),          cmocka_unit_test(drops_without_walls),
        cmocka_unit_test(thin_splash_keeps_its_volume), cmocka_unit_test(tap_over_a_bowl_keeps_its_volume),
        cmocka_unit_test(water_at_rest_is_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
