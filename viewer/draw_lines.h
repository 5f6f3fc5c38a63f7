// Lines: the box, tiles and cells, arrows and streaks of the velocity, marks. All of a picture are gathered
// and drawn at once.
#pragma once

#include "look.h"
#include "program.h"

typedef struct LineVertex {
    float place[3], color[4];
} LineVertex;

typedef struct LineDraw {
    GLuint program, vertices, buffer;
    LineVertex *list;
    size_t count, capacity;
} LineDraw;

bool lines_create(LineDraw *lines);
void lines_free(LineDraw *lines);

void lines_add(LineDraw *lines, BwVec3 from, BwVec3 to, const float color[4]);
void lines_add_faded(LineDraw *lines, BwVec3 from, BwVec3 to, const float from_color[4],
                     const float to_color[4]);
void lines_add_box(LineDraw *lines, BwBox box, const float color[4]);
void lines_add_ring(LineDraw *lines, const Camera *camera, BwVec3 center, float radius, const float color[4]);

// Draws what was added, and forgets it.
void lines_flush(LineDraw *lines, const Matrix *both);
