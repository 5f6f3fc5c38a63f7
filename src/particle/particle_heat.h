// Heat between particles and the cells that they are in. What a cell gains each of its particles gains, so
// that heat is neither made nor lost on the way, and what particles carry does not blur by being looked at.
// Within a cell they become alike as fast as heat is conducted across it.
#pragma once

#include "particle/heat_law.h"
#include "particle/particles.h"

// Cells with particles; how full they are, by `unit` cells a seeded particle; and the temperature of their
// mean heat.
typedef struct BwCellHeat {
    BwHeatLaw law;
    BwMask cells;
    BwField share;       // 1
    BwField temperature; // K
} BwCellHeat;

BwResult bw_cell_heat_create(BwCellHeat *heat, BwGrid *grid, BwHeatLaw law, float ambient, BwError *err);
void bw_cell_heat_destroy(BwCellHeat *heat); // nothing to do for all zero

void bw_cell_heat_collect(BwCellHeat *heat, const BwParticles *particles, float unit);

// Adds what each cell has gained, K of heat, and draws the particles of a cell towards their mean, `alike` of
// the way (0 to 1).
void bw_cell_heat_give(const BwCellHeat *heat, const BwField *gain, float alike, BwParticles *particles);

// The sum over particles of volume times heat above that of a temperature, K.
double bw_particles_heat(const BwParticles *particles, const BwHeatLaw *law, float above);
