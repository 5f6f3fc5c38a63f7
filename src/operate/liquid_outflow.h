// Outflow sides of a liquid. Water that stands at the side has weight, so its pressure there is that of a
// column; and the column is as high as lets waves leave. By the theory of shallow water (Stoker 1957, chapter
// 10) u + 2 c is carried out by a wave and u - 2 c comes in, c = sqrt(g H), u outwards: outside the water is
// taken to go on as deep and as fast as it was at the start, so a stream passes unchanged, a wave does not
// come back, and what is too much runs off.
#pragma once

#include "domain/domain.h"

// The water along a side at the start.
typedef struct BwOutflowState {
    double level; // m, of its surface, along the axis that is up; -infinity: there was none
    double speed; // m/s, outwards
} BwOutflowState;

// What the pressure in the cells outside is found from.
typedef struct BwOutflowDef {
    const BwField *phi;
    const BwVelocity *velocity; // m/s
    BwVec3 gravity;
    float density;                // kg/m^3
    const BwOutflowState *states; // one a side
    bool is_from_centers; // the pressure is 0 at the centre of a column's uppermost cell, not at its surface
} BwOutflowDef;

// Finds the pressure in the cells outside of outflow sides, Pa; 0 elsewhere, and along sides across gravity.
void bw_outflow_pressure(BwField *pressure, const BwDomain *domain, const BwOutflowDef *def);

// The mean state of the water along a side.
BwOutflowState bw_outflow_state(const BwDomain *domain, const BwOutflowDef *def, int side);
