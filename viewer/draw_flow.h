// Velocity as arrows and as streaks, and the grid's cells and tiles: lines, made from a snapshot.
#pragma once

#include "draw_lines.h"

void flow_add_arrows(LineDraw *lines, const View *view);
void flow_add_streaks(LineDraw *lines, const View *view);
void flow_add_cells(LineDraw *lines, const View *view);
