// A scene on the stage: what the window shows and the solver plays, and the spare emitters and forces that
// the mouse draws with. The scene stays what it was but for these, which are off until a stroke switches them
// on, so that the log of a live run replays in any world that is made from the same stage.
#pragma once

#include <billow/billow.h>

// What the mouse brings where it is dragged.
typedef enum Brush { BRUSH_SMOKE, BRUSH_PUSH, BRUSH_WATER, BRUSH_HEAT, BRUSH_COUNT } Brush;

// Pieces that the strokes of one step are drawn with.
enum { BRUSH_PIECES = 6 };

typedef struct StageDef {
    const char *path; // of the scene script; NULL: Stam's box, for the mouse
    const BwSetting *settings;
    int setting_count;
    const BwScene *loaded; // a scene that is there already and outlives the stage, instead of a path; or NULL
} StageDef;

typedef struct Stage Stage;

// Loads the scene and adds the brushes.
BwResult stage_create(Stage **stage, const StageDef *def, BwError *err);

// One more owner; the stage goes when the last one gives it up. From any thread.
Stage *stage_share(Stage *stage);
void stage_release(Stage *stage);

const BwSceneDef *stage_scene(const Stage *stage); // with the brushes
bool stage_has_brush(const Stage *stage, Brush brush);
float stage_brush_radius(const Stage *stage); // m
BwBox stage_box(const Stage *stage);          // m, of what there is to see at the start

// Number of the first emitter (of BRUSH_PUSH: force) of a brush, BRUSH_PIECES of which follow each other;
// and how many emitters the scene has without them.
int stage_brush_first(const Stage *stage, Brush brush);
int stage_own_emitters(const Stage *stage);
