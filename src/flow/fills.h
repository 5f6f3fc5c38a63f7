// What a scene fills with liquid, as a surface sees it: a box of liquid that stands at walls goes on behind
// them, so that its sides there are no surface.
#pragma once

#include "base/memory.h"
#include <billow/scene.h>

// A fill's shape, which goes on so far behind the walls that it stands at, m.
BwShape bw_fill_beyond_walls(const BwSceneDef *scene, const BwShape *fill, float far);

// Those of all fills, and a list of them; bw_fills_free frees both.
BwResult bw_fills_beyond_walls(const BwSceneDef *scene, float far, const BwAllocator *allocator,
                               BwShape **shapes, const BwShape ***list, BwError *err);
void bw_fills_free(const BwSceneDef *scene, const BwAllocator *allocator, BwShape *shapes,
                   const BwShape **list);
