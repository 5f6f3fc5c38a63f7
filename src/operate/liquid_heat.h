// How heat is stored in the cells of a liquid and lost through its surface: what bw_diffuse needs beside the
// conductivity (BwDiffuseTerms).
#pragma once

#include "domain/domain.h"
#include "operate/diffuse.h"
#include "particle/particle_heat.h"

typedef struct BwLiquidHeat {
    BwField before;   // K, temperature at the start of the step
    BwField capacity; // 1, heat a cell takes up per kelvin, of a full one without latent heat
    BwField loss;     // 1, see BwDiffuseTerms; only where `loses`
    BwField gain;     // K of heat, of each cell in the step
    bool loses;
} BwLiquidHeat;

BwResult bw_liquid_heat_create(BwLiquidHeat *heat, BwGrid *grid, bool loses, BwError *err);
void bw_liquid_heat_destroy(BwLiquidHeat *heat);

// The start of a step: keeps the temperature; the capacity is that at it. A cell loses `exchange` times the
// faces' area between it and the air, 1 for one face.
void bw_liquid_heat_begin(BwLiquidHeat *heat, const BwDomain *domain, const BwCellHeat *cells,
                          float exchange);

// After a solve: what each cell has gained, by the capacity that it was solved with; the capacity becomes
// that of the way from the temperature before to the new one, for another round; and the cells have their
// temperature before again.
void bw_liquid_heat_end_round(BwLiquidHeat *heat, const BwDomain *domain, BwCellHeat *cells);
