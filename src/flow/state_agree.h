// Whether a state that was loaded agrees with itself and with the scene, as far as a step would leave it so.
// A file can be whole and still claim what no run has written.
#pragma once

#include "base/record.h"
#include "flow/scene_solids.h"

// A box that is awake all over has all of its tiles.
BwResult bw_state_agree_on_box(const BwSceneDef *scene, const BwGrid *grid, BwError *err);

// Solids stand where the curves of their motion put them at `time`, and stood there `dt` ago, where that is
// not negative. What is integrated from speeds can only be looked at for sense.
BwResult bw_state_agree_on_solids(const BwSceneSolids *solids, double time, double dt, BwError *err);

// A number of the record within bounds; NaN is not.
BwResult bw_state_number(const BwRecord *record, const char *name, double low, double high, double *value,
                         BwError *err);
