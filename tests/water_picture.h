// Water and scenes around it, for tests of its pictures.
#pragma once

#include "liquid_frame.h"
#include "picture.h"

enum { WIDTH = 160, HEIGHT = 120, PIXELS = WIDTH * HEIGHT };

// How the tests draw water: by its mesh, where Embree is there, or by the level set.
static BwWaterLook drawn_water = BW_WATER_SURFACE;

static inline float pool(const void *context, float x, float y, float z)
{
    (void)x, (void)z;
    return y - *(const float *)context;
}

static inline float ball(const void *context, float x, float y, float z)
{
    const float *center = context; // and the radius
    return sqrtf((x - center[0]) * (x - center[0]) + (y - center[1]) * (y - center[1]) +
                 (z - center[2]) * (z - center[2])) -
           center[3];
}

static inline float everywhere(const void *context, float x, float y, float z)
{
    (void)context, (void)x, (void)y, (void)z;
    return -1.0f;
}

static inline void look_from(BwSceneDef *scene, BwVec3 position, BwVec3 target, float field_of_view)
{
    scene->camera.position = bw_curve_vector(position.x, position.y, position.z);
    scene->camera.target = bw_curve_vector(target.x, target.y, target.z);
    scene->camera.field_of_view = field_of_view;
}

// A scene without ground, lamps or sky around the walls of the liquid.
static inline BwSceneDef dark_scene(const Liquid *liquid)
{
    static const BwLightDef none = {{0.0f, 1.0f, 0.0f}, {1.0f, 1.0f, 1.0f}, 0.0f};
    const int32_t one[3] = {1, 1, 1};
    BwSceneDef scene = plain_scene(liquid->puff, at_origin, one);
    scene.walls.min = liquid->puff->frame.walls.low;
    scene.walls.max = liquid->puff->frame.walls.high;
    scene.lights = &none;
    scene.light_count = 1;
    scene.look.ambient_light = 0.0f;
    scene.look.water_absorption = 1.0f;
    scene.look.water = drawn_water;
    return scene;
}

static inline double mean_light(const uint8_t *pixels, int channel)
{
    double sum = 0.0;
    for (int n = 0; n < PIXELS; n++)
        sum += (double)linear_bytes(pixels[3 * n + channel]);
    return sum / PIXELS;
}
