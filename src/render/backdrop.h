// What is behind everything, for rays from anywhere: the ground, the backdrop it fades into, the sky.
#pragma once

#include "render/picture.h"
#include "render/shading.h"

// The backdrop at a place of the image. Brightest where the subject stands, darker towards the edges.
BwLight3 bw_backdrop_at(const BwPicture *picture, float x_px, float y_px);

// The light that comes from far away along a direction, without the ground.
BwLight3 bw_sky_at(const BwPicture *picture, BwVec3 direction);

// Distance to the ground along a ray, m; infinite when it does not get there.
float bw_ground_distance(const BwPicture *picture, const double origin[3], BwVec3 direction);

// How much of the ground has faded into the backdrop, where a ray meets it.
float bw_ground_fade(const BwPicture *picture, const double origin[3], BwVec3 ray, float t);

// The light of a matt surface in a colour as on a display, with a sheen where it turns away, which sets it
// off from what is behind.
BwLight3 bw_surface_light(const BwPicture *picture, const BwShade *shade, const float color[3]);

// The light of a particle or surface that a ray from the eye meets.
BwLight3 bw_thing_light(const BwPicture *picture, int32_t thing, BwVec3 ray, float t);
