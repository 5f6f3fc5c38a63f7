// Draws a plume made by formula, and a splash of water by its mesh, by its level set and as a million
// particles, 1280 x 720, with one thread and with two: `billow bench picture [CELLS_PER_METRE [FILE.png
// [WATER.png]]]`. Pictures do not depend on the threads; files keep those of the plume and of the mesh to be
// looked at.
#include "bench.h"
#include "cases.h"
#include "liquid_frame.h"
#include <billow/render.h>
#include <billow/surface.h>

#include <stdio.h>
#include <sys/resource.h>

enum { REPEATS = 3, PARTICLES = 1000000, MESH_RESOLUTION = 2 };

static BwSceneDef plume_scene(float cell)
{
    BwSceneDef scene = {.cell = cell, .dimension = 3, .frames = 120, .fps = 24.0, .has_walls = true};
    scene.walls.max = bw_vec3(1.0f, 2.0f, 1.0f);
    scene.look = (BwLookDef){.smoke_color = {0.9f, 0.9f, 0.9f},
                             .background = {0.17f, 0.19f, 0.22f},
                             .ground = {0.30f, 0.31f, 0.33f},
                             .show_ground = true,
                             .ambient_light = 0.35f,
                             .water_color = {0.18f, 0.54f, 0.84f}};
    return scene;
}

typedef struct Drawing {
    BwRenderer *renderer;
    const BwFrame *frame;
    const BwImage *image; // NULL when it failed
} Drawing;

static void draw(void *context)
{
    Drawing *drawing = context;
    drawing->image = bw_renderer_draw(drawing->renderer, drawing->frame, NULL);
}

// Best seconds of a picture, by the clock and of processor time.
typedef struct Seconds {
    double clock, processor;
} Seconds;

static double processor_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

// All 0 when there is no picture. It goes to `file`, unless that is NULL.
static Seconds time_picture(const BwSceneDef *scene, const BwFrame *frame, int workers, const char *file)
{
    BwRendererDef def = bw_renderer_def_default();
    def.scene = scene;
    def.width_px = 1280;
    def.height_px = 720;
    def.worker_count = workers;
    Drawing drawing = {.frame = frame};
    BwError err = {0};
    if (bw_renderer_create(&drawing.renderer, &def, &err) != BW_OK) {
        fprintf(stderr, "bench picture: %s\n", err.message);
        return (Seconds){0};
    }
    Seconds best = {1e30, 1e30};
    for (int n = 0; n < REPEATS; n++) {
        double begin = processor_seconds(), seconds = bench_once(draw, &drawing);
        double processor = processor_seconds() - begin;
        best.clock = seconds < best.clock ? seconds : best.clock;
        best.processor = processor < best.processor ? processor : best.processor;
    }
    bool is_done = drawing.image != NULL;
    if (is_done && file != NULL && bw_image_save_png(drawing.image, file, &err) != BW_OK) {
        fprintf(stderr, "bench picture: %s\n", err.message);
        is_done = false;
    }
    bw_renderer_destroy(drawing.renderer);
    return is_done ? best : (Seconds){0};
}

// Prints the seconds of one thread and of two; `name` tells what is drawn.
static bool compare_threads(const char *name, const BwSceneDef *scene, const BwFrame *frame, const char *file)
{
    Seconds one = time_picture(scene, frame, 1, file), two = {0};
    if (one.clock > 0.0)
        two = time_picture(scene, frame, 2, NULL);
    if (two.clock == 0.0)
        return false;
    printf("%-30s 1 thread %.3f s  2 threads %.3f s  ratio %.2f  processor %.3f s\n", name, one.clock,
           two.clock, one.clock / two.clock, one.processor);
    return true;
}

static bool time_plume(int resolution, const char *file)
{
    char name[64];
    float cell = 1.0f / (float)resolution;
    const int32_t low[3] = {0, 0, 0}, count[3] = {resolution / 8, resolution / 4, resolution / 8};
    Puff *puff = puff_make(cell, low, count, puff_plume, NULL);
    puff->frame.has_walls = true;
    puff->frame.walls = (BwBox){{0.0f, 0.0f, 0.0f}, {1.0f, 2.0f, 1.0f}};
    BwShape ball = {.kind = BW_SHAPE_SPHERE, .radius = 0.12f};
    BwFrameSolid solid = {
        &ball, {{0.78f, 0.12f, 0.72f}, bw_quat_identity()}, {0.75f, 0.32f, 0.2f}, false, 0.0f};
    puff->frame.solids = &solid;
    puff->frame.solid_count = 1;
    BwSceneDef scene = plume_scene(cell);
    snprintf(name, sizeof name, "%d x %d x %d cells", resolution, 2 * resolution, resolution);
    bool is_done = compare_threads(name, &scene, &puff->frame, file);
    puff_free(puff);
    return is_done;
}

static int32_t count_triangles(const BwFrame *frame, int resolution)
{
    BwSurfaceDef def = bw_surface_def_default();
    BwSurface *surface;
    def.resolution = resolution;
    if (bw_surface_create(&surface, &def, NULL) != BW_OK)
        return 0;
    const BwFrameMesh *mesh = bw_surface_mesh(surface, frame, NULL);
    int32_t count = mesh != NULL ? mesh->triangle_count : 0;
    bw_surface_destroy(surface);
    return count;
}

static void name_water(char *name, size_t size, const BwFrame *frame, BwWaterLook look)
{
    if (look == BW_WATER_PARTICLES)
        snprintf(name, size, "water, %d particles", PARTICLES);
    else if (look == BW_WATER_LEVELSET || !bw_water_mesh_is_built())
        snprintf(name, size, "water, level set of %d cells", frame->tile_count * 512);
    else
        snprintf(name, size, "water, %d triangles", count_triangles(frame, MESH_RESOLUTION));
}

// A surface with a thousand particles, most of the spray of which are drops, or the million as balls. There
// are an eighth more cells than smoke has: at 64 the mesh has 300000 triangles.
static bool time_water(int resolution, BwWaterLook look, const char *file)
{
    char name[64];
    bool has_surface = look != BW_WATER_PARTICLES;
    resolution = (resolution * 9 / 8 + 4) / 8 * 8;
    float cell = 1.0f / (float)resolution;
    const int32_t low[3] = {0, 0, 0}, count[3] = {resolution / 4, resolution / 8, resolution / 8};
    Liquid *liquid = liquid_make(cell, low, count, liquid_splash, NULL);
    BwShape ball = {.kind = BW_SHAPE_SPHERE, .radius = 0.13f};
    BwFrameSolid solid = {
        &ball, {{1.45f, 0.13f, 0.7f}, bw_quat_identity()}, {0.75f, 0.32f, 0.2f}, false, 0.0f};
    liquid_add_spray(liquid, has_surface ? 1000 : PARTICLES, 0.3f * cell);
    liquid->puff->frame.solids = &solid;
    liquid->puff->frame.solid_count = 1;
    BwSceneDef scene = plume_scene(cell);
    scene.fluid = BW_FLUID_LIQUID;
    scene.walls.max = bw_vec3(2.0f, 1.0f, 1.0f);
    scene.look.water = look;
    scene.output.mesh_resolution = MESH_RESOLUTION;
    name_water(name, sizeof name, &liquid->puff->frame, look);
    bool is_done = compare_threads(name, &scene, &liquid->puff->frame, file);
    liquid_free(liquid);
    return is_done;
}

int bench_picture(int argument_count, char **arguments)
{
    int resolution = argument_count > 1 ? atoi(arguments[1]) : 64;
    if (argument_count > 4 || resolution < 8 || resolution > 512) {
        fprintf(
            stderr,
            "billow: bench picture [CELLS_PER_METRE [FILE.png [WATER.png]]]; cells a metre from 8 to 512\n");
        return 1;
    }
    bool is_done = time_plume(resolution, argument_count > 2 ? arguments[2] : NULL) &&
                   time_water(resolution, BW_WATER_SURFACE, argument_count > 3 ? arguments[3] : NULL) &&
                   time_water(resolution, BW_WATER_LEVELSET, NULL) &&
                   time_water(resolution, BW_WATER_PARTICLES, NULL);
    return is_done ? 0 : 2;
}
