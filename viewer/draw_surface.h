// Water as a smooth surface in the space of the screen (van der Laan, Green and Sainz 2009): the depth of the
// particles' balls is smoothed where it is one surface, and shaded by its slopes, with the light that the
// thickness of the water lets through.
#pragma once

#include "draw_balls.h"

typedef struct SurfaceDraw {
    GLuint smooth_program, shade_program, vertices;
    int width, height;
    GLuint depth[2], thickness; // textures
    GLuint targets[3];          // framebuffers of them
} SurfaceDraw;

bool surface_create(SurfaceDraw *surface);
void surface_free(SurfaceDraw *surface);

// Over the target, with `scene` and `scene_depth` behind the water.
void surface_draw(SurfaceDraw *surface, const View *view, const BallDraw *balls, GLuint scene,
                  GLuint scene_depth, GLuint target);
