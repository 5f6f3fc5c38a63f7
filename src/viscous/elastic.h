// The elastic force of a liquid whose particles carry a strain E (particle/strain.h): 2 G div E in N/m^3. It
// is the transpose of the strain rate that particles take, so that what the strain gains of energy the
// velocity loses; the surface is free of traction by itself, and walls hold what sticks to them.
//
// Velocities are those of the middle of a step, strains those of its ends. The force acts from the middle of
// one step to that of the next by the strain
//
//     E - b dt D(u_old) + a dt D(u),
//
// D the strain rate, u the velocity that it gives. With a = b = 1/4 that is the mean of the strain before,
// now and after (Newmark 1959), which is stable for any G. What a step is too long for has to be damped, and
// the projection is a step apart: a is 1/2, and an oscillation of angular frequency w loses w dt / 8 of the
// critical damping. Where shear waves cross more than two cells in a step b goes to 0, and a to 2.
//
// The part of u is a viscosity of a G dt over the density in the viscous solve (viscous/viscosity.h); the
// rest changes the velocity before the projection that comes first, so that liquid at rest stays at rest.
#pragma once

#include "grid/padded.h"
#include "viscous/viscosity.h"

typedef struct BwElastic {
    BwGrid *grid;
    BwPadded sums;    // scratch
    BwPadded strain;  // 1, E on the grid, times the liquid there in cells
    BwPadded rate;    // 1/s, D of a velocity, and its rotation; weight 1 where it is known, else 0
    double viscosity; // m^2/s, that stands for the force of the new velocity
    BwMask released;  // cells beside walls that have let go in this step (viscous/elastic_release.h)
    bool has_released;
} BwElastic;

BwResult bw_elastic_create(BwElastic *elastic, BwGrid *grid, BwError *err);
void bw_elastic_destroy(BwElastic *elastic); // nothing to do for all zero

// Of the definition of a viscous solve those of geometry count, its dt, and the loads.
typedef struct BwElasticForce {
    const BwViscosityDef *def;
    BwViscosity *viscosity; // scratch
    double modulus;         // m^2/s^2, over density
    double seconds;         // that the force acts for
    double last_dt;         // s, of the step before; 0: there was none
} BwElasticForce;

// The strain rate of a velocity in the liquid: on cells, and on edges all of whose faces are in the liquid or
// on what bounds it.
void bw_elastic_find_rate(BwElastic *elastic, const BwElasticForce *force, BwVelocity *velocity);

// The rest of the force, from `strain`, and `rate`, which is that of the velocity as it is. The velocity of
// the liquid's faces changes by it, as far as their mass allows; `impulse` and `viscosity` become what is
// left for the solve.
void bw_elastic_push(BwElastic *elastic, const BwElasticForce *force, BwVelocity *velocity);
