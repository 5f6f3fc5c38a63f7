// How much liquid there is inside a level set, and how much of it passes to the outside. Cells behind sides
// of the box that are not closed belong to the outside (domain/domain.h): what is in them does not count.
#pragma once

#include "domain/domain.h"

// Whether a cell is in the outermost layer along a side of the box that is not closed there.
bool bw_level_is_outside(const BwDomain *domain, int32_t slot, int cell);

// m^3, inside of phi = 0; `open` is the share of each cell outside of solids.
double bw_level_volume(const BwField *phi, const BwField *open, const BwDomain *domain);

// m^3, the same of the cells outside alone.
double bw_level_volume_outside(const BwField *phi, const BwField *open, const BwDomain *domain);

// The share of each cell of a tile that is inside of phi = 0 and counts.
void bw_level_shares(const BwField *phi, const BwField *open, const BwDomain *domain, int32_t slot,
                     float shares[BW_TILE_CELLS_MAX]);

// m^3, that the velocity leads out through sides of the box that are not closed in a time, and that it leads
// in.
typedef struct BwLevelPassing {
    double out, in;
} BwLevelPassing;
BwLevelPassing bw_level_passing(const BwField *phi, const BwVelocity *velocity, const BwDomain *domain,
                                double dt);

// m^3, that a divergence makes in the liquid in a time, and that it takes.
typedef struct BwLevelMade {
    double made, taken;
} BwLevelMade;
BwLevelMade bw_level_made(const BwField *divergence, const BwDomain *domain, double dt);
