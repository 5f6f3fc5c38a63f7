// Seconds by stage: a recipe names its stages as it goes, and each name takes the time until the next. What
// all threads work in a stage tells how well it is shared out: between jobs of the pool one thread works.
#pragma once

#include "base/clock.h"
#include "base/pool.h"
#include <billow/world.h>
#include <string.h>

typedef struct BwStageClock {
    BwStats *stats;
    const BwPool *pool;
    int current; // -1: none
    double began;
    BwPoolTimes times; // when it began
} BwStageClock;

static inline BwStageClock bw_stage_clock(BwStats *stats, const BwPool *pool)
{
    stats->threads = bw_pool_worker_count(pool);
    return (BwStageClock){.stats = stats, .pool = pool, .current = -1};
}

// Ends the present stage and begins another; NULL only ends.
static inline void bw_stage(BwStageClock *clock, const char *name)
{
    double now = bw_clock_seconds(), seconds = now - clock->began;
    BwPoolTimes times = bw_pool_times(clock->pool);
    BwStats *stats = clock->stats;
    if (clock->current >= 0) {
        stats->stages[clock->current].seconds += seconds;
        stats->stages[clock->current].worked +=
            seconds - (times.shared - clock->times.shared) + (times.worked - clock->times.worked);
    }
    clock->current = -1;
    clock->began = now;
    clock->times = times;
    if (name == NULL)
        return;
    int n = 0;
    while (n < stats->stage_count && strcmp(stats->stages[n].name, name) != 0)
        n++;
    if (n == BW_STAGES_MAX)
        return;
    if (n == stats->stage_count) {
        stats->stages[n].name = name;
        stats->stages[n].seconds = stats->stages[n].worked = 0.0;
        stats->stage_count++;
    }
    clock->current = n;
}
