// What a fluid does to the solids in it, and what heated surfaces do to the fluid: force and torque by
// pressure and by viscosity, flow of heat. Each is what the projection, the viscosity and the conduction of a
// step exchange with the surface. Those of viscosity and conduction are asked for right after the solve
// (operate/diffuse.h), with its masks: a projection moves samples that lie close to a surface, and their
// slopes would tell of that.
//
// Sums are per density (and per heat capacity): multiply by those of the fluid.
#pragma once

#include "solidflow/boundary_condition.h"

typedef struct BwSurfaceLoad {
    double force[3];  // on the solid; N / (kg/m^3)
    double torque[3]; // about the solid's own origin (BwPose.position); N m / (kg/m^3)
} BwSurfaceLoad;

// Memory for sums by surface, one row a block of tiles.
typedef struct BwSurfaceSums {
    BwAllocator allocator;
    int solid_count;
    double *rows;
} BwSurfaceSums;

BwResult bw_surface_sums_create(BwSurfaceSums *sums, const BwAllocator *allocator, int solid_count,
                                BwError *err);
void bw_surface_sums_destroy(BwSurfaceSums *sums);

// The pressure's part, from p / rho, m^2/s^2, at the cells: p times the area that a solid cuts off each fluid
// cell, which is the difference of the open shares of the cell's two faces along every axis. A constant
// pressure thus pushes nothing, and a pressure that balances an acceleration pushes with the mass displaced.
// `scale` turns the field's values into p / rho. Gives also the volume that each solid displaces, m^3.
void bw_pressure_loads(const BwSurfaceSums *sums, const BwDomain *domain, const BwSolidPose *solids,
                       const BwField *pressure, double scale, BwSurfaceLoad *loads, double *volumes);

// The part of a viscosity, m^2/s, on one component of the velocity, `boundary->field`, added to the loads: of
// all lines that a solid cuts, viscosity times the slope. Gives the dissipation, the sum of viscosity times
// slopes squared, W / (kg/m^3). `masks` are written over.
double bw_viscous_loads(const BwSurfaceSums *sums, const BwBoundaryField *boundary,
                        const BwBoundaryMasks *masks, float viscosity, BwSurfaceLoad *loads);

// A body that turns drags the fluid around by twice its volume, viscosity and spin more than the slopes of
// the velocity tell: the part of the stress that the Laplacian of an incompressible flow leaves out, which
// has no force and this torque.
void bw_add_spin_torque(const BwSolidPose *solid, float dt, float viscosity, double volume,
                        BwSurfaceLoad *load);

// Heat that each surface, sides of the box first, gives to the fluid by conduction, conductivity in m^2/s: W
// / (kg/m^3 J/(kg K)), that is K m^3/s. `flux` has BW_SIDE_COUNT + solids.
void bw_heat_flux(const BwSurfaceSums *sums, const BwBoundaryField *boundary, const BwBoundaryMasks *masks,
                  float conductivity, double *flux);
