// Where the particles of a spout come out, and in which order. The places are those of a lattice across the
// spout, a particle's spacing apart; a layer has one particle for each of them, in an order of its own, and
// the next layer follows when all of it is out. A particle's number thus tells its place, and how much has
// come out tells its moment: the stream is the same in long steps and in short ones, as even as seeded
// liquid, and its volume that of its particles.
#pragma once

#include "domain/domain.h"

typedef struct BwSpout {
    BwVec3 direction; // of the stream, of length one; 0: not found yet
    BwShape shape;    // that it leaves
    double area;      // m^2, across it; in 2-D times 1 m
    BwVec3 across, up;
    BwVec3 *points; // m
    int64_t count, capacity;
    int32_t *order; // of a layer
    int64_t order_capacity;
    int64_t layer; // whose order it is; -1: none
} BwSpout;

// What a spout is made for.
typedef struct BwSpoutDef {
    const BwShape *shape;
    BwVec3 direction; // of length one
    BwBox within;     // m
    int dimension;
    float spacing; // m, of particles
} BwSpoutDef;

// The area that a stream in that direction leaves by, m^2, in 2-D times 1 m: of a disc or a rectangle between
// the walls by its formula, of others as samples tell.
double bw_spout_area(const BwSpoutDef *def);

// Finds the places of a shape where a stream in that direction leaves it. Nothing to do where they are known.
BwResult bw_spout_aim(BwSpout *spout, const BwAllocator *allocator, const BwSpoutDef *def, BwError *err);

// The same of an inflow side of the box, all of its faces where the side's kind holds.
BwResult bw_spout_cover_side(BwSpout *spout, const BwAllocator *allocator, const BwDomain *domain, int side,
                             int per_axis, BwError *err);

void bw_spout_free(BwSpout *spout, const BwAllocator *allocator);

// The place of a particle by its number, m: that of the lattice, or anywhere in its part of it, but inside
// the shape if there is one.
BwVec3 bw_spout_place(BwSpout *spout, const BwShape *shape, int64_t number, float jitter, uint64_t seed);

// The way across a flat shape, as its normal says; 0 where it is not flat.
BwVec3 bw_flat_normal(const BwShape *shape);
