// What sources do to a liquid's grid: sinks are air, and what comes up inside of the liquid gives it a
// divergence.
#pragma once

#include "operate/coverage.h"
#include "operate/prescribe.h"
#include "particle/core.h"

// Takes a shape out of the liquid: its inside is air.
void bw_liquid_carve(BwField *phi, BwMask *liquid, const BwDomain *domain, const BwShape *shape);

// What is at a point: air, liquid, or a solid or what lies outside of the box.
typedef enum BwPointKind { BW_POINT_AIR, BW_POINT_LIQUID, BW_POINT_BLOCKED } BwPointKind;
BwPointKind bw_liquid_kind_at(const BwField *phi, const BwDomain *domain, BwVec3 point);

void bw_divergence_clear(BwField *divergence, const BwDomain *domain);

// Adds to the divergence of the liquid, 1/s: that of so many m^3/s at a point; and of m^3/s that come up, or
// below 0 vanish, evenly inside a shape: in all of its room, of which some may be air, or in its liquid
// alone. Gives the volume that counts, m^3; 0: nothing was added.
void bw_divergence_add_point(BwField *divergence, const BwDomain *domain, BwVec3 point, double flow);
double bw_divergence_add_shape(BwField *divergence, const BwDomain *domain, const BwStamp *stamp, double flow,
                               bool in_liquid_alone);

// What comes up, to a part of it; what vanishes stays.
void bw_divergence_scale_given(BwField *divergence, const BwDomain *domain, double part);

// m^3, of the cells of liquid that a shape covers any part of.
double bw_liquid_touched(const BwDomain *domain, const BwStamp *stamp);

// The mouth of a spout at a point, in a cell that has its divergence. The face that the stream leaves it by
// is given the stream's velocity, so that all of it goes that way; it is only where the mouth covers most of
// the cell. And the face behind, where a solid is in the way: after the solve, so that particles in the cell
// have that velocity too.
void bw_mouth_prescribe(BwPrescribed *prescribed, const BwDomain *domain, BwVelocity *velocity,
                        const BwField *divergence, BwVec3 point, BwVec3 stream);
void bw_mouth_open(const BwDomain *domain, BwVelocity *velocity, BwVec3 point, BwVec3 stream);

// The mouth of a spout in the air: all passable faces of the cell at a point are given the stream's velocity,
// and the liquid below hangs on it.
void bw_mouth_hold(BwPrescribed *prescribed, const BwMask passable[3], BwVelocity *velocity, BwVec3 point,
                   BwVec3 stream);

// Takes what so many m^3/s drain in a time out of the cells of the core that a shape covers, each by its part
// of the volume that the shape covers in all, m^3. Gives what was taken, in cells.
double bw_core_drain(BwCore *core, const BwDomain *domain, const BwStamp *stamp, double volume, double taken);

// Keeps the core out of a box of cells.
void bw_core_keep_off(BwCore *core, const BwDomain *domain, BwCellBox box);

// Sets the velocity that the grid carries by itself around a place: on the faces of the cell that it is in,
// and on those of the cells around that, which a particle there reaches too, where no velocity is known yet.
void bw_velocity_set_around(BwVelocity *velocity, const BwMask known[3], BwVec3 point, BwVec3 value);

// The wet area of an inflow side, m^2: all of the faces of cells of liquid that have no air beside them, for
// the pressure gives such faces all of their flow, whatever gaps there are between particles.
double bw_liquid_wet_area(const BwField *phi, const BwDomain *domain, int side);
