// The window and its OpenGL context, by GLFW. What it is told goes to the viewer.
#pragma once

#include <billow/base.h>

typedef struct Window Window;
struct Viewer;

typedef struct WindowDef {
    const char *title;
    int width, height; // in the units of the screen
    bool is_hidden;
    struct Viewer *viewer; // who is told; NULL: nobody yet
} WindowDef;

// With a context of OpenGL ES 3.0, or of OpenGL 3.3 where there is none.
BwResult window_create(Window **window, const WindowDef *def, BwError *err);
void window_destroy(Window *window);

void window_poll(Window *window); // tells the viewer what happened
void window_swap(Window *window);
void window_pixels(Window *window, int *width, int *height);
float window_scale(Window *window); // pixels of a dot of the usual size: 2 on fine screens
void window_set_title(Window *window, const char *title);
void window_set_size(Window *window, int width, int height);
void window_toggle_full_screen(Window *window);
