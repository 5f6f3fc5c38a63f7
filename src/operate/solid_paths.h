// Paths beside solids: clipped where they meet one, and told which samples around their ends lie on its other
// side (row D1). Each path is followed in the solid's own moving frame, from where its sample is in the
// solid's pose at one end of the step to where the fluid was, or will be, in its pose at the other; so
// nothing gets through a plate, however thin it is and however fast it moves.
#pragma once

#include "operate/trace.h"

typedef struct BwPathSolids {
    const BwSolidPose *list;
    int count;
    bool is_plain; // every path near a solid is looked at, and all distances are asked for; the same to the
                   // bit, many times slower: the test of the fast way
} BwPathSolids;

typedef struct BwClipped {
    uint8_t is_cut[BW_TILE_CELLS_MAX]; // the path was clipped, or some samples around its end are hidden
    uint8_t hidden[BW_TILE_CELLS_MAX]; // bit per corner, x first: a solid stands between
} BwClipped;

// Whether any path of the tile's samples, at most so many cells long, may come near a solid.
bool bw_solids_may_cut(BwPathSolids solids, const BwGrid *grid, int32_t slot, float cells);

// Clips the paths that end at tracer->at. `is_back` tells paths back through the step from those ahead. Of
// those only `is_cut` is found: nothing is read at the end of one that is cut, and it becomes its start.
void bw_clip_paths(BwClipped *clipped, BwTracer *tracer, BwPathSolids solids, const BwGrid *grid,
                   BwLocation location, int32_t slot, bool is_back);

// Keeps which paths back are cut, and recalls it: their ends become their starts.
void bw_clipped_keep(const BwClipped *clipped, const BwMask *cut, int32_t slot);
void bw_clip_paths_again(BwClipped *clipped, BwTracer *tracer, const BwMask *cut, int32_t slot);
