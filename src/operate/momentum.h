// One explicit step of the Navier-Stokes equations (Foster and Metaxas 1996, (2)): forward Euler in time,
// central differences in space, on the faces between two cells of liquid. Solids are whole cells, whose wall
// lies on their faces: a face inside of one mirrors the velocity along its wall, equal where it slips,
// opposite where it sticks.
//
// Forward Euler with central differences is unstable without viscosity at any dt. Stable is what has
// dt <= h^2 / (2 dim nu) and dt <= 2 nu / u^2 (Hirt 1968); or advection that takes a share of its values from
// the upstream side, the donor cell, of at least |u| dt / h (Hirt, Nichols and Romero 1975, SOLA).
#pragma once

#include "operate/free_surface.h"

typedef struct BwMomentum {
    const BwDomain *domain;
    const BwFreeSurface *surface;
    const BwField *pressure; // over density, m^2/s^2, of the last step
    const BwField *slip;     // 1, of solid cells (bw_find_slip); NULL: there are none
    bool follows_outflow;    // there is no pressure outside: its faces follow the flow, as the paper has it
    float viscosity;         // m^2/s
    float donor;             // 1, share of donor cells
    float dt;
} BwMomentum;

// Advection, viscosity and the gradient of the pressure. Other faces keep their velocity.
void bw_momentum_step(const BwMomentum *momentum, const BwVelocity *from, BwVelocity *to);

// Faces of outflows. Those of Full cells are moved by the pressure outside, of domain->terms; those of
// Surface cells take the velocity of the face below; where there is no pressure, or it is told so, all take
// that of the face across their cell. The relaxation may change all.
void bw_momentum_step_outflow(const BwMomentum *momentum, BwVelocity *velocity);

// The slip of each solid cell: that of the solid it is deepest in.
void bw_find_slip(BwField *slip, const BwDomain *domain, const BwSolidPose *solids, int solid_count);
