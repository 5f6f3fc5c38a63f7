// How far from the origin a scene may reach: a place is a float, which tells no two cells apart any more
// where they are farther away than 2^23 of them.
#pragma once

#include "scene/walk.h"

BwResult bw_check_reach(const BwSceneDef *def, const BwOrigins *origins, BwError *err);
