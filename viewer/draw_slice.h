// Fields by colour: all of a 2-D one, of a 3-D one the slice through the middle of the scene that faces the
// camera most.
#pragma once

#include "fields.h"

typedef struct SliceDraw {
    GLuint program, vertices;
} SliceDraw;

bool slice_create(SliceDraw *slice);
void slice_free(SliceDraw *slice);
void slice_draw(const SliceDraw *slice, const View *view, const Fields *fields, Show show);
