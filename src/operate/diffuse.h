// Diffusion of a velocity component (viscosity) or of heat (conduction), implicit, between walls and solids
// (Stam 1999; slip and no-slip walls after Foster and Metaxas 1996).
#pragma once

#include "poisson/poisson.h"
#include "solidflow/boundary_condition.h"

// What diffusion needs besides the field; one serves all fields of a solver in turn.
typedef struct BwDiffusion {
    BwPoissonSolver *solver; // NULL: surfaces hold the samples at them, nothing diffuses from there
    BwBoundaryMasks masks;
    BwField face[3], mass, right;
    BwWideField x;
} BwDiffusion;

// Without a solver it serves bw_impose_walls only.
BwResult bw_diffusion_create(BwDiffusion *diffusion, BwGrid *grid, BwPool *pool, bool has_solver,
                             BwError *err);
void bw_diffusion_destroy(BwDiffusion *diffusion);

// Of a medium that does not fill its cells.
typedef struct BwDiffuseTerms {
    const BwMask *cells;     // that hold any of it
    const BwField *share;    // 1, how much of a cell it fills; a face counts by the lesser share of its cells
    const BwField *capacity; // 1, what a cell takes up per unit of the field, of one that is full
    const BwField *loss; // 1, what a cell gives to the outside in a step, per difference to it; NULL: none
    float outside;       // what the field is there
} BwDiffuseTerms;

// One backward Euler step of d field / dt = coefficient times its Laplacian, coefficient in m^2/s. Walls and
// solids act as solidflow/boundary_condition.h says; beyond an open side and the rim of the awake tiles
// nothing changes. Terms are NULL where the medium is everywhere; else the boundary's candidates are their
// cells.
BwResult bw_diffuse(BwDiffusion *diffusion, const BwBoundaryField *boundary, float coefficient,
                    const BwDiffuseTerms *terms, BwPoissonReport *report, BwError *err);

// Without diffusion: the samples next to a surface take its value, as far as its grip goes. `touched` gets
// those samples; NULL: nobody asks.
void bw_impose_walls(BwDiffusion *diffusion, const BwBoundaryField *boundary, BwMask *touched);
