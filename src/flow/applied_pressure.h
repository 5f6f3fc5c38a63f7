// The scene's surface_pressures: looked up for a step, and found on the surface of a liquid.
#pragma once

#include "base/record.h"
#include "flow/flow.h"
#include "operate/surface_pressure.h"

typedef struct BwAppliedPressure {
    const BwSceneDef *scene; // NULL: it puts none on the surface
    BwAllocator allocator;
    BwPressureLoad *loads;
    BwField pressure; // Pa, at the surface
    float slope;      // Pa/m, the most along it
    bool is_on;       // in this step
} BwAppliedPressure;

// Life; nothing is made for scenes without any.
BwResult bw_applied_pressure_create(BwAppliedPressure *applied, BwFlow *flow, BwError *err);
void bw_applied_pressure_destroy(BwAppliedPressure *applied);

// Finds what presses between two moments: what is on for a part of them presses by that part, so that an
// impulse is as strong as it is told to be in any step.
BwResult bw_applied_pressure_find(BwAppliedPressure *applied, const BwDomain *domain, const BwMask *liquid,
                                  double from, double to, BwError *err);

// The slope is state: the next step is as long as it allows.
BwResult bw_applied_pressure_save(const BwAppliedPressure *applied, BwRecord *record, BwError *err);
BwResult bw_applied_pressure_load(BwAppliedPressure *applied, const BwRecord *record, BwError *err);
