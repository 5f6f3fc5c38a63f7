// Entry points of the public API with arguments that no caller should give: missing pointers, lists that are
// not there, counts below zero. Each is refused with a message; nothing crashes, which the sanitizers see to.
#include "gate.h"

#include <billow/billow.h>
#include <math.h>
#include <string.h>

static BwError err;

static void refused(BwResult result, const char *words)
{
    if (result == BW_OK || result != err.code || strstr(err.message, words) == NULL)
        fail_msg("result %d, \"%s\"; wanted \"%s\"", (int)result, err.message, words);
    err = (BwError){0};
}

static BwSceneDef good_scene(void)
{
    BwSceneDef scene = bw_scene_def_default();
    scene.cell = 0.25f;
    scene.frames = 1;
    scene.has_walls = true;
    scene.walls = bw_walls_def_default();
    scene.walls.min = bw_vec3(0.0f, 0.0f, 0.0f);
    scene.walls.max = bw_vec3(2.0f, 2.0f, 2.0f);
    return scene;
}

static BwWorld *good_world(void)
{
    BwSceneDef scene = good_scene();
    BwWorldDef def = bw_world_def_default();
    BwWorld *world;
    def.scene = &scene;
    def.worker_count = 1;
    assert_int_equal(bw_world_create(&world, &def, &err), BW_OK);
    return world;
}

static void scenes(void **state)
{
    (void)state;
    BwScene *scene;
    refused(bw_scene_def_check(NULL, &err), "NULL");
    refused(bw_scene_def_check_runnable(NULL, &err), "NULL");
    refused(bw_scene_load(&scene, NULL, NULL, &err), "path");
    refused(bw_scene_load_text(&scene, NULL, 0, "a", NULL, &err), "text");
    refused(bw_scene_load_text(&scene, "", 0, NULL, NULL, &err), "name");
    BwSceneLoad load = {.setting_count = -1};
    refused(bw_scene_load_text(&scene, "", 0, "a", &load, &err), "settings");
    load.setting_count = 1;
    refused(bw_scene_load_text(&scene, "", 0, "a", &load, &err), "settings");
    BwSetting setting = {NULL, "1"};
    load.settings = &setting;
    refused(bw_scene_load_text(&scene, "", 0, "a", &load, &err), "name");
    setting = (BwSetting){"a", NULL};
    refused(bw_scene_load_text(&scene, "", 0, "a", &load, &err), "value");
    assert_null(scene);
    refused(bw_scene_load(NULL, "a", NULL, &err), "place");
    refused(bw_scene_load_text(NULL, "", 0, "a", NULL, &err), "place");
    int count = 7;
    assert_null(bw_scene_view_def(NULL));
    assert_null(bw_scene_view_params(NULL, &count));
    assert_int_equal(count, 0);
    assert_null(bw_scene_view_files(NULL, NULL));
    assert_int_equal(bw_scene_def_frame_count(NULL), 0);
    bw_scene_destroy(NULL);
}

// Each list of a scene, by the place of its count.
static void lists_of_scenes(void **state)
{
    (void)state;
    BwSceneDef scene = good_scene();
    assert_int_equal(bw_scene_def_check(&scene, &err), BW_OK);
    int *const counts[] = {&scene.fill_count,  &scene.emitter_count,         &scene.sink_count,
                           &scene.pump_count,  &scene.obstacle_count,        &scene.body_count,
                           &scene.force_count, &scene.surface_control_count, &scene.surface_pressure_count,
                           &scene.light_count};
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
        *counts[n] = -1;
        refused(bw_scene_def_check(&scene, &err), "0 or more");
        *counts[n] = 3;
        refused(bw_scene_def_check(&scene, &err), "NULL");
        *counts[n] = 0;
    }
    BwWorldDef def = bw_world_def_default();
    BwWorld *world;
    def.scene = &scene;
    scene.emitter_count = -1;
    refused(bw_world_create(&world, &def, &err), "emitter");
}

static void curves_and_shapes(void **state)
{
    (void)state;
    BwSceneDef scene = good_scene();
    BwEmitterDef emitter = bw_emitter_def_default();
    emitter.shape = (BwShape){.kind = BW_SHAPE_SPHERE, .radius = 0.5f};
    emitter.density = bw_curve_number(1.0f);
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    if (bw_scene_def_check(&scene, &err) != BW_OK)
        fail_msg("%s", err.message);
    emitter.density = (BwCurve){.kind = BW_CURVE_KEYS, .components = 1, .key_count = 2};
    refused(bw_scene_def_check(&scene, &err), "keys");
    BwKey key = {0};
    emitter.density.keys = &key;
    emitter.density.key_count = -2;
    refused(bw_scene_def_check(&scene, &err), "keys");
    emitter.density = (BwCurve){.kind = BW_CURVE_FUNCTION, .components = 1};
    refused(bw_scene_def_check(&scene, &err), "function");
    emitter.density = (BwCurve){.kind = (BwCurveKind)77, .components = 1};
    refused(bw_scene_def_check(&scene, &err), "unknown kind");
    emitter.density = bw_curve_number(1.0f);
    scene.walls.side[BW_TOP].kind_curve = (BwCurve){.kind = BW_CURVE_STEPS, .components = 1, .key_count = 1};
    refused(bw_scene_def_check(&scene, &err), "keys");
    scene.walls.side[BW_TOP].kind_curve = (BwCurve){0};
    emitter.shape = (BwShape){.kind = BW_SHAPE_UNION, .part_count = 2};
    refused(bw_scene_def_check(&scene, &err), "");
    BwShape part = {.kind = BW_SHAPE_SPHERE, .radius = 1.0f};
    emitter.shape = (BwShape){.kind = BW_SHAPE_UNION, .parts = &part, .part_count = -2};
    refused(bw_scene_def_check(&scene, &err), "");
    emitter.shape = (BwShape){.kind = BW_SHAPE_MESH, .factor = 1.0f};
    refused(bw_scene_def_check(&scene, &err), "file");
    BwShapeFile *file;
    refused(bw_shape_file_load(&file, NULL, "a.obj", NULL, &err), "shape");
    refused(bw_shape_file_load(&file, &emitter.shape, NULL, NULL, &err), "path");
    refused(bw_shape_file_load(&file, &part, "a.obj", NULL, &err), "no file");
    refused(bw_shape_file_load(NULL, &part, "a.obj", NULL, &err), "place");
    refused(bw_shape_file_load_watched(&file, NULL, "a.obj", NULL, NULL, &err), "shape");
    assert_true(bw_shape_file_hash(NULL) == 0 && bw_shape_file_bytes(NULL) == 0);
    assert_null(bw_shape_file_warning(NULL));
    assert_string_equal(bw_shape_name((BwShapeKind)999), "unknown");
    bw_shape_file_destroy(NULL);
    float value[4];
    refused(bw_curve_at(NULL, 0.0, value, &err), "curve");
    refused(bw_curve_at(&emitter.density, 0.0, NULL, &err), "place");
    refused(bw_curve_at_place(NULL, bw_vec3(0.0f, 0.0f, 0.0f), 0.0, value, &err), "curve");
    refused(bw_curve_at_place(&emitter.density, bw_vec3(0.0f, 0.0f, 0.0f), 0.0, NULL, &err), "place");
}

static void worlds(void **state)
{
    (void)state;
    BwWorld *world;
    uint64_t bytes;
    BwWorldDef def = bw_world_def_default();
    refused(bw_world_create(&world, NULL, &err), "NULL");
    refused(bw_world_create(&world, &def, &err), "scene");
    BwSceneDef scene = good_scene();
    def.scene = &scene;
    def.worker_count = -1;
    refused(bw_world_create(&world, &def, &err), "worker_count");
    refused(bw_world_step_frame(NULL, NULL, &err), "world");
    assert_null(bw_world_view_frame(NULL, &err));
    refused(err.code, "world");
    def.worker_count = 1;
    assert_int_equal(bw_world_create(&world, &def, &err), BW_OK);
    refused(bw_checkpoint_save(world, NULL, false, &err), "path");
    refused(bw_checkpoint_save(NULL, "a", false, &err), "world");
    refused(bw_checkpoint_load(world, NULL, &err), "path");
    refused(bw_checkpoint_adopt(world, NULL, &err), "path");
    refused(bw_checkpoint_check(NULL, &err), "path");
    refused(bw_checkpoint_size(NULL, &bytes, &err), "world");
    refused(bw_checkpoint_size(world, NULL, &err), "place");
    refused(bw_checkpoint_begin(NULL, world, "a", false, &err), "place");
    refused(bw_checkpoint_finish(NULL, &err), "checkpoint");
    refused(bw_world_create(NULL, &def, &err), "place");
    assert_null(bw_world_view_stats(NULL));
    bw_world_destroy(world);
    bw_world_destroy(NULL);
}

// Every setter without a world, and with an id of nothing.
static void setters(void **state)
{
    (void)state;
    BwWorld *world = good_world();
    const BwEmitterId emitters[] = {{0, 0}, {0, 1}, {-1, 1}, {INT32_MAX, UINT32_MAX}};
    for (int n = -1; n < 4; n++) {
        BwWorld *of = n < 0 ? NULL : world;
        BwEmitterId emitter = n < 0 ? emitters[1] : emitters[n];
        BwObstacleId obstacle = {emitter.index, emitter.generation};
        BwForceId force = {emitter.index, emitter.generation};
        const char *no_emitter = n < 0 ? "world" : "emitter", *no_force = n < 0 ? "world" : "force",
                   *no_obstacle = n < 0 ? "world" : "obstacle";
        BwVec3 zero = bw_vec3(0.0f, 0.0f, 0.0f);
        refused(bw_world_set_emitter_on(of, emitter, true, &err), no_emitter);
        refused(bw_world_set_emitter_density(of, emitter, 1.0f, &err), no_emitter);
        refused(bw_world_set_emitter_rate(of, emitter, 1.0f, &err), no_emitter);
        refused(bw_world_set_emitter_temperature(of, emitter, 300.0f, &err), no_emitter);
        refused(bw_world_set_emitter_velocity(of, emitter, zero, &err), no_emitter);
        refused(bw_world_set_emitter_capsule(of, emitter, zero, zero, 1.0f, &err), no_emitter);
        refused(bw_world_set_emitter_offset(of, emitter, zero, &err), no_emitter);
        refused(bw_world_remove_emitter(of, emitter, &err), no_emitter);
        refused(bw_world_set_obstacle_pose(of, obstacle, bw_pose_identity(), &err), no_obstacle);
        refused(bw_world_set_obstacle_velocity(of, obstacle, zero, zero, &err), no_obstacle);
        refused(bw_world_remove_obstacle(of, obstacle, &err), no_obstacle);
        refused(bw_world_set_force_on(of, force, true, &err), no_force);
        refused(bw_world_set_force_acceleration(of, force, zero, &err), no_force);
        refused(bw_world_set_force_strength(of, force, 1.0f, &err), no_force);
        refused(bw_world_set_force_center(of, force, zero, &err), no_force);
        refused(bw_world_set_force_capsule(of, force, zero, zero, 1.0f, &err), no_force);
        refused(bw_world_remove_force(of, force, &err), no_force);
    }
    refused(bw_world_set_number(NULL, BW_LIVE_SMOKE_COOLING, 1.0f, &err), "world");
    refused(bw_world_set_number(world, (BwLiveNumber)-1, 1.0f, &err), "none that can be set");
    refused(bw_world_set_gravity(NULL, bw_vec3(0.0f, -1.0f, 0.0f), &err), "world");
    for (int n = -1; n < 2; n++)
        assert_true(bw_world_emitter(n < 0 ? NULL : world, n).generation == 0 &&
                    bw_world_obstacle(n < 0 ? NULL : world, n).generation == 0 &&
                    bw_world_force(n < 0 ? NULL : world, n).generation == 0);
    bw_world_destroy(world);
}

static void events(void **state)
{
    (void)state;
    BwWorld *world = good_world();
    BwEvent event = {.kind = (BwEventKind)99};
    BwEvents none = {NULL, 0, 0, NULL}, lost = {NULL, 3, 1, NULL}, fewer = {&event, -1, 1, NULL},
             unknown = {&event, 1, 1, NULL};
    BwEventFile *file;
    refused(bw_world_step(NULL, 1.0, NULL, &err), "world");
    refused(bw_world_replay(NULL, &none, 1, NULL, &err), "world");
    refused(bw_world_replay(world, NULL, 1, NULL, &err), "events");
    refused(bw_world_replay(world, &lost, 1, NULL, &err), "list");
    refused(bw_world_replay(world, &fewer, 1, NULL, &err), "0 or more");
    refused(bw_world_replay(world, &unknown, 1, NULL, &err), "unknown kind");
    refused(bw_world_replay(world, &none, -1, NULL, &err), "0 or more");
    event = (BwEvent){.kind = BW_EVENT_EMITTER_ON, .generation = 1};
    refused(bw_world_replay(world, &unknown, 1, NULL, &err), "emitter");
    event.value[0] = NAN;
    refused(bw_world_replay(world, &unknown, 1, NULL, &err), "nan");
    refused(bw_events_save(NULL, "a", &err), "events");
    refused(bw_events_save(&none, NULL, &err), "path");
    refused(bw_events_save(&lost, "a", &err), "list");
    refused(bw_events_save(&unknown, "a", &err), "nan");
    event.value[0] = 0.0f;
    event.time = (double)NAN;
    refused(bw_events_save(&unknown, "a", &err), "nan");
    event.time = 0.0;
    unknown.steps = -5;
    refused(bw_events_save(&unknown, "a", &err), "-5 steps");
    event.kind = (BwEventKind)-1;
    unknown.steps = 1;
    refused(bw_events_save(&unknown, "a", &err), "unknown kind");
    refused(bw_events_load(NULL, "a", NULL, &err), "place");
    refused(bw_events_load(&file, NULL, NULL, &err), "path");
    assert_null(file);
    assert_true(bw_event_file_view(NULL).count == 0 && bw_world_view_events(NULL).count == 0);
    bw_event_file_destroy(NULL);
    bw_world_destroy(world);
}

static void no_shape(void **state)
{
    (void)state;
    BwVec3 zero = bw_vec3(0.0f, 0.0f, 0.0f);
    BwShape none = bw_shape_of_kind(BW_SHAPE_NONE), unknown = bw_shape_of_kind((BwShapeKind)99);
    const BwShape *const shapes[] = {NULL, &none, &unknown};
    for (int n = 0; n < 3; n++) {
        assert_true(isinf(bw_shape_distance(shapes[n], zero)) && !bw_shape_is_flat(shapes[n]));
        assert_true(bw_box_is_empty(bw_shape_bounds(shapes[n])));
        assert_true(bw_shape_meet(shapes[n], zero, bw_vec3(1.0f, 0.0f, 0.0f), 0.1f) == 2.0f);
    }
    assert_null(bw_shape_file_share(NULL));
}

static void frames(void **state)
{
    (void)state;
    BwSceneDef scene = good_scene();
    BwFrameFile *file;
    BwFrame frame = {.dimension = 3, .layers = BW_TILE, .cell_size = 1.0f}, broken = frame;
    broken.tile_count = 4;
    refused(bw_frame_save(NULL, "a", 0, &err), "frame");
    refused(bw_frame_save(&broken, "a", 0, &err), "tiles");
    refused(bw_frame_save(&frame, NULL, 0, &err), "path");
    refused(bw_frame_record(NULL, "a", 0, &err), "frame");
    refused(bw_frame_record(&frame, "a", 0, &err), "output.record");
    refused(bw_frame_load(NULL, "a", &scene, 0, &err), "place");
    refused(bw_frame_load(&file, NULL, &scene, 0, &err), "path");
    refused(bw_frame_load(&file, "nowhere.h5", NULL, 0, &err), "nowhere.h5"); // a scene need not be there
    assert_null(file);
    refused(bw_checkpoint_load(NULL, "a", &err), "world");
    refused(bw_checkpoint_adopt(NULL, "a", &err), "world");
    assert_null(bw_frame_file_view(NULL));
    assert_true(bw_frame_file_run_id(NULL) == 0);
    bw_frame_file_destroy(NULL);
    assert_null(bw_frame_field(NULL, "density"));
    assert_null(bw_frame_field(&frame, NULL));
    assert_int_equal(bw_frame_find_tile(NULL, (BwTileCoord){0}), -1);
    assert_int_equal(bw_frame_find_tile(&broken, (BwTileCoord){0}), -1);
    assert_true(bw_frame_hash(NULL) == 0);
}

static void pictures(void **state)
{
    (void)state;
    BwRenderer *renderer;
    BwMovie *movie;
    uint8_t pixels[12] = {0};
    BwImage image = {2, 2, NULL}, small = {2, 2, pixels};
    BwRendererDef def = bw_renderer_def_default();
    refused(bw_renderer_create(&renderer, NULL, &err), "NULL");
    refused(bw_renderer_create(NULL, &def, &err), "place");
    refused(bw_renderer_create(&renderer, &def, &err), "scene");
    BwSceneDef scene = good_scene();
    def.scene = &scene;
    def.width_px = -4;
    refused(bw_renderer_create(&renderer, &def, &err), "");
    def.width_px = def.height_px = 16;
    assert_int_equal(bw_renderer_create(&renderer, &def, &err), BW_OK);
    BwFrame frame = {.dimension = 3, .layers = BW_TILE, .cell_size = 1.0f, .tile_count = 4};
    assert_null(bw_renderer_draw(renderer, NULL, &err));
    refused(err.code, "frame");
    assert_null(bw_renderer_draw(renderer, &frame, &err));
    refused(err.code, "tiles");
    assert_null(bw_renderer_draw(NULL, &frame, &err));
    refused(err.code, "renderer");
    bw_renderer_destroy(renderer);
    refused(bw_image_save_png(&small, NULL, &err), "path");
    refused(bw_image_save_png(NULL, "a.png", &err), "image");
    refused(bw_image_save_png(&image, "a.png", &err), "pixels");
    refused(bw_image_load_png(&small, NULL, &err), "path");
    refused(bw_image_load_png(NULL, "a.png", &err), "image");
    refused(bw_movie_begin(&movie, NULL, 16, 16, 24.0, &err), "path");
    refused(bw_movie_begin(&movie, "a.mp4", -16, 16, 24.0, &err), "pixels");
    refused(bw_movie_add(NULL, &small, &err), "movie");
    refused(bw_movie_set_title(NULL, "a", &err), "movie");
    refused(bw_image_save_titled_png(&small, "a", NULL, &err), "path");
    refused(bw_movie_finish(NULL, &err), "movie");
    refused(bw_movie_begin(NULL, "a.mp4", 16, 16, 24.0, &err), "place");
    assert_string_equal(bw_movie_codec(NULL), "none");
    bw_movie_abandon(NULL);
}

static void volumes(void **state)
{
    (void)state;
    BwFrame empty = {.dimension = 3, .layers = BW_TILE, .cell_size = 1.0f}, frame = empty;
    BwVolumeFile file = {0.0, NULL};
    refused(bw_volume_save_vti(NULL, NULL, "a.vti", &err), "frame");
    refused(bw_volume_save_vti(&empty, NULL, NULL, &err), "path");
    if (bw_volume_has_vdb()) {
        refused(bw_volume_save_vdb(NULL, NULL, "a.vdb", &err), "frame");
        refused(bw_volume_save_vdb(&empty, NULL, NULL, &err), "path");
    }
    BwVolumeDef def = bw_volume_def_default();
    def.up = (BwUp)9;
    refused(bw_volume_save_vti(&empty, &def, "a.vti", &err), "up is 9");
    frame.tile_count = -1;
    refused(bw_volume_save_vti(&frame, NULL, "a.vti", &err), "tiles");
    frame = empty;
    frame.field_count = 2;
    refused(bw_volume_save_vti(&frame, NULL, "a.vti", &err), "fields");
    frame = empty;
    frame.layers = 5;
    refused(bw_volume_save_vti(&frame, NULL, "a.vti", &err), "layers");
    BwVolumeBlock block = {"a", NULL};
    refused(bw_volume_save_vtm(NULL, 1, "a.vtm", &err), "list");
    refused(bw_volume_save_vtm(&block, -1, "a.vtm", &err), "0 or more");
    refused(bw_volume_save_vtm(&block, 1, "a.vtm", &err), "file");
    refused(bw_volume_save_vtm(&block, 0, NULL, &err), "path");
    refused(bw_volume_save_pvd(NULL, 1, "a.pvd", &err), "list");
    refused(bw_volume_save_pvd(&file, -1, "a.pvd", &err), "0 or more");
    refused(bw_volume_save_pvd(&file, 1, "a.pvd", &err), "name");
    refused(bw_volume_save_pvd(&file, 0, NULL, &err), "path");
}

static void sets(void **state)
{
    (void)state;
    BwFrame frame = {.dimension = 3, .layers = BW_TILE, .cell_size = 1.0f};
    BwFrameParticles particles = {.name = "a"};
    BwFrameColumns columns = {.name = "a", .cell_size = 1.0f};
    BwFrameMesh mesh = {.name = "a"};
    refused(bw_particles_save_vtp(NULL, &particles, NULL, "a.vtp", &err), "frame");
    refused(bw_particles_save_vtp(&frame, NULL, NULL, "a.vtp", &err), "particles");
    refused(bw_particles_save_vtp(&frame, &particles, NULL, NULL, &err), "path");
    refused(bw_particles_save_ply(NULL, &particles, NULL, "a.ply", &err), "frame");
    refused(bw_particles_save_ply(&frame, NULL, NULL, "a.ply", &err), "particles");
    refused(bw_particles_save_ply(&frame, &particles, NULL, NULL, &err), "path");
    BwSurface *surface;
    refused(bw_surface_create(NULL, NULL, &err), "surface");
    assert_int_equal(bw_surface_create(&surface, NULL, &err), BW_OK);
    assert_null(bw_surface_mesh(NULL, &frame, &err));
    refused(err.code, "surface");
    assert_null(bw_surface_mesh(surface, NULL, &err));
    refused(err.code, "frame");
    bw_surface_destroy(surface);
    bw_surface_destroy(NULL);
    refused(bw_columns_save_vts(NULL, &columns, NULL, "a.vts", &err), "frame");
    refused(bw_columns_save_vts(&frame, NULL, NULL, "a.vts", &err), "columns");
    refused(bw_columns_save_vts(&frame, &columns, NULL, NULL, &err), "path");
    refused(bw_mesh_save_vtp(&frame, NULL, NULL, "a.vtp", &err), "mesh");
    refused(bw_mesh_save_ply(NULL, NULL, "a.ply", &err), "mesh");
    refused(bw_mesh_save_ply(&mesh, NULL, NULL, &err), "path");
    refused(bw_mesh_save_obj(NULL, NULL, "a.obj", &err), "mesh");
    refused(bw_mesh_save_gltf(NULL, NULL, "a.glb", &err), "mesh");
    refused(bw_mesh_save_gltf(&mesh, NULL, NULL, &err), "path");
    mesh.vertex_count = 3;
    refused(bw_mesh_save_obj(&mesh, NULL, "a.obj", &err), "vertices");
    particles.count = 1;
    refused(bw_particles_save_vtp(&frame, &particles, NULL, "a.vtp", &err), "tile");
    columns.count[0] = columns.count[1] = 2;
    refused(bw_columns_save_vts(&frame, &columns, NULL, "a.vts", &err), "heights");
    frame.mesh_count = 1;
    refused(bw_frame_save(&frame, "a.h5", 0, &err), "meshes");
    assert_null(bw_frame_particles(NULL, "a"));
    assert_null(bw_frame_columns(NULL, "a"));
    assert_null(bw_frame_mesh(NULL, "a"));
    assert_null(bw_frame_attribute(NULL, 3, "a"));
    double place[3] = {1.0, 1.0, 1.0};
    bw_frame_particle_place(&frame, &particles, 1, place);
    assert_true(isnan(place[0]) && isnan(place[2]));
    bw_frame_particle_place(NULL, NULL, 0, place);
    assert_true(isnan(place[0]));
}

static void samples(void **state)
{
    (void)state;
    BwFrameField field = {"a", "1", BW_AT_CELL, 0.0f, NULL, false};
    BwFrame frame = {
        .dimension = 3, .layers = BW_TILE, .cell_size = 1.0f, .fields = &field, .field_count = 1};
    const double point[3] = {0.0, 0.0, 0.0}, lost[3] = {0.0, (double)NAN, 0.0};
    const int32_t low[3] = {0, 0, 0}, high[3] = {1, 2, 1};
    float values[2];
    refused(bw_frame_sample(NULL, "a", point, values, &err), "frame");
    refused(bw_frame_sample(&frame, NULL, point, values, &err), "name");
    refused(bw_frame_sample(&frame, "b", point, values, &err), "no field \"b\"");
    refused(bw_frame_sample(&frame, "a", NULL, values, &err), "point");
    refused(bw_frame_sample(&frame, "a", lost, values, &err), "finite");
    refused(bw_frame_sample(&frame, "a", point, NULL, &err), "value");
    refused(bw_frame_copy_dense(NULL, "a", low, high, values, 2, &err), "frame");
    refused(bw_frame_copy_dense(&frame, "b", low, high, values, 2, &err), "no field \"b\"");
    refused(bw_frame_copy_dense(&frame, "a", NULL, high, values, 2, &err), "low");
    refused(bw_frame_copy_dense(&frame, "a", low, NULL, values, 2, &err), "high");
    refused(bw_frame_copy_dense(&frame, "a", low, high, NULL, 2, &err), "NULL");
    refused(bw_frame_copy_dense(&frame, "a", low, high, values, 3, &err), "room for 3");
    refused(bw_frame_copy_dense(&frame, "a", low, high, values, -1, &err), "room for -1");
    refused(bw_frame_copy_dense(&frame, "a", high, low, values, 2, &err), "goes from 1 to 0");
    field.location = (BwLocation)99;
    refused(bw_frame_sample(&frame, "a", point, values, &err), "location 99");
}

static void boxes(void **state)
{
    (void)state;
    BwStable *box;
    BwStableBoxDef def = bw_stable_box_def_default();
    refused(bw_stable_create(&box, NULL, &err), "NULL");
    assert_int_equal(bw_stable_memory_size(NULL), 0);
    def.size[0] = def.size[1] = -5;
    refused(bw_stable_create(&box, &def, &err), "size");
    def.size[0] = def.size[1] = 8;
    def.patch_count = -1;
    refused(bw_stable_create(&box, &def, &err), "patch_count");
    refused(bw_stable_create(NULL, &def, &err), "place");
    bw_stable_destroy(NULL);
}

static void assert_no_view(BwStableView view)
{
    assert_true(view.values == NULL && view.fixed == NULL && view.row == 0);
}

static void no_box(void **state)
{
    (void)state;
    const float velocity[3] = {1.0f, 0.0f, 0.0f};
    bw_stable_step(NULL, 1.0f);
    bw_stable_step_fixed(NULL, 1);
    bw_stable_set_inflow(NULL, 0, velocity, 1.0f);
    bw_stable_set_solids(NULL, NULL);
    bw_stable_set_faces(NULL, NULL);
    assert_no_view(bw_stable_field(NULL, BW_STABLE_DENSITY));
    assert_no_view(bw_stable_source(NULL, BW_STABLE_DENSITY));
    assert_int_equal(bw_stable_report(NULL).iterations, 0);
}

// A source waits for a step: one that is refused leaves it, and the density, as they are.
static void steps_of_no_length(void **state)
{
    (void)state;
    for (int number = BW_NUMBER_FLOAT; number <= BW_NUMBER_FIXED; number++) {
        BwStable *box;
        BwStableBoxDef def = bw_stable_box_def_default();
        def.size[0] = def.size[1] = 8;
        def.number = (BwNumber)number;
        assert_int_equal(bw_stable_create(&box, &def, &err), BW_OK);
        BwStableView source = bw_stable_source(box, BW_STABLE_DENSITY);
        bool is_float = number == BW_NUMBER_FLOAT;
        if (is_float)
            source.values[0] = 1.0f;
        else
            source.fixed[0] = 65536;
        const float lengths[] = {0.0f, -1.0f, NAN, INFINITY, -INFINITY};
        for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++)
            bw_stable_step(box, lengths[n]);
        bw_stable_step_fixed(box, is_float ? 1 : -1);
        bw_stable_set_inflow(box, 0, (float[3]){1.0f, 0.0f, 0.0f}, 1.0f);
        bw_stable_set_inflow(box, -1, (float[3]){1.0f, 0.0f, 0.0f}, 1.0f);
        assert_no_view(bw_stable_field(box, (BwStableField)99));
        source = bw_stable_source(box, BW_STABLE_DENSITY);
        assert_true(is_float ? source.values[0] == 1.0f : source.fixed[0] == 65536);
        bw_stable_destroy(box);
    }
}

static const float not_numbers[] = {NAN, INFINITY, -INFINITY};
enum { NOT_NUMBERS = sizeof not_numbers / sizeof *not_numbers };

// What flows in stays as it was: a step after it holds numbers, and those of the Def.
static void inflows_that_are_no_numbers(void **state)
{
    (void)state;
    for (int number = BW_NUMBER_FLOAT; number <= BW_NUMBER_FIXED; number++) {
        BwStable *box;
        BwStableBoxDef def = bw_stable_box_def_default();
        def.size[0] = def.size[1] = 8;
        def.number = (BwNumber)number;
        def.side[1] = BW_STABLE_OPEN;
        def.patch_count = 1;
        def.patches[0] = (BwStablePatch){.high = {8, 1}, .kind = BW_STABLE_INFLOW, .velocity = {1.0f}};
        assert_int_equal(bw_stable_create(&box, &def, &err), BW_OK);
        for (int n = 0; n < NOT_NUMBERS + 1; n++) {
            float wrong = n < NOT_NUMBERS ? not_numbers[n] : 1e9f;
            for (int d = 0; d < 3; d++) {
                float velocity[3] = {0.0f, 0.0f, 0.0f};
                velocity[d] = wrong;
                bw_stable_set_inflow(box, 0, velocity, 0.0f);
            }
            bw_stable_set_inflow(box, 0, (float[3]){0.0f, 0.0f, 0.0f}, wrong);
        }
        for (int n = 0; n < 20; n++)
            bw_stable_step(box, 0.01f);
        BwStableView u = bw_stable_field(box, BW_STABLE_U), density = bw_stable_field(box, BW_STABLE_DENSITY);
        bool is_float = number == BW_NUMBER_FLOAT;
        double speed = is_float ? (double)u.values[4 * u.row] : u.fixed[4 * u.row] / 65536.0;
        assert_true(speed > 0.1 && speed < 2.0);
        assert_true(is_float ? density.values[4 * u.row] == 0.0f : density.fixed[4 * u.row] == 0);
        bw_stable_destroy(box);
    }
}

// Every number of a box's Def, by its place.
static void defs_that_are_no_numbers(void **state)
{
    (void)state;
    BwStable *box;
    BwStableBoxDef def = bw_stable_box_def_default();
    def.size[0] = def.size[1] = 8;
    def.patch_count = 1;
    def.patches[0] = (BwStablePatch){.high = {8, 1}, .kind = BW_STABLE_INFLOW};
    float *const numbers[] = {&def.cell,
                              &def.viscosity,
                              &def.diffusion,
                              &def.confinement,
                              &def.tolerance,
                              &def.patches[0].velocity[0],
                              &def.patches[0].velocity[2],
                              &def.patches[0].density};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        for (int n = 0; n < NOT_NUMBERS; n++) {
            float kept = *numbers[k];
            *numbers[k] = not_numbers[n];
            refused(bw_stable_create(&box, &def, &err), "it must be");
            *numbers[k] = kept;
        }
    assert_int_equal(bw_stable_create(&box, &def, &err), BW_OK);
    bw_stable_destroy(box);
}

static void times_that_are_no_numbers(void **state)
{
    (void)state;
    BwMovie *movie;
    float value[4];
    BwCurve one = bw_curve_number(1.0f);
    for (int n = 0; n < NOT_NUMBERS; n++) {
        double time = (double)not_numbers[n];
        BwVolumeFile file = {time, "a.vti"};
        BwFrame frame = {.dimension = 3, .layers = BW_TILE, .cell_size = not_numbers[n]};
        refused(bw_movie_begin(&movie, "a.mp4", 16, 16, time, &err), "fps");
        refused(bw_curve_at(&one, time, value, &err), "curve");
        refused(bw_volume_save_pvd(&file, 1, "a.pvd", &err), "time");
        refused(bw_volume_save_vti(&frame, NULL, "a.vti", &err), "cell");
        frame.cell_size = 1.0f;
        frame.time = time;
        refused(bw_frame_save(&frame, "a.h5", 0, &err), "time");
    }
}

// Numbers of a scene, one of each kind of constructor.
static void scenes_that_are_no_numbers(void **state)
{
    (void)state;
    BwSceneDef scene = good_scene();
    BwEmitterDef emitter = bw_emitter_def_default();
    emitter.shape = (BwShape){.kind = BW_SHAPE_SPHERE, .radius = 0.5f};
    emitter.density = bw_curve_number(1.0f);
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    float *const numbers[] = {&scene.cell,           &scene.cfl,
                              &scene.walls.min.x,    &scene.walls.max.z,
                              &scene.smoke.ambient,  &scene.smoke.dissipation,
                              &emitter.shape.radius, &emitter.falloff,
                              &emitter.shape.a.y,    &emitter.density.value[0]};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        for (int n = 0; n < NOT_NUMBERS; n++) {
            float kept = *numbers[k];
            *numbers[k] = not_numbers[n];
            if (bw_scene_def_check(&scene, &err) == BW_OK)
                fail_msg("number %d may be %g", (int)k, (double)not_numbers[n]);
            *numbers[k] = kept;
        }
    assert_int_equal(bw_scene_def_check(&scene, &err), BW_OK);
    double fps = scene.fps;
    scene.fps = (double)NAN;
    refused(bw_scene_def_check(&scene, &err), "fps");
    scene.fps = fps;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes),
        cmocka_unit_test(lists_of_scenes),
        cmocka_unit_test(curves_and_shapes),
        cmocka_unit_test(worlds),
        cmocka_unit_test(setters),
        cmocka_unit_test(events),
        cmocka_unit_test(no_shape),
        cmocka_unit_test(pictures),
        cmocka_unit_test(volumes),
        cmocka_unit_test(sets),
        cmocka_unit_test(samples),
        cmocka_unit_test(boxes),
        cmocka_unit_test(frames),
        cmocka_unit_test(no_box),
        cmocka_unit_test(steps_of_no_length),
        cmocka_unit_test(inflows_that_are_no_numbers),
        cmocka_unit_test(defs_that_are_no_numbers),
        cmocka_unit_test(times_that_are_no_numbers),
        cmocka_unit_test(scenes_that_are_no_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
