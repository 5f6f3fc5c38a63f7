// The lamps of a picture and what they do inside smoke.
#pragma once

#include "render/camera.h"
#include "render/fire_light.h"
#include "render/surface.h"
#include "render/sweep.h"
#include "render/volume.h"

#define BW_LAMPS_MAX 16

typedef struct BwLamp {
    BwVec3 direction; // unit, towards the light
    float light[3];   // what a white card facing it sends back
} BwLamp;

typedef struct BwRig {
    BwLamp lamps[BW_LAMPS_MAX];
    int lamp_count;
    float sky[3];    // light from all around, likewise
    float albedo[3]; // of white smoke
} BwRig;

// The scene's lights, or a key light from the upper left and a weak one from behind where it has none.
BwResult bw_rig_make(BwRig *rig, const BwSceneDef *scene, BwError *err);

// Optical depth of the smoke from a place along a unit direction to the end, by steps of a length; lattice
// units.
float bw_volume_depth(const BwVolume *volume, const float place[3], BwVec3 direction, float step);

// Light that each point of the smoke sends to the camera, for all bricks. Depth towards the lamps is found on
// `coarse`, which may be the volume itself. With what the smoke sends out by itself, where it glows.
BwResult bw_volume_light(BwVolume *volume, const BwVolume *coarse, BwSweep *sweep, BwPool *pool,
                         const BwRig *rig, const BwCamera *camera, const BwSolids *solids,
                         const BwFireLight *fire, BwError *err);
