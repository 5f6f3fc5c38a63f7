// Buoyancy of gas that is hot or heavy, after Boussinesq (Fedkiw, Stam and Jensen 2001, eq. 8):
//
//     acceleration = (weight density - heat (temperature - ambient)) down,    down the direction of gravity.
//
// The law, its default and its bound, which the choice of dt needs, stand here and nowhere else.
#pragma once

#include "domain/domain.h"

typedef struct BwBuoyancy {
    const BwField *density, *temperature;
    float weight;  // m/s^2 per unit density
    float heat;    // m/(s^2 K)
    float ambient; // K
    BwVec3 down;   // unit vector, or 0
} BwBuoyancy;

// The strongest that it accelerates, m/s^2, where the temperature is within `heat_max` of ambient, K, and the
// density within `density_max`, or further off in the fields. Both factors may be of either sign.
float bw_buoyancy_max(const BwBuoyancy *law, const BwDomain *domain, float heat_max, float density_max);

// Adds the acceleration times dt to the velocity on the faces that fluid may pass.
void bw_add_buoyancy(const BwDomain *domain, BwVelocity *velocity, const BwBuoyancy *law, float dt);
