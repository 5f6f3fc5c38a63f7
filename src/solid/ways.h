// Straight ways between places outside of a solid: past a bulge of it, or through one of its walls.
#pragma once

#include <billow/shape.h>

// Out of the solid as its distance rises, measured over a step; local to it.
BwVec3 bw_shape_slope_at(const BwShape *shape, BwVec3 point, float step, bool is_flat);

// A point out of the solid by the shortest way, if a few steps along the slope of the distance lead there.
BwVec3 bw_shape_push_out(const BwShape *shape, BwVec3 point, float cell, bool is_flat);

// Whether a way leads past a solid and not through it: it is no deeper below the surface than .04 cells, or a
// detour by the nearest places outside is not. What walls part has none.
bool bw_shape_way_leads_past(const BwShape *shape, BwVec3 from, BwVec3 to, float cell, bool is_flat);
