// Vorticity confinement: gives back the swirl that advection wears away.
//
// With w = curl u and N = grad |w| / |grad |w||, the acceleration is epsilon h (N x w): around each centre of
// swirl, faster round. Scaled by h, it vanishes as the grid gets finer (Fedkiw, Stam and Jensen 2001, after
// Steinhoff and Underhill 1994).
#pragma once

#include "domain/domain.h"

// Per-worker memory; made once, kept by the solver.
typedef struct BwVorticityScratch BwVorticityScratch;
BwResult bw_vorticity_scratch_create(BwVorticityScratch **scratch, const BwAllocator *allocator, BwPool *pool,
                                     BwError *err);
void bw_vorticity_scratch_destroy(BwVorticityScratch *scratch);

// Computes `to` from `from` in all cells of the awake tiles, on faces that fluid may pass; others are copied.
void bw_confine_vorticity(BwVorticityScratch *scratch, const BwDomain *domain, const BwVelocity *from,
                          BwVelocity *to, float epsilon, float dt);
