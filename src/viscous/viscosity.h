// Viscosity of a liquid with a free surface, implicit, with all of the stress (Batty and Bridson 2008,
// Accurate Viscous Free Surfaces for Buckling, Coiling, and Rotating Liquids). The new velocity minimizes
//
//     integral over the liquid of |u - u_old|^2 / 2 + nu dt |strain rate(u)|^2,
//
// so that the surface is free of traction by itself, rigid motion feels nothing, and energy never grows, for
// any nu dt. Each square is weighted by how much of the liquid is in the cube around its place
// (viscous/liquid_fractions.h). Where a wall or a solid cuts the line between two faces, a one-sided
// difference to the surface stands in its place (solidflow/boundary_condition.h), as far as its grip goes.
//
// Conjugate gradients, preconditioned by a multigrid cycle of the coupled system (viscous/viscous_level.h).
#pragma once

#include "poisson/workspace.h"
#include "solidflow/boundary_condition.h"
#include "solidflow/surface_loads.h"
#include "viscous/viscosity_samples.h"
#include <billow/world.h>

typedef struct BwViscosity {
    BwGrid *grid;
    BwWorkspace workspace;
    BwMask candidates[3]; // faces that may be unknowns: nothing closes or prescribes them
    BwBoundaryMasks masks[3];
} BwViscosity;

typedef struct BwViscosityDef {
    const BwDomain *domain;
    const BwSolidPose *solids;
    int solid_count;
    float solids_dt;            // s, over which solids came from where they were
    const BwField *phi;         // m, signed distance of the liquid at cell centres, below 0 inside
    const BwMask *passable;     // [3], faces that solids leave open (operate/extrapolate.h)
    double viscosity;           // m^2/s, where there are no `viscosities`
    const BwField *viscosities; // m^2/s at cells, known in the liquid and two cells around; NULL: constant
    BwViscosityLaw law;         // of the rate of strain; an exponent of 0 is that of Newton, 1
    // What the velocity was before, where the one that is given is a guess whose strain the law is to follow;
    // NULL: the same.
    const BwVelocity *before;
    const BwMask *released; // cells that have let go of the walls beside them; NULL: none
    double elastic;         // m^2/s, of the viscosity what stands for an elastic force, which loses no energy
    double dt;              // s
    double tolerance;       // of residual and error, relative to the right side and the change
    int iterations_max;
    BwSurfaceLoad *loads; // of the solids, per density; friction's part is added; NULL: nobody asks
} BwViscosityDef;

typedef struct BwViscosityReport {
    int iterations;
    double residual;    // relative
    double dissipation; // m^5/s^3 (2-D: m^4/s^3), of kinetic energy over density by the new velocity
    int64_t unknowns;
    BwStop reason;
} BwViscosityReport;

BwResult bw_viscosity_create(BwViscosity *viscosity, BwGrid *grid, BwError *err);
void bw_viscosity_destroy(BwViscosity *viscosity);

// The velocity after dt. Faces that border the liquid's cells change; those of walls and solids hold theirs.
// Stopping short is a reason in the report, not an error; only memory can fail.
BwResult bw_viscosity_solve(BwViscosity *viscosity, const BwViscosityDef *def, BwVelocity *velocity,
                            BwViscosityReport *report, BwError *err);
