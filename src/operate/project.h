// Making a velocity free of divergence, or giving it the divergence that the domain's terms ask for: solve
// for the pressure that does it, and take its gradient away (Chorin 1968; Foster and Metaxas 1997). Free
// surfaces, densities, jumps and sources of divergence are those of domain->terms.
#pragma once

#include "operate/valves.h"

// What a projection needs besides the velocity; kept from step to step, so that the last answer is the first
// guess.
typedef struct BwProjection {
    BwPoissonSolver *solver;
    BwPressureSystem system;
    BwMask flow[3]; // the domain's, less what outflows have shut and what sources prescribe
    BwValves valves;
} BwProjection;

BwResult bw_projection_create(BwProjection *projection, BwGrid *grid, BwPool *pool, BwError *err);
void bw_projection_destroy(BwProjection *projection);

// Projects the velocity. Along outflow sides fluid only leaves: faces where it would come in are shut
// (operate/valves.h). `options->bound` counts in m/s of net outflow: a divergence times h. So does
// `report->imbalance`: what closed regions were asked to let out and could not.
BwResult bw_project(BwProjection *projection, const BwDomain *domain, BwVelocity *velocity,
                    const BwPoissonOptions *options, BwPoissonReport *report, BwError *err);

// For the pressure of a whole step, where it is kept (bw_pressure_system_keep_impulse): a step begins with
// none; a step that mirrors the velocity at its projection takes off twice what that took off.
void bw_projection_begin_step(BwProjection *projection);
void bw_projection_mirror(BwProjection *projection);

// What turns the kept impulse into the mean of p / rho, m^2/s^2, over a step of dt.
double bw_projection_pressure_scale(const BwProjection *projection, double dt);

// The largest |divergence - what is asked| in any fluid cell, 1/s, in double.
double bw_divergence_max(const BwDomain *domain, const BwVelocity *velocity);
