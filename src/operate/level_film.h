// Films of liquid on walls and solids that a level set is about to lose. A cell counts as liquid by its
// centre, so a film thinner than half a cell has no cell that is, and redistancing, which looks for changes
// of sign, would find nothing of it.
#pragma once

#include "domain/domain.h"

// Thickens such films, the thickest of them first, to half a cell and no more than needed, until the liquid
// has `volume` m^3 or all of them are kept. `phi` has to be a distance near the surface; `kept` becomes the
// new one; `open` is the share of each cell outside of solids. Gives whether any film was thickened.
bool bw_level_keep_films(const BwField *phi, BwField *kept, const BwField *open, const BwDomain *domain,
                         double volume);
