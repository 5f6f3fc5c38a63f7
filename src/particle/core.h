// The core of a liquid: cells deep inside that are full of it and hold no particles, for what they carry the
// grid carries as well (narrow band: Ferstl, Ando, Wojtan, Westermann and Thuerey 2016, Narrow Band FLIP for
// Liquid Simulations).
//
// Through the faces around the core liquid passes as it does elsewhere. What leaves is counted, and emitted
// as particles where it has got to; particles that come in are absorbed. So every cell keeps an account of
// what it holds beyond being full, and the volume of all, particles and core, stays what it was.
#pragma once

#include "particle/collide.h"

typedef struct BwCore {
    BwField excess;         // cells: what a cell of the core holds beyond being full; elsewhere BW_NOT_CORE
    BwField smooth;         // scratch
    BwMask full;            // the core
    BwMask next;            // what shall be
    BwMask stays;           // what has been through the last step, and is still
    BwMask around, scratch; // cells near the core: liquid, whatever their particles tell
    double left_over;       // cells: what belongs to none of them
    BwNotes count;          // of particles that a tile emits
} BwCore;

// Of cells outside the core; no account gets as low.
#define BW_NOT_CORE -1000.0f

// Cells that one of the core holds too much of or lacks, at most; more only a run has that is lost anyway.
#define BW_CORE_EXCESS_MAX 64.0f

BwResult bw_core_create(BwCore *core, BwGrid *grid, BwError *err);
void bw_core_destroy(BwCore *core);

// Begins with what shall be core, full and no more. Gives how many cells that are.
int64_t bw_core_begin(BwCore *core);

// Whether there is any core, or shall be.
bool bw_core_is_there(const BwCore *core);

// Finds the core from the accounts, when those were loaded.
BwResult bw_core_load(BwCore *core, BwError *err);

// What moves the liquid in a step.
typedef struct BwCoreMotion {
    const BwVelocity *velocity, *shift; // m/s; either may be NULL
    const BwVelocity *carried;          // what particles that are emitted are given
    const BwCollision *collision;
    float dt;
    int per_axis;  // particles along each axis of a cell
    uint64_t seed; // of their places
} BwCoreMotion;

// Counts what passes the faces around the core in a step, adds particles for what has left it and in the
// cells that are core no more, and turns to the next core. The particles added are sorted in by the next
// bw_particles_sort, which also absorbs those that are in the core now.
BwResult bw_core_change(BwCore *core, BwParticles *particles, const BwCoreMotion *motion, BwError *err);

// Diffuses what the cells of the core hold among them, after a sort.
void bw_core_diffuse(BwCore *core, BwPool *pool);

// The tiles' spans, widened by the cells of the core.
void bw_core_widen_spans(const BwCore *core, BwTileSpan *spans);

// What the core holds: its volume, cells; half of its volume times the speed squared, cells m^2/s^2; and its
// largest speed, m/s.
double bw_core_volume(const BwCore *core);
double bw_core_kinetic_energy(const BwCore *core, const BwVelocity *velocity);
float bw_core_max_speed(const BwCore *core, const BwVelocity *velocity);
