// Heat that is conducted through air at rest: a box of a metre, and the room between a hot cylinder and a
// cold one around it.
#pragma once

#include "run.h"

static inline BwSceneDef still_air(int dimension, float cell, float conductivity)
{
    BwSceneDef scene = smoke_scene(dimension, cell);
    scene.fps = 1.0f;
    scene.steps = 1;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.smoke.ambient = 300.0f;
    scene.smoke.conductivity = conductivity;
    set_box(&scene, 1.0f, 1.0f, dimension == 3 ? 0.5f : 0.0f);
    return scene;
}

// What the scene borrows.
typedef struct Cylinders {
    BwShape block[2];
    BwObstacleDef obstacles[2];
} Cylinders;

// 400 K at the inner radius, 300 K at the outer.
static inline void put_cylinders(Cylinders *cylinders, BwSceneDef *scene, float inner, float outer)
{
    cylinders->block[0] = bw_box(bw_vec3(-9.0f, -9.0f, -9.0f), bw_vec3(9.0f, 9.0f, 9.0f));
    cylinders->block[1] = ball(0.5f, 0.5f, 0.0f, outer);
    BwObstacleDef *cold = &cylinders->obstacles[0], *hot = &cylinders->obstacles[1];
    *cold = *hot = bw_obstacle_def_default();
    cold->shape = (BwShape){.kind = BW_SHAPE_DIFFERENCE, .parts = cylinders->block, .part_count = 2};
    cold->temperature = bw_curve_number(300.0f);
    hot->shape = ball(0.5f, 0.5f, 0.0f, inner);
    hot->temperature = bw_curve_number(400.0f);
    scene->obstacles = cylinders->obstacles;
    scene->obstacle_count = 2;
}
