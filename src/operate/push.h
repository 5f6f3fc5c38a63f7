// What pressure does to a velocity, kept from one step to the next as an acceleration.
//
// Viscosity is solved before the projection. Without the pressure's push it would hold gas at walls that the
// projection then sets in motion along them: an error as large as the step. With the push of the step before
// added first and taken back after, the two all but cancel (the incremental projection of Van Kan 1986 in the
// form that leaves the projection itself alone).
#pragma once

#include "domain/domain.h"

// Before a projection: remembers the velocity. After it: the acceleration that took it to what it is.
void bw_push_begin(const BwDomain *domain, BwVelocity *push, const BwVelocity *velocity);
void bw_push_end(const BwDomain *domain, BwVelocity *push, const BwVelocity *velocity, float dt);

// velocity += dt push; dt may be negative.
void bw_push_apply(const BwDomain *domain, const BwVelocity *push, BwVelocity *velocity, float dt);
