// What the viscosity of a liquid follows: its temperature, by the ramp of Carlson, Mucha, Van Horn and Turk
// 2002 (Melting and Flowing), and its rate of strain, by the law of Herschel and Bulkley 1926,
//
//     stress = yield + viscosity rate^exponent    (over the density; rate in 1/s),
//
// which is Bingham's for an exponent of 1, and Newton's without a yield stress. A rate below `still_rate`
// counts as about that: what holds creeps by a thousandth a second at most, and the solve stays linear.
#pragma once

#include "grid/field.h"

#include <math.h>

typedef struct BwViscosityLaw {
    float yield;    // m^2/s^2, yield stress over density; 0: none
    float exponent; // 1, of the rate of strain; below 1 thins when sheared, above thickens
} BwViscosityLaw;

static inline bool bw_law_follows_rate(const BwViscosityLaw *law)
{
    return law->yield > 0.0f || law->exponent != 1.0f;
}

// m^2/s, at a rate of strain whose square is given, 1/s^2; `viscosity` is that of the law at a rate of 1/s.
static inline float bw_law_viscosity(const BwViscosityLaw *law, float viscosity, float rate_squared)
{
    const float still_rate = 1e-3f;
    float rate = sqrtf(rate_squared + still_rate * still_rate);
    float flowing = law->exponent == 1.0f ? viscosity : viscosity * powf(rate, law->exponent - 1.0f);
    return flowing + law->yield / rate;
}

// The ramp: `solid` at and below a temperature, `liquid` at and above another, linear in between.
typedef struct BwMeltRamp {
    float solid, liquid;   // K
    float viscosity_solid; // m^2/s
} BwMeltRamp;

static inline float bw_ramp_viscosity(const BwMeltRamp *ramp, float viscosity_liquid, float temperature)
{
    float part = (temperature - ramp->solid) / (ramp->liquid - ramp->solid);
    part = part < 0.0f ? 0.0f : part > 1.0f ? 1.0f : part;
    return ramp->viscosity_solid + part * (viscosity_liquid - ramp->viscosity_solid);
}
