// Vorticity confinement (rows A15, C9): gives back the swirl that advection wears away.
//
// With w = curl u and N = grad |w| / |grad |w||, the acceleration is epsilon h (N x w): around each centre of
// swirl, faster round. Scaled by h, it vanishes as the grid gets finer (Fedkiw, Stam and Jensen 2001, after
// Steinhoff and Underhill 1994).
#pragma once

#include "operate/domain.h"

// Fields to work in: the curl, later the force, at cells; and the length of the curl. Their content does not
// matter.
typedef struct BwVorticityScratch {
    BwField *vector[3];
    BwField *length;
} BwVorticityScratch;

void bw_confine_vorticity(const BwDomain *domain, BwVelocity *velocity, const BwVorticityScratch *scratch,
                          float epsilon, float dt);
