// The one linear system behind pressure, heat and simple viscosity: for every cell c that holds an unknown,
//
//     mass_c x_c + sum over its six faces f of a_f (x_c - x_n) = b_c,
//
// where n is the cell across the face, and x_n = 0 where n holds no unknown (a fixed value; one that is not
// zero is moved into b). A closed face has a_f = 0. The diagonal is summed from the coefficients, never
// stored rounded. In 2-D there are four faces. The matrix is symmetric and never indefinite; in a
// connected region where nothing fixes x the constants are its null space: b must sum to zero there, and the
// solver subtracts its mean.
#pragma once

#include "base/pool.h"
#include "grid/field.h"
#include <billow/scene.h>
#include <billow/world.h>

typedef struct BwPoisson {
    const BwGrid *grid;
    const BwMask *unknown;  // cells that hold unknowns
    const BwField *face[3]; // coefficient of each cell's low face, >= 0; in 2-D the third is NULL
    const BwField *mass;    // >= 0, or NULL: none
    const BwField *right;   // b
    BwWideField *x;         // in: first guess, out: solution; 0 where there is no unknown
} BwPoisson;

typedef struct BwPoissonOptions {
    BwPressureMethod method;
    double tolerance; // relative to the right side (2-norm), of the true residual
    double norm_min;  // what the tolerance is relative to where the right side is less, 0: nothing
    bool from_zero;   // the first guess is zero, not what x holds
    double bound;     // absolute bound on the largest |residual| of a cell, 0: none; both must hold
    int iterations_max;
    float relaxation; // beta0, for that method
    int sweeps;       // fixed number of sweeps for relaxation, 0: until the tolerance
    bool keeps_small; // multigrid takes small components too, which are else solved directly; for tests
} BwPoissonOptions;

// The worse of two reasons, for sums over several solves. A solve that had nothing to do says nothing of the
// others.
static inline BwStop bw_stop_worst(BwStop a, BwStop b)
{
    if (a == BW_STOP_EMPTY || b == BW_STOP_EMPTY)
        return a == BW_STOP_EMPTY ? b : a;
    return a > b ? a : b;
}

typedef struct BwPoissonReport {
    int iterations;
    double residual;     // relative, recomputed from x at the end
    double residual_max; // largest |residual| of a cell, absolute
    double norm;         // that the former is relative to: of the right side, or the options' norm_min
    BwStop reason;
    int64_t unknowns;
    int regions;      // connected regions without a fixed value
    double imbalance; // largest |mean of b| of such a region, absolute: what each of its cells had to give up
    int64_t bytes;    // memory the solver held beyond the fields above
} BwPoissonReport;

// Memory that a solver keeps from step to step. All zero is a fresh one.
typedef struct BwPoissonSolver BwPoissonSolver;
BwResult bw_poisson_solver_create(BwPoissonSolver **solver, const BwAllocator *allocator, BwPool *pool,
                                  BwError *err);
void bw_poisson_solver_destroy(BwPoissonSolver *solver);

// Solves. Stopping short is a reason in the report, not an error; only memory can fail.
BwResult bw_poisson_solve(BwPoissonSolver *solver, const BwPoisson *system, const BwPoissonOptions *options,
                          BwPoissonReport *report, BwError *err);
