// What solids cost: `billow bench solids [CELLS [TRIANGLES [CASE [STEPS]]]]`. Steps of a box full of smoke in
// a wind of two cells a step, on one thread: with nothing in it, with five boxes that stand still, with a
// spinning ball, and with a torus, a mesh of so many triangles (100000), that stands still and that spins.
// Milliseconds of the processor a step and of its stages, the least of so many steps (6), and the ratio to
// the empty box. CASE is `all` or one of them.
#include "base/error.h"
#include "cases.h"

#include <billow/billow.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CASES = 5, BOXES = 5 };

typedef struct Run {
    const char *name;
    BwSceneDef scene;
    BwFillDef fill;
    BwObstacleDef obstacles[BOXES];
    int obstacle_count;
    bool does_spin, is_left_out;
    BwWorld *world;
    double step, stage[3]; // least seconds
} Run;

static const char *const stage_names[3] = {"advect", "solids", "pressure"};

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void write_torus(FILE *stream, int round, int along)
{
    const double turn = 2.0 * 3.14159265358979323846;
    for (int n = 0; n < round * along; n++) {
        double a = turn * (n % round) / round, b = turn * (n / round) / along, away = 0.27 + 0.08 * cos(b);
        fprintf(stream, "v %.9g %.9g %.9g\n", away * cos(a), -0.08 * sin(b), away * sin(a));
    }
    for (int n = 0; n < round * along; n++) {
        int i = n % round, j = n / round, next_i = (i + 1) % round, next_j = (j + 1) % along;
        fprintf(stream, "f %d %d %d %d\n", 1 + i + round * j, 1 + next_i + round * j,
                1 + next_i + round * next_j, 1 + i + round * next_j);
    }
}

static BwResult load_torus(BwShape *shape, int triangles, BwError *err)
{
    char path[] = "/tmp/billow-bench-XXXXXX.obj";
    int descriptor = mkstemps(path, 4), along = (int)sqrt(triangles / 4.0);
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (stream == NULL) {
        snprintf(err->message, sizeof err->message, "cannot write %s", path);
        return BW_ERR_FILE;
    }
    write_torus(stream, 2 * along, along);
    fclose(stream);
    BwShapeFile *content;
    *shape = (BwShape){.kind = BW_SHAPE_MESH, .factor = 1.0f, .file = "torus.obj"};
    double begin = processor_seconds();
    BwResult result = bw_shape_file_load(&content, shape, path, NULL, err);
    unlink(path);
    if (result == BW_OK)
        printf("a torus of %d triangles, loaded in %.2f s\n", 4 * along * along, processor_seconds() - begin);
    shape->content = result == BW_OK ? content : NULL;
    return result;
}

static void set_scene(Run *run, int cells)
{
    const float fps = 24.0f, h = 1.0f / (float)cells;
    run->scene = bw_scene_def_default();
    run->scene.fluid = BW_FLUID_SMOKE;
    run->scene.cell = h;
    run->scene.fps = fps;
    run->scene.steps = 1;
    run->scene.has_walls = true;
    run->scene.walls = bw_walls_def_default();
    run->scene.walls.max = bw_vec3(1.0f, 1.0f, 1.0f);
    run->scene.walls.side[BW_LEFT].kind = BW_WALL_INFLOW;
    run->scene.walls.side[BW_LEFT].velocity = bw_curve_vector(2.0f * h * fps, 0.0f, 0.0f);
    run->scene.walls.side[BW_RIGHT].kind = BW_WALL_OUTFLOW;
    run->fill = bw_fill_def_default();
    run->fill.shape = (BwShape){.kind = BW_SHAPE_SPHERE, .a = {0.5f, 0.5f, 0.5f}, .radius = 9.0f};
    run->fill.velocity = bw_vec3(2.0f * h * fps, 0.0f, 0.0f);
    run->scene.fills = &run->fill;
    run->scene.fill_count = 1;
    for (int n = 0; n < run->obstacle_count; n++) {
        run->obstacles[n].motion.position = bw_curve_vector(0.5f, 0.5f, 0.5f);
        if (run->does_spin)
            run->obstacles[n].motion.spin = bw_curve_vector(4.0f * h * fps, 2.0f * h * fps, 0.0f);
    }
    run->scene.obstacles = run->obstacles;
    run->scene.obstacle_count = run->obstacle_count;
}

// A staircase of boxes from one corner to the other.
static void set_boxes(Run *run)
{
    run->obstacle_count = BOXES;
    for (int n = 0; n < BOXES; n++) {
        float x = 0.17f * (float)n - 0.35f, y = 0.15f * (float)n - 0.3f;
        run->obstacles[n].shape = bw_box(bw_vec3(x, y, -0.25f), bw_vec3(x + 0.13f, y + 0.08f, 0.25f));
    }
}

static void set_solid(Run *run, const BwShape *shape, bool does_spin)
{
    run->obstacle_count = 1;
    run->obstacles[0].shape = *shape;
    run->does_spin = does_spin;
}

static BwResult step(Run *run, BwError *err)
{
    double begin = processor_seconds();
    BW_TRY(bw_world_step_frame(run->world, NULL, err));
    run->step = fmin(run->step, processor_seconds() - begin);
    const BwStats *stats = bw_world_view_stats(run->world);
    for (int n = 0; n < stats->stage_count; n++)
        for (int s = 0; s < 3; s++)
            if (strcmp(stats->stages[n].name, stage_names[s]) == 0)
                run->stage[s] = fmin(run->stage[s], stats->stages[n].seconds);
    return BW_OK;
}

// The cases take turns, so that what else the machine does hits all.
static BwResult measure(Run *runs, int cells, int steps, BwError *err)
{
    for (int n = 0; n < CASES; n++) {
        if (runs[n].is_left_out)
            continue;
        BwWorldDef def = bw_world_def_default();
        set_scene(&runs[n], cells);
        def.scene = &runs[n].scene;
        def.worker_count = 1;
        runs[n].step = runs[n].stage[0] = runs[n].stage[1] = runs[n].stage[2] = INFINITY;
        BW_TRY(bw_world_create(&runs[n].world, &def, err));
    }
    for (int n = 0; n < CASES * steps; n++)
        if (!runs[n % CASES].is_left_out)
            BW_TRY(step(&runs[n % CASES], err));
    return BW_OK;
}

static void show(const Run *runs)
{
    printf("%-8s %9s %9s %9s %9s %9s\n", "solid", "step", "advect", "solids", "pressure", "ratio");
    for (int n = 0; n < CASES; n++)
        if (!runs[n].is_left_out)
            printf("%-8s %9.1f %9.1f %9.1f %9.1f %9.2f\n", runs[n].name, 1e3 * runs[n].step,
                   1e3 * runs[n].stage[0], 1e3 * runs[n].stage[1], 1e3 * runs[n].stage[2],
                   runs[0].is_left_out ? NAN : runs[n].step / runs[0].step);
}

// Leaves out all but one case, for a profile of it; "all": none is left out.
static bool choose(Run *runs, const char *name)
{
    bool is_all = strcmp(name, "all") == 0, is_known = is_all;
    for (int n = 0; n < CASES; n++)
        is_known |= strcmp(name, runs[n].name) == 0;
    if (!is_known)
        fprintf(stderr, "the case is %s; known: all, none, boxes, ball, still, mesh\n", name);
    for (int n = 0; n < CASES && !is_all; n++)
        runs[n].is_left_out = strcmp(name, runs[n].name) != 0;
    return is_known;
}

int bench_solids(int argument_count, char **arguments)
{
    int cells = argument_count > 1 ? atoi(arguments[1]) : 64;
    int triangles = argument_count > 2 ? atoi(arguments[2]) : 100000;
    int steps = argument_count > 4 ? atoi(arguments[4]) : 6;
    if (cells < 16 || cells > 512 || triangles < 100 || triangles > 10000000 || steps < 1 || steps > 1000 ||
        argument_count > 5) {
        fprintf(stderr,
                "solids takes 16 to 512 cells, 100 to 10000000 triangles, a case, and 1 to 1000 steps\n");
        return 1;
    }
    static Run runs[CASES] = {
        {.name = "none"}, {.name = "boxes"}, {.name = "ball"}, {.name = "still"}, {.name = "mesh"}};
    if (!choose(runs, argument_count > 3 ? arguments[3] : "all"))
        return 1;
    BwError err = {0};
    BwShape ball = bw_sphere(bw_vec3(0.0f, 0.0f, 0.0f), 0.25f), torus;
    for (int n = 0; n < CASES * BOXES; n++)
        runs[n / BOXES].obstacles[n % BOXES] = bw_obstacle_def_default();
    BwResult result = load_torus(&torus, triangles, &err);
    set_boxes(&runs[1]);
    set_solid(&runs[2], &ball, true);
    set_solid(&runs[3], &torus, false);
    set_solid(&runs[4], &torus, true);
    printf("%d^3 cells; milliseconds a step on one thread\n", cells);
    if (result == BW_OK)
        result = measure(runs, cells, steps, &err);
    if (result == BW_OK)
        show(runs);
    else
        fprintf(stderr, "billow: %s\n", err.message);
    for (int n = 0; n < CASES; n++)
        bw_world_destroy(runs[n].world);
    bw_shape_file_destroy((BwShapeFile *)(uintptr_t)torus.content);
    return result == BW_OK ? 0 : 2;
}
