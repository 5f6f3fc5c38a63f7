// Surface tension: a liquid's surface pulls itself together, so that the pressure below it is sigma kappa
// above that of the air (Laplace's law), kappa the sum of the principal curvatures. The projection takes that
// for the pressure on the free surface (BwFluidTerms.surface), at the point between two centres where phi
// is 0.
//
// It acts explicitly, with the forces of a step, so a step has to follow the shortest waves that it drives
// (Brackbill, Kothe and Zemach 1992). The curvature is that of a surface blurred over some cells, so these
// are not the shortest of the grid: sharp differences would ask for dt <= .28 sqrt(rho h^3 / sigma), here
// steps of 1 sqrt(rho h^3 / sigma) are taken.
//
// Nothing but viscosity takes energy from ripples, and particles, grid and the blurred curvature trade it
// with each other with small errors that would add up. So the pressure is that of the curvature as it will be
// 0.6 sqrt(rho h^3 / sigma) later, sigma (kappa + tau d kappa / dt), which damps: fully where ripples are as
// short as the blur, by half where they are long. A drop 25 cells wide loses 5% of its amplitude in a period.
#pragma once

#include "operate/curvature.h"

typedef struct BwSurfaceTension {
    BwCurvature curvature;
    BwField solid; // m, distance to the nearest solid; only where there are any
    BwNotes measured;
    bool has_solid;
    const BwField *pressure; // Pa, on the surface
} BwSurfaceTension;

typedef struct BwSurfaceTensionDef {
    const BwDomain *domain;
    const BwField *phi;         // m
    const BwMask *liquid;       // cells where it is below 0
    float tension;              // N/m
    float density;              // kg/m^3
    const BwVelocity *velocity; // m/s, of the liquid and a cell around it
    float contact_angle;        // radians
    bool is_noisy;              // phi is that of particles
    const BwField *outside;     // Pa, of the air; NULL: 0 everywhere
} BwSurfaceTensionDef;

BwResult bw_surface_tension_create(BwSurfaceTension *tension, BwGrid *grid, BwPool *pool, bool has_solids,
                                   BwError *err);
void bw_surface_tension_destroy(BwSurfaceTension *tension);

// Measures the distance to solids in tiles that have woken since the last time, or in all where solids have
// moved.
void bw_surface_tension_measure_solids(BwSurfaceTension *tension, const BwDomain *domain,
                                       const BwSolidPose *solids, int solid_count, bool is_all_new);

// Finds the pressure that surface and air put on the liquid, in the cells on both sides of the surface.
void bw_surface_tension_find(BwSurfaceTension *tension, const BwSurfaceTensionDef *def);

// s, that a step may take; infinity without tension.
double bw_capillary_step(double tension, double density, double cell);

// What of the tension may act in a step so long that all of it would be unstable, N/m.
double bw_capillary_held(double tension, double density, double cell, double dt);
