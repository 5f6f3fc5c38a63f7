// Fuels by name.
#pragma once

#include <billow/scene.h>

// The fuel with every number: those that it leaves out (NaN) are those of its name.
BwFuelDef bw_fuel_numbers(const BwFuelDef *fuel);
