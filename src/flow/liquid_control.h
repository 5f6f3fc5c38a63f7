// Surface controls of the scene, from their curves to operations.
#pragma once

#include "flow/flow.h"
#include "operate/surface_control.h"

typedef struct BwLiquidControls {
    const BwFlow *flow;
    BwSurfaceControl *list; // those that act in this step
    int count;
} BwLiquidControls;

BwResult bw_liquid_controls_create(BwLiquidControls *controls, const BwFlow *flow, BwError *err);
void bw_liquid_controls_destroy(BwLiquidControls *controls);

// Looks up those that act at that time.
BwResult bw_liquid_controls_plan(BwLiquidControls *controls, double time, BwError *err);

// The fastest that they make the air in this step, m/s.
float bw_liquid_controls_air_speed(const BwLiquidControls *controls);

// Raises speeds to the fastest that any makes the air, and to the fastest that any drives the liquid to, at
// that time, m/s.
BwResult bw_liquid_controls_add_speed(const BwSceneDef *scene, double time, float *air, float *liquid,
                                      BwError *err);
