// Smoothing of a closed mesh that keeps its volume. Each round moves vertices towards the mean of those
// around and a little farther back (Taubin 1995), which takes away bumps as small as a cell of the lattice
// and leaves waves and sheets. What is still lost is given back to each connected component by an offset
// along its normals, so that drops keep their size. Vertices on walls and solids slide along them.
#pragma once

#include "mesh/patches.h"

typedef struct BwFairing {
    BwAllocator allocator;
    int32_t *fan_start;   // of each vertex in `near` and `after`, and the end of the last
    int32_t *near;        // for each triangle at a vertex the next of its corners: all neighbours once
    int32_t *after;       // and the one after that
    uint8_t *still;       // vertices that do not move
    BwVec3 *first, *next; // where vertices were at the beginning, and where they go
    BwVec3 *normals;      // areas of the triangles around as a vector, cells^2
    int32_t *component;   // of each vertex
    double *sums;         // for each component: volume then and now, volume by offset
    int64_t start_capacity, near_capacity, after_capacity, still_capacity, first_capacity, next_capacity,
        normal_capacity, component_capacity, sum_capacity;
} BwFairing;

BwResult bw_fair_mesh(BwFairing *fairing, BwPatches *patches, int rounds, BwPool *pool, BwError *err);
void bw_fairing_free(BwFairing *fairing);
