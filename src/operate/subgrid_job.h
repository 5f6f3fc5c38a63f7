// What the passes of subgrid friction (operate/subgrid.c) share.
#pragma once

#include "grid/rows.h"
#include "operate/subgrid.h"

// Each kernel is compiled for 2-D and 3-D, for tiles among open ones and others, and for each component.
#define BW_KERNEL static inline __attribute__((always_inline))

typedef struct BwSubgridJob {
    BwSubgrid *subgrid;
    const BwDomain *domain;
    const BwVelocity *from;
    BwVelocity *to;
    BwField *kappa;             // half of it, in cells
    float scale, viscous, most; // half of kappa: per |S| h, less so much, and at most
    int64_t first;              // place in the grid's order of the first tile to work on
} BwSubgridJob;

// The axis of edges between faces along a and b.
static inline int bw_edge_between(int a, int b)
{
    return 3 - a - b;
}

// kappa of all cells of a tile.
void bw_subgrid_kappa_of_tile(const BwSubgridJob *job, int32_t slot);

// Friction on all components of a tile, from the kappa of its cells and of those of the tiles around.
void bw_subgrid_friction_on_tile(const BwSubgridJob *job, int32_t slot);
