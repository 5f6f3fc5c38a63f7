// How deep in the liquid a cell is.
#pragma once

#include "operate/liquid_surface.h"

// Memory that bw_liquid_find_deep needs; tiles that are missing count as liquid in both.
typedef struct BwDepth {
    BwMask deep, eroded;
} BwDepth;

BwResult bw_depth_create(BwDepth *depth, BwGrid *grid, BwError *err);
void bw_depth_destroy(BwDepth *depth);

// Finds the cells within so many of those of a mask, along any axis. `scratch` is for its use.
void bw_mask_dilate(const BwMask *cells, const BwDomain *domain, int layers, BwMask *dilated,
                    BwMask *scratch);

// What shall be deep: so many cells, and as many more as it takes that it is still inside when the surface
// and the liquid around have moved for a step.
typedef struct BwDepthWanted {
    int cells;
    const BwVelocity *velocity; // m/s
    float imposed_speed;        // m/s, of solids, which may be faster
    float cells_per_speed;      // s/m, of the step
    float faster;               // m/s, that the liquid may get in it
} BwDepthWanted;

// Finds the cells that have only whole cells of liquid, or closed walls of the box, within so many cells
// along any axis. A cell that was found before stays so until it has fewer than are wanted, and is found
// first when it has two more.
void bw_liquid_find_deep(BwDepth *depth, const BwLiquidSurface *surface, const BwDomain *domain,
                         const BwDepthWanted *wanted, const BwMask *before, BwMask *found);
