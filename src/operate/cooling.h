// Cooling of glowing gas by radiation, with the fourth power of its heat (Nguyen, Fedkiw and Jensen 2002, eq.
// 16):
//
//     dT/dt = -cooling ((T - ambient) / (T_max - ambient))^4.
//
// With q = (T - ambient) / (T_max - ambient) that is dq/dt = -k q^4, whose solution after a time t is
// q / cbrt(1 + 3 k q^3 t): exact for any step, and a limit to what is left of any heat, however high.
#pragma once

#include <math.h>

// The temperature after dt, s, of gas at T, K; `cooling` in K/s. Gas that is colder than the air stays so.
static inline float bw_radiate(float T, float ambient, float T_max, float cooling, float dt)
{
    float span = T_max - ambient, q = (T - ambient) / span;
    if (!(q > 0.0f))
        return T;
    return ambient + span * q / cbrtf(1.0f + 3.0f * (cooling / span) * dt * (q * q * q));
}
