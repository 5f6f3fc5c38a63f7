// A level set moved by a velocity: dphi/dt + u . grad phi = 0 by finite differences, in steps of Shu and
// Osher's Runge-Kutta method of order three. Slopes are upwind ones: of first order; by the essentially
// non-oscillatory scheme of third order (Shu and Osher 1988); or by its weighted form of fifth (Jiang and
// Peng 2000, Weighted ENO Schemes for Hamilton-Jacobi Equations). Semi-Lagrangian paths are bw_advect's
// (advect/advect.h), for a level set as for any field.
//
// Only tiles that the band reaches into are worked on, and no cell moves by more than one in a step: the sum
// of |u| dt / h along the axes is to stay below 1.
#pragma once

#include "domain/domain.h"

typedef enum BwLevelScheme { BW_LEVEL_UPWIND, BW_LEVEL_ENO, BW_LEVEL_WENO } BwLevelScheme;

// Where the stages of a step are kept.
typedef struct BwLevelAdvector {
    BwField first, second;
    BwNotes reached; // of each tile: whether the band is in it, at the stage at work
} BwLevelAdvector;

BwResult bw_level_advector_create(BwLevelAdvector *advector, BwGrid *grid, BwError *err);
void bw_level_advector_destroy(BwLevelAdvector *advector);

typedef struct BwLevelMotion {
    const BwVelocity *velocity; // m/s, there in the band and a cell around it
    BwLevelScheme scheme;
    float band; // m; where phi is +-band it is far from the surface
    float dt;
} BwLevelMotion;

void bw_level_advect(BwLevelAdvector *advector, BwField *phi, BwPool *pool, const BwLevelMotion *motion);

// The same for a step of any length, in as many parts as that takes where nothing is faster than `speed`,
// m/s, the sum over the axes; motion->dt is all of it.
void bw_level_advect_far(BwLevelAdvector *advector, BwField *phi, BwPool *pool, const BwLevelMotion *motion,
                         float speed);

// The most that a velocity moves any cell by so, m/s: less than its fastest components together.
float bw_level_speed(const BwVelocity *velocity, BwPool *pool);
