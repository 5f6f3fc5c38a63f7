// The acceleration that a stage of a step gave to a velocity, kept for the next step.
//
// Viscosity is solved before the projection. Without the acceleration by pressure, viscosity would stop gas
// at walls that the projection then sets in motion along them: an error as large as the step. With the
// acceleration of the step before added first and taken back after, the two all but cancel: the incremental
// projection of van Kan 1986, in a form that leaves the projection itself alone.
#pragma once

#include "domain/domain.h"

// Before the stage: remembers the velocity. After it: the acceleration that took it to what it is.
void bw_acceleration_begin(const BwDomain *domain, BwVelocity *acceleration, const BwVelocity *velocity);
void bw_acceleration_end(const BwDomain *domain, BwVelocity *acceleration, const BwVelocity *velocity,
                         float dt);

// velocity += dt acceleration; dt may be negative.
void bw_acceleration_apply(const BwDomain *domain, const BwVelocity *acceleration, BwVelocity *velocity,
                           float dt);
