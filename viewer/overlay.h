// Text and plain rectangles over the picture, in pixels from the top left. The letters are those of the
// system's monospaced font; without one there are rectangles alone.
#pragma once

#include "program.h"

typedef struct Overlay {
    GLuint program, vertices, buffer, letters;
    float *list;
    size_t count, capacity;          // in floats
    int letter_width, letter_height; // px, of a line
    int rise;                        // px, from the top of a line to the foot of its letters
    int sheet_width, sheet_height;
    bool has_font;
} Overlay;

// Letters of that size in px. Fails where there is no memory or shader.
bool overlay_create(Overlay *overlay, int size_px);
void overlay_free(Overlay *overlay);

typedef struct Paint {
    float r, g, b, a;
} Paint;

void overlay_rectangle(Overlay *overlay, float x, float y, float width, float height, Paint paint);

// One line; gives where it ends. A text with line ends goes on below.
float overlay_text(Overlay *overlay, float x, float y, const char *text, Paint paint);

void overlay_flush(Overlay *overlay, int width_px, int height_px);
