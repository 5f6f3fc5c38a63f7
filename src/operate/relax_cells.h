// Pressure and velocity made to agree with continuity, cell by cell (Foster and Metaxas 1996, (5) to (9);
// Hirt and Cook 1972): a Full cell that takes in more than it lets out gets a higher pressure, which pushes
// the velocity on its sides outwards; sweeps go on until no cell has more divergence than epsilon.
//
// A sweep goes over the cells in two colours, like a chessboard: cells of a colour share no side, so that
// threads may share the work and the result is the same for any number of them. A cell's step (7) counts the
// sides that move, all six in the paper: beside walls it would be too short else.
#pragma once

#include "operate/free_surface.h"

typedef struct BwRelaxation {
    const BwDomain *domain;
    const BwFreeSurface *surface;
    const BwField *divergence; // 1/s, that cells are asked for; NULL: none
    float factor;              // 1, beta0, 1 to 2
    double epsilon;            // 1/s
    int sweeps_max;
    float dt;
} BwRelaxation;

typedef struct BwRelaxationReport {
    int sweeps;
    double first, last; // 1/s, the most divergence that the first and the last sweep found
    bool has_converged;
} BwRelaxationReport;

BwRelaxationReport bw_relax_cells(const BwRelaxation *relaxation, BwVelocity *velocity, BwField *pressure);
