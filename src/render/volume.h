// Smoke as the ray marcher wants it: extinction at the points of a lattice, in bricks of 8^3 spacings found
// by place. A brick holds its 9^3 corner points, so that linear interpolation never leaves it; bricks without
// any smoke do not exist, and regions of 8^3 bricks without any are passed in one step.
//
// Places are in lattice units from an anchor near the smoke: point n sits at n, brick b covers 8 b to 8 b
// + 8. The anchor is kept in double metres, so smoke a kilometre from the origin is drawn as well as smoke at
// it.
#pragma once

#include "base/memory.h"
#include "base/pool.h"
#include "render/black_body.h"
#include "render/brick_map.h"
#include <billow/frame.h>

enum { BW_BRICK_SIDE = BW_BRICK + 1, BW_BRICK_POINTS = 729 };

// Four floats that the compiler keeps in one register, and eight in one or two.
typedef float BwFloat4 __attribute__((vector_size(16)));
typedef float BwFloat8 __attribute__((vector_size(32)));
typedef int32_t BwInt8 __attribute__((vector_size(32)));

typedef struct BwBrick {
    int32_t place[3];                  // of its low corner, in bricks
    float most;                        // the largest extinction
    bool has_sheet;                    // a flame's front is in it, which is thinner than a cell
    float extinction[BW_BRICK_POINTS]; // 1 per lattice spacing
} BwBrick;

// The points of a brick as a camera sees them: extinction in the last component, and in the others the light
// sent towards the eye per spacing (extinction times source). While lamps are added up, the colours lie
// apart.
typedef union BwLitBrick {
    BwFloat4 points[BW_BRICK_POINTS];
    float colors[4][BW_BRICK_POINTS];
} BwLitBrick;

// The colour of the smoke at the points of a brick, as a factor on its albedo.
typedef struct BwTintBrick {
    float tint[3][BW_BRICK_POINTS];
} BwTintBrick;

// Light that soot at the points of a brick sends out by itself, per lattice spacing.
typedef struct BwGlowBrick {
    float light[3][BW_BRICK_POINTS];
} BwGlowBrick;

typedef struct BwVolume {
    BwAllocator allocator;
    double origin[3];  // m, where lattice point 0 is
    float spacing;     // m, between lattice points
    int refine;        // lattice points per cell along an axis: 1, 2 or 4
    int smoothed_as;   // the refinement whose blur the points of a coarse volume have; 1: none
    int32_t anchor[3]; // in bricks, added to a brick's place to get its absolute one

    BwBrick *bricks;
    BwLitBrick *lit;
    BwTintBrick *tints; // one a brick where has_tint
    bool has_tint;
    bool hides_cells;         // set by who builds it, where cells are drawn too large for their own number
    const BwGlowTable *table; // likewise, where a frame's flame is to glow; else NULL
    BwGlowBrick *glows;       // one a brick where has_glow
    bool has_glow;
    int64_t brick_count, brick_capacity, lit_capacity, tint_capacity, glow_capacity;
    BwBrickMap map; // its bounds are those of the bricks
    float *cells;   // the frame's density, cleaned, tile after tile; with that of the soot in its flame
    float *heats;   // K, the frame's temperature, gone on into solids, where it glows
    int64_t cell_capacity, heat_capacity;
} BwVolume;

// Fills the volume from the frame's density, scaled to extinction, its colour, and its glow; no bricks when
// there is none. `refine` asks for a lattice finer than the cells, for pictures in which a cell covers many
// pixels.
BwResult bw_volume_build(BwVolume *volume, BwPool *pool, const BwFrame *frame, float absorption, int refine,
                         BwError *err);

// How many tiles of a frame hold smoke or fire.
int32_t bw_volume_count_tiles(const BwFrame *frame);

// The same smoke with points at the middles of the cells, as smooth as `fine`, which was built from the frame
// and is finer than its cells. It has bricks without smoke round those with some, and no colour: it is what
// depth towards lamps is found on.
BwResult bw_volume_coarsen(BwVolume *coarse, BwPool *pool, const BwVolume *fine, const BwFrame *frame,
                           float absorption, BwError *err);
void bw_volume_free(BwVolume *volume);

// The brick at a place in bricks, or -1.
int32_t bw_volume_brick(const BwVolume *volume, int32_t x, int32_t y, int32_t z);
