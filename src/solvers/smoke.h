// The state of smoke, and of fire, which is smoke that burns, shared by the two files of their solver:
// smoke.c (life and recipe) and smoke_state.c (frames, stats, and keeping and taking back).
#pragma once

#include "flow/burning.h"
#include "flow/flame.h"
#include "flow/flow.h"
#include "flow/solid_fuel.h"
#include "operate/color_field.h"
#include "solvers/solver.h"

typedef struct BwSmoke {
    const BwSceneDef *scene;
    const BwSmokeDef *gas; // the scene's numbers, of smoke or of fire
    BwAllocator allocator;
    const volatile int *const *stop; // see BwSolverSetup
    BwFlow flow;
    BwField density, temperature;           // 1, K
    BwField next_density, next_temperature; // where advection writes
    BwColorField color;
    BwBurning burning;      // of fire, by the simple model
    BwFlame flame;          // of fire, by a thin flame
    BwSolidFuel solid_fuel; // of fire: obstacles that burn
    BwMask sources;         // cells that emitters fill up again after every step

    // Of the last step, m^3, before advection and after; written by it, read by the accounts and the check.
    double mass_before, mass_advected;
} BwSmoke;

double bw_smoke_mass(const BwSmoke *smoke);

// What of BwSolverType is in smoke_state.c.
void bw_smoke_measure(void *solver, BwStats *stats);
BwResult bw_smoke_frame(void *solver, const BwRecord *kept, BwFrame *frame, BwError *err);
int bw_smoke_state_fields(void *solver, BwStateField list[BW_STATE_FIELDS_MAX]);
BwResult bw_smoke_save(void *solver, BwRecord *record, BwError *err);
BwResult bw_smoke_check(void *solver, double dt, BwError *err);
BwResult bw_smoke_load(void *solver, const BwRecord *record, BwError *err);
BwResult bw_smoke_agree(void *solver, const BwRecord *record, BwError *err);
