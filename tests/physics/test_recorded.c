// Bodies in a run that was recorded (Foster and Metaxas 1996, section 8): they move as they do in the live
// run, the liquid is that of the run to the last bit, what goes on from a checkpoint goes on with the same
// bits, and runs that will not do are refused by name.
#include "liquid_run.h"
#include "scratch_folder.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FRAMES = 40, BODIES = 2 };

static const uint64_t run_id = 77;
static const float cell = 0.5f / 12.0f;

static const char folder[] = "run";

static void must(BwResult result, const BwError *err)
{
    if (result != BW_OK)
        fail_msg("%s", err->message);
}

static const char *frame_path(int number)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/cache/frame_%04d.h5", folder, number);
    return path;
}

// A column of water falls over into a pool, with a post in its way; a can and a brick float.
typedef struct Tank {
    BwFillDef fills[2];
    BwBodyDef bodies[BODIES];
    BwObstacleDef post;
    BwSceneDef scene;
} Tank;

static void make_tank(Tank *tank)
{
    for (int n = 0; n < BODIES; n++)
        tank->bodies[n] = bw_body_def_default();
    tank->bodies[0].shape = bw_cylinder(bw_vec3(0.0f, -0.07f, 0.0f), bw_vec3(0.0f, 0.07f, 0.0f), 0.06f);
    tank->bodies[0].position = bw_vec3(0.32f, 0.22f, 0.15f);
    tank->bodies[1].shape = bw_box(bw_vec3(-0.05f, -0.04f, -0.08f), bw_vec3(0.05f, 0.04f, 0.08f));
    tank->bodies[1].position = bw_vec3(0.38f, 0.24f, 0.36f);
    for (int n = 0; n < BODIES; n++) {
        tank->bodies[n].material_density = n == 0 ? 400.0f : 700.0f;
        tank->bodies[n].damping = 3.0f;
    }
    tank->fills[0] = fill_corner(0.5f, 0.2f, 0.5f);
    tank->fills[1] = fill_corner(0.12f, 0.4f, 0.5f);
    tank->post = solid_of(bw_box(bw_vec3(0.2f, -0.1f, 0.2f), bw_vec3(0.26f, 0.7f, 0.28f)));
    tank->scene = liquid_scene(3, cell, BW_LIQUID_LEVELSET);
    set_box(&tank->scene, 0.5f, 0.6f, 0.5f);
    tank->scene.fills = tank->fills;
    tank->scene.fill_count = 2;
    tank->scene.obstacles = &tank->post;
    tank->scene.obstacle_count = 1;
    tank->scene.bodies = tank->bodies;
    tank->scene.body_count = BODIES;
    tank->scene.output.record = true;
    tank->scene.fps = 48.0;
}

// The same, with the run as its fluid.
static BwSceneDef recorded_scene(const Tank *tank)
{
    BwSceneDef scene = tank->scene;
    scene.fluid = BW_FLUID_RECORDED;
    scene.liquid = bw_scene_def_default().liquid;
    scene.fill_count = 0;
    scene.output.record = false;
    scene.recorded.run = folder;
    return scene;
}

static double seconds_of(clock_t began)
{
    return (double)(clock() - began) / CLOCKS_PER_SEC;
}

static void place_of(const BwWorld *world, int body, double place[3])
{
    memcpy(place, bw_world_view_stats(world)->bodies[body].position, 3 * sizeof *place);
}

// The live run, whose frames are recorded; where its bodies were, and the processor's seconds of its steps.
static double live_places[FRAMES + 1][BODIES][3], live_seconds;

static int record_run(void **state)
{
    static Tank tank;
    BwError err = {0};
    if (make_folder(state) != 0 || mkdir("run", 0777) != 0 || mkdir("run/cache", 0777) != 0)
        return -1;
    make_tank(&tank);
    BwWorld *world = make_world(&tank.scene, 1);
    for (int n = 0; n <= FRAMES; n++) {
        clock_t began = clock();
        if (n > 0)
            step_frames(world, 1);
        live_seconds += n > 0 ? seconds_of(began) : 0.0;
        for (int b = 0; b < BODIES; b++)
            place_of(world, b, live_places[n][b]);
        must(bw_frame_record(frame_of(world), frame_path(n), run_id, &err), &err);
    }
    bw_world_destroy(world);
    return 0;
}

static int remove_run(void **state)
{
    for (int n = 0; n <= FRAMES; n++)
        unlink(frame_path(n));
    return rmdir("run/cache") == 0 ? remove_folder(state) : -1;
}

// How far the bodies of a recorded run are from those of the live one, m, at most; how far these went; and
// the time it took beside the live one's.
static void bodies_move_as_in_the_live_run(void **state)
{
    (void)state;
    static Tank tank;
    make_tank(&tank);
    BwSceneDef scene = recorded_scene(&tank);
    BwWorld *world = make_world(&scene, 1);
    double apart = 0.0, way = 0.0, place[3];
    clock_t began = clock();
    for (int n = 1; n <= FRAMES; n++) {
        step_frames(world, 1);
        for (int b = 0; b < BODIES; b++) {
            double square[2] = {0.0, 0.0};
            place_of(world, b, place);
            for (int a = 0; a < 3; a++) {
                square[0] += (place[a] - live_places[n][b][a]) * (place[a] - live_places[n][b][a]);
                square[1] += (place[a] - live_places[0][b][a]) * (place[a] - live_places[0][b][a]);
            }
            apart = fmax(apart, sqrt(square[0]));
            way = fmax(way, sqrt(square[1]));
        }
    }
    printf("recorded_time %.4f of the live run's %.3f s\n", seconds_of(began) / live_seconds, live_seconds);
    bw_world_destroy(world);
    // The live run's own step, in which it holds velocity and pressure fast, is a frame here.
    gate("recorded_bodies_apart_cells", apart / (double)cell, GATE_BELOW, 1.0);
    gate("recorded_bodies_way_cells", way / (double)cell, GATE_ABOVE, 2.0);
}

static int differing_fields(const BwFrame *a, const BwFrame *b)
{
    int count = a->tile_count != b->tile_count || a->field_count != b->field_count;
    size_t bytes = (size_t)a->tile_count * 64 * (size_t)a->layers * sizeof(float);
    for (int n = 0; n < a->field_count && count == 0; n++) {
        const BwFrameField *other = bw_frame_field(b, a->fields[n].name);
        count += other == NULL || memcmp(a->fields[n].values, other->values, bytes) != 0 ||
                 a->fields[n].is_detail != other->is_detail;
    }
    return count + (memcmp(a->tiles, b->tiles, (size_t)a->tile_count * sizeof *a->tiles) != 0);
}

static void the_liquid_is_that_of_the_run(void **state)
{
    (void)state;
    static Tank tank;
    BwError err = {0};
    BwFrameFile *file;
    make_tank(&tank);
    BwSceneDef scene = recorded_scene(&tank);
    scene.body_count = 1; // another variant
    BwWorld *world = make_world(&scene, 1);
    int differing = 0;
    for (int n = 0; n <= 6; n++) {
        if (n > 0)
            step_frames(world, 1);
        must(bw_frame_load(&file, frame_path(n), NULL, run_id, &err), &err);
        const BwFrame *frame = frame_of(world);
        differing += differing_fields(frame, bw_frame_file_view(file));
        assert_int_equal(frame->solid_count, 2);
        assert_int_equal(frame->body_count, 1);
        bw_frame_file_destroy(file);
    }
    double volume = bw_world_view_stats(world)->volume, speed = (double)bw_world_view_stats(world)->max_speed;
    bw_world_destroy(world);
    gate("recorded_frames_differ", differing, GATE_BELOW, 0.0);
    gate("recorded_volume", fabs(volume / (0.5 * 0.2 * 0.5 + 0.12 * 0.2 * 0.5 - 0.06 * 0.2 * 0.08) - 1.0),
         GATE_BELOW, 0.03);
    gate("recorded_speed_m_s", speed, GATE_ABOVE, 0.1);
}

static void a_variant_goes_on_from_a_checkpoint(void **state)
{
    (void)state;
    static Tank tank;
    BwError err = {0};
    const char *path = "state.h5";
    make_tank(&tank);
    BwSceneDef scene = recorded_scene(&tank);
    BwWorld *world = make_world(&scene, 1), *later = make_world(&scene, 2);
    step_frames(world, 7);
    must(bw_checkpoint_save(world, path, false, &err), &err);
    step_frames(world, 5);
    must(bw_checkpoint_load(later, path, &err), &err);
    step_frames(later, 5);
    bool is_same = bw_frame_hash(frame_of(world)) == bw_frame_hash(frame_of(later));
    bw_world_destroy(world);
    bw_world_destroy(later);
    gate("recorded_resume_differs", is_same ? 0.0 : 1.0, GATE_BELOW, 0.0);
}

static void expect_refusal(const BwSceneDef *scene, const char *text)
{
    BwWorld *world;
    BwError err = {0};
    BwWorldDef def = bw_world_def_default();
    def.scene = scene;
    def.worker_count = 1;
    if (bw_world_create(&world, &def, &err) == BW_OK) {
        BwResult result = BW_OK;
        for (int n = 0; n <= FRAMES && result == BW_OK; n++)
            result = bw_world_step_frame(world, NULL, &err);
        bw_world_destroy(world);
        assert_int_not_equal(result, BW_OK);
    }
    if (strstr(err.message, text) == NULL)
        fail_msg("\"%s\" does not tell of \"%s\"", err.message, text);
}

static void runs_that_will_not_do_are_refused(void **state)
{
    (void)state;
    static Tank tank;
    make_tank(&tank);
    BwSceneDef plain = recorded_scene(&tank), scene = plain;
    expect_refusal(&scene, "frame 41 is not there"); // it ends
    scene.recorded.run = "nowhere";
    expect_refusal(&scene, "recorded.run \"nowhere\": there is no cache/frame_0000.h5");
    scene = plain;
    scene.walls.max.y = 0.7f;
    expect_refusal(&scene, "its box is from (0, 0, 0) to (0.5, 0.6, 0.5) m");
    scene = plain;
    scene.walls.side[BW_TOP].kind = BW_WALL_OPEN;
    expect_refusal(&scene,
                   "its side top is \"wall\" in frame 0, and the scene's is \"open\"; give the walls alike");
    scene = plain;
    scene.walls.side[BW_LEFT].kind_curve = bw_curve_number((float)BW_WALL_OUTFLOW);
    expect_refusal(&scene, "its side left is \"wall\" in frame 0, and the scene's is \"outflow\"");
    scene = plain;
    scene.cell = 0.05f;
    expect_refusal(&scene, "another scene");
    scene = plain;
    scene.fps = 50.0;
    expect_refusal(&scene, "frame 1 is of 0.0208333 s, and the scene's of 0.02 s; give scene.fps alike");
    scene = plain;
    scene.obstacle_count = 0;
    expect_refusal(&scene, "\"solids\"");
    scene = plain;
    tank.post.motion.position = bw_curve_vector(0.1f, 0.0f, 0.0f);
    expect_refusal(&scene, "obstacle 1 is 0.1 m from where it was");
    tank.post.motion.position = bw_obstacle_def_default().motion.position;
    scene = plain;
    scene.fills = tank.fills;
    scene.fill_count = 1;
    expect_refusal(&scene, "fill cannot be run with fluid \"recorded\"");
}

// The last test: it spoils the run.
static void damaged_runs_are_refused(void **state)
{
    (void)state;
    static Tank tank;
    BwError err = {0};
    BwFrameFile *file;
    make_tank(&tank);
    BwSceneDef scene = recorded_scene(&tank);
    if (truncate(frame_path(9), 4000) != 0)
        fail_msg("could not cut frame 9");
    expect_refusal(&scene, "frame_0009.h5");
    BwSceneDef source = tank.scene;
    must(bw_frame_load(&file, frame_path(4), &source, run_id, &err), &err);
    must(bw_frame_save(bw_frame_file_view(file), frame_path(4), run_id, &err), &err);
    expect_refusal(&scene, "frame 4 has no \"u\"; run it again with output { record = true }");
    must(bw_frame_record(bw_frame_file_view(file), frame_path(3), run_id, &err), &err);
    expect_refusal(&scene, "the file of frame 3 holds frame 4");
    must(bw_frame_record(bw_frame_file_view(file), frame_path(4), run_id + 1, &err), &err);
    bw_frame_file_destroy(file);
    unlink(frame_path(3));
    expect_refusal(&scene, "frame 3 is not there");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_move_as_in_the_live_run), cmocka_unit_test(the_liquid_is_that_of_the_run),
        cmocka_unit_test(a_variant_goes_on_from_a_checkpoint),
        cmocka_unit_test(runs_that_will_not_do_are_refused), cmocka_unit_test(damaged_runs_are_refused)};
    return cmocka_run_group_tests(tests, record_run, remove_run);
}
