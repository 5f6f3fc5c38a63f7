// Smoothing of a closed mesh that keeps its volume. A low-pass filter (Taubin, Zhang and Golub 1996: a
// polynomial in the mean of the vertices around each) takes away what is shorter than some cells, noise of
// particles and steps of the lattice, and leaves waves and sheets. What is lost is given back to each
// connected component by an offset along its normals, so that drops keep their size. Vertices on walls and
// solids slide along them.
#pragma once

#include "mesh/bodies.h"
#include "mesh/clip.h"

// What vertices are moved by: the first polynomial, the last two, and the filter so far.
enum { BW_MOVE_FIRST, BW_MOVE_ODD, BW_MOVE_EVEN, BW_MOVE_SUM, BW_FAIRING_MOVES };

typedef struct BwFairing {
    BwAllocator allocator;
    int32_t *fan_start; // of each vertex in `near` and `after`, and the end of the last
    int32_t *near;      // for each triangle at a vertex the next of its corners: all neighbours once
    int32_t *after;     // and the one after that
    uint8_t *still;     // vertices that do not move
    BwVec3 *moves[BW_FAIRING_MOVES];         // cells
    BwVec3 *normals;                         // areas of the triangles around as a vector, cells^2
    int32_t *component;                      // of each vertex
    int32_t *owner;                          // the body of each component; -1: none
    int32_t *joined;                         // of each body, one that a component lies in as well
    double *sums;                            // for each component: volume then and now, volume by offset
    int32_t *open_vertices, *open_triangles; // of components whose volume is still to be met
    int64_t open_vertex_count, open_triangle_count;
    int64_t start_capacity, near_capacity, after_capacity, still_capacity, move_capacity[BW_FAIRING_MOVES],
        normal_capacity, component_capacity, owner_capacity, joined_capacity, sum_capacity,
        open_vertex_capacity, open_triangle_capacity;
} BwFairing;

// Where bodies are given, each gets their volume, and components of none keep their own.
BwResult bw_fair_mesh(BwFairing *fairing, BwPatches *patches, const BwBodies *bodies, const BwClip *clip,
                      int rounds, BwPool *pool, BwError *err);
void bw_fairing_free(BwFairing *fairing);
