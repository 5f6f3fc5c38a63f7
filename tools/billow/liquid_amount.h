// How much liquid a scene begins with, by samples of its fills, and how much comes in until it ends.
#pragma once

#include <billow/scene.h>

typedef struct LiquidAmount {
    bool is_known;    // a fill without an end in the open has no volume
    double volume;    // m^3; in 2-D of a slice 1 m deep
    double cells;     // that it fills
    double particles; // in them
} LiquidAmount;

LiquidAmount liquid_amount(const BwSceneDef *scene);

// The same at the end, had all that emitters and inflows give stayed: no more than the box holds.
LiquidAmount liquid_amount_at_end(const BwSceneDef *scene);
