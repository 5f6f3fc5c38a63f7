// A signed distance carried on from where it is known: each layer of cells takes the distance that its
// neighbours in the layer before imply, |grad phi| = 1 solved upwind (Rouy and Tourin 1992, A Viscosity
// Solutions Approach to Shape-From-Shading).
#pragma once

#include "domain/domain.h"

typedef struct BwRedistance {
    BwMask known, front;
} BwRedistance;

BwResult bw_redistance_create(BwRedistance *redistance, BwGrid *grid, BwError *err);
void bw_redistance_destroy(BwRedistance *redistance);

// Keeps phi where |phi| < near, sets it in so many layers beyond, and to +-far in the rest; signs stay. Only
// in the cells of `valid`.
void bw_redistance(BwRedistance *redistance, BwField *phi, const BwMask *valid, BwPool *pool, float near,
                   int layers, float far);
