/// Stam's fluid in a box, to embed in a game: dense arrays, every step of the same cost, stable at any step,
/// no memory taken after creation, no files and no threads unless they are asked for. In 2-D and 3-D, in
/// floating point or in whole numbers alone. docs/stable.md sets it beside the paper (Stam 2003).
///
/// Put what the world does to the fluid into the source arrays, step, look at the fields:
/// ```c
/// BwStableBoxDef def = bw_stable_box_def_default();
/// def.size[0] = def.size[1] = 128;
/// BwStable *fluid;
/// BwError err;
/// if (bw_stable_create(&fluid, &def, &err) != BW_OK)
///     return;
/// BwStableView source = bw_stable_source(fluid, BW_STABLE_DENSITY);
/// source.values[64 + 5 * source.row] = 100.0f;
/// bw_stable_step(fluid, 1.0f / 60.0f);
/// ```
#pragma once

#include <billow/base.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A box of fluid. Not shared between threads.
typedef struct BwStable BwStable;

typedef enum BwNumber { BW_NUMBER_FLOAT, BW_NUMBER_FIXED } BwNumber;

/// How diffusion and pressure are solved. Fixed point knows relaxation only.
typedef enum BwStableSolver {
    BW_STABLE_RELAXATION, // a fixed number of sweeps, as in the paper: always the same cost
    BW_STABLE_CG,         // conjugate gradients, to a tolerance
    BW_STABLE_FAST,       // directly by fast cosine transforms; with obstacles they precondition CG
} BwStableSolver;

typedef enum BwStableField { BW_STABLE_U, BW_STABLE_V, BW_STABLE_W, BW_STABLE_DENSITY } BwStableField;
#define BW_STABLE_FIELDS 4

/// What a side of the box does. Velocity slides along walls.
typedef enum BwStableKind {
    BW_STABLE_WALL,
    BW_STABLE_OPEN,   // fluid leaves and enters freely; what enters is clean
    BW_STABLE_INFLOW, // velocity and density of the patch, or still and clean
} BwStableKind;

/// Part of a side that differs from the rest of it: a vent, a fan, a wind tunnel's mouth.
typedef struct BwStablePatch {
    int side;          // 0 left, 1 right, 2 bottom, 3 top, 4 back, 5 front
    int low[2];        // first cell along the side's two axes, in the order x, y, z
    int high[2];       // one past the last cell
    BwStableKind kind; // default wall
    float velocity[3]; // m/s, of an inflow
    float density;     // of an inflow
} BwStablePatch;

#define BW_STABLE_PATCHES_MAX 16

typedef struct BwStableBoxDef {
    uint32_t cookie;       // set by bw_stable_box_def_default
    BwAllocator allocator; // zero: malloc and free
    void *memory;          // the caller's own block instead of the allocator, aligned to 64 bytes, or NULL;
    size_t memory_size;    // its size: at least bw_stable_memory_size
    BwScheduler scheduler; // zero: threads of our own when worker_count asks for them
    int worker_count;      // default 1: the caller's thread alone
    int size[3];           // cells along x, y, z; z default 1, which means 2-D
    float cell;            // m, side of a cell; default 0: 1 / size[0], the paper's box of unit width
    float viscosity;       // m^2/s, default 0
    float diffusion;       // m^2/s, of the density, default 0
    float confinement;     // 1/s, strength of vorticity confinement, default 0
    int sweeps;            // 1, of the relaxation, default 20
    BwStableSolver solver; // default relaxation
    float tolerance;       // 1, relative residual of CG, default 1e-4
    int iterations_max;    // of CG, default 200
    BwNumber number;       // default float
    bool periodic[3];      // per axis, default false
    BwStableKind side[6];  // default walls; left, right, bottom, top, back, front
    int patch_count;
    BwStablePatch patches[BW_STABLE_PATCHES_MAX];
    bool conserve_mass;   // make good what unfinished sweeps of the density's diffusion lost; default true
    bool guess_is_source; // start diffusion from the source array, as the paper's swap does, not from the
                          // field itself, which is nearer; default false
} BwStableBoxDef;

BW_API BwStableBoxDef bw_stable_box_def_default(void);

/// Bytes that bw_stable_create takes for this Def; what a caller's own block must hold. Threads are extra.
BW_API size_t bw_stable_memory_size(const BwStableBoxDef *def);

/// A box at rest, without density. Fails when the Def is not valid or memory is short.
BW_API BwResult bw_stable_create(BwStable **stable, const BwStableBoxDef *def, BwError *err);
BW_API void bw_stable_destroy(BwStable *stable);

/// One field, or its sources. Value (i, j, k), counted from 0, is at [i + row * j + plane * k]. One pointer
/// is NULL: `fixed` of a float box, `values` of a fixed-point one.
typedef struct BwStableView {
    float *values;
    int32_t *fixed; // in units of 1 / 65536
    ptrdiff_t row, plane;
} BwStableView;

/// Velocity in m/s or density at the cell centres, to read or to set. Valid until the next step.
/// All NULL when there is no such box or field.
BW_API BwStableView bw_stable_field(BwStable *stable, BwStableField field);

/// What the next step adds, per second: m/s^2 or density/s. All zero after each step. Valid until the next.
BW_API BwStableView bw_stable_source(BwStable *stable, BwStableField field);

/// Makes cells solid (not 0) or free (0): one byte a cell, i fastest, tightly packed. NULL frees all of them.
/// Walls of one cell hold. The fluid inside new solids is lost. Keeps walls made by bw_stable_set_faces.
BW_API void bw_stable_set_solids(BwStable *stable, const uint8_t *cells);

/// Closes faces between cells: walls without thickness. One byte a cell, as above; bits 1, 2 and 4 close its
/// low x, y and z face. NULL opens all of them.
BW_API void bw_stable_set_faces(BwStable *stable, const uint8_t *faces);

/// Changes what flows in through a patch of the Def, by its number: m/s, and density. A number
/// that no patch has changes nothing, nor does what a Def may not ask for: NaN, or beyond +-8000.
BW_API void bw_stable_set_inflow(BwStable *stable, int patch, const float velocity[3], float density);

/// Advance by dt seconds; any dt > 0 is stable, and any other (NaN and infinity too) changes nothing. The
/// sources are used up.
BW_API void bw_stable_step(BwStable *stable, float dt);

/// The same for fixed-point boxes, without a single floating-point instruction: dt in units of 2^-24 s, so
/// that a step may last from 0.1 microseconds to two minutes. Does nothing with dt <= 0, or to a box of
/// floats.
BW_API void bw_stable_step_fixed(BwStable *stable, int32_t dt);

/// What the linear solves of the last step did, summed or at their worst. Zero for fixed sweeps.
typedef struct BwStableReport {
    int iterations;
    float residual; // relative to the right side
} BwStableReport;

BW_API BwStableReport bw_stable_report(const BwStable *stable);

#ifdef __cplusplus
}
#endif
