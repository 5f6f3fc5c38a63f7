// Kinetic energy of a staggered velocity.
#pragma once

#include "domain/domain.h"

// Half the sum of u^2 over the fluid, per density, m^5/s^2 (in 2-D the depth counts as 1 m): of each fluid
// cell the mean of u^2 on its two faces along every axis, each face as far as solids leave it open.
double bw_kinetic_energy(const BwDomain *domain, const BwVelocity *velocity);

// The same of a velocity at cell centres, over the cells of a mask.
double bw_kinetic_energy_at_cells(const BwDomain *domain, const BwVelocity *velocity, const BwMask *cells);
