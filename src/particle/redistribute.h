// Particles that lie on top of one another go the same way for ever, whatever pushes them: where far more are
// in a cell than fit in, they are redistributed over it, so that the correction of their spacing can part
// them.
#pragma once

#include "particle/particles.h"

// In cells that hold more than `most` cells of liquid and that solids take no part of. `unit` is the volume
// of a particle as it is seeded, cells; `open` what solids leave of a cell. Velocities stay.
void bw_particles_redistribute(BwParticles *particles, const BwField *open, float unit, float most);
