// A long task that somebody watches: it tells how far it has come, and ends when it is told to.
#pragma once

#include "base/error.h"
#include <billow/base.h>

typedef struct BwTask {
    BwWatch watch;
    char name[200]; // "reading ball.obj"
    double next;    // s, on the clock: when to be asked again
} BwTask;

BwTask bw_task(BwWatch watch, const char *format, ...) BW_PRINTF(2, 3);

// To be called as often as one likes: looks at the clock, and asks the watch a few times a second.
// BW_ERR_INTERRUPTED when it wants no more. A NULL task goes on for ever.
BwResult bw_task_go_on(BwTask *task, double share, BwError *err);
