// What advection-reflection (Zehnder, Narain and Thomaszewski 2018) does to a velocity besides advecting and
// projecting it.
#pragma once

#include "domain/domain.h"

// `reflected` holds the velocity before the projection of the middle. It becomes 2 velocity - reflected, on
// the faces that fluid may pass: others have what their wall gives them.
void bw_reflect_velocity(const BwDomain *domain, const BwVelocity *velocity, BwVelocity *reflected);

// After advection from `before`: faces that nothing may pass keep the velocity of their wall, which no
// advection changes.
void bw_keep_closed_faces(const BwDomain *domain, const BwVelocity *before, BwVelocity *velocity);

// After advection from `before`: faces of dead cells, such as those on a far wall, keep what they hold, so
// that the result never depends on what the second buffer was used for.
void bw_keep_dead_faces(const BwDomain *domain, const BwVelocity *before, BwVelocity *velocity);
