// The methods behind bw_poisson_solve. Each starts from x, improves it until the residual meets the options
// or a reason to stop appears, and fills in iterations and reason; the caller measures the true residual.
#pragma once

#include "poisson/poisson_tiles.h"

typedef struct BwPoissonRun {
    const BwPoissonTiles *tiles;
    const BwPoissonOptions *options;
    double right_norm; // 2-norm of the compatible right side, above 0
    int iterations;
    BwStop reason;
    BwPoissonNorms norms; // of the true residual, when has_norms
    bool has_norms;
} BwPoissonRun;

// Conjugate gradients in double, preconditioned by the diagonal or by MIC(0)
// (Bridson and Mueller-Fischer 2007, section 4.3).
BwResult bw_poisson_cg(BwPoissonRun *run, BwError *err);
BwResult bw_poisson_miccg(BwPoissonRun *run, BwError *err);

// Conjugate gradients in float around a double x, preconditioned by multigrid
// (McAdams, Sifakis and Teran 2010).
BwResult bw_poisson_multigrid(BwPoissonRun *run, BwError *err);

// Relaxation by sweeps (Foster and Metaxas 1996; Stam 2003), a fixed number of them where the options say so.
BwResult bw_poisson_relax(BwPoissonRun *run);

// Preconditioner of miccg: MIC(0), one thread, for its recurrence follows the order of the cells.
typedef struct BwIncomplete {
    const BwPoissonTiles *tiles;
    float *low[3];      // coefficients of low faces between unknowns that the factor keeps
    double *reciprocal; // of the factor's diagonal E; 0 where there is no unknown
} BwIncomplete;

BwResult bw_incomplete_build(BwIncomplete *factor, const BwPoissonTiles *tiles, BwError *err);
void bw_incomplete_apply(const BwIncomplete *factor, const double *right, double *out);
