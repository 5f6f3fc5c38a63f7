// Whether an obstacle's fuel can burn at all.
#pragma once

#include <billow/scene.h>

#include <stddef.h>

// Whether the fuel of an obstacle never turns to gas, whatever the flow does; and why, as a text. False for
// one without fuel, and where only the run can tell.
bool bw_fuel_never_burns(const BwSceneDef *def, int obstacle, char *why, size_t size);
