// Walls of the box that a liquid slides along hold it back, but do not pull (Batty, Bertails and Bridson
// 2007: 0 <= pressure, 0 <= speed away from the wall, one of them 0). Cells beside such a side that would be
// pulled at let go: for the rest of the step they are no part of the liquid, which has a free surface there,
// and nothing ties it to the wall. Those that would come back at once are put back: an active set, of a pass
// or two.
#pragma once

#include "domain/domain.h"

// A side that the liquid sticks to holds it.
bool bw_wall_lets_go(const BwDomain *domain, int side);

// Marks in `released` the cells of the liquid below closed lids that these pull at: where gravity leads away
// from a side and the pressure that a projection found, `x` (poisson/assemble.h), would be below 0 at it.
// `fall` is what gravity adds in the step, m/s. Gives their number.
int64_t bw_lids_find_pulling(const BwDomain *domain, const BwWideField *x, BwVec3 fall, BwMask *released);

// Takes the marked cells off a mask of the liquid.
void bw_walls_take_off(const BwDomain *domain, const BwMask *released, BwMask *liquid);

// Puts those back, unmarked, that a velocity does not lead away from the wall by this part of `fall`, or at
// all where that is 0. Gives their number.
int64_t bw_walls_put_back(const BwDomain *domain, const BwVelocity *velocity, BwVec3 fall, BwMask *released,
                          BwMask *liquid);
