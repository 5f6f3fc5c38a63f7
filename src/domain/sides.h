// The sides of the box, cell by cell: where along a side its kind holds, what an inflow brings, and what goes
// through them.
#pragma once

#include "domain/domain.h"
#include <math.h>

// Whether air of the surroundings comes in all along a side. Through a part of one, or at another
// temperature, it comes by the cells outside (bw_impose_outside).
static inline bool bw_air_enters(const BwBoxSide *side)
{
    return side->kind == BW_WALL_OPEN && side->part == NULL && isnan(side->temperature);
}

static inline bool bw_side_lets_air_in(const BwBoxSide *side)
{
    return side->kind == BW_WALL_OPEN || side->kind == BW_WALL_OUTFLOW;
}

// Tells the grid at which of its far ends a wall's faces are to be read as samples.
void bw_domain_set_far_walls(const BwDomain *domain);

// The cells of a tile's layer that touch a side: those where it is closed, and those where another kind
// holds. A part holds at the faces whose centre it covers.
typedef struct BwSideCells {
    uint64_t closed, opening;
} BwSideCells;

BwSideCells bw_side_cells(const BwDomain *domain, int32_t slot, int side, int k);

// Whether only air of the surroundings comes into a tile from outside: none of the sides that it touches is
// an inflow, or lets air in through a part or at a temperature of its own.
bool bw_outside_is_clean(const BwDomain *domain, int32_t slot);

// Speed along `axis` of what flows in, at the low face of a cell that has an inflow cell on one of its sides.
// Nothing leaves such a cell sideways into the fluid, so that a vent brings its area times its speed.
float bw_inflow_speed(const BwDomain *domain, int32_t slot, int cell, int axis);

// What the cells outside bring with them: along an inflow the temperature of its side and no smoke, and the
// same where the flow comes in through an open part or at a given temperature. NULL: no such field. Gives the
// density that was there, times the volume, m^3.
double bw_impose_outside(const BwDomain *domain, const BwVelocity *velocity, BwField *density,
                         BwField *temperature, float ambient);

// Whether a side of the box lets anything through.
bool bw_box_has_way_out(const BwDomain *domain);

// Volume through all faces of inflows per second, m^3/s (m^2/s in 2-D), inwards in all and summed by size.
typedef struct BwInflowSum {
    double net, gross;
} BwInflowSum;

BwInflowSum bw_inflow_sum(const BwDomain *domain, const BwVelocity *velocity);

// Mean velocity of the fluid along a side of the box, m/s, weighted by faces: over those within two cells of
// it.
BwVec3 bw_side_mean_velocity(const BwDomain *domain, const BwVelocity *velocity, int side);
