// Light on the ground below and beside water: what lamps send through it lands elsewhere than it would, in
// patterns. A grid of rays from each lamp is followed through the water to the ground, and what lands is
// gathered on a map of it (photon mapping, Jensen 1996, with photons in a grid instead of by chance).
#pragma once

#include "render/picture.h"

// The map is empty where there is no ground, no water, or no lamp above the horizon.
BwResult bw_caustics_build(BwCaustics *caustics, BwPool *pool, const BwPicture *picture, BwError *err);
void bw_caustics_free(BwCaustics *caustics);

// What of a lamp lands at a place on the ground, 1 where no water is in its way, more where it is gathered.
// *open becomes what the water above leaves of the sky. False where the map does not reach.
bool bw_caustics_at(const BwCaustics *caustics, const double place[3], int lamp, float *share, float *open);
