// A liquid's level set where cells tell nothing of their own: inside of solids, and where these leave too
// little room. It goes on there as it is beside them, so that the liquid meets walls without a meniscus.
#pragma once

#include "domain/domain.h"

// Extends phi by so many layers of cells beyond the known ones, which then count among those. `front` is for
// its use.
void bw_level_extend(BwField *phi, BwMask *known, BwMask *front, const BwDomain *domain, int layers);
