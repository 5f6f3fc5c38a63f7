// What solids the pixels of a picture see, kept for the next picture: as long as camera, ground and solids
// stand still, no ray need be traced again.
#pragma once

#include "render/camera.h"
#include "render/surface.h"

// A pixel: how many of its rays meet a solid, and the nearest meeting.
typedef struct BwSighting {
    float t;               // m, along the ray
    int16_t solid;         // -1: none
    uint8_t subsample;     // the ray of the pixel that meets it
    uint8_t covered_count; // rays
} BwSighting;

typedef struct BwSightings {
    BwAllocator allocator;
    BwSighting *pixels; // row by row
    int64_t pixel_capacity;
    bool is_known; // `pixels` hold what is seen; else they are to be filled
    // What they were seen with.
    BwCamera camera;
    float ground;
    BwFrameSolid *solids;
    BwShape *shapes;
    int64_t solid_count, solid_capacity, shape_capacity;
} BwSightings;

// Begins a picture of so many pixels: afterwards is_known tells whether the sightings are those of the
// picture before. Where they are not the caller fills them all and sets it.
BwResult bw_sightings_begin(BwSightings *sightings, const BwCamera *camera, float ground,
                            const BwSolids *solids, int64_t pixel_count, BwError *err);
void bw_sightings_free(BwSightings *sightings);
