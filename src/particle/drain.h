// Particles that sinks and sides of the box take away. Flat shapes count as plates, a cell thick.
#pragma once

#include "particle/particles.h"
#include <billow/shape.h>

// Removes the particles inside a shape, or within `around` m of it, all or, picked at random by their names,
// so many of the volume that they are seeded with that less than half of the next one is wanted. The rest
// keep their order. Gives the volume removed.
BwResult bw_particles_drain(BwParticles *particles, const BwShape *shape, float around, double most,
                            double *removed, BwError *err);

// The same of the cells that have one of a mask beside them on a side, and are not in it themselves.
BwResult bw_particles_drain_beside(BwParticles *particles, const BwMask *cells, int side, double most,
                                   double *removed, BwError *err);

// Removes what cells of a mask hold beyond `most`, of the volume that particles are seeded with; gives how
// much that was.
double bw_particles_run_off(BwParticles *particles, const BwMask *cells, double most);
