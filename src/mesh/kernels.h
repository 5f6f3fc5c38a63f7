// Particles near the surface as anisotropic kernels (after Yu and Turk 2013). A kernel is an ellipsoid as
// wide as the particles around it lie: flat in sheets and at the surface, long in filaments, round inside the
// liquid and alone. The sum of all kernels is the share of liquid: 1 inside, a half on the surface.
#pragma once

#include "mesh/near_particles.h"

// At x from its middle a kernel is peak (1 - q)^3, where q = x . metric x is 1 on its rim.
typedef struct BwKernel {
    BwVec3 place;    // cells from the anchor
    float metric[6]; // xx, yy, zz, xy, xz, yz; 1/cells^2
    float peak;      // 1
    float reach[3];  // cells, half of its bounds; BW_NEAR_REACH at most
    float depth;     // cells from its middle to its rim where that is nearest
} BwKernel;

typedef struct BwKernels {
    BwAllocator allocator;
    BwNearParticles near;
    BwKernel *list;       // of near.list
    float (*moments)[10]; // of each cell of near.tiles
    int64_t list_capacity, moment_capacity;
} BwKernels;

// Of all particles, or of those near thin liquid alone.
BwResult bw_kernels_set(BwKernels *kernels, const BwLevel *level, const BwWetCells *wet,
                        const BwThinLiquid *thin, BwPool *pool, BwError *err);
void bw_kernels_free(BwKernels *kernels);
