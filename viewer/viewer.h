// The live window: a scene steps on a thread of its own and is drawn here, the mouse reaches into it.
// Everything that the window system tells goes through the viewer_on functions, and nothing else changes what
// is shown; tests call the same ones.
#pragma once

#include "simulation.h"

typedef struct Viewer Viewer;

typedef struct ViewerDef {
    SimulationDef simulation;
    const char *title; // of the window; NULL: the scene's
    int width, height; // of the window, in the units of the screen
    bool is_hidden;    // the window is there, but not shown
} ViewerDef;

ViewerDef viewer_def_default(void);

// Opens the window. Fails with BW_ERR_BACKEND where there is no display or no OpenGL, and says what is
// missing.
BwResult viewer_create(Viewer **viewer, const ViewerDef *def, BwError *err);

// Closes it; the result is that of the simulation's end.
BwResult viewer_destroy(Viewer *viewer, BwError *err);

// One picture: takes what the window system has, draws the newest snapshot. False: the window is to close.
bool viewer_frame(Viewer *viewer);

// Keys are GLFW's, buttons 0 left, 1 right, 2 middle; places in pixels of the picture, from the top left.
void viewer_on_key(Viewer *viewer, int key);
void viewer_on_button(Viewer *viewer, int button, bool is_down);
void viewer_on_cursor(Viewer *viewer, double x_px, double y_px);
void viewer_on_scroll(Viewer *viewer, double notches);
void viewer_on_size(Viewer *viewer, int width_px, int height_px);
void viewer_on_close(Viewer *viewer);

// What tests and captures look at.
Simulation *viewer_simulation(Viewer *viewer);
const Snapshot *viewer_snapshot(const Viewer *viewer); // the one that was drawn last; NULL: none
void viewer_pixel_of(const Viewer *viewer, BwVec3 point, double *x_px, double *y_px);
void viewer_size(const Viewer *viewer, int *width_px, int *height_px);
int viewer_errors(const Viewer *viewer);         // of OpenGL, so far
double viewer_own_seconds(const Viewer *viewer); // of the last picture, outside of OpenGL and of waiting
BwResult viewer_capture(Viewer *viewer, const char *path, BwError *err); // the next picture, as a PNG
void viewer_resize(Viewer *viewer, int width, int height);               // asks the window system
