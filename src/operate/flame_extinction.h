// Which parts of a thin flame's front are alight. A front lives on the heat of what has just burnt: it goes
// out where cold gas comes nearer to it than products get in the time `quench`, and catches fire again where
// hot gas touches it. That time is the inverse of the strain rate at which a flame is put out.
//
// A front that is out moves with the fuel and nothing passes it: no burning speed, no jumps, no heat. `lit`
// is 1 where it is alight and 0 where it is out, in cells as at the front's nearest place; in between it
// counts how long the front has had the wrong gas behind it. 1 where no front is near.
#pragma once

#include "operate/flame_products.h"

// Whether a cell's part of the front is alight.
static inline float bw_is_lit(float lit)
{
    return lit > 0.5f ? 1.0f : 0.0f;
}

// Moves what is alight with the front, which has moved to phi by the velocity `front`.
void bw_lit_advect(const BwDomain *domain, const BwField *phi, const BwVelocity *front, const BwField *from,
                   float dt, BwField *to);

// Looks at the gas behind the front, for dt.
void bw_lit_update(const BwDomain *domain, const BwField *phi, const BwField *temperature,
                   const BwFlameLaw *law, float dt, BwField *lit);

// `value` where the front is alight, 0 where it is out.
void bw_lit_spread(const BwDomain *domain, const BwField *lit, float value, BwField *to);

// Multiplies a field by 1 where the front is alight, 0 where it is out.
void bw_lit_mask(const BwDomain *domain, const BwField *lit, BwField *field);
