// Numbers about fields: totals, largest values, the volume of a cell.
#pragma once

#include "domain/domain.h"

// m^3; in 2-D the depth counts as 1 m.
double bw_cell_volume(const BwGrid *grid);

// The largest magnitude in a field's valid samples, less `neutral`.
float bw_field_max_abs(const BwDomain *domain, const BwField *field, const BwMask *valid, float neutral);

// A bound on the speed: the length of the vector of the components' largest magnitudes.
float bw_velocity_max(const BwDomain *domain, const BwVelocity *velocity);

// Sum of a field over the valid cells, less `neutral` each, times the cell volume.
double bw_field_total(const BwDomain *domain, const BwField *field, const BwMask *valid, float neutral);
