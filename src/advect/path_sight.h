// What solids hide from the ends of paths.
#pragma once

#include "advect/path_way.h"

// What is hidden from the end of a path around a place, a bit per corner, x first. Where no sample is in
// sight, a scalar, which has nothing inside, takes the closest one that is: then the place moves, and the
// path is cut. `end` is the end of the path itself; the place differs from it where a turning solid took the
// end out of the box.
uint8_t bw_path_look(const BwPathTile *tile, const BwWay *way, const float end[3], float at[3], bool *is_cut);
