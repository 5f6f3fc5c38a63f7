// Parallel work over ranges. Blocks depend on count and grain only, never on the number of workers, and
// reductions add one slot per block in block order: 1, 2 or 64 workers give the same bits.
#pragma once

#include "base/error.h"
#include <billow/base.h>

typedef struct BwPool BwPool;

typedef struct BwPoolDef {
    BwAllocator allocator; // zero: malloc and free
    BwScheduler scheduler; // zero: threads of the pool's own
    int worker_count;      // default 0: one per core this process may use
} BwPoolDef;

#define BW_WORKERS_MAX 256

// Starts worker_count - 1 threads; the caller of bw_parallel_for is the last worker.
BwResult bw_pool_create(BwPool **pool, const BwPoolDef *def, BwError *err);
void bw_pool_destroy(BwPool *pool);
int bw_pool_worker_count(const BwPool *pool);

// What jobs of several workers have taken since the pool was made. Asked by who starts the jobs, between two.
typedef struct BwPoolTimes {
    double shared; // s, by the clock
    double worked; // s, of all workers together, without waiting for one another
} BwPoolTimes;

BwPoolTimes bw_pool_times(const BwPool *pool);

// Work on the items begin to end - 1. `worker` is an index for scratch memory, never for results.
typedef void BwRangeFn(int64_t begin, int64_t end, int worker, void *context);

// Calls fn for every block of `grain` items. A worker takes a contiguous share of blocks first, so that a
// field's tiles stay with the worker whose cache holds them, then helps the others. A call from
// inside a job of the same pool runs in the caller, with its worker's index. Jobs are started by one thread
// at a time. A NULL pool works alone.
void bw_parallel_for(BwPool *pool, int64_t count, int64_t grain, BwRangeFn *fn, void *context);

// One block's part of a sum or of a maximum.
typedef double BwReduceFn(int64_t begin, int64_t end, int worker, void *context);

// Reductions never use more blocks than this, so their slots need no allocation; the grain grows to fit.
#define BW_REDUCE_BLOCKS 1024

// The sum over all blocks, added in their order; 0 for no items.
double bw_parallel_sum(BwPool *pool, int64_t count, int64_t grain, BwReduceFn *fn, void *context);
// The largest block's value; NaN if any block gives NaN, -INFINITY for no items.
double bw_parallel_max(BwPool *pool, int64_t count, int64_t grain, BwReduceFn *fn, void *context);
