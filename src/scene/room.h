// Where there is room for what sources give: between the walls, and outside of obstacles.
#pragma once

#include <billow/scene.h>

// False without walls, and of a box that is empty.
bool bw_box_is_outside(const BwSceneDef *def, BwBox box);

// Whether no part of a shape has room as obstacles stand at the start. What lies beside the walls altogether
// is not asked. `later`: one that moves may make room, and does not count.
bool bw_shape_is_buried(const BwSceneDef *def, const BwShape *shape, bool later);

// The part of a shape outside of the walls, as a lattice tells; 0 without walls, or where it has no end.
double bw_shape_part_outside(const BwSceneDef *def, const BwShape *shape);
