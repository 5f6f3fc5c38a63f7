// Seconds by stage: a recipe names its stages as it goes, and each name takes the time until the next.
#pragma once

#include "base/clock.h"
#include <billow/world.h>
#include <string.h>

typedef struct BwStageClock {
    BwStats *stats;
    int current; // -1: none
    double began;
} BwStageClock;

static inline BwStageClock bw_stage_clock(BwStats *stats)
{
    return (BwStageClock){stats, -1, 0.0};
}

// Ends the present stage and begins another; NULL only ends.
static inline void bw_stage(BwStageClock *clock, const char *name)
{
    double now = bw_clock_seconds();
    BwStats *stats = clock->stats;
    if (clock->current >= 0)
        stats->stages[clock->current].seconds += now - clock->began;
    clock->current = -1;
    clock->began = now;
    if (name == NULL)
        return;
    int n = 0;
    while (n < stats->stage_count && strcmp(stats->stages[n].name, name) != 0)
        n++;
    if (n == BW_STAGES_MAX)
        return;
    if (n == stats->stage_count) {
        stats->stages[n].name = name;
        stats->stages[n].seconds = 0.0;
        stats->stage_count++;
    }
    clock->current = n;
}
