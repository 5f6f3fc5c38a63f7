// The elastic strain of a liquid without particles to carry it, on the grid: all components at the centres of
// the cells that are liquid, 0 elsewhere (particle/strain_law.h). It is advected as other values of cells
// are.
//
// The rate and the force stand where those of particles do (particle/strain.h): a cell takes the mean of the
// rates at its edges that are known, and gives its strain to these in equal parts, so that the strain gains
// what the motion loses.
#pragma once

#include "particle/strain_law.h"
#include "viscous/elastic.h"

typedef struct BwGridStrain {
    BwField value[BW_STRAIN_COMPONENTS]; // 1; in the plane those of the plane alone
    BwField next[2];                     // scratch, of advection
} BwGridStrain;

// Whether there is a component.
bool bw_grid_strain_has(const BwGrid *grid, int component);

BwResult bw_grid_strain_create(BwGridStrain *strain, BwGrid *grid, BwError *err);
void bw_grid_strain_destroy(BwGridStrain *strain); // nothing to do for all zero

// How much of each cell is liquid.
typedef struct BwGridShares {
    const BwField *phi, *open; // m; 1, outside of solids
    const BwDomain *domain;
} BwGridShares;

// The strain times the liquid's volume in cells where the force wants it, elastic->strain; elastic->rate
// tells which samples are known.
void bw_grid_strain_give(const BwGridStrain *strain, const BwGridShares *shares, const BwElastic *elastic);

// The strain after a step of dt, from the velocity's gradient.
void bw_grid_strain_advance(const BwGridStrain *strain, const BwDomain *domain, const BwElastic *elastic,
                            double dt, BwYield yield);

// Its energy over the modulus, as so many cells full of liquid: that of a neo-Hookean solid, tr(b - 1) / 2.
double bw_grid_strain_energy(const BwGridStrain *strain, const BwGridShares *shares);
