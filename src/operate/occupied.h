// Where a fluid is: which cells of each tile matter enough to keep tiles awake around them (grid/follow.h).
#pragma once

#include "domain/domain.h"
#include "grid/follow.h"

// A cell matters where a field is further than `threshold` from `neutral`, to either side or only above it.
typedef struct BwPresence {
    const BwField *field;
    float neutral, threshold;
    bool above_only;
} BwPresence;

// In each tile, in the grid's order, the box of the cells that matter by any of the fields.
void bw_find_occupied(const BwDomain *domain, const BwPresence *presence, int count, BwTileSpan *spans);

// The total of a field in tiles that are about to sleep, times cell volume.
double bw_sleeping_total(const BwGrid *grid, const BwField *field, const BwFollowPlan *plan);
