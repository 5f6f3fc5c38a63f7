// How much liquid a scene begins with, by samples of its fills.
#pragma once

#include <billow/scene.h>

typedef struct LiquidAmount {
    bool is_known;    // a fill without an end in the open has no volume
    double volume;    // m^3; in 2-D of a slice 1 m deep
    double cells;     // that it fills
    double particles; // in them
} LiquidAmount;

LiquidAmount liquid_amount(const BwSceneDef *scene);
