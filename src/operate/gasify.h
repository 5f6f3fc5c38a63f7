// Solid fuel: the surface of a burning solid as patches (solid/surface_patches.h), each with a temperature
// and the depth to which it has burnt away. What is hot enough turns to gas, which leaves it by mass that is
// kept (eq. 1.22, 1.23 of Fedkiw 2003):
//
//     V_f = V_s + (rho_s / rho_f - 1) S.
//
// The shape stays as it is, so that V_s is its own velocity; the gas is a divergence asked of the cells just
// outside of it.
#pragma once

#include "domain/domain.h"
#include "solid/surface_patches.h"

// What a surface is made of.
typedef struct BwSolidFuelLaw {
    float ignition;  // K, from which on it turns to gas
    float hottest;   // K, of a flame beside it
    float heating;   // 1/s, at which it takes on the temperature beside it
    float spread;    // m/s, of fire that creeps along it
    float ambient;   // K
    float thickness; // m, of what burns
    float gas_ratio; // 1, rho_s / rho_f - 1
    float
        flame_speed; // m/s: gas that comes more slowly burns on the surface; 0: gas does not burn at a front
    float flame_ratio; // 1, by how much it is expanded then
} BwSolidFuelLaw;

// One solid. The arrays are as long as the list of patches.
typedef struct BwFuelSurface {
    const BwSurfacePatches *patches;
    const BwSolidPose *solid;
    BwSolidFuelLaw law;
    float *temperature, *depth; // K, m
    float *rate;                // m/s, of this step: at which it turns to gas
    float *spread;              // 1, by how much its gas has spread out where a front can be held
    float *next_temperature;    // scratch
} BwFuelSurface;

// The gas around it.
typedef struct BwSurfaceGas {
    BwField *divergence;  // 1/s
    BwField *temperature; // K
    BwField *fuel;        // 1, share of the gas; NULL: there is a front
    const BwField *phi;   // m, below 0 in fuel; NULL: there is none
    const BwField *lit;   // 1 where the front is alight, with phi; NULL: all of it
    BwField *reaction;    // 1, the products' clock, with phi
    BwField *emitted;     // 1, share of fuel that is held, with phi
} BwSurfaceGas;

// Off the surface, in cells, where a front is held at the least.
#define BW_FUEL_LAYER 1.0f

// Gasifying takes up what would heat the surface farther above ignition than this, K.
#define BW_SUPERHEAT_MAX 100.0f

static inline bool bw_patch_burns(const BwFuelSurface *surface, int64_t n)
{
    return surface->temperature[n] >= surface->law.ignition && surface->depth[n] < surface->law.thickness;
}

// Heats and cools the patches for dt by what is beside them: the hottest gas within a few cells, or fire on a
// patch beside.
void bw_fuel_surface_heat(const BwFuelSurface *surface, const BwDomain *domain, const BwSurfaceGas *gas,
                          float dt);

// Holds fuel before a front where gas is faster than the front comes in, there where the front is held: what
// leaves a rod or a ball has slowed down by then, and fuel that was held nevertheless would burn faster than
// it comes.
void bw_fuel_surface_cover(const BwFuelSurface *surface, const BwDomain *domain, const BwSurfaceGas *gas);

typedef struct BwGasified {
    double solid; // m^3, that has turned to gas
    double burnt; // m^3 of gas, that burnt on the surface itself
} BwGasified;

// Turns the surface to gas for dt at its rates. What is nowhere beside open cells keeps its fuel.
BwGasified bw_fuel_surface_release(const BwFuelSurface *surface, const BwDomain *domain,
                                   const BwSurfaceGas *gas, float dt);
