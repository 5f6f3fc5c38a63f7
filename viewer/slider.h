// A panel of sliders. Each shows a number and sets it; who made it says what that does.
#pragma once

#include "overlay.h"

enum { SLIDERS_MAX = 16 };

typedef struct Slider {
    const char *name, *unit;
    float value, low, high;
    bool is_logarithmic; // by factors, with the low end at the left
    int id;              // what it stands for, to who made it
} Slider;

typedef struct Panel {
    Slider list[SLIDERS_MAX];
    int count;
    bool is_shown;
    float x, y, width, row; // px
} Panel;

void panel_clear(Panel *panel);
void panel_add(Panel *panel, Slider slider);
void panel_place(Panel *panel, const Overlay *overlay, int width_px);
void panel_draw(const Panel *panel, Overlay *overlay);

// The slider at a place, or -1; and the value that a place along it stands for.
int panel_find(const Panel *panel, double x_px, double y_px);
float panel_value(const Panel *panel, int number, double x_px);
