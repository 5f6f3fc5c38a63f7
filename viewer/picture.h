// One picture of a snapshot: what is opaque goes into textures of its own, so that smoke and water can look
// behind themselves; all ends in the window.
#pragma once

#include "draw_balls.h"
#include "draw_dots.h"
#include "draw_flow.h"
#include "draw_slice.h"
#include "draw_solids.h"
#include "draw_surface.h"
#include "draw_volume.h"

typedef struct Picture {
    Fields fields;
    SliceDraw slice;
    VolumeDraw volume;
    BallDraw balls;
    SurfaceDraw surface;
    DotDraw dots;
    SolidDraw solids;
    LineDraw lines;
    int width, height;
    GLuint target, color, depth; // of what is opaque
    double prepare_seconds;      // of the last picture, on work that is not OpenGL's
} Picture;

bool picture_create(Picture *picture);
void picture_free(Picture *picture);

// What the mouse is about to do, as a ring.
typedef struct Pointer {
    bool is_shown;
    BwVec3 place;
    float radius; // m
} Pointer;

void picture_draw(Picture *picture, const Look *look, const Snapshot *snapshot, bool is_new,
                  const Camera *camera, const Pointer *pointer);
