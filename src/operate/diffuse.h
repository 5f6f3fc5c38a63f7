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

// One backward Euler step of d field / dt = coefficient times its Laplacian, coefficient in m^2/s. Walls and
// solids act as solidflow/boundary_condition.h says; beyond an open side and the rim of the awake tiles
// nothing changes.
BwResult bw_diffuse(BwDiffusion *diffusion, const BwBoundaryField *boundary, float coefficient,
                    BwPoissonReport *report, BwError *err);

// Without diffusion: the samples next to a surface take its value, as far as its grip goes. `touched` gets
// those samples; NULL: nobody asks.
void bw_impose_walls(BwDiffusion *diffusion, const BwBoundaryField *boundary, BwMask *touched);
