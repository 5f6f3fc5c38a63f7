// A pressure that the air puts on the free surface of a liquid: even, a wave of cosine that travels, or a
// function of the scene's. It is found in the cells on both sides of the surface, which is all that the ghost
// pressure of the free surface reads (BwFluidTerms.surface). Functions are asked there once a step and cell,
// one cell after the other, for a script answers one caller at a time: about two calls for each cell that the
// surface passes.
#pragma once

#include "domain/domain.h"
#include <billow/curve.h>

// One pressure of a step.
typedef struct BwPressureLoad {
    const BwShape *shape;    // where it acts; NULL: everywhere
    float share;             // 1, of the step's pressure: less where it begins or ends in it
    const BwCurve *function; // of place and time; NULL: amplitude cos(wave . x - phase)
    double time;             // s, that the function is asked for
    float amplitude, phase;  // Pa, rad
    BwVec3 wave;             // rad/m
} BwPressureLoad;

// The sum of all loads at the surface, 0 elsewhere; `slope` becomes the most that it differs from a cell to
// the next, Pa/m.
BwResult bw_surface_pressure_find(BwField *pressure, const BwDomain *domain, const BwMask *liquid,
                                  const BwPressureLoad *loads, int count, float *slope, BwError *err);
