// A thin flame: the front at which fuel turns into hot products (Nguyen, Fedkiw and Jensen 2002, Physically
// Based Modeling and Animation of Fire; Fedkiw 2003, section 4). phi is the signed distance to it, below 0 in
// the fuel, so that its slope n is the normal out of the fuel. The front moves into the fuel at the speed S
// relative to it, and mass that passes it is kept:
//
//     W = V_f - S n,    V_h = V_f + (rho_f / rho_h - 1) S n.
//
// A face holds the velocity of the gas on its side of the front, told by the mean of phi in the two cells
// beside it, as in poisson/assemble.h; what the other gas would have there is a ghost value (eq. 1.28, 1.29).
#pragma once

#include "domain/domain.h"

typedef enum BwFrontSide { BW_FUEL_SIDE, BW_PRODUCTS_SIDE } BwFrontSide;

// Adds so many m/s along n to the velocity on the faces of one side, as far as phi has a slope: with the jump
// of the velocity it makes ghost values. Where the front is out (operate/flame_extinction.h; a NULL `lit`: it
// is alight everywhere) nothing is added.
void bw_front_shift(const BwDomain *domain, const BwField *phi, const BwField *lit, BwFrontSide side,
                    float speed, BwVelocity *velocity);

// W: near the front the fuel's velocity, ghost values and all, at the front's nearest place (Adalsteinsson
// and Sethian 1999, The Fast Construction of Extension Velocities in Level Set Methods), less S n where it is
// alight; elsewhere 0.
void bw_front_velocity(const BwDomain *domain, const BwField *phi, const BwField *lit, const BwVelocity *fuel,
                       float speed, BwVelocity *front);

// Smooths out waves of the front that are a few cells long, as a flame's thickness does; longer ones, and the
// mean curvature, stay. `scratch` and `notes` are written to.
void bw_front_smooth(const BwDomain *domain, BwField *phi, BwField *scratch, BwNotes *notes, float speed,
                     float dt);

// Notes `mark` in tiles that fuel is in or near to, 0 in the others.
void bw_front_note(const BwDomain *domain, const BwField *phi, uint64_t mark, BwNotes *notes);

// Faces on the fuel's side take their velocity from `fuel`, in tiles that have this mark; NULL: in all.
void bw_front_select(const BwDomain *domain, const BwField *phi, const BwVelocity *fuel, const BwNotes *notes,
                     uint64_t mark, BwVelocity *velocity);

// Adds fuel to phi where the share of the gas that is fuel is above one half, in the midst of cells between.
void bw_front_add_fuel(const BwDomain *domain, BwField *phi, const BwField *share);

// The density of cells relative to that of products.
void bw_front_densities(const BwDomain *domain, const BwField *phi, float ratio, BwField *density);

// The share of cells that is fuel, which falls from 1 to 0 across so many of them, and the area of the front
// per volume, 1/m, spread over a cell and a half to each side.
void bw_front_share(const BwDomain *domain, const BwField *phi, float cells, BwField *share);
void bw_front_spread(const BwDomain *domain, const BwField *phi, BwField *area);

// m^2, of the front that is alight in open cells, less those that belong to the outside of the box; in 2-D
// times 1 m.
double bw_front_area(const BwDomain *domain, const BwField *phi, const BwField *lit);
