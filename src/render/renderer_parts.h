// What a renderer holds, and the drawing itself, which is compiled for each instruction set
// (cmake/cpus.cmake).
#pragma once

#include "base/pool.h"
#include "mesh/revolve.h"
#include "render/picture.h"
#include "render/ripples.h"
#include "render/tone.h"
#include "render/water_mesh.h"

struct BwRenderer {
    BwAllocator allocator;
    const BwSceneDef *scene;
    BwPool *pool;
    BwScheduler scheduler; // what the pool was made with
    int worker_count;
    BwImage image;
    BwVolume volume, coarse; // the latter where the lattice is finer than the cells
    BwSweep sweep;
    BwWater water;
    BwWaterMesh water_mesh;
    BwWaterTint tint;
    BwCaustics caustics;
    BwSolids solids, glass;
    BwThings things;
    BwSightings sightings;
    double *cover; // see BwPicture
    int64_t cover_capacity;
    BwToneTable tones;
    BwSky sky;
    BwRipples ripples;
    BwRevolve revolve; // of a flat frame that is drawn in space
    bool has_view, has_extent;
    BwBox view;   // asked for, when has_view
    BwBox extent; // of the scene, or of the part to be shown
    BwBox framed; // what of it a camera shows that the scene does not place
    float ground; // m, height of the floor
};

// Draws a frame that was checked into the renderer's image.
typedef BwResult BwDrawFn(BwRenderer *renderer, const BwFrame *frame, BwError *err);
BwDrawFn bw_renderer_draw_image;
