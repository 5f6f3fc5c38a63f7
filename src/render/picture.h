// One picture in the making: everything a row of pixels needs, fixed before the rows are drawn side by side.
#pragma once

#include "render/camera.h"
#include "render/caustics_map.h"
#include "render/light.h"
#include "render/sightings.h"
#include "render/sky.h"
#include "render/surface.h"
#include "render/things.h"
#include "render/tone.h"
#include "render/volume.h"
#include "render/water.h"
#include "render/water_tint.h"
#include <billow/render.h>

// What water does to light.
typedef struct BwWaterOptics {
    float strength;      // 1/m, of what a colour lacks altogether
    float light[3];      // that falls into water, as a white card below it would send it back
    float color[3];      // of deep water
    float absorption[3]; // 1/m
    float mean;          // of the three
    float murk;          // share of what is scattered that was light on the surface close by; 0: clear water
} BwWaterOptics;

typedef struct BwPicture {
    BwImage *image;
    const BwSceneDef *scene;
    const BwFrame *frame;
    BwBox extent;
    double center[3]; // m, of the extent
    float size;       // m, its diagonal
    BwCamera camera;
    BwRig rig;
    const BwSky *sky;
    BwFireLight fire;        // no lamps where nothing burns
    const BwGlowTable *glow; // of flat pictures; NULL where nothing burns
    const BwVolume *volume;
    const BwVolume *coarse; // the same smoke on the lattice of the cells; may be the volume itself
    const BwWater *water;   // empty where the frame has none, or in flat pictures
    bool is_eye_in_water;
    BwWaterOptics optics;
    const BwWaterTint *tint;    // the colour that the water carries, or none
    const BwCaustics *caustics; // NULL: there is no map
    const BwSolids *solids;     // that are not of glass
    const BwSolids *glass;      // NULL: there is none
    const BwThings *things;
    BwSightings *sightings; // of solids; NULL: they are not kept
    const BwToneTable *tones;
    float backdrop[3]; // light that comes out as look.background
    float ground_albedo[3];
    float exposure;
    float absorption;   // 1/m per unit of density
    float ground;       // m, height of the ground
    float fast;         // m/s: a speed that is much in this scene
    uint8_t tank_sides; // drawn as panes of glass, a bit each
    const double
        *cover;    // of each pixel of a flat picture, what chains enclose, the lowest row first; or NULL
    float shutter; // s, how long it is open, around the frame's time
} BwPicture;

// Three colours of light.
typedef struct BwLight3 {
    float c[3];
} BwLight3;

// The direction of the ray through a place of the image, in pixels from its upper left corner. Unit length.
BwVec3 bw_picture_ray(const BwPicture *picture, float x_px, float y_px);

// Pixels that are drawn together.
enum { BW_PANE = 8, BW_PANE_PIXELS = BW_PANE * BW_PANE };

// A pixel that a surface covers a part of: what that sends out, and what is seen beside it.
typedef struct BwEdge {
    float covered; // share of the pixel; 0 or 1: there is no edge
    BwLight3 front, behind, mixed;
    float t_front, t_behind; // m; the latter is infinite for the backdrop
} BwEdge;

typedef struct BwPane {
    int x_px, y_px;              // of its upper left pixel
    int width_px, height_px;     // BW_PANE, less at the rim of the image
    BwVec3 rays[BW_PANE_PIXELS]; // row by row of BW_PANE, as are the others
    BwLight3 light[BW_PANE_PIXELS];
    float distance[BW_PANE_PIXELS]; // m, to what is seen; infinite for the backdrop
    BwEdge edges[BW_PANE_PIXELS];   // between surfaces and what is behind them
} BwPane;

// What the pixels of a pane see behind all smoke: fills rays, light, distance and edges.
void bw_backdrop_draw(const BwPicture *picture, BwPane *pane);

// Puts water before them, where pixels see it: changes light and distance.
void bw_water_draw(const BwPicture *picture, BwPane *pane);

// Light that smoke adds along a ray up to t_max, lattice units; w is what still gets through.
BwFloat4 bw_march(const BwVolume *volume, const float eye[3], BwVec3 direction, float t_max);

// Rows of panes of a 3-D picture; a BwRangeFn with a BwPicture.
void bw_picture_panes(int64_t begin, int64_t end, int worker, void *context);

// Rows of a flat picture of a 2-D frame, likewise.
void bw_flat_rows(int64_t begin, int64_t end, int worker, void *context);

// Ends a pixel: exposure, tone curve, sRGB, dither.
void bw_picture_put(const BwPicture *picture, int x_px, int y_px, BwLight3 light);
