// Which cells of an elastic liquid the walls would pull at that it slides along; they let go
// (operate/wall_release.h).
#pragma once

#include "viscous/elastic.h"

// Marks in elastic->released the cells that pull: where the stress of the strain along the normal, as
// bw_elastic_push has it, is larger than the pressure that the projection after it found, `x`
// (poisson/assemble.h). Gives their number.
int64_t bw_elastic_find_pulling(BwElastic *elastic, const BwElasticForce *force, const BwWideField *x);
