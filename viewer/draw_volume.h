// Smoke as a volume: rays are marched through its density, with shadows of its own.
#pragma once

#include "fields.h"

typedef struct VolumeDraw {
    GLuint program, cover_program, vertices;
    int width, height;    // px, of what rays are marched for
    GLuint target, color; // it is drawn here, and spread over the picture
    int coarseness;       // pixels of the picture along one of its own
} VolumeDraw;

bool volume_draw_create(VolumeDraw *draw);
void volume_draw_free(VolumeDraw *draw);

// Coarser where pictures take long, finer where there is time.
void volume_draw_adapt(VolumeDraw *draw, double picture_seconds);

// Over what is there, no farther than `depth` of what was drawn before.
void volume_draw(VolumeDraw *draw, const View *view, const Fields *fields, GLuint depth);
