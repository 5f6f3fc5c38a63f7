// A flat frame whose surface is chains, turned about the y axis at x = 0 (Foster and Metaxas 1996, section
// 8): a frame in space, with the level set of what the curves through the chains enclose, and with its solids
// as far as they can be turned.
#pragma once

#include "base/memory.h"
#include <billow/frame.h>

typedef struct BwRevolve {
    BwAllocator allocator;
    BwFrame frame;
    BwFrameField field;
    BwTileCoord *tiles;
    uint64_t (*live)[8];
    float *phi, *profile;
    int32_t *winding;
    BwFrameSolid *solids;
    BwShape *shapes; // of the solids, and the parts of these
    int64_t tile_capacity, live_capacity, phi_capacity, profile_capacity, winding_capacity, solid_capacity,
        shape_capacity, shape_count;
} BwRevolve;

// The frame in space, which lives as long as the flat one and until the next call. Fails where the frame has
// no chains, or no walls.
BwResult bw_revolve(BwRevolve *revolve, const BwFrame *flat, const BwFrame **out, BwError *err);
void bw_revolve_free(BwRevolve *revolve);

// A box of the x-y plane turned about the y axis.
BwBox bw_revolve_box(BwBox flat);

// A shape of the x-y plane turned about the y axis, moved by an offset in the plane before: balls, boxes,
// level planes, and what is made of these. Parts are added to the list of shapes. BW_SHAPE_NONE: it cannot
// be.
BwResult bw_revolve_shape(BwRevolve *revolve, const BwShape *shape, BwVec3 offset, BwShape *out,
                          BwError *err);
