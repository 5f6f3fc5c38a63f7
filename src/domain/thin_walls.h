// Where solids are thin: near_solids.c tells.
#pragma once

#include "domain/domain.h"

// Whether all ways from a point outside of the solids to others outside, no longer than `length`, lead around
// them (solid/local_thickness.h). False where that is not known.
bool bw_solids_are_thick(const BwSolidPose *solids, int solid_count, BwVec3 point, float length);
