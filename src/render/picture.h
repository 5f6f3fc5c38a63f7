// One picture in the making: everything a row of pixels needs, fixed before the rows are drawn side by side.
#pragma once

#include "render/camera.h"
#include "render/light.h"
#include "render/surface.h"
#include "render/things.h"
#include "render/volume.h"
#include <billow/render.h>

typedef struct BwPicture {
    BwImage *image;
    const BwSceneDef *scene;
    const BwFrame *frame;
    BwBox extent;
    BwCamera camera;
    BwRig rig;
    const BwVolume *volume;
    const BwSolids *solids;
    const BwThings *things;
    float backdrop[3]; // light that comes out as look.background
    float ground_albedo[3];
    float exposure;
    float absorption; // 1/m per unit of density
    float ground;     // m, height of the ground
} BwPicture;

// Three colours of light.
typedef struct BwLight3 {
    float c[3];
} BwLight3;

// The direction of the ray through a place of the image, in pixels from its upper left corner. Unit length.
BwVec3 bw_picture_ray(const BwPicture *picture, float x_px, float y_px);

// What a ray sees behind all smoke, and how far away it is.
BwLight3 bw_backdrop_seen(const BwPicture *picture, int x_px, int y_px, float *distance);

// Rows of a 3-D picture; a BwRangeFn with a BwPicture.
void bw_picture_rows(int64_t begin, int64_t end, int worker, void *context);

// Rows of a flat picture of a 2-D frame, likewise.
void bw_flat_rows(int64_t begin, int64_t end, int worker, void *context);

// Ends a pixel: exposure, tone curve, sRGB, dither.
void bw_picture_put(const BwPicture *picture, int x_px, int y_px, BwLight3 light);
