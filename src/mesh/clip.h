// What smoothing moves out of the box or into solids is put back on their surfaces.
#pragma once

#include "mesh/patches.h"

typedef struct BwClip {
    const BwFrame *frame;
    bool is_of_solids; // or of the box alone
} BwClip;

void bw_clip_mesh(const BwClip *clip, BwPatches *patches, BwPool *pool);
