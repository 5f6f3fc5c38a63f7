// The smooth curve through the chains of a frame's surface particles (set "surface"): of Catmull and Rom
// 1974, which goes through each of them.
#pragma once

#include <billow/frame.h>

// The set, or NULL where a frame has no chains.
const BwFrameParticles *bw_frame_chains(const BwFrame *frame);

// Told each short edge of the curves, the liquid to its left, m.
typedef void BwChainEdgeFn(void *context, const double from[2], const double to[2]);

void bw_chain_curves(const BwFrame *frame, const BwFrameParticles *set, BwChainEdgeFn *edge, void *context);
