// Scenes and pictures for the tests of the renderer.
#pragma once

#include "gate.h"
#include "puff.h"
#include "render/tone.h"
#include <billow/render.h>

static const int32_t at_origin[3] = {0, 0, 0};

static inline float uniform(const void *context, float x, float y, float z)
{
    (void)x, (void)y, (void)z;
    return *(const float *)context;
}

static inline float nothing(const void *context, float x, float y, float z)
{
    (void)context, (void)x, (void)y, (void)z;
    return 0.0f;
}

static inline float round_cloud(const void *context, float x, float y, float z)
{
    (void)context;
    float dx = x - 1.0f, dy = y - 1.0f, dz = z - 1.0f;
    return expf(-6.0f * (dx * dx + dy * dy + dz * dz));
}

static inline float linear_bytes(uint8_t byte)
{
    return bw_tone_inverse(bw_srgb_decode((float)byte / 255.0f));
}

// A scene without ground, walled to the size of the tiles.
static inline BwSceneDef plain_scene(const Puff *puff, const int32_t low[3], const int32_t count[3])
{
    float side = 8.0f * puff->frame.cell_size;
    BwSceneDef scene = {
        .cell = puff->frame.cell_size, .dimension = puff->frame.dimension, .fps = 24.0, .has_walls = true};
    scene.walls.min = bw_vec3(side * (float)low[0], side * (float)low[1], side * (float)low[2]);
    scene.walls.max = bw_add(scene.walls.min,
                             bw_vec3(side * (float)count[0], side * (float)count[1], side * (float)count[2]));
    scene.smoke.ambient = 293.15f;
    scene.look = (BwLookDef){.smoke_color = {0.9f, 0.9f, 0.9f},
                             .background = {0.2f, 0.2f, 0.2f},
                             .ground = {0.3f, 0.3f, 0.3f},
                             .show_ground = false,
                             .ambient_light = 0.35f,
                             .water_color = {0.3f, 0.66f, 0.78f}};
    scene.output.width = 160;
    scene.output.height = 120;
    return scene;
}

static inline BwRenderer *make_renderer(const BwSceneDef *scene, int workers)
{
    BwRendererDef def = bw_renderer_def_default();
    def.scene = scene;
    def.worker_count = workers;
    BwRenderer *renderer;
    BwError err;
    if (bw_renderer_create(&renderer, &def, &err) != BW_OK)
        fail_msg("%s", err.message);
    return renderer;
}

static inline size_t byte_count(const BwImage *image)
{
    return 3 * (size_t)image->width_px * (size_t)image->height_px;
}

// A copy of the picture of one frame; the caller frees it.
static inline uint8_t *draw_once(const BwSceneDef *scene, const BwFrame *frame, int workers)
{
    BwRenderer *renderer = make_renderer(scene, workers);
    const BwImage *image = bw_renderer_draw(renderer, frame, NULL);
    assert_non_null(image);
    uint8_t *pixels = malloc(byte_count(image));
    memcpy(pixels, image->pixels, byte_count(image));
    bw_renderer_destroy(renderer);
    return pixels;
}
