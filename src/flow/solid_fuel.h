// Obstacles that burn, as a part of fire's recipe: the surface of each, what it is made of, and its state
// (operate/gasify.h).
#pragma once

#include "flow/burning.h"
#include "flow/flame.h"
#include "operate/gasify.h"

typedef struct BwSolidFuel {
    const BwSceneDef *scene; // NULL: nothing that is solid burns
    BwAllocator allocator;
    BwSurfacePatches *patches; // one an obstacle, empty where it does not burn
    BwFuelSurface *surfaces;   // as many
} BwSolidFuel;

// Nothing is made for scenes without any. After a failure destroy frees what was made.
BwResult bw_solid_fuel_create(BwSolidFuel *fuel, const BwFlow *flow, BwError *err);
void bw_solid_fuel_destroy(BwSolidFuel *fuel);

// A step. First, with labels for the new time: heats and cools, looks up at which rates surfaces turn to gas,
// and holds fuel before a thin flame's front; then, once a step's divergence is asked for, lets the gas out.
BwResult bw_solid_fuel_prepare(BwSolidFuel *fuel, const BwFlow *flow, const BwSurfaceGas *gas, double time,
                               double dt, BwError *err);
void bw_solid_fuel_release(BwSolidFuel *fuel, const BwFlow *flow, const BwSurfaceGas *gas, double dt,
                           BwStats *stats);

// The fastest gas that leaves any of them at that time, m/s.
BwResult bw_solid_fuel_speed(const BwSolidFuel *fuel, double time, float *speed, BwError *err);

// Obstacles in frames get dark as their surface burns.
void bw_solid_fuel_show(const BwSolidFuel *fuel, BwSceneSolids *solids);

BwResult bw_solid_fuel_save(const BwSolidFuel *fuel, BwRecord *record, BwError *err);
BwResult bw_solid_fuel_load(BwSolidFuel *fuel, const BwRecord *record, BwError *err);
