// The map of the ground that light lands on.
#pragma once

#include "base/memory.h"
#include "render/light.h"

typedef struct BwCaustics {
    BwAllocator allocator;
    double low[2];    // m, x and z of the corner of the first texel
    double ground;    // m
    float spacing;    // m
    int32_t count[2]; // texels; 0: there is no map
    int lamp_count;
    bool is_mapped[BW_LAMPS_MAX]; // lamps below the horizon are not
    float *light;                 // map after map, lamp by lamp; last what is left of the sky
    float (*landed)[3];           // of each ray: x and z in texels, and its share of light
    int64_t light_capacity, landed_capacity;
} BwCaustics;
