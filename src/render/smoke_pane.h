// Smoke before the pixels of a pane. Where it is smooth there, rays are marched at sixteen pixels and the
// others lie on cubics between them.
#pragma once

#include "render/picture.h"

typedef struct BwSmokeView {
    const BwPicture *picture;
    float eye[3]; // lattice units
    float far;    // lattice units, from the eye to behind all smoke
    bool is_wide; // nothing in the smoke is narrower than the way between marched pixels
} BwSmokeView;

BwSmokeView bw_smoke_view(const BwPicture *picture);

// Puts the smoke before what the pane sees: changes its light.
void bw_smoke_draw(const BwSmokeView *view, BwPane *pane);
