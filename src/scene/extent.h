// The room that a scene takes, found from its Defs alone, so that a camera stands still over a run.
#pragma once

#include "base/error.h"
#include <billow/scene.h>

#include <math.h>

static inline BwBox bw_box_empty(void)
{
    return (BwBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline bool bw_box_is_finite(BwBox box)
{
    return !bw_box_is_empty(box) && isfinite(bw_length(box.low)) && isfinite(bw_length(box.high));
}

// The walls, or all that the scene holds plus the room that its fluid is likely to fill. Not finite where the
// scene tells nothing.
BwResult bw_scene_extent(BwBox *extent, const BwSceneDef *scene, BwError *err);

// What a picture should show of a scene whose smoke is seen in the box `smoke` over all of its run: that, its
// sources and the solids next to it. `is_narrow` is false, and all of the scene is to be shown, where that is
// most of its box anyway, or where there is no smoke.
BwResult bw_scene_view(BwBox *view, bool *is_narrow, const BwSceneDef *scene, BwBox smoke, BwError *err);

// Smoke that leaves through an open top would end there in mid-air, as if cut off. So the part of `view`
// below is taken instead, but for solids and sources that stand higher; any other view stays as it is.
BwResult bw_scene_cut_open_top(BwBox *view, const BwSceneDef *scene, BwError *err);
