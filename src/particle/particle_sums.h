// Sums over all particles, in the order of blocks.
#pragma once

#include "particle/particles.h"

double bw_particles_volume(const BwParticles *particles);         // of as much as they are seeded with
double bw_particles_kinetic_energy(const BwParticles *particles); // volume |velocity|^2 / 2, m^2/s^2
float bw_particles_max_speed(const BwParticles *particles);       // m/s
double bw_particles_volume_above(const BwParticles *particles, float speed); // of those that are faster

// The first particle with a number that is not finite, or -1.
int64_t bw_particles_find_bad(const BwParticles *particles);
