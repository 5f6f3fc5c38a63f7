// Scenes of thin flames in which nothing acts but the flame: no gravity, no friction below the grid.
#pragma once

#include "run.h"

typedef struct Flame {
    int dimension;
    float cell, speed, ratio; // m, m/s, 1
} Flame;

static inline BwSceneDef flame_scene(Flame flame)
{
    BwSceneDef scene = smoke_scene(flame.dimension, flame.cell);
    scene.fluid = BW_FLUID_FIRE;
    scene.fire.fuel.flame_speed = flame.speed;
    scene.fire.fuel.density = 1.2f;
    scene.fire.fuel.density_products = 1.2f / flame.ratio;
    scene.fire.smoke.subgrid = 0.0f;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.solver.tolerance = 1e-7f;
    return scene;
}

static inline BwFillDef fuel_in(BwShape shape)
{
    BwFillDef fill = bw_fill_def_default();
    fill.shape = shape;
    fill.density = 0.0f;
    fill.fuel = 1.0f;
    return fill;
}

static inline BwShape box_shape(float x, float y, float z, float X, float Y, float Z)
{
    return (BwShape){.kind = BW_SHAPE_BOX, .a = bw_vec3(x, y, z), .b = bw_vec3(X, Y, Z)};
}

static inline double value_at(BwWorld *world, const char *name, int i, int j, int k)
{
    const BwFrame *frame = frame_of(world);
    return (double)frame_value(frame, bw_frame_field(frame, name), i, j, k);
}

static inline void told(const char *what, Flame flame, double value, GateSide kind, double bound)
{
    char name[128];
    snprintf(name, sizeof name, "%s, %d-D, density ratio %g, S %g", what, flame.dimension,
             (double)flame.ratio, (double)flame.speed);
    gate(name, value, kind, bound);
}
