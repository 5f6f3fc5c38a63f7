// Fields from frames: the way back from what grid/frame_copy.h makes.
#pragma once

#include "grid/field.h"

// Wakes exactly the tiles of a frame; fields hold their backgrounds after it. Fails where one of them lies
// outside of the grid's bounds.
BwResult bw_grid_take_frame(BwGrid *grid, const BwFrame *frame, BwError *err);

// The values of a frame's field, whose tiles are awake, and its background.
void bw_field_take_frame(BwField *field, const BwFrame *frame, const BwFrameField *from);

// Set where the frame's field is not 0.
void bw_mask_take_frame(BwMask *mask, const BwFrame *frame, const BwFrameField *from);
