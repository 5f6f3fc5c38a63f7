// From particles to the grid: velocity on faces and the share of a cell that is liquid, both as means
// weighted by the hat function of one cell around each sample, 1 - |distance| along every axis (Zhu and
// Bridson 2005, Animating Sand as a Fluid). Particles that carry the gradient of their velocity give each
// face the velocity of their affine field there, so that linear and angular momentum are kept (Jiang,
// Schroeder, Selle, Teran and Stomakhin 2015, The Affine Particle-In-Cell Method, section 5).
//
// Every tile adds up its own particles in a block of its own, a cell wider than the tile; then each tile
// collects what the blocks around say of its samples. No two threads write to one place, and the order of
// sums is that of particles and tiles, whoever does the work.
#pragma once

#include "particle/core.h"

typedef struct BwTransfer {
    BwAllocator allocator;
    float *blocks; // of the tiles that hold particles
    int64_t block_capacity;
    BwNotes block_of; // a tile's place among them, and 1; 0: none
} BwTransfer;

BwResult bw_transfer_create(BwTransfer *transfer, const BwAllocator *allocator, BwGrid *grid, BwError *err);
void bw_transfer_destroy(BwTransfer *transfer);

// What the grid carries by itself (flow/flow_advect.c): the velocity on faces, and the cells that are full of
// liquid though they hold no particles.
typedef struct BwGridCarried {
    const BwVelocity *velocity; // m/s
    const BwCore *core;         // NULL: none
    bool is_all;                // particles tell where the liquid is, and nothing of its velocity
} BwGridCarried;

typedef struct BwTransferred {
    BwVelocity *velocity; // m/s, on the faces within a cell of a particle; 0 on others
    BwVelocity *weight;   // of the particles on these faces, as much as they are seeded with
    BwMask *known;        // by axis, these faces
    BwField *share;       // of the hat function's volume around each cell's centre, 1 inside the liquid
} BwTransferred;

// `unit` is the volume of a seeded particle in cells. A cell of the core counts as if it were evenly filled
// with particles; `carried` is NULL where the grid carries nothing.
BwResult bw_transfer_to_grid(BwTransfer *transfer, const BwParticles *particles, float unit,
                             const BwGridCarried *carried, const BwTransferred *to, BwError *err);
