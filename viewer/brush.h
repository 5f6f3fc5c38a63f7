// Strokes become events of the world: each piece is a capsule of a spare emitter or force that is on for one
// step.
#pragma once

#include "stage.h"
#include "stroke.h"

// Which of the pieces of a brush are on.
typedef struct BrushState {
    bool is_on[BRUSH_PIECES];
} BrushState;

BwResult brush_apply(BwWorld *world, const Stage *stage, Brush brush, BrushState *state,
                     const StrokePiece *pieces, int count, BwError *err);
