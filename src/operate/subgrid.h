// Subgrid friction: drains motion at the scale of the grid, which shear feeds and nothing else ends.
//
// Of each velocity component u and along each axis, with d the second difference of u,
//
//     u <- u - D q,    q = kappa d,    4 kappa = min(max(factor |S| - nu / h^2, 0) dt, 1 / (4 dimension)),
//
// D the second difference again and |S| = sqrt(2 S_ij S_ij) the rate of strain, from differences between
// neighbours, which do not overlook a wave of two cells: the eddy viscosity factor h^2 |S| of Smagorinsky
// 1963, on fourth differences in place of second ones, so that it acts on the smallest scales of the grid
// alone. The fluid's own viscosity nu drains them too, and counts. Linear profiles feel nothing. What is
// taken from one sample goes to its neighbours: momentum stays, and so does its first moment.
//
// Lines that a wall or solid cuts have no d, and neither has a line with a sample that a no-slip wall sets: a
// wall exerts no friction by this. As q has the sign of d and kappa is bounded, a step can only lose energy,
// whatever the time step.
#pragma once

#include "domain/domain.h"

// Which lines of three neighbouring samples exist, found anew each time.
typedef struct BwSubgrid {
    BwMask edge[3];        // by the axis an edge runs along: nothing closes any of the four faces around it
    BwMask line[3][3];     // by component and axis: a sample and both of its neighbours, nothing between them
    BwMask constrained[3]; // samples of a component that no-slip walls set; they take no part
    BwNotes is_open;       // 1 where none of a tile's edges is closed and none of its samples constrained
    BwNotes
        has_lines; // 1 where the same is true of the tiles beside too: all lines exist, and `line` has none
} BwSubgrid;

// With `has_no_slip`, `constrained` is there to be filled in before each use.
BwResult bw_subgrid_create(BwSubgrid *subgrid, BwGrid *grid, bool has_no_slip, BwError *err);
void bw_subgrid_destroy(BwSubgrid *subgrid);

typedef struct BwSubgridLaw {
    float factor;    // 1
    float viscosity; // m^2/s, of the fluid itself
    float dt;        // s
} BwSubgridLaw;

// Computes `to` from `from` in all cells of the awake tiles; faces that nothing may pass are copied and take
// no part. `work` is a cell field to work with.
void bw_subgrid_friction(BwSubgrid *subgrid, const BwDomain *domain, const BwVelocity *from, BwVelocity *to,
                         BwField *work, BwSubgridLaw law);
