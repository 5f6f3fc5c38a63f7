// Chains as a frame shows them: a set of particles, chain after chain, each in the order of its links, with
// the number of its chain.
#pragma once

#include "operate/chain.h"

// All zero is a valid empty one.
typedef struct BwChainFrame {
    BwTileCoord tile;
    int32_t *tiles, *numbers;
    BwVec3 *positions, *velocities;
    int64_t tile_capacity, number_capacity, position_capacity, velocity_capacity;
    BwFrameAttribute attributes[2];
    BwFrameParticles set;
} BwChainFrame;

BwResult bw_chains_show(const BwChains *chains, const BwVelocity *velocity, BwChainFrame *frame,
                        BwError *err);
void bw_chain_frame_free(BwChainFrame *frame, const BwAllocator *allocator);
