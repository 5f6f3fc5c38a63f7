// Fuel that burns where it is hot enough, a scalar advected with the gas, as games and most other programs
// have it. In a cell at or above the temperature of ignition a share of the fuel burns, at a rate; what burns
//
//   - heats the gas, by temperature_max - ambient for pure fuel;
//   - becomes glowing soot, the flame that is seen, which burns up in turn at the rate `fade`;
//   - leaves smoke;
//   - expands it: at a constant pressure the volume of a gas follows its temperature, so that its divergence
//     is D ln T / Dt. What cools contracts, but not where a source keeps it hot: in each step it would
//     contract anew, the more the shorter steps are.
//
// All of it is exact for any step, given the state at its start.
#pragma once

#include "domain/domain.h"

typedef struct BwBurnLaw {
    float ignition, temperature_max, ambient; // K
    float rate, fade;                         // 1/s
    float soot;                               // 1, density of smoke from unit fuel
    float cooling;                            // K/s, operate/cooling.h
    float expansion;                          // 1, share of the divergence that the gas has
} BwBurnLaw;

typedef struct BwBurnFields {
    BwField *fuel;        // 1, share of the gas
    BwField *flame;       // 1, glowing soot
    BwField *temperature; // K
    BwField *density;     // 1, of smoke
    BwField *divergence;  // 1/s, added to; NULL: the gas does not expand
    const BwMask *heated; // cells that sources keep at a temperature
} BwBurnFields;

// Burns and cools for dt in all open cells. Gives the smoke that was made, density times volume, m^3, and
// adds up the fuel that burnt, m^3.
double bw_burn(const BwDomain *domain, const BwBurnFields *fields, const BwBurnLaw *law, float dt,
               double *burnt);

// What is so much a volume thins where the gas expands: times exp(-divergence dt).
void bw_thin_out(const BwDomain *domain, const BwField *divergence, BwField *field, float dt);
