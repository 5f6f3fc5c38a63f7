// The bar of a recorded run: where it is, and where the mouse wants it.
#pragma once

#include "overlay.h"

void player_bar_draw(Overlay *overlay, int width_px, int height_px, int frame, int last);

// Whether a place is on the bar, and the frame that it stands for.
bool player_bar_has(int width_px, int height_px, double x_px, double y_px);
int player_bar_frame(int width_px, double x_px, int last);
