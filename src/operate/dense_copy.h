// Fields on tiles to and from a dense box of numbers, such as that of Stam's solver (billow/stable.h).
#pragma once

#include "base/pool.h"
#include "grid/field.h"
#include <billow/stable.h>

// Copies the live cells of a field to the box, or from it. `low` is the cell of the grid that is the box's
// first.
void bw_field_to_dense(const BwField *field, BwPool *pool, const int32_t low[3], BwStableView box);
void bw_field_from_dense(BwField *field, BwPool *pool, const int32_t low[3], BwStableView box);
