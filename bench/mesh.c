// What meshing a liquid costs: `billow bench mesh [CELLS [FRAMES]]`. The dam break of
// scenes/bench/liquid.lua, CELLS (64) along a side, goes on for FRAMES (24); after each frame its surface is
// meshed at one and at two times the resolution, without smoothing and with, and around the particles.
// Seconds of the processor, and their ratio to a step of the liquid. Where Blender is installed, it bakes the
// same scene with its mesh of twice the resolution and without: what that adds is its mesher's.
#include "base/error.h"
#include "cases.h"
#include "whole_run.h"

#include <billow/billow.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CASES = 6 };

typedef struct MeshCase {
    int resolution, smoothing;
    BwMeshFrom from;
    double seconds;
    double triangles;
    BwSurface *surface;
} MeshCase;

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static BwResult mesh_frame(MeshCase *cases, const BwFrame *frame, BwError *err)
{
    for (int n = 0; n < CASES; n++) {
        double begin = processor_seconds();
        const BwFrameMesh *mesh = bw_surface_mesh(cases[n].surface, frame, err);
        if (mesh == NULL)
            return err->code;
        cases[n].seconds += processor_seconds() - begin;
        cases[n].triangles += mesh->triangle_count;
    }
    return BW_OK;
}

static BwResult create_surfaces(MeshCase *cases, BwError *err)
{
    for (int n = 0; n < CASES; n++) {
        BwSurfaceDef def = bw_surface_def_default();
        bool is_wrapped = n >= 4;
        cases[n].resolution = def.resolution = is_wrapped ? n - 3 : 1 + n / 2;
        cases[n].smoothing = def.smoothing = n % 2 == 0 && !is_wrapped ? 0 : def.smoothing;
        cases[n].from = def.from = is_wrapped ? BW_MESH_FROM_PARTICLES : BW_MESH_FROM_LEVELSET;
        BW_TRY(bw_surface_create(&cases[n].surface, &def, err));
    }
    return BW_OK;
}

static BwResult measure(MeshCase *cases, BwWorld *world, int frames, double *step, BwError *err)
{
    double seconds = 0.0;
    int steps = 0;
    BW_TRY(create_surfaces(cases, err));
    for (int n = 0; n < frames; n++) {
        double begin = processor_seconds();
        BW_TRY(bw_world_step_frame(world, NULL, err));
        seconds += processor_seconds() - begin;
        steps += bw_world_view_stats(world)->steps;
        const BwFrame *frame = bw_world_view_frame(world, err);
        if (frame == NULL)
            return err->code;
        BW_TRY(mesh_frame(cases, frame, err));
    }
    *step = seconds / steps;
    return BW_OK;
}

static void print_cases(const MeshCase *cases, int frames, double step, double particles)
{
    printf("a step: %.1f ms, %.0f particles\n", 1e3 * step, particles);
    for (int n = 0; n < CASES; n++)
        printf("mesh of the %s, resolution %d, %d rounds: %7.1f ms, %8.0f triangles, ratio %.3f\n",
               cases[n].from == BW_MESH_FROM_PARTICLES ? "particles" : "level set", cases[n].resolution,
               cases[n].smoothing, 1e3 * cases[n].seconds / frames, cases[n].triangles / frames,
               cases[n].seconds / frames / step);
}

static void compare_with_blender(const MeshCase *ours, int cells, int frames)
{
    WholeRun plain, meshed;
    if (!whole_run_blender(&plain, "liquid", cells, frames + 1, 1, "mesh=0") ||
        !whole_run_blender(&meshed, "liquid", cells, frames + 1, 1, "mesh=1")) {
        printf("no Blender to compare with (package blender)\n");
        return;
    }
    double theirs = (meshed.processor - plain.processor) / frames;
    printf(
        "Blender's mesh at twice the resolution: %.1f ms, ratio %.1f to ours of the level set, %d rounds\n",
        1e3 * theirs, theirs / (ours->seconds / frames), ours->smoothing);
}

static BwResult load_world(BwWorld **world, int cells, BwError *err)
{
    char text[16];
    BwScene *scene;
    snprintf(text, sizeof text, "%d", cells);
    const BwSetting setting = {"resolution", text};
    const BwSceneLoad load = {.settings = &setting, .setting_count = 1};
    BwWorldDef def = bw_world_def_default();
    BW_TRY(bw_scene_load(&scene, BENCH_SCENES "/liquid.lua", &load, err));
    def.scene = bw_scene_view_def(scene);
    BwResult result = bw_world_create(world, &def, err);
    bw_scene_destroy(scene);
    return result;
}

int bench_mesh(int argument_count, char **arguments)
{
    int cells = argument_count > 1 ? atoi(arguments[1]) : 64,
        frames = argument_count > 2 ? atoi(arguments[2]) : 24;
    if (argument_count > 3 || cells < 8 || frames < 1) {
        fprintf(stderr, "usage: billow bench mesh [CELLS [FRAMES]]\n");
        return 1;
    }
    BwError err = {0};
    MeshCase cases[CASES] = {{0}};
    BwWorld *world = NULL;
    double step = 0.0;
    BwResult result = load_world(&world, cells, &err);
    if (result == BW_OK)
        result = measure(cases, world, frames, &step, &err);
    if (result == BW_OK) {
        print_cases(cases, frames, step, (double)bw_world_view_stats(world)->particles);
        compare_with_blender(&cases[3], cells, frames);
    } else
        fprintf(stderr, "billow: %s\n", err.message);
    for (int n = 0; n < CASES; n++)
        bw_surface_destroy(cases[n].surface);
    bw_world_destroy(world);
    return result == BW_OK ? 0 : 2;
}
