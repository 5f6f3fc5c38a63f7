// How far obstacles come in the time ahead, and so how long a step may be beside them: no bit of a solid that
// is near the fluid is to cross more than so much of it in a step, whatever the motion does on the way.
#pragma once

#include "flow/scene_solids.h"

// Around the tiles that are awake, m; empty where none is.
BwBox bw_awake_box(const BwGrid *grid);

// The part of a shape, in its own frame, that can be in the room as the solid stands. A shape may be endless:
// a plane, or a box of a flat scene along z.
BwBox bw_solid_near(const BwSolidPose *solid, BwBox room);

// The longest way that a bit of any solid goes in the room from `time` to dt later, m. Jumps are no ways.
BwResult bw_solids_way(const BwSceneSolids *solids, BwBox room, double time, double dt, float *way,
                       BwError *err);

// Shortens a step, s, until no solid goes farther than way_max in it.
BwResult bw_solids_shorten_step(const BwSceneSolids *solids, BwBox room, double time, float way_max,
                                double *dt, BwError *err);
