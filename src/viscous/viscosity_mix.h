// The viscosity of a liquid at cells, by what it is and how warm it is there.
#pragma once

#include "domain/domain.h"
#include "viscous/viscosity_law.h"

typedef struct BwMixture {
    float constant;             // m^2/s, where there is no `own`
    const BwField *own;         // m^2/s, of the liquid in a cell when it has melted; or NULL
    const BwField *temperature; // K; NULL: nothing melts
    BwMeltRamp ramp;
} BwMixture;

void bw_viscosity_mix(const BwDomain *domain, const BwMixture *mixture, BwField *viscosities);
