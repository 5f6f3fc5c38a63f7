// Numbers of the fluid that a program may change while it runs.
#pragma once

#include "world/live_scene.h"

bool bw_live_is_number(BwEventKind kind);

// Whether the event may happen: the number is of the scene's fluid and in its range, and the solver has what
// it takes for it.
BwResult bw_live_check_number(const BwLiveScene *live, const BwEvent *event, BwError *err);

void bw_live_set_number(BwLiveScene *live, const BwEvent *event);
