// What functions of place cost: `billow bench initial [CELLS]`. A box of CELLS^3 (64) is filled with
// velocity, density and temperature by functions of a script and by the same ones in C, on one thread.
// Seconds of the processor to make the world, nanoseconds a call beyond a world that is left empty, and the
// ratio.
#include "base/error.h"
#include "cases.h"

#include <billow/billow.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 3, CASES = 3, SAMPLES_A_CELL = 5 };

static const char script[] =
    "scene { fluid = 'smoke', cell = 1 }\n"
    "walls { min = {0, 0, 0}, max = {1, 1, 1} }\n"
    "initial { velocity = function(x, y, z) return {math.sin(6 * y), math.cos(6 * x), 0} end,\n"
    "          density = function(x, y, z) return math.exp(-20 * ((x - 0.5)^2 + (y - 0.5)^2)) end,\n"
    "          temperature = function(x, y, z) return 300 + 10 * y end }\n";

static BwResult velocity_at(void *user, BwVec3 point, float value[4], BwError *err)
{
    (void)user;
    (void)err;
    value[0] = (float)sin(6.0 * (double)point.y);
    value[1] = (float)cos(6.0 * (double)point.x);
    return BW_OK;
}

static BwResult density_at(void *user, BwVec3 point, float value[4], BwError *err)
{
    (void)user;
    (void)err;
    double x = (double)point.x - 0.5, y = (double)point.y - 0.5;
    value[0] = (float)exp(-20.0 * (x * x + y * y));
    return BW_OK;
}

static BwResult temperature_at(void *user, BwVec3 point, float value[4], BwError *err)
{
    (void)user;
    (void)err;
    value[0] = (float)(300.0 + 10.0 * (double)point.y);
    return BW_OK;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static BwResult make_world(const BwSceneDef *scene, double *best, BwError *err)
{
    BwWorldDef def = bw_world_def_default();
    def.scene = scene;
    def.worker_count = 1;
    BwWorld *world;
    double begin = processor_seconds();
    BW_TRY(bw_world_create(&world, &def, err));
    *best = fmin(*best, processor_seconds() - begin);
    bw_world_destroy(world);
    return BW_OK;
}

static void show(const double *seconds, int cells)
{
    static const char *const names[CASES] = {"empty", "C", "script"};
    double calls = SAMPLES_A_CELL * (double)cells * cells * cells;
    printf("%d^3 cells, %.0f calls\n%-8s %9s %9s %9s\n", cells, calls, "initial", "seconds", "ns a call",
           "ratio");
    for (int n = 0; n < CASES; n++)
        printf("%-8s %9.3f %9.1f %9.2f\n", names[n], seconds[n], 1e9 * (seconds[n] - seconds[0]) / calls,
               seconds[n] / seconds[0]);
}

static BwResult measure(BwSceneDef scene, int cells, BwError *err)
{
    double seconds[CASES] = {INFINITY, INFINITY, INFINITY};
    scene.cell = 1.0f / (float)cells;
    BwSceneDef cases[CASES] = {scene, scene, scene};
    cases[0].initial = (BwInitialDef){0};
    cases[1].initial = (BwInitialDef){{velocity_at, NULL}, {density_at, NULL}, {temperature_at, NULL}};
    for (int n = 0; n < REPEATS * CASES; n++)
        BW_TRY(make_world(&cases[n % CASES], &seconds[n % CASES], err));
    show(seconds, cells);
    return BW_OK;
}

int bench_initial(int argument_count, char **arguments)
{
    int cells = argument_count > 1 ? atoi(arguments[1]) : 64;
    if (cells < 8 || cells > 512 || argument_count > 2) {
        fprintf(stderr, "billow: bench initial takes 8 to 512 cells\n");
        return 1;
    }
    BwError err = {0};
    BwScene *scene;
    BwResult result = bw_scene_load_text(&scene, script, strlen(script), "bench.lua", NULL, &err);
    if (result == BW_OK) {
        result = measure(*bw_scene_view_def(scene), cells, &err);
        bw_scene_destroy(scene);
    }
    if (result != BW_OK)
        fprintf(stderr, "billow: %s\n", err.message);
    return result == BW_OK ? 0 : 2;
}
