// The choice among the walks of all instruction sets (solid/tree_walk.h).
#pragma once

#include "solid/triangle_tree.h"

// Fails where the environment names an instruction set that is not to be had.
BwResult bw_tree_walk_choose(BwTreeWalk *walk, BwError *err);
