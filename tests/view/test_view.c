// The window, under a display that nobody sees: it opens, steps, draws in every mode without an error of
// OpenGL, and mouse and keys reach the world, whose state is asserted. Events are injected where the window
// system's own arrive.
#define GLFW_INCLUDE_NONE
#include "scratch_folder.h"
#include "viewer.h"

#include <GLFW/glfw3.h>
#include <dlfcn.h>
#include <link.h>
#include <math.h>
#include <time.h>

static char root[1000]; // of the tree, where the scenes are

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static ViewerDef small_window(const char *scene)
{
    ViewerDef def = viewer_def_default();
    def.simulation.stage.path = scene;
    def.simulation.is_paused = true;
    def.simulation.keeps_hash = true;
    def.width = 400;
    def.height = 300;
    return def;
}

enum { MODULES_MAX = 400 };

typedef struct Modules {
    char names[MODULES_MAX][300];
    int count;
} Modules;

static int note_module(struct dl_phdr_info *info, size_t size, void *user)
{
    Modules *modules = user;
    (void)size;
    if (modules->count < MODULES_MAX && info->dlpi_name[0] == '/')
        snprintf(modules->names[modules->count++], sizeof *modules->names, "%s", info->dlpi_name);
    return 0;
}

// Drivers are unloaded with their last window, and what they leak could not be told by their names then.
static void keep_drivers(void)
{
    static Modules modules;
    modules.count = 0;
    dl_iterate_phdr(note_module, &modules);
    for (int n = 0; n < modules.count; n++)
        dlopen(modules.names[n], RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

static Viewer *open_viewer(const ViewerDef *def)
{
    Viewer *viewer;
    BwError err = {0};
    if (viewer_create(&viewer, def, &err) != BW_OK)
        fail_msg("%s", err.message);
    keep_drivers();
    return viewer;
}

static void close_viewer(Viewer *viewer)
{
    BwError err = {0};
    assert_int_equal(viewer_errors(viewer), 0);
    if (viewer_destroy(viewer, &err) != BW_OK)
        fail_msg("%s", err.message);
}

// Draws pictures until the world has taken so many steps.
static const Snapshot *wait_for(Viewer *viewer, int64_t steps)
{
    char trouble[1100];
    for (double until = now() + 60.0; now() < until;) {
        viewer_frame(viewer);
        const Snapshot *snapshot = viewer_snapshot(viewer);
        if (snapshot != NULL && snapshot->steps >= steps)
            return snapshot;
        if (simulation_trouble(viewer_simulation(viewer), trouble, sizeof trouble))
            fail_msg("%s", trouble);
    }
    fail_msg("no picture of step %lld", (long long)steps);
    return NULL;
}

static const Snapshot *step(Viewer *viewer)
{
    int64_t steps = viewer_snapshot(viewer)->steps;
    viewer_on_key(viewer, GLFW_KEY_PERIOD);
    return wait_for(viewer, steps + 1);
}

static void point_at(Viewer *viewer, float x, float y, float z)
{
    double x_px, y_px;
    viewer_pixel_of(viewer, bw_vec3(x, y, z), &x_px, &y_px);
    viewer_on_cursor(viewer, x_px, y_px);
}

// From one place to another in a single jump, as a mouse that is faster than anything.
static void drag(Viewer *viewer, int button, BwVec3 from, BwVec3 to)
{
    point_at(viewer, from.x, from.y, from.z);
    viewer_on_button(viewer, button, true);
    point_at(viewer, to.x, to.y, to.z);
    viewer_on_button(viewer, button, false);
}

static void want(Viewer *viewer, Channel channel)
{
    simulation_want(viewer_simulation(viewer), CHANNEL_BIT(channel));
}

static float value_at(const Snapshot *s, Channel channel, float x, float y)
{
    int i = (int)((x - s->origin.x) / s->cell_size), j = (int)((y - s->origin.y) / s->cell_size);
    assert_true(s->has[channel]);
    return s->values[channel][i + s->size[0] * j];
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

static void keys_are_obeyed(void **state)
{
    (void)state;
    ViewerDef def = small_window(NULL);
    Viewer *viewer = open_viewer(&def);
    assert_int_equal(wait_for(viewer, 0)->steps, 0);
    assert_int_equal(step(viewer)->steps, 1);
    viewer_on_key(viewer, GLFW_KEY_SPACE);
    wait_for(viewer, 4);
    viewer_on_key(viewer, GLFW_KEY_SPACE);
    assert_true(simulation_is_paused(viewer_simulation(viewer)));
    viewer_on_key(viewer, GLFW_KEY_R);
    for (double until = now() + 20.0; viewer_snapshot(viewer)->steps != 0 && now() < until;)
        viewer_frame(viewer);
    assert_int_equal(viewer_snapshot(viewer)->steps, 0);
    viewer_on_key(viewer, GLFW_KEY_H);
    viewer_on_key(viewer, GLFW_KEY_P);
    assert_true(viewer_frame(viewer));
    viewer_on_key(viewer, GLFW_KEY_Q);
    assert_false(viewer_frame(viewer));
    close_viewer(viewer);
}

// However fast the mouse, the density along its way has no gap, and there is none elsewhere.
static void the_mouse_draws_smoke(void **state)
{
    (void)state;
    ViewerDef def = small_window(NULL);
    Viewer *viewer = open_viewer(&def);
    wait_for(viewer, 0);
    drag(viewer, 0, bw_vec3(0.15f, 0.3f, 0.0f), bw_vec3(0.85f, 0.7f, 0.0f));
    const Snapshot *s = step(viewer);
    float least = INFINITY;
    for (int n = 0; n <= 200; n++)
        least =
            fminf(least, value_at(s, CHANNEL_DENSITY, 0.15f + 0.0035f * (float)n, 0.3f + 0.002f * (float)n));
    gate("mouse_least_density", (double)least, GATE_ABOVE, 0.5);
    assert_true(value_at(s, CHANNEL_DENSITY, 0.8f, 0.2f) == 0.0f);
    assert_true(value_at(s, CHANNEL_DENSITY, 0.2f, 0.8f) == 0.0f);
    assert_true(s->stats.mass > 0.02);
    close_viewer(viewer);
}

// In 3-D the brush moves in the plane through the middle that faces the camera, and obstacles are taken where
// they are seen.
static void the_mouse_reaches_into_depth(void **state)
{
    (void)state;
    write_text("deep.lua", "scene { title = 'deep', cell = 1 / 16, fps = 60 }\n"
                           "walls { min = {0, 0, 0}, max = {1, 1, 1} }\n"
                           "obstacle { shape = sphere { center = {0, 0, 0}, radius = 0.12 },\n"
                           "           motion = { position = {0.8, 0.8, 0.5} } }\n");
    ViewerDef def = small_window("deep.lua");
    Viewer *viewer = open_viewer(&def);
    wait_for(viewer, 0);
    drag(viewer, 0, bw_vec3(0.35f, 0.5f, 0.5f), bw_vec3(0.65f, 0.5f, 0.5f));
    const Snapshot *s = step(viewer);
    assert_int_equal(s->size[2], 16);
    assert_true(s->values[CHANNEL_DENSITY][8 + 16 * (8 + 16 * 8)] > 0.3f);
    assert_true(s->values[CHANNEL_DENSITY][2 + 16 * (2 + 16 * 2)] == 0.0f);
    drag(viewer, 0, bw_vec3(0.8f, 0.8f, 0.5f), bw_vec3(0.7f, 0.6f, 0.5f));
    double x, y, wanted_x, wanted_y; // it is where the mouse let go of it, as the camera sees it
    viewer_pixel_of(viewer, step(viewer)->poses[0].position, &x, &y);
    viewer_pixel_of(viewer, bw_vec3(0.7f, 0.6f, 0.5f), &wanted_x, &wanted_y);
    gate("obstacle_off_px", hypot(x - wanted_x, y - wanted_y), GATE_BELOW, 1.0);
    viewer_on_button(viewer, 1, true); // turns, and draws nothing
    viewer_on_cursor(viewer, 10.0, 10.0);
    viewer_on_button(viewer, 1, false);
    close_viewer(viewer);
}

static void the_mouse_pushes(void **state)
{
    (void)state;
    ViewerDef def = small_window(NULL);
    Viewer *viewer = open_viewer(&def);
    wait_for(viewer, 0);
    want(viewer, CHANNEL_U);
    drag(viewer, 1, bw_vec3(0.4f, 0.5f, 0.0f), bw_vec3(0.6f, 0.5f, 0.0f));
    const Snapshot *s = step(viewer);
    assert_true(value_at(s, CHANNEL_U, 0.5f, 0.5f) > 0.05f);
    assert_true(s->stats.mass == 0.0);
    close_viewer(viewer);
}

static const char room[] = "scene { title = 'room', dimension = 2, cell = 1 / 24, fps = 60 }\n"
                           "walls { min = {0, 0}, max = {1, 1} }\n"
                           "emitter { shape = sphere { center = {0.2, 0.2}, radius = 0.08 }, density = 1 }\n"
                           "obstacle { shape = sphere { center = {0, 0}, radius = 0.1 },\n"
                           "           motion = { position = {0.6, 0.6} } }\n";

static void the_mouse_moves_things(void **state)
{
    (void)state;
    write_text("room.lua", room);
    ViewerDef def = small_window("room.lua");
    Viewer *viewer = open_viewer(&def);
    assert_true(fabsf(wait_for(viewer, 0)->poses[0].position.x - 0.6f) < 1e-6f);
    drag(viewer, 0, bw_vec3(0.62f, 0.6f, 0.0f), bw_vec3(0.72f, 0.5f, 0.0f));
    const Snapshot *s = step(viewer);
    assert_true(fabsf(s->poses[0].position.x - 0.7f) < 0.01f && fabsf(s->poses[0].position.y - 0.5f) < 0.01f);
    assert_true(s->stats.max_speed > 1.0f); // it has pushed the air
    viewer_on_key(viewer, GLFW_KEY_M);
    drag(viewer, 0, bw_vec3(0.2f, 0.2f, 0.0f), bw_vec3(0.2f, 0.8f, 0.0f));
    s = step(viewer);
    assert_true(value_at(s, CHANNEL_DENSITY, 0.2f, 0.8f) > 0.9f);
    close_viewer(viewer);
}

// A slider that is dragged to its end sets the number in the world.
static void sliders_set_numbers(void **state)
{
    (void)state;
    write_text("room.lua", room);
    ViewerDef def = small_window("room.lua");
    Viewer *viewer = open_viewer(&def);
    int width, height;
    wait_for(viewer, 0);
    viewer_size(viewer, &width, &height);
    viewer_on_key(viewer, GLFW_KEY_P);
    viewer_frame(viewer);
    viewer_on_cursor(viewer, width - 13.0, 30.0); // the right end of the first one, of gravity
    viewer_on_button(viewer, 0, true);
    viewer_on_button(viewer, 0, false);
    step(viewer);
    viewer_on_key(viewer, GLFW_KEY_P); // away with them: the mouse draws below
    viewer_on_key(viewer, GLFW_KEY_T);
    drag(viewer, 0, bw_vec3(0.3f, 0.4f, 0.0f), bw_vec3(0.3f, 0.4f, 0.0f));
    want(viewer, CHANNEL_V);
    for (int n = 0; n < 5; n++)
        step(viewer);
    const Snapshot *s = viewer_snapshot(viewer);
    assert_true(value_at(s, CHANNEL_V, 0.3f, 0.4f) < -0.05f); // hot air falls where down is up
    close_viewer(viewer);
}

static void the_mouse_heats(void **state)
{
    (void)state;
    write_text("room.lua", room);
    ViewerDef def = small_window("room.lua");
    Viewer *viewer = open_viewer(&def);
    wait_for(viewer, 0);
    viewer_on_key(viewer, GLFW_KEY_T);
    viewer_on_key(viewer, GLFW_KEY_7);
    drag(viewer, 0, bw_vec3(0.7f, 0.2f, 0.0f), bw_vec3(0.9f, 0.2f, 0.0f));
    const Snapshot *s = step(viewer);
    assert_true(value_at(s, CHANNEL_TEMPERATURE, 0.8f, 0.2f) > 400.0f);
    close_viewer(viewer);
}

static void the_mouse_pours_water(void **state)
{
    (void)state;
    write_text("tank.lua", "scene { title = 'tank', fluid = 'liquid', dimension = 2, cell = 1 / 24 }\n"
                           "walls { min = {0, 0}, max = {1, 1} }\n"
                           "fill { shape = box { min = {0, 0}, max = {1, 0.2} } }\n");
    ViewerDef def = small_window("tank.lua");
    Viewer *viewer = open_viewer(&def);
    double before = wait_for(viewer, 0)->stats.mass;
    int64_t particles = viewer_snapshot(viewer)->particle_count;
    drag(viewer, 0, bw_vec3(0.2f, 0.7f, 0.0f), bw_vec3(0.8f, 0.7f, 0.0f));
    const Snapshot *s = step(viewer);
    double radius = fmax(0.03, 1.5 / 24), wanted = 0.6 * 2.0 * radius + 3.14159265 * radius * radius;
    gate("poured_share", fabs((s->stats.mass - before) / wanted - 1.0), GATE_BELOW, 0.15);
    assert_true(s->particle_count > particles);
    close_viewer(viewer);
}

// A live run with pauses, strokes and moves is recorded by the window and replayed by another one.
static void a_run_is_replayed(void **state)
{
    (void)state;
    write_text("room.lua", room);
    ViewerDef def = small_window("room.lua");
    def.simulation.record = "live.events";
    def.simulation.is_paused = false;
    Viewer *viewer = open_viewer(&def);
    for (int n = 1; n <= 4; n++) {
        wait_for(viewer, 3 * n);
        drag(viewer, n % 2, bw_vec3(0.1f, 0.2f * (float)n, 0.0f), bw_vec3(0.4f, 0.15f * (float)n, 0.0f));
    }
    drag(viewer, 0, bw_vec3(0.6f, 0.6f, 0.0f), bw_vec3(0.7f, 0.7f, 0.0f));
    viewer_on_key(viewer, GLFW_KEY_SPACE);
    for (int n = 0; n < 20; n++)
        step(viewer);
    uint64_t hash = viewer_snapshot(viewer)->hash;
    int64_t steps = viewer_snapshot(viewer)->steps;
    close_viewer(viewer);
    def.simulation.record = NULL;
    def.simulation.replay = "live.events";
    def.simulation.is_paused = true;
    viewer = open_viewer(&def);
    wait_for(viewer, 0);
    while (viewer_snapshot(viewer)->steps < steps)
        step(viewer);
    gate("view_replay_differs", viewer_snapshot(viewer)->hash != hash, GATE_BELOW, 0.0);
    close_viewer(viewer);
}

static double difference(const char *a, const char *b, int width, int height)
{
    size_t bytes = 3 * (size_t)width * (size_t)height;
    uint8_t *pixels[2] = {malloc(bytes), malloc(bytes)};
    const char *const paths[2] = {a, b};
    double sum = 0.0;
    for (int n = 0; n < 2; n++) {
        BwImage image = {width, height, pixels[n]};
        BwError err = {0};
        if (bw_image_load_png(&image, paths[n], &err) != BW_OK)
            fail_msg("%s", err.message);
    }
    for (size_t n = 0; n < bytes; n++)
        sum += fabs((double)pixels[0][n] - (double)pixels[1][n]) / 255.0;
    free(pixels[0]);
    free(pixels[1]);
    return sum / (double)bytes;
}

// A picture of two strokes, against one that was looked at.
static void a_picture_is_captured(void **state)
{
    (void)state;
    char wanted[1100];
    ViewerDef def = small_window(NULL);
    Viewer *viewer = open_viewer(&def);
    BwError err = {0};
    int width, height;
    wait_for(viewer, 0);
    viewer_on_key(viewer, GLFW_KEY_I); // no texts: fonts differ
    drag(viewer, 0, bw_vec3(0.15f, 0.3f, 0.0f), bw_vec3(0.85f, 0.7f, 0.0f));
    drag(viewer, 0, bw_vec3(0.3f, 0.8f, 0.0f), bw_vec3(0.3f, 0.8f, 0.0f));
    step(viewer);
    if (viewer_capture(viewer, "strokes.png", &err) != BW_OK)
        fail_msg("%s", err.message);
    viewer_size(viewer, &width, &height);
    snprintf(wanted, sizeof wanted, "%s/tests/view/strokes.png", root);
    const char *keep = getenv("BILLOW_KEEP_PICTURE"); // where a new one goes to be looked at
    if (keep != NULL && viewer_capture(viewer, keep, &err) != BW_OK)
        fail_msg("%s", err.message);
    gate("picture_difference", difference("strokes.png", wanted, width, height), GATE_BELOW, 0.01);
    viewer_on_key(viewer, GLFW_KEY_V);
    step(viewer);
    viewer_on_key(viewer, GLFW_KEY_V);
    assert_int_equal(access("billow_001.mp4", R_OK), 0);
    close_viewer(viewer);
}

static void all_modes(const char *scene, int steps)
{
    char path[1100];
    snprintf(path, sizeof path, "%s/scenes/gallery/%s", root, scene);
    const BwSetting coarse = {"resolution", "16"};
    ViewerDef def = small_window(path);
    def.simulation.stage.settings = &coarse;
    def.simulation.stage.setting_count = 1;
    Viewer *viewer = open_viewer(&def);
    wait_for(viewer, 0);
    for (int n = 0; n < steps; n++)
        step(viewer);
    for (int digit = 1; digit <= 9; digit++) {
        viewer_on_key(viewer, GLFW_KEY_0 + digit);
        viewer_on_scroll(viewer, 0.3);
        step(viewer);
        viewer_frame(viewer);
    }
    viewer_on_button(viewer, 1, true);
    viewer_on_cursor(viewer, 30.0, 40.0);
    viewer_on_button(viewer, 1, false);
    viewer_on_key(viewer, GLFW_KEY_O);
    viewer_frame(viewer);
    close_viewer(viewer);
}

static void every_mode_draws(void **state)
{
    (void)state;
    all_modes("stam.lua", 2);
    all_modes("inks.lua", 2);
    all_modes("plume.lua", 3);
    all_modes("dam_break.lua", 1);
    all_modes("dam_break_2d.lua", 1);
}

static void windows_are_resized(void **state)
{
    (void)state;
    ViewerDef def = small_window(NULL);
    Viewer *viewer = open_viewer(&def);
    int width = 0, height = 0;
    wait_for(viewer, 0);
    viewer_resize(viewer, 520, 380);
    for (double until = now() + 10.0; width != 520 && now() < until;) {
        viewer_frame(viewer);
        viewer_size(viewer, &width, &height);
    }
    assert_true(width == 520 && height == 380);
    viewer_on_size(viewer, 0, 0); // put away
    viewer_frame(viewer);
    viewer_on_close(viewer);
    assert_false(viewer_frame(viewer));
    close_viewer(viewer);
}

// While a step takes long, pictures go on.
static void slow_steps_freeze_nothing(void **state)
{
    (void)state;
    write_text("slow.lua", "scene { fluid = 'stable', dimension = 3, cell = 1 / 72, fps = 60 }\n"
                           "walls { min = {0, 0, 0}, max = {1, 1, 1} }\n"
                           "stable { sweeps = 400 }\n"
                           "fill { shape = sphere { center = {0.5, 0.5, 0.5}, radius = 0.2 } }\n");
    ViewerDef def = small_window("slow.lua");
    def.simulation.worker_count = 1;
    def.width = 120;
    def.height = 90;
    Viewer *viewer = open_viewer(&def);
    wait_for(viewer, 0);
    viewer_on_key(viewer, GLFW_KEY_PERIOD);
    int pictures = 0;
    double began = now(), longest = 0.0;
    while (viewer_snapshot(viewer)->steps == 0 && now() < began + 60.0) {
        double last = now();
        viewer_frame(viewer);
        longest = fmax(longest, now() - last);
        pictures++;
    }
    double seconds = viewer_snapshot(viewer)->stats.seconds;
    gate("pictures_in_a_slow_step", pictures, GATE_ABOVE, 4);
    gate("longest_picture_over_step", longest / seconds, GATE_BELOW, 0.5);
    close_viewer(viewer);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sanitizers make all of it many times slower.
#if defined(__SANITIZE_ADDRESS__)
static const double window_ms_most = INFINITY;
#else
static const double window_ms_most = 4.0;
#endif

// What a picture of 256^2 cells costs outside of solver and OpenGL; the median, for others use this machine.
static void the_window_is_cheap(void **state)
{
    (void)state;
    enum { PICTURES = 25 };
    double seconds[PICTURES];
    ViewerDef def = small_window(NULL);
    def.simulation.is_paused = false;
    Viewer *viewer = open_viewer(&def);
    wait_for(viewer, 1);
    for (int digit = 1; digit <= 6; digit++) {
        char name[40];
        viewer_on_key(viewer, GLFW_KEY_0 + digit);
        for (int n = 0; n < PICTURES;) {
            int64_t last = viewer_snapshot(viewer)->steps;
            drag(viewer, 0, bw_vec3(0.2f, 0.4f, 0.0f), bw_vec3(0.8f, 0.01f * (float)n, 0.0f));
            viewer_frame(viewer);
            if (viewer_snapshot(viewer)->steps != last) // the same step again costs less
                seconds[n++] = 1e3 * viewer_own_seconds(viewer);
        }
        qsort(seconds, PICTURES, sizeof *seconds, compare);
        snprintf(name, sizeof name, "window_ms_mode_%d", digit);
        gate(name, seconds[PICTURES / 2], GATE_BELOW, window_ms_most);
    }
    close_viewer(viewer);
}

enum { RECORDED = 4 };

static const BwFrame *recorded_frame(void *user, int number, BwError *err)
{
    BwWorld **worlds = user;
    return bw_world_view_frame(worlds[number], err);
}

// Frames of a run play in a circle; the bar and the arrow keys choose one.
static void recordings_play(void **state)
{
    (void)state;
    BwScene *scene;
    BwWorld *worlds[RECORDED];
    BwError err = {0};
    write_text("room.lua", room);
    assert_int_equal(bw_scene_load(&scene, "room.lua", NULL, &err), BW_OK);
    for (int n = 0; n < RECORDED; n++) {
        BwWorldDef made = bw_world_def_default();
        made.scene = bw_scene_view_def(scene);
        assert_int_equal(bw_world_create(&worlds[n], &made, &err), BW_OK);
        for (int k = 0; k < n; k++)
            assert_int_equal(bw_world_step_frame(worlds[n], NULL, &err), BW_OK);
    }
    Recording recording = {worlds, RECORDED - 1, recorded_frame, scene, 60.0};
    ViewerDef def = small_window(NULL);
    def.simulation.recording = &recording;
    Viewer *viewer = open_viewer(&def);
    int width, height;
    wait_for(viewer, 0);
    viewer_size(viewer, &width, &height);
    viewer_on_key(viewer, GLFW_KEY_RIGHT);
    wait_for(viewer, 1);
    viewer_on_cursor(viewer, width - 17.0, height - 25.0); // the end of the bar
    viewer_on_button(viewer, 0, true);
    viewer_on_button(viewer, 0, false);
    const Snapshot *s = wait_for(viewer, RECORDED - 1);
    assert_true(s->time == bw_world_view_frame(worlds[RECORDED - 1], &err)->time);
    assert_true(s->hash == bw_frame_hash(bw_world_view_frame(worlds[RECORDED - 1], &err)));
    viewer_on_key(viewer, GLFW_KEY_SPACE); // plays on, from the start
    for (double until = now() + 20.0; viewer_snapshot(viewer)->steps != 0 && now() < until;)
        viewer_frame(viewer);
    assert_int_equal(viewer_snapshot(viewer)->steps, 0);
    close_viewer(viewer);
    for (int n = 0; n < RECORDED; n++)
        bw_world_destroy(worlds[n]);
    bw_scene_destroy(scene);
}

static void edits_show_in_the_window(void **state)
{
    (void)state;
    write_text("edited.lua", room);
    ViewerDef def = small_window("edited.lua");
    Viewer *viewer = open_viewer(&def);
    char trouble[1100] = "";
    wait_for(viewer, 0);
    write_text("edited.lua", "scene { cell = 'no' }\n");
    for (double until = now() + 20.0; now() < until && trouble[0] == '\0'; viewer_frame(viewer))
        simulation_trouble(viewer_simulation(viewer), trouble, sizeof trouble);
    assert_non_null(strstr(trouble, "edited.lua:1"));
    assert_true(viewer_frame(viewer));
    close_viewer(viewer);
}

int main(void)
{
    if (getcwd(root, sizeof root) == NULL)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_obeyed),
        cmocka_unit_test(the_mouse_draws_smoke),
        cmocka_unit_test(the_mouse_reaches_into_depth),
        cmocka_unit_test(the_mouse_pushes),
        cmocka_unit_test(the_mouse_moves_things),
        cmocka_unit_test(sliders_set_numbers),
        cmocka_unit_test(the_mouse_heats),
        cmocka_unit_test(the_mouse_pours_water),
        cmocka_unit_test(a_run_is_replayed),
        cmocka_unit_test(a_picture_is_captured),
        cmocka_unit_test(every_mode_draws),
        cmocka_unit_test(windows_are_resized),
        cmocka_unit_test(slow_steps_freeze_nothing),
        cmocka_unit_test(the_window_is_cheap),
        cmocka_unit_test(recordings_play),
        cmocka_unit_test(edits_show_in_the_window),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
