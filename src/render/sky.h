// The light from above the horizon, as water and glass mirror it: even, or a photographer's studio with soft
// boxes, or a day with clouds. Looked up in a map of the upper half of all directions, so that a kind of sky
// costs a ray nothing, however it is made.
#pragma once

#include "render/light.h"
#include <billow/scene.h>

enum { BW_SKY_SIDE = 192 };

typedef struct BwSky {
    BwSkyLook look;
    float horizon[3], zenith[3]; // of a day
    float light[BW_SKY_SIDE][BW_SKY_SIDE][3];
} BwSky;

// `horizon` is the light of the backdrop, which a day's sky meets at the horizon.
void bw_sky_fill(BwSky *sky, BwSkyLook look, const BwRig *rig, const float horizon[3]);

// The light from a direction; one below the horizon counts as one on it.
void bw_sky_look_up(const BwSky *sky, BwVec3 direction, float light[3]);
