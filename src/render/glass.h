// Solids of clear glass, of index 1.52: where rays go into them and out, what they leave of light. Glass
// comes before water: what a mesh of water has inside of it is not seen, so that water may reach into a wall
// and be cut by the wall itself.
#pragma once

#include "render/picture.h"

#define BW_GLASS_INDEX 1.52f // of refraction, against air: window and bottle glass

static inline bool bw_has_glass(const BwPicture *picture)
{
    return picture->glass != NULL && picture->glass->count > 0;
}

// Where a ray meets a surface of glass.
typedef struct BwGlassHit {
    int solid; // of picture->glass
    float t;   // m
    BwVec3 normal;
    BwVec3 face; // the same without smoothing
} BwGlassHit;

// The first surface of glass along a ray outside of it, nearer than t_max. False where there is none.
bool bw_glass_enter(const BwPicture *picture, const double origin[3], BwVec3 direction, float t_max,
                    BwGlassHit *hit);

// The surface where a ray leaves the glass that it starts in. False where something stands nearer, at t_max,
// or touches the glass there.
bool bw_glass_leave(const BwPicture *picture, int solid, const double origin[3], BwVec3 direction,
                    float t_max, BwGlassHit *hit);

// Fills in the normals of a hit, which is at that place.
void bw_glass_look(const BwPicture *picture, const double place[3], BwVec3 direction, BwGlassHit *hit);

// How far off the surface rays go on, m.
float bw_glass_lift(const BwPicture *picture);

// What a way of t metres through glass leaves of light.
void bw_glass_pass(const BwPicture *picture, int solid, float t, float weight[3]);

// The share of a far lamp that glass leaves at a place: what refraction takes elsewhere is lost.
float bw_glass_light(const BwPicture *picture, const double place[3], BwVec3 direction);
