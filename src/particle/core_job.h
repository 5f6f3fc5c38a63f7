// A change of the core in a step, shared by core_change.c (what passes its faces, and which cells it is made
// of) and core_emit.c (the particles that come of it).
#pragma once

#include "particle/core.h"

typedef struct BwCoreJob {
    BwCore *core;
    BwParticles *particles;
    const BwGrid *grid;
    const BwCoreMotion *motion;
    float scale; // dt / h
    int parts;   // particles of a full cell
    float more;  // cells, that each cell gets of what was left over
} BwCoreJob;

// What leaves a cell of the core through the faces where that ends, in cells.
typedef struct BwCoreOutflow {
    float through[6], sum;
} BwCoreOutflow;

// How many particles a cell emits that holds so much too much and from which so much leaves.
int bw_core_emitted(const BwCoreJob *job, float excess, float leaves);

// Adds the particles that a cell emits, and those that fill one which is core no more, from `number` of those
// that are added on; gives the number of the next.
int64_t bw_core_emit(const BwCoreJob *job, const BwCollider *collider, int32_t slot, int cell,
                     const BwCoreOutflow *out, int64_t number);
int64_t bw_core_fill_cell(const BwCoreJob *job, const BwCollider *collider, int32_t slot, int cell,
                          int64_t number);
