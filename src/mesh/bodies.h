// Bodies of liquid: cells that hold particles, deep liquid or vertices of the mesh, as far as they touch, and
// the volume that each body has by its particles. A mesh of that volume neither loses thin sheets nor
// thickens them.
#pragma once

#include "mesh/patches.h"
#include "mesh/wet_cells.h"

typedef struct BwBodies {
    BwAllocator allocator;
    const BwLevel *level;
    float *filled;        // of each cell of the frame's tiles, in cells; particles may crowd in one
    int32_t *body;        // of each; -1: it is dry
    int32_t *vertex_cell; // of each vertex, where it is among those; -1: in none
    double *volumes;      // of each body, cells
    int64_t count;
    int64_t filled_capacity, body_capacity, vertex_capacity, volume_capacity;
} BwBodies;

BwResult bw_bodies_set(BwBodies *bodies, const BwLevel *level, const BwWetCells *wet,
                       const BwPatches *patches, BwError *err);

// The body that a vertex of these patches, where they were then, lies in; -1: none.
int32_t bw_body_of_vertex(const BwBodies *bodies, int64_t vertex);
void bw_bodies_free(BwBodies *bodies);
