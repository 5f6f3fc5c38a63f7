// Particles in a record, so that a solver that takes them back goes on with the same bits: how many each tile
// of the grid holds, in the grid's order, and each column.
#pragma once

#include "base/record.h"
#include "particle/particles.h"

BwResult bw_particles_save(const BwParticles *particles, BwRecord *record, BwError *err);

// The grid must have been loaded. What comes from a file is checked: counts, places within their tiles,
// volumes, which are no less than `volume_min`, and what they carry but for their sources, which the scene
// knows.
BwResult bw_particles_load(BwParticles *particles, float volume_min, const BwRecord *record, BwError *err);
