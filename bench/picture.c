// Draws a plume made by formula and says how long it takes: picture CELLS_PER_METRE FILE.png [WORKERS
// [ABSORPTION]]
#include "base/clock.h"
#include "puff.h"
#include <billow/render.h>

#include <stdio.h>
#include <time.h>

static BwSceneDef plume_scene(float cell, float absorption)
{
    BwSceneDef scene = {.cell = cell, .dimension = 3, .frames = 120, .fps = 24.0, .has_walls = true};
    scene.walls.max = bw_vec3(1.0f, 2.0f, 1.0f);
    scene.look = (BwLookDef){
        {0.9f, 0.9f, 0.9f}, 0.0f, {0.17f, 0.19f, 0.22f}, {0.30f, 0.31f, 0.33f}, true, 0.35f, 0.0f};
    scene.look.absorption = absorption;
    return scene;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s CELLS_PER_METRE FILE.png [WORKERS [ABSORPTION]]\n", argv[0]);
        return 1;
    }
    int32_t resolution = atoi(argv[1]);
    float cell = 1.0f / (float)resolution;
    const int32_t low[3] = {0, 0, 0}, count[3] = {resolution / 8, resolution / 4, resolution / 8};
    Puff *puff = puff_make(cell, low, count, puff_plume, NULL);
    puff->frame.has_walls = true;
    puff->frame.walls = (BwBox){{0.0f, 0.0f, 0.0f}, {1.0f, 2.0f, 1.0f}};
    BwShape ball = {.kind = BW_SHAPE_SPHERE, .radius = 0.12f};
    BwFrameSolid solid = {&ball, {{0.78f, 0.12f, 0.72f}, bw_quat_identity()}, {0.75f, 0.32f, 0.2f}};
    puff->frame.solids = &solid;
    puff->frame.solid_count = 1;
    BwSceneDef scene = plume_scene(cell, argc > 4 ? (float)atof(argv[4]) : 0.0f);
    BwRendererDef def = bw_renderer_def_default();
    def.scene = &scene;
    def.width_px = 1280;
    def.height_px = 720;
    def.worker_count = argc > 3 ? atoi(argv[3]) : 0;
    BwRenderer *renderer;
    BwError err;
    if (bw_renderer_create(&renderer, &def, &err) != BW_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    const BwImage *image = NULL;
    for (int n = 0; n < 3; n++) {
        double start = bw_clock_seconds();
        clock_t cpu = clock();
        image = bw_renderer_draw(renderer, &puff->frame, &err);
        printf("draw %.3f s, %.3f s of processor time\n", bw_clock_seconds() - start,
               (double)(clock() - cpu) / CLOCKS_PER_SEC);
    }
    double start = bw_clock_seconds();
    BwResult result = bw_image_save_png(image, argv[2], &err);
    printf("png %.3f s\n", bw_clock_seconds() - start);
    bw_renderer_destroy(renderer);
    puff_free(puff);
    return result == BW_OK ? 0 : 1;
}
