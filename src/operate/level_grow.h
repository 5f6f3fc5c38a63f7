// A level set that grows or shrinks: its surface moves along its normal, everywhere alike. What a liquid has
// lost is given back so, and spread over all of its surface.
#pragma once

#include "domain/domain.h"

// m^2, of the surface; in 2-D times 1 m.
double bw_level_area(const BwField *phi, const BwField *open, const BwDomain *domain);

// Adds so many m/s along the normal to a velocity that the surface is to move by, as far as `band` from it.
void bw_level_grow(BwVelocity *velocity, const BwField *phi, const BwDomain *domain, float band, float speed);
