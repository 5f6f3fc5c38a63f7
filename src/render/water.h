// The water of a frame as rays meet it: its level set phi as a cubic B-spline over the cells, in bricks that
// are the tiles with a surface in them. The spline smooths gentle slopes; where water is only a cell or two
// thick it would smooth it away, and the coefficients are lowered. The spline has continuous curvature, so
// that neither cells nor tiles show in reflections, and it lies between the least and the largest of its
// coefficients, which tell whether a brick has any surface. The walls of the frame cut the water: phi is
// continued behind them, and what is outside of them is air.
//
// Places are in cells from an anchor near the water, which is kept in double metres; brick b covers 8 b to
// 8 b + 8, and distances are in cells.
#pragma once

#include "base/memory.h"
#include "base/pool.h"
#include "render/brick_map.h"
#include "render/refine.h"
#include <billow/frame.h>

// The coefficients of a brick: those of its cells and of two more on each side.
enum { BW_WATER_SIDE = BW_BRICK + 4, BW_WATER_POINTS = BW_WATER_SIDE * BW_WATER_SIDE * BW_WATER_SIDE };

// Bricks without a surface need none.
enum { BW_ALL_WATER = -1, BW_ALL_AIR = -2 };

typedef struct BwWaterBrick {
    int32_t place[3];
    int32_t values; // index of its coefficients, or one of those
} BwWaterBrick;

struct BwWaterMesh;
struct BwRipples;

typedef struct BwWater {
    BwAllocator allocator;
    const struct BwWaterMesh *mesh;  // what rays meet in place of the level set; NULL: there is none
    const struct BwRipples *ripples; // small waves on top; NULL: there are none
    double origin[3];                // m, of place 0
    float cell;                      // m
    int32_t anchor[3];
    float low[3], high[3]; // the walls, as places; infinite without any
    BwWaterBrick *bricks;
    int64_t brick_count, brick_capacity;
    float (*values)[BW_WATER_POINTS];
    int64_t value_count, value_capacity;
    float *cells;       // phi of each tile of the frame, in cells
    float *sharp;       // the coefficients of its cells
    float (*ranges)[2]; // of those
    int64_t cell_capacity, sharp_capacity, range_capacity;
    BwBrickMap map;
} BwWater;

// Takes the level set of a 3-D frame; no bricks where it has none.
BwResult bw_water_build(BwWater *water, BwPool *pool, const BwFrame *frame, BwError *err);

// No water, of that frame.
void bw_water_clear(BwWater *water, const BwFrame *frame);
void bw_water_free(BwWater *water);

// NULL is no water.
static inline bool bw_water_is_empty(const BwWater *water)
{
    return water == NULL || (water->brick_count == 0 && water->mesh == NULL);
}

// The place of a point given in metres.
void bw_water_place(const BwWater *water, const double point[3], float place[3]);

// The signed distance to the surface, below 0 in water; beyond 3 where it is not known. `gradient` may be
// NULL.
float bw_water_distance(const BwWater *water, const float place[3], BwVec3 *gradient);

// Whether a place is in the water, between the walls.
bool bw_water_holds(const BwWater *water, const float place[3]);

// Where a ray goes from air into water or back.
typedef struct BwCrossing {
    float t;       // cells
    BwVec3 normal; // unit, out of the water
    BwVec3 face;   // the same without smoothing: rays go on from its sides
} BwCrossing;

// The first crossing along a ray between t = 0 and t_max. `is_inside` tells on which side it starts, and is
// set right where the surface has no thickness there. False where there is none.
bool bw_water_cross(const BwWater *water, const float origin[3], BwVec3 direction, float t_max,
                    bool *is_inside, BwCrossing *crossing);

// The same at a time from 0 to 1 while the shutter is open, where rays meet a mesh; 0.5 above.
bool bw_water_cross_at(const BwWater *water, float time, const float origin[3], BwVec3 direction, float t_max,
                       bool *is_inside, BwCrossing *crossing);

// That with the small waves that the picture puts on top.
bool bw_water_cross_rippled(const BwWater *water, float time, const float origin[3], BwVec3 direction,
                            float t_max, bool *is_inside, BwCrossing *crossing);

// The way through water along a ray, cells; half a cell of it is blurred at each surface.
float bw_water_length(const BwWater *water, const float origin[3], BwVec3 direction);
