// Light on matt surfaces: how much of each lamp and of the sky reaches a place through solids and smoke. That
// takes a ray for each of them, and changes slowly from pixel to pixel, so that most pixels of a surface are
// interpolated between others.
#pragma once

#include "render/picture.h"

// What reaches a place on a surface.
typedef struct BwShade {
    float facing;              // cosine between the normal and the way to the eye
    float open;                // of the sky
    float lamps[BW_LAMPS_MAX]; // of each lamp, with the cosine to it
    float fire[3];             // of fire
} BwShade;

// Surfaces that the pixels of a pane see: none, the ground, or a solid and its number after that.
enum { BW_SURFACE_NONE, BW_SURFACE_GROUND, BW_SURFACE_SOLID };

typedef struct BwSurfacePane {
    int surfaces[BW_PANE_PIXELS];
    float t[BW_PANE_PIXELS]; // m, along the ray
    BwVec3 rays[BW_PANE_PIXELS];
    BwShade shades[BW_PANE_PIXELS];
    bool is_shaded[BW_PANE_PIXELS];
} BwSurfacePane;

// The place at a distance along a ray from the eye.
void bw_place_on_ray(const BwPicture *picture, BwVec3 ray, float t, double place[3]);

// What reaches one place, which is seen along `ray`.
BwShade bw_shade_at(const BwPicture *picture, const double place[3], BwVec3 ray, BwVec3 normal);

// The same for the surfaces of a pane: width x height pixels of it. Exact at some pixels, and at those
// between to within a byte's step wherever nothing is smaller than a few pixels.
void bw_shade_pane(const BwPicture *picture, BwSurfacePane *pane, int width_px, int height_px);

// The light that a surface sends back.
BwLight3 bw_shade_light(const BwPicture *picture, const BwShade *shade, const float albedo[3]);
