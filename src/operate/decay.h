// What smoke loses: by dissipation, by cooling, and to solids that move over it.
#pragma once

#include "domain/domain.h"

// Density, temperature, and amounts that are lost in proportion to the density, such as colour times density.
typedef struct BwDecayFields {
    BwField *density, *temperature;
    float ambient; // K
    BwField *const *others;
    int other_count;
} BwDecayFields;

// Takes `dissipation` per second off the density, down to 0, and cools by exp(-cooling t) towards ambient,
// both in 1/s. Gives what was taken away: density times volume, m^3.
double bw_decay(const BwDomain *domain, const BwDecayFields *fields, float dissipation, float cooling,
                float dt);

// Cells that are solid, or were at the labelling before, hold nothing. What advection brought into a solid
// that stood there never was smoke, whether it still stands there or not.
void bw_clear_solids(const BwDomain *domain, const BwDecayFields *fields);
