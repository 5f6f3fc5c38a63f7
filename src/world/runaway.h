// A watch on flows that run away: speed or energy that nothing in the scene explains, frame by frame. It asks
// only for what drives a flow and how fast it is, so that it serves every fluid.
//
// The air of a flow that forces drive goes no faster than what it started with and what it gains on its way:
// v^2 = v0^2 + 2 a L in a box of size L, and v0 + a t whatever the box (Bernoulli). v0 is the fastest that a
// source, wall or solid moves, or that the fluid did at the start; a the strongest acceleration. Vorticity
// confinement, which grows with the speed, adds to both. Real flows stay below: turbulence and jets of a
// measured frame reach about once that speed. What passes through narrow gaps is faster than what
// drives it, but not for long.
#pragma once

#include "base/record.h"
#include "solvers/solver.h"

typedef struct BwRunawayWatch {
    double speed;        // m/s, the fastest that anything was that moves the fluid, so far
    double acceleration; // m/s^2, the strongest, so far
    double gained;       // m/s, the sum of acceleration times time
    double least_energy; // J, since nothing drives the flow; NaN: something does
    double above;        // frames in a row, up to the last, that were too fast
} BwRunawayWatch;

// At the start, from the stats of the frame.
BwRunawayWatch bw_runaway_begin(const BwStats *stats);

// Looks at a step of `seconds`, which are so many frames: fills the stats' `runaway`, all but the place, and
// gives whether the flow runs away.
bool bw_runaway_look(BwRunawayWatch *watch, const BwDrive *drive, double seconds, double frames,
                     BwStats *stats);

BwResult bw_runaway_save(const BwRunawayWatch *watch, BwRecord *record, BwError *err);

// From a record that knows nothing of it, the watch begins anew. Fails when it holds what no watch leaves.
BwResult bw_runaway_load(BwRunawayWatch *watch, const BwRecord *record, const BwStats *stats, BwError *err);
