// Advection that makes no energy: what MacCormack's central differences need to be skew-symmetric.
#pragma once

#include "domain/domain.h"

// `to` becomes what `advected` is, along `velocity` for `dt` by MacCormack's scheme, made skew-symmetric.
// `stretch` are fields of one value a cell, one an axis, of background 0, to work in.
void bw_make_skew(const BwDomain *domain, const BwVelocity *velocity, const BwVelocity *advected,
                  BwVelocity *to, BwField *stretch, float dt);
