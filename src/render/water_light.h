// Light that comes along a ray through clear water.
#pragma once

#include "render/backdrop.h"
#include "render/picture.h"
#include "render/shading.h"

// A ray that is followed. Drops, which are no part of the level set, are met before it starts.
typedef struct BwWaterRay {
    double origin[3]; // m
    BwVec3 direction;
    float time;       // 0 to 1 while the shutter is open
    float x_px, y_px; // where in the image a ray from the eye goes through; what is behind is seen there
    bool is_from_eye; // and has met nothing yet
    bool is_seen;     // `first` is the first that it meets
    bool is_inside;   //  from the inside of water
    int glass_seen;   // the solid of glass that it meets, counted from 1; 0: water
    BwCrossing first; // of glass the distance alone
} BwWaterRay;

// Light on surfaces that rays of one pixel have met. Those that meet the same place, but for a pixel's width,
// share it.
enum { BW_SHADES_KEPT = 4 };
typedef struct BwKeptShades {
    struct {
        int solid; // -1: the ground
        double place[3];
        BwVec3 normal;
        BwShade shade;
    } kept[BW_SHADES_KEPT];
    int count;
} BwKeptShades;

// How water swallows and scatters light, from the look of the scene.
BwWaterOptics bw_water_optics(const BwSceneDef *scene, const BwRig *rig, float scene_size);

// Once the colours of the frame are known: shadows are those of their mean.
void bw_water_optics_tint(BwWaterOptics *optics, const BwWaterTint *tint);

// All light that comes along a ray: off the water and through it, from solids, the ground and the sky. `kept`
// is of its pixel, empty at first.
BwLight3 bw_water_ray_light(const BwPicture *picture, const BwWaterRay *ray, BwKeptShades *kept);

// What deep liquid of a colour scatters back, of one of three colours of light; `lit` is what falls on its
// surface.
float bw_water_scattered(const BwWaterOptics *optics, int c, float color, float lit);

// What a ray that meets nothing sees: the backdrop, or the sky with the lamps in it.
BwLight3 bw_far_light(const BwPicture *picture, const BwWaterRay *ray);

// Whether a ray from the eye meets water or glass before anything else; fills in the first crossing then.
bool bw_clear_is_seen(const BwPicture *picture, BwWaterRay *ray);

// The distance to what a ray from the eye meets first, be it water, glass, a solid or the ground, m.
float bw_water_ray_end(const BwPicture *picture, BwWaterRay *ray);

// What water leaves of a far lamp at a place, 0 to 1, were its light not bent. *open becomes what is left of
// the sky after as much height of water.
float bw_water_shadow(const BwPicture *picture, const double place[3], BwVec3 direction, float *open);
