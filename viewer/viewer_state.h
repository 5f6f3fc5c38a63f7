// The state of the viewer, shared by the files that make it up: viewer.c (life, pictures), input.c (keys and
// mouse), window.c (the window system), hud.c (texts), capture.c (files).
#pragma once

#include "capture.h"
#include "overlay.h"
#include "picture.h"
#include "player_bar.h"
#include "slider.h"
#include "viewer.h"
#include "watch.h"
#include "window.h"

// What the left button does; the first ones are brushes.
typedef enum Tool {
    TOOL_SMOKE = BRUSH_SMOKE,
    TOOL_PUSH = BRUSH_PUSH,
    TOOL_WATER = BRUSH_WATER,
    TOOL_HEAT = BRUSH_HEAT,
    TOOL_MOVE = BRUSH_COUNT
} Tool;

typedef enum Drag {
    DRAG_NONE,
    DRAG_BRUSH,
    DRAG_OBSTACLE,
    DRAG_EMITTER,
    DRAG_ORBIT,
    DRAG_PAN,
    DRAG_SLIDER,
    DRAG_SCRUB
} Drag;

enum { EMITTERS_MOVED_MAX = 64 };

typedef struct Hand {
    double x, y; // px
    Drag drag;
    Brush brush;
    int number;   // of what is dragged
    BwVec3 depth; // a point of the plane that it moves in
    BwVec3 grip;  // from the mouse to where the thing stands
    BwPose pose;  // of the obstacle, when it was taken
    BwVec3 offsets[EMITTERS_MOVED_MAX];
} Hand;

struct Viewer {
    ViewerDef def;
    Window *window;
    Simulation *simulation;
    const Snapshot *snapshot;
    Stage *stage; // that the camera was set for
    Picture picture;
    Overlay overlay;
    Camera camera;
    Look look;
    Tool tool;
    Hand hand;
    Panel panel;
    Capture capture;
    FileWatch watch;
    bool is_closing, shows_help, hides_texts;
    int errors;
    double own_seconds, last_second, frames_per_second;
    bool is_new; // the snapshot of this picture is
};

// Texts, bars and sliders of this picture.
void hud_add(Viewer *viewer);

// The sliders that the scene has, and what they do.
void viewer_add_sliders(Viewer *viewer);
void viewer_set_number(Viewer *viewer, int slider, float value);

// Sets the look, and asks for what it takes.
void viewer_show(Viewer *viewer, Show show);
