// A velocity that the scene gives (`flow`), instead of one that forces and pressure make: what the fluid
// carries is advected along it, and nothing is solved for.
#pragma once

#include "flow/flow.h"
#include "operate/extrapolate.h"

bool bw_flow_is_given(const BwFlow *flow);

// Sets the velocity to that of a moment, on all faces of the tiles that are awake, and max_speed to the most
// of it.
BwResult bw_given_flow_find(BwFlow *flow, double time, BwError *err);

// The velocity at a place.
BwResult bw_given_flow_at(const BwFlow *flow, BwVec3 point, double time, BwVec3 *velocity, BwError *err);

// Marks all passable faces as those whose velocity is known.
void bw_given_flow_know(const BwFlow *flow, BwFaceMasks *faces);
