// Particles at the surface of a liquid that are not quite part of it, after a step.
#pragma once

#include "particle/advance_job.h"

// Lets those of a group fall that are above the surface, or go along with the body that they are loose on,
// and takes the strain off those in drops smaller than a cell, as BwAdvance asks.
void bw_loose_particles_settle(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int32_t slot,
                               const BwAdvanceGroup *group);
