// Smoke as soft dots, one a cell, drawn back to front so that they cover each other as smoke does.
#pragma once

#include "look.h"
#include "program.h"

typedef struct DotDraw {
    GLuint program, vertices, buffer;
    float *dots, *sorted; // x, y, z and density
    int64_t count;
    float size;          // m, of a dot
    BwVec3 last_forward; // that they were sorted for
    double own_seconds;  // of the last picture, outside of OpenGL
} DotDraw;

bool dots_create(DotDraw *dots);
void dots_free(DotDraw *dots);
void dots_draw(DotDraw *dots, const View *view);
