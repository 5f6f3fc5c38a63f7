// The box that both number types of Stam's solver share: geometry, boundaries, walls and memory. Invariant:
// every array covers the cells -1 to n along each axis that the box has (one layer of ghosts, as in the
// paper), and cell (0, 0, 0) lies on a cache line.
#pragma once

#include "base/error.h"
#include "base/pool.h"
#include "base/stop.h"
#include "solvers/stable_transform.h"
#include <billow/stable.h>

// What an array holds decides its boundary: the four fields, then the pressure.
typedef enum BoxPart { PART_U, PART_V, PART_W, PART_DENSITY, PART_PRESSURE } BoxPart;

// A cell's closed sides as bits: 1 << side, sides numbered as in BwStablePatch. Solid cells have all six,
// and:
enum { CELL_SOLID = 64 };

// A patch in the numbers of a fixed-point box.
typedef struct FixedPatch {
    int32_t velocity[3], density;
} FixedPatch;

// Rates of a fixed-point box: nu / h^2 and kappa / h^2 in 2^-24 per second, 1 / h and confinement in 2^-16.
typedef struct FixedRates {
    int64_t viscosity, diffusion, inv_cell, confinement;
} FixedRates;

typedef void BwStableFloatStep(BwStable *box, float dt);
typedef void BwStableFixedStep(BwStable *box, int32_t dt);

typedef struct BwStableSteps {
    BwStableFloatStep *as_float;
    BwStableFixedStep *as_fixed;
} BwStableSteps;

struct BwStable {
    BwStableBoxDef def;
    BwPool *pool; // NULL: alone
    bool owns_pool;
    void *block; // all memory below, and this struct
    size_t block_size;

    int size[3];          // cells; size[2] is 1 in 2-D
    int dimension;        // 2 or 3
    ptrdiff_t stride[3];  // elements from a cell to the next along each axis
    size_t element_count; // of an array, ghosts and padding included
    size_t origin;        // elements before cell (0, 0, 0)
    float inv_cell;       // 1/m
    float chebyshev_rho;  // of the pressure's sweeps
    int32_t fixed_rho2;   // its square in 2^-30
    FixedRates rates;
    FixedPatch patches[BW_STABLE_PATCHES_MAX];
    bool has_confinement;
    bool has_solids;    // some internal face is closed
    bool is_plain;      // 2-D and nothing but walls: relaxation may run along diagonals
    bool is_sealed;     // nothing flows in or out
    bool has_open_side; // else the pressure is free by a constant

    void *field[BW_STABLE_FIELDS];  // the state; float or int32_t
    void *source[BW_STABLE_FIELDS]; // sources, and scratch within the step; swaps with field
    void *spare[4];                 // one for relaxation, all for conjugate gradients
    uint8_t *sides;                 // per cell, closed sides
    uint8_t *clearance;             // per cell, cells to the nearest closed side, at most 255
    uint8_t *solids, *faces;        // what the caller set: per cell, as given
    void *edge;                     // relaxation: what one band of rows hands to the next
    void *row_sums;                 // three 8-byte sums per row of cells
    Waves waves[3][2];              // fast solver: tables for each axis, and for twice its length
    float *eigenvalues[3];          // fast solver: of the system at hand
    float *line_memory;             // fast solver: scratch of each worker,
    size_t line_memory_size;        // so many floats
    int64_t fluid_cell_count;
    BwStableReport report;
    BwStableSteps steps;
    const volatile int *const *stop; // as in BwSolverSetup; NULL: nobody asks
};

// Somebody wants no more of the step at work, whose outcome is thrown away: what is left of it is skipped.
static inline bool box_is_stopped(const BwStable *box)
{
    return box->stop != NULL && bw_is_asked_to_stop(*box->stop);
}

// Relaxation's bands of rows, and the most sweeps it makes in one pass (stable_sweep.h).
enum { LANES = 32, SWEEPS = 20 };

// Elements of `edge`: one for each sweep at every time of a band, from LANES before its start.
static inline size_t box_edge_count(const BwStable *box)
{
    return (size_t)(box->size[0] + 2 * LANES + SWEEPS) * SWEEPS;
}

// A box on someone else's pool, which must outlive it; the Def's scheduler and worker_count do not count.
BwResult bw_stable_create_on(BwStable **box, const BwStableBoxDef *def, BwPool *pool, BwError *err);

// What may change between steps.
void bw_stable_set_numbers(BwStable *box, float viscosity, float diffusion, float confinement);

// bw_stable_set_inflow of a patch that is there; says what is wrong with the numbers.
BwResult bw_stable_try_inflow(BwStable *box, int patch, const float velocity[3], float density, BwError *err);

// The largest divergence that is left, 1/s, by the paper's central differences.
double bw_stable_divergence_max(const BwStable *box);

// A box's whole step, for each number type. dt in seconds, or in 2^-24 s.
BwStableFloatStep bw_stable_step_as_float;
BwStableFixedStep bw_stable_step_as_fixed;

// Those of the instruction set at work.
BwResult bw_stable_steps_choose(BwStableSteps *steps, BwError *err);

static inline int box_row_count(const BwStable *box)
{
    return box->size[1] * box->size[2];
}

// Offset of the first cell of row q, counted through the planes.
static inline ptrdiff_t box_row(const BwStable *box, int64_t q)
{
    return (q % box->size[1]) * box->stride[1] + (q / box->size[1]) * box->stride[2];
}
