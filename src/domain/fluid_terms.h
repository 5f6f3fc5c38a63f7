// What is known of the fluids in a domain besides their velocity: where they are, how dense, what happens at
// the interface between them, and how much fluid cells give off. A solver fills this in once and points the
// domain at it (BwDomain.terms); labels, projection and measures of divergence then all mean the same. What
// is NULL or 0 is not there; without any the domain holds one fluid of one density everywhere, as smoke is.
//
// A liquid fills in `liquid` (bw_mark_liquid) and phi: the rest is air, whose pressure is given on the free
// surface.
//
// Two liquids: phi, density and pressure_jump (surface tension); both are solved.
//
// A flame: phi, density, pressure_jump and velocity_jump; unburnt fuel is inside, hot products outside
// (Nguyen, Fedkiw and Jensen 2002).
//
// An explosion, or an emitter of liquid: divergence.
#pragma once

#include "base/pool.h"
#include "grid/field.h"

typedef struct BwFluidTerms {
    const BwMask *liquid;   // cells that hold fluid; others that are live and open are air; NULL: all do
    const BwField *phi;     // signed distance to the interface, m, below 0 inside; cell centres
    const BwField *density; // relative to the reference, above 0; cell centres, each with its own fluid's
    float reference;        // density, kg/m^3; 0: 1, pressures are then over density, m^2/s^2
    float dt;               // s: of the step that pressures act over; above 0 where any is given
    const BwField *surface; // pressure on the free surface above that of the open air, Pa; cell centres
    const BwField *pressure_jump; // outside less inside, Pa; cell centres
    const BwField *velocity_jump; // along the normal, outside less inside, m/s; cell centres
    const BwField *divergence;    // that cells are asked for, 1/s of a whole cell's volume; cell centres
} BwFluidTerms;

// Marks the cells whose centre is inside, phi < 0.
void bw_mark_liquid(BwMask *liquid, const BwField *phi, BwPool *pool);
