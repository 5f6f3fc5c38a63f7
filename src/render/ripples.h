// Small waves on top of water, too short for the cells that it was computed on: a sum of long-crested waves
// whose slopes tilt the normals that light meets (as the small disturbances of Foster and Metaxas 1996,
// section 8). Each runs as fast as gravity and the tension of water have it, on still water, and
// noise has them rise in some places and fall in others. Waves narrower than a pixel are left out.
#pragma once

#include "base/error.h"
#include "render/water.h"
#include <billow/scene.h>

enum { BW_RIPPLE_COUNT = 24 };

typedef struct BwRipple {
    float x, z;   // rad per cell
    float phase;  // rad, at place 0 and at the frame's time
    float slope;  // 1, largest
    float length; // cells
} BwRipple;

typedef struct BwRipples {
    BwRipple waves[BW_RIPPLE_COUNT];
    int count;                        // 0: there are none
    float spread;                     // width of a pixel by its distance
    double gust_x, gust_z, gust_time; // on the lattice of the noise, of place 0 and the frame's time
    double gust;                      // its cells in a cell of water
} BwRipples;

// The waves that the scene's look asks for, at a time, over the places of `water`. `pixel` is the width of a
// pixel at distance 1.
BwResult bw_ripples_set(BwRipples *ripples, const BwSceneDef *scene, const BwWater *water, double time,
                        float pixel, BwError *err);

// Slopes along x and z at a place that is seen from a distance, cells.
void bw_ripples_slope(const BwRipples *ripples, const float place[3], float distance, float slope[2]);

// Tilts the normal of a crossing at the end of a ray by them, as far as it points up.
void bw_ripples_tilt(const BwRipples *ripples, const float origin[3], BwVec3 direction, BwCrossing *crossing);
