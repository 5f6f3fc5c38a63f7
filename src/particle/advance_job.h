// What the advance of particles is made of: a worker's view of the flow around a tile, samples of it at any
// place, and a group of the tile's particles. Shared by advance.c, which moves them, and loose_particles.c.
#pragma once

#include "particle/advance.h"
#include "particle/advance_lanes.h"

// One worker's view of a velocity around a tile.
typedef struct BwAdvanceAround {
    const BwVelocity *velocity;
    BwVelocityBlocks blocks;
} BwAdvanceAround;

typedef struct BwAdvanceScratch {
    BwAdvanceAround velocity, path, before, shift;
    float phi[BW_BLOCK_CELLS];
    float share[BW_BLOCK_CELLS];
    BwCollider collider;
} BwAdvanceScratch;

typedef struct BwAdvanceJob {
    BwParticles *particles;
    const BwAdvance *advance;
    const BwGrid *grid;
    BwAdvanceScratch *scratch; // by worker
    bool moves;
    float cells_per_speed; // dt / h
} BwAdvanceJob;

// A group of particles that stand side by side in the columns, from `first` on.
typedef struct BwAdvanceGroup {
    int64_t first;
    int count;
    BwLanes start[3];      // their places, cells
    BwLanes before[3];     // their velocities before the step, m/s
    BwLaneStencil stencil; // of those
    BwLanes way[3];        // straight on by the grid's velocity there, cells
    BwLanes straightness;  // of their paths
} BwAdvanceGroup;

// The low one of the samples beside a place, in a block, and how far past it.
typedef struct BwBeside {
    int low[3];
    float part[3];
} BwBeside;

// Gives whether all samples around the place lie in the block.
BW_FOR_AXES bool bw_beside_find(const float place[3], int axis, int axes, BwBeside *beside)
{
    bool is_inside = true;
    for (int a = 0; a < axes; a++) {
        float at = place[a] - (a == axis ? 0.0f : 0.5f) + (float)BW_HALO;
        is_inside &= at >= 0.0f && at < (float)(BW_BLOCK - 1);
        at = is_inside ? at : 0.0f;
        beside->low[a] = (int)at;
        beside->part[a] = at - (float)beside->low[a];
    }
    return is_inside;
}

static inline float bw_beside_mix(float a, float b, float part)
{
    return a + (b - a) * part;
}

// The velocity component at a place between samples of a block, and how it changes along each axis, a cell.
static inline float bw_beside_interpolate(const float *restrict block, const BwBeside *beside, float slope[3])
{
    const float *at = block + beside->low[0] + BW_BLOCK * beside->low[1] + BW_BLOCK_LAYER * beside->low[2];
    float x = beside->part[0], y = beside->part[1], z = beside->part[2];
    const float *up = at + BW_BLOCK, *far = at + BW_BLOCK_LAYER, *far_up = far + BW_BLOCK;
    float dx_near = bw_beside_mix(at[1] - at[0], up[1] - up[0], y),
          dx_far = bw_beside_mix(far[1] - far[0], far_up[1] - far_up[0], y);
    float near_low = bw_beside_mix(at[0], at[1], x), near_high = bw_beside_mix(up[0], up[1], x);
    float far_low = bw_beside_mix(far[0], far[1], x), far_high = bw_beside_mix(far_up[0], far_up[1], x);
    float near = bw_beside_mix(near_low, near_high, y), beyond = bw_beside_mix(far_low, far_high, y);
    slope[0] = bw_beside_mix(dx_near, dx_far, z);
    slope[1] = bw_beside_mix(near_high - near_low, far_high - far_low, z);
    slope[2] = beyond - near;
    return bw_beside_mix(near, beyond, z);
}

static inline float bw_beside_interpolate_flat(const float *restrict block, const BwBeside *beside,
                                               float slope[3])
{
    const float *at = block + beside->low[0] + BW_BLOCK * beside->low[1], *up = at + BW_BLOCK;
    float x = beside->part[0], y = beside->part[1];
    float low = bw_beside_mix(at[0], at[1], x), high = bw_beside_mix(up[0], up[1], x);
    slope[0] = bw_beside_mix(at[1] - at[0], up[1] - up[0], y);
    slope[1] = high - low;
    return bw_beside_mix(low, high, y);
}

// The same where a path leads out of the block.
float bw_component_far(const BwAdvanceAround *around, int axis, int32_t slot, const float place[3]);

// The component of a velocity at a place counted from a tile, wherever that is.
BW_FOR_AXES float bw_component_at(const BwAdvanceAround *around, int axis, int axes, int32_t slot,
                                  const float place[3], float slope[3])
{
    BwBeside beside = {0};
    if (!bw_beside_find(place, axis, axes, &beside)) {
        slope[0] = slope[1] = slope[2] = 0.0f;
        return bw_component_far(around, axis, slot, place);
    }
    return axes == 3 ? bw_beside_interpolate(around->blocks.component[axis], &beside, slope)
                     : bw_beside_interpolate_flat(around->blocks.component[axis], &beside, slope);
}
