// Particles, columns of water and meshes of a frame, as a camera sees them: for each of the rays of a pixel
// the nearest of them and how far away it is. They are rasterised before rows are drawn, so their number
// costs little; what they hide and what hides them is decided by distance, ray by ray.
#pragma once

#include "base/memory.h"
#include "base/pool.h"
#include "render/camera.h"
#include "render/flat_water.h"
#include "render/tone.h"
#include "render/water.h"
#include <billow/frame.h>

// Rays of a pixel, and where they go through it.
enum { BW_SUBSAMPLES = 4 };
extern const float bw_subsample_offsets[BW_SUBSAMPLES][2];

// A particle.
typedef struct BwBall {
    BwVec3 center; // m, from the eye
    float radius;
    float color[3];
    BwVec3 way;   // m, that a drop goes while the shutter is open, its center in the middle
    float share;  // of what it covers that it hides: less than 1 for a drop smaller than it can be drawn
    bool is_drop; // of clear water, not matt
} BwBall;

// How the particles named "water" are drawn.
typedef enum BwDropMode {
    BW_DROPS_PLAIN,    // as all particles
    BW_DROPS_OUTSIDE,  // those outside of the surface as drops, the others not at all
    BW_DROPS_BY_SPEED, // from blue to white
} BwDropMode;

typedef struct BwDropLook {
    BwDropMode mode;
    const BwWater *water; // the surface in 3-D
    BwFlatWalls walls;    // of 2-D water
    float color[3];       // of drops in flat pictures
    float fast;           // m/s: the speed of white balls
    float shutter;        // s, how long drops are seen for
} BwDropLook;

// Pixels that a triangle or ball may cover, high ends excluded; none where high <= low.
typedef struct BwReach {
    int32_t low[2], high[2];
} BwReach;

typedef struct BwThings {
    BwAllocator allocator;
    BwVec3 *places;  // m, from the eye, of the corners of all triangles
    BwVec3 *normals; // unit, of the surface there
    float (*colors)[3];
    int64_t corner_count, place_capacity, normal_capacity, color_capacity;
    int32_t (*triangles)[3];
    int64_t triangle_count, triangle_capacity;
    BwBall *balls;
    int64_t ball_count, ball_capacity;
    bool has_drops;
    BwReach *reaches; // of triangles, then of balls
    int64_t reach_capacity;
    int64_t *band_starts; // where the list of each band of rows begins
    int32_t *band_items;  // triangles, and past them balls, that reach into it
    int64_t band_capacity, band_item_capacity;
    float *distances; // along each ray; infinite where there is nothing
    int32_t *items;   // what is met there: a triangle, or past them a ball
    int64_t distance_capacity, item_capacity;
    int width_px;
} BwThings;

// Takes what the frame holds. `bottom` is the height that columns without a depth reach down to in flat
// pictures.
BwResult bw_things_build(BwThings *things, BwPool *pool, const BwFrame *frame, const BwDropLook *look,
                         const BwCamera *camera, float bottom, int width_px, int height_px, BwError *err);
void bw_things_free(BwThings *things);

static inline bool bw_things_is_empty(const BwThings *things)
{
    return things->triangle_count + things->ball_count == 0;
}

// What ray n of a pixel meets: its item and distance; -1 for nothing.
static inline int32_t bw_things_trace(const BwThings *things, int x_px, int y_px, int n, float *distance)
{
    size_t at = BW_SUBSAMPLES * ((size_t)y_px * (size_t)things->width_px + (size_t)x_px) + (size_t)n;
    *distance = things->distances[at];
    return things->items[at];
}

// When ray n of a pixel sees moving drops, from 0 to 1 while the shutter is open: each at times of its own.
static inline float bw_subsample_time(int x_px, int y_px, int n)
{
    return ((float)n + bw_pixel_noise(x_px, y_px)) / BW_SUBSAMPLES;
}

// An item as a drop of water, or NULL where it is none.
static inline const BwBall *bw_things_drop(const BwThings *things, int32_t item)
{
    int64_t ball = item - things->triangle_count;
    return ball >= 0 && things->balls[ball].is_drop ? &things->balls[ball] : NULL;
}

// Normal, towards the eye, and colour (as on a display) of an item where a ray meets it.
void bw_things_look(const BwThings *things, int32_t item, BwVec3 direction, float distance, BwVec3 *normal,
                    float color[3]);
