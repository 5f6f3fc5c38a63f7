// The colour that water carries from place to place, of frames that have one: the fields "color_r", "color_g"
// and "color_b" between the centres of cells. Pictures of other frames have the water of the look. What is
// hot enough, by the field "temperature", also glows.
#pragma once

#include "base/memory.h"
#include "render/black_body.h"
#include "render/brick_map.h"
#include <billow/frame.h>
#include <billow/scene.h>

typedef struct BwWaterTint {
    BwAllocator allocator;
    const BwFrame *frame;         // NULL: its water carries no colour and does not glow
    const BwFrameField *field[3]; // NULL: it has the mean everywhere
    const BwFrameField *heat;     // K; NULL: nothing in it glows
    BwGlowTable glow;             // where something does
    BwBrickMap map;               // the frame's tiles
    float mean[3];                // over all water of the frame
} BwWaterTint;

// Takes the colours of a 3-D frame, which must live as long as they are asked for.
BwResult bw_water_tint_build(BwWaterTint *tint, const BwFrame *frame, const BwLookDef *look, BwError *err);
void bw_water_tint_free(BwWaterTint *tint);

static inline bool bw_water_has_tint(const BwWaterTint *tint)
{
    return tint != NULL && tint->frame != NULL;
}

// The colour at a place (m), from 0 to 1 each; the mean where no cell around it has one.
// `glow` becomes the light that comes out of what is opaque there.
void bw_water_tint_at(const BwWaterTint *tint, const double place[3], float color[3], float glow[3]);
