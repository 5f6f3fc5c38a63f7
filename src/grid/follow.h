// Tiles that follow the fluid: awake where it is and within a buffer zone around it, asleep elsewhere.
#pragma once

#include "grid/grid.h"

// What wants to be awake: in each tile the box of cells that matter, empty where none does.
typedef struct BwTileSpan {
    int8_t low[3], high[3]; // cells of the tile, high end excluded; low >= high: none
} BwTileSpan;

// What is about to change, so that a solver can account for it before it does.
typedef struct BwFollowPlan {
    BwTileCoord *wake;
    int64_t wake_count, wake_capacity;
    int32_t *sleep; // slots
    int64_t sleep_count, sleep_capacity;
    uint8_t *keep; // by rank
    int64_t keep_capacity;
} BwFollowPlan;

// Every tile within `buffer` cells of a span (one for each tile, in the grid's order) or of one of the boxes
// shall be awake, all others asleep.
BwResult bw_follow_plan(BwFollowPlan *plan, const BwGrid *grid, const BwTileSpan *spans,
                        const BwCellBox *boxes, int box_count, int buffer, BwError *err);

// Carries the plan out: sleeps first, so that their slots are reused. On failure only the sleeping has
// happened.
BwResult bw_follow_apply(BwFollowPlan *plan, BwGrid *grid, BwError *err);

void bw_follow_free(BwFollowPlan *plan, const BwAllocator *allocator);
