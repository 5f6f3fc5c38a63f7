// Fire by the simple model, as a part of smoke's recipe: fuel and glowing soot that are advected with the
// gas, and what burning does to the gas in a step (operate/burn.h).
#pragma once

#include "flow/flow.h"
#include "operate/burn.h"

typedef struct BwBurning {
    bool is_used;
    BwField fuel, flame;           // 1, 1
    BwField next_fuel, next_flame; // where advection writes
    BwMask heated;                 // cells that sources keep at a temperature, marked before each step of it
} BwBurning;

// Makes the fields where the scene's fluid burns by the simple model.
BwResult bw_burning_create(BwBurning *burning, const BwSceneDef *scene, BwGrid *grid, BwError *err);
void bw_burning_destroy(BwBurning *burning);

// The fields to advect, appended to a list; gives its new length. And taking over what was advected.
int bw_burning_list(BwBurning *burning, BwAdvectField *list, int count);
void bw_burning_take_over(BwBurning *burning);

// A step of burning in the flow's gas, and its part of the stats. Gives the smoke that was made, m^3.
double bw_burning_react(BwBurning *burning, BwFlow *flow, BwField *density, BwField *temperature, double dt,
                        BwStats *stats);

// What frames show: glowing soot, fuel, and the heat as a share of the most that burning gives, for programs
// that draw fire by it; it is written where advection writes, until the next step. Gives the list's new
// length.
int bw_burning_frame_fields(BwBurning *burning, BwFlow *flow, const BwField *temperature,
                            BwFrameSource *sources, int count);

// The most that burning heats the gas above the air, K; 0 where nothing burns.
float bw_burning_heat_max(const BwBurning *burning, const BwSceneDef *scene);
