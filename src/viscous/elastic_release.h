// Walls that an elastic liquid slides along hold it back, but do not pull (Batty, Bertails and Bridson 2007
// have the same condition for water: 0 <= pressure, 0 <= speed away from the wall, one of them 0). Cells
// beside such a side of the box whose stress would pull at it let go: for the rest of the step they are no
// part of the liquid, which has a free surface there, and nothing ties it to the wall.
#pragma once

#include "viscous/elastic.h"

// Marks in elastic->released the cells that pull: where the stress of the strain along the normal, as
// bw_elastic_push has it, is larger than the pressure that the projection after it found, `x`
// (poisson/assemble.h). Gives their number.
int64_t bw_elastic_find_pulling(BwElastic *elastic, const BwElasticForce *force, const BwWideField *x);

// Takes the marked cells off a mask of the liquid.
void bw_elastic_take_off(BwElastic *elastic, const BwElasticForce *force, BwMask *liquid);

// Puts those back, unmarked, that a velocity leads towards the wall. Gives their number.
int64_t bw_elastic_put_back(BwElastic *elastic, const BwElasticForce *force, const BwVelocity *velocity,
                            BwMask *liquid);
