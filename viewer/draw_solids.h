// Obstacles of any shape. Each is measured once, as distances in a box of its own that move with it: in 2-D
// they cut a shape out of a quad, in 3-D rays are followed to the surface.
#pragma once

#include "look.h"
#include "program.h"

typedef struct SolidShape {
    Volume distances;
    BwBox box; // m, of its own coordinates
} SolidShape;

typedef struct SolidDraw {
    GLuint program, vertices;
    SolidShape *shapes;
    int count;
    Stage *stage; // that they are of
} SolidDraw;

bool solids_create(SolidDraw *solids);
void solids_free(SolidDraw *solids);
void solids_draw(SolidDraw *solids, const View *view);
