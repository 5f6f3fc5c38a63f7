// Full, Surface and Empty cells of a liquid, and the velocity on the sides of Surface cells that face Empty
// ones (Foster and Metaxas 1996, Realistic Animation of Liquids, section 3.2.3).
//
// The paper's rules, axis by axis. Of the two sides of a cell along an axis, none, one or both face an Empty
// cell; solids, inflows and liquid are not Empty.
//
//   none           closed: the velocities stand.
//   one            the open side takes the velocity of the side across, and with it an equal part of what the
//                  closed axes are short of: with one open side that is (10), with two at a corner the
//                  paper's du/dx = dw/dz = 0.
//   both           in a cell that has an axis of the kind above, both follow the body force alone, as the
//   paper
//                  has it for three open sides. Else, in a sheet or a column of one cell, the paper is
//                  silent: here the mean of both follows the body force, and their difference closes the
//                  cell.
//   both, on all   the cell falls freely.
//
// So a cell is closed, without divergence, unless an axis that is open on both sides falls beside another.
//
// Liquid does not hang: where a wall is across from an open side and the body force leads away from it, the
// side takes what the body force gives it where that is faster.
#pragma once

#include "domain/domain.h"

typedef enum BwAxisRule {
    BW_AXIS_CLOSED,  // no side is open
    BW_AXIS_FOLLOWS, // the open side follows the one across
    BW_AXIS_SPLITS,  // both are open, and share what closes the cell
    BW_AXIS_FALLS,   // both are open, and follow the body force alone
} BwAxisRule;

// What the rules make of a set of open sides, one bit each in the order of BwSide.
typedef struct BwSurfaceRules {
    BwAxisRule axis[3];
    int takers;  // axes that share what the closed ones are short of
    bool closes; // no divergence is left
} BwSurfaceRules;

BwSurfaceRules bw_surface_rules(unsigned open, int dimension);

// Sets the open sides of a cell, m/s, in the order of BwSide.
void bw_surface_cell_velocity(unsigned open, int dimension, float side[6]);

// The cells of a liquid. Faces that are neither closed nor prescribed `move`.
typedef struct BwFreeSurface {
    BwMask full, surface;
    BwMask moves[3];
} BwFreeSurface;

BwResult bw_free_surface_create(BwFreeSurface *surface, BwGrid *grid, BwError *err);
void bw_free_surface_destroy(BwFreeSurface *surface);

// Labels the fluid cells of a domain: those beside an Empty cell are Surface cells. Cells outside of an
// outflow are not Empty: what they are beside stays under pressure.
void bw_free_surface_label(BwFreeSurface *surface, const BwDomain *domain);

// Fluid cells that are mostly air are Surface cells too, though none beside them is Empty: in a gap that is
// narrower than two cells.
void bw_free_surface_add(BwFreeSurface *surface, const BwDomain *domain, const BwMask *gaps);

// Sets the velocity on all sides of Surface cells that face Empty ones, under a body force, m/s^2.
void bw_free_surface_set_velocity(const BwFreeSurface *surface, const BwDomain *domain, BwVec3 force,
                                  BwVelocity *velocity);

// The largest divergence of a Full cell, 1/s.
double bw_full_divergence_max(const BwFreeSurface *surface, const BwDomain *domain,
                              const BwVelocity *velocity);

// The pressure over density, m^2/s^2, of cells that are not Full: on the surface what domain->terms applies
// there, else 0.
void bw_free_surface_set_pressure(const BwFreeSurface *surface, const BwDomain *domain, BwField *pressure);

// Adds to the pressure of Surface cells, m^2/s^2.
void bw_free_surface_add_pressure(const BwFreeSurface *surface, const BwDomain *domain, const BwField *added,
                                  BwField *pressure);
