// What the camera of a scene without one is to see: where a coarse run ahead shows that the smoke will be.
#pragma once

#include <billow/scene.h>

typedef struct View {
    bool is_narrow; // else all of the scene, as the renderer frames it by itself
    BwBox box;      // m
} View;

// The same for the same scene, on any machine and any number of threads: neither the clock nor the length
// that a command asks for matters. A scene that cannot be run ahead is shown as a whole.
View framing_find(const BwSceneDef *scene, int worker_count);
