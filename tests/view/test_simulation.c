// The solver's thread without a window: it steps, obeys, takes strokes, records and replays to the same bits,
// and shows what is wrong with a scene that was edited.
#include "scratch_folder.h"
#include "simulation.h"

#include <time.h>

static void nap(void)
{
    struct timespec time = {0, 2000000};
    nanosleep(&time, NULL);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static Simulation *begin(const SimulationDef *def)
{
    Simulation *simulation;
    BwError err = {0};
    if (simulation_create(&simulation, def, &err) != BW_OK)
        fail_msg("%s", err.message);
    return simulation;
}

static void end(Simulation *simulation)
{
    BwError err = {0};
    if (simulation_destroy(simulation, &err) != BW_OK)
        fail_msg("%s", err.message);
}

// Waits for a snapshot after so many steps.
static const Snapshot *after(Simulation *simulation, int64_t steps)
{
    bool is_new;
    char trouble[1100];
    for (double until = now() + 60.0; now() < until; nap()) {
        const Snapshot *snapshot = simulation_view(simulation, &is_new);
        if (snapshot != NULL && snapshot->steps >= steps)
            return snapshot;
        if (simulation_trouble(simulation, trouble, sizeof trouble))
            fail_msg("%s", trouble);
    }
    fail_msg("no snapshot after %lld steps", (long long)steps);
    return NULL;
}

static void write_scene(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

static const char small_box[] =
    "scene { title = 'box', fluid = 'stable', dimension = 2, cell = 1 / 48, fps = 60 }\n"
    "walls { min = {0, 0}, max = {1, 1} }\n";

static float density_at(const Snapshot *s, float x, float y)
{
    int i = (int)((x - s->origin.x) / s->cell_size), j = (int)((y - s->origin.y) / s->cell_size);
    return s->values[CHANNEL_DENSITY][i + s->size[0] * j];
}

static void it_obeys(void **state)
{
    (void)state;
    write_scene("box.lua", small_box);
    SimulationDef def = {.stage.path = "box.lua", .is_paused = true, .is_unpaced = true, .worker_count = 1};
    Simulation *simulation = begin(&def);
    assert_int_equal(after(simulation, 0)->steps, 0);
    simulation_step(simulation);
    assert_int_equal(after(simulation, 1)->steps, 1);
    nap();
    assert_int_equal(after(simulation, 1)->steps, 1);
    simulation_pause(simulation, false);
    after(simulation, 5);
    simulation_pause(simulation, true);
    simulation_restart(simulation);
    bool is_new;
    for (double until = now() + 20.0; simulation_view(simulation, &is_new)->steps != 0 && now() < until;)
        nap();
    assert_int_equal(simulation_view(simulation, &is_new)->steps, 0);
    end(simulation);
}

static void draw_line(Simulation *simulation, float y)
{
    simulation_draw(simulation, BRUSH_SMOKE, bw_vec3(0.2f, y, 0.0f), 0.0, true);
    simulation_draw(simulation, BRUSH_SMOKE, bw_vec3(0.8f, y, 0.0f), 0.02, false);
    simulation_lift(simulation);
}

static void strokes_leave_no_gaps(void **state)
{
    (void)state;
    write_scene("box.lua", small_box);
    SimulationDef def = {.stage.path = "box.lua", .is_paused = true, .worker_count = 1};
    Simulation *simulation = begin(&def);
    after(simulation, 0);
    draw_line(simulation, 0.5f);
    simulation_step(simulation);
    const Snapshot *snapshot = after(simulation, 1);
    float least = INFINITY;
    for (int n = 0; n <= 100; n++)
        least = fminf(least, density_at(snapshot, 0.2f + 0.006f * (float)n, 0.5f));
    gate("line_least_density", (double)least, GATE_ABOVE, 0.5);
    assert_true(density_at(snapshot, 0.5f, 0.2f) == 0.0f);
    end(simulation);
}

// What is drawn while it steps is recorded, and the record gives the same bits in another simulation.
static void records_replay(void **state)
{
    (void)state;
    write_scene("box.lua", small_box);
    SimulationDef def = {.stage.path = "box.lua",
                         .record = "run.events",
                         .is_unpaced = true,
                         .keeps_hash = true,
                         .worker_count = 2};
    Simulation *simulation = begin(&def);
    for (int n = 0; n < 5; n++) {
        after(simulation, 4 * n);
        draw_line(simulation, 0.2f + 0.1f * (float)n);
        simulation_draw(simulation, BRUSH_PUSH, bw_vec3(0.5f, 0.3f, 0.0f), 0.0, true);
        simulation_draw(simulation, BRUSH_PUSH, bw_vec3(0.6f, 0.4f, 0.0f), 0.01, false);
        simulation_lift(simulation);
    }
    simulation_pause(simulation, true);
    nap();
    double mass = 0.0;
    int64_t steps = -1;
    uint64_t hash = 0;
    for (int n = 0; n < 50; n++, nap()) { // until nothing moves
        const Snapshot *snapshot = after(simulation, 0);
        steps = snapshot->steps;
        hash = snapshot->hash;
        mass = snapshot->stats.mass;
    }
    end(simulation);
    assert_true(mass > 0.01);
    def = (SimulationDef){.stage.path = "box.lua",
                          .replay = "run.events",
                          .is_unpaced = true,
                          .is_paused = true,
                          .keeps_hash = true,
                          .worker_count = 1};
    simulation = begin(&def);
    after(simulation, 0);
    for (int64_t n = 1; n <= steps; n++) {
        simulation_step(simulation);
        after(simulation, n);
    }
    gate("replayed_hash_differs", after(simulation, steps)->hash != hash, GATE_BELOW, 0.0);
    assert_false(simulation_is_replaying(simulation));
    end(simulation);
}

static void wait_for_trouble(Simulation *simulation, const char *words)
{
    char trouble[1100] = "";
    for (double until = now() + 20.0; now() < until; nap()) {
        bool is_any = simulation_trouble(simulation, trouble, sizeof trouble);
        if (words == NULL ? !is_any : strstr(trouble, words) != NULL)
            return;
    }
    fail_msg("trouble is \"%s\", wanted \"%s\"", trouble, words != NULL ? words : "none");
}

// A scene that is edited badly leaves the old one at work, and says where it is wrong.
static void edits_are_taken(void **state)
{
    (void)state;
    write_scene("edit.lua", small_box);
    SimulationDef def = {.stage.path = "edit.lua", .worker_count = 1};
    Simulation *simulation = begin(&def);
    after(simulation, 2);
    write_scene("edit.lua", "scene { fluid = 'stable', cell = -1 }\n");
    simulation_reload(simulation);
    wait_for_trouble(simulation, "edit.lua:1:");
    bool is_new;
    int64_t steps = simulation_view(simulation, &is_new)->steps;
    for (double until = now() + 20.0; simulation_view(simulation, &is_new)->steps <= steps && now() < until;)
        nap();
    assert_true(simulation_view(simulation, &is_new)->steps > steps); // it goes on
    write_scene("edit.lua", "scene { fluid = 'stable', dimension = 2, cell = 1 / 16 }\n"
                            "walls { min = {0, 0}, max = {1, 1} }\n");
    simulation_reload(simulation);
    wait_for_trouble(simulation, NULL);
    for (double until = now() + 20.0; simulation_view(simulation, &is_new)->size[0] != 16 && now() < until;)
        nap();
    assert_int_equal(simulation_view(simulation, &is_new)->size[0], 16);
    end(simulation);
}

static void wrong_scenes_are_told(void **state)
{
    (void)state;
    SimulationDef def = {.stage.path = "nowhere.lua", .worker_count = 1};
    Simulation *simulation = begin(&def);
    wait_for_trouble(simulation, "nowhere.lua");
    end(simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_obeys),
        cmocka_unit_test(strokes_leave_no_gaps),
        cmocka_unit_test(records_replay),
        cmocka_unit_test(edits_are_taken),
        cmocka_unit_test(wrong_scenes_are_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
