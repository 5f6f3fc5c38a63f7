// The pipeline of bands over the pool. Invariant: workers take bands in order and a band ends after the one
// before it, so the bands in work are neighbours, no more of them than workers, and a ring of slots tells
// them apart.
#include "base/pipeline.h"

#include <limits.h>
#include <sched.h>
#include <stdatomic.h>

enum { SLOTS = 2 * BW_WORKERS_MAX };

struct BwPipeline {
    BwBandFn *fn;
    void *context;
    int count;
    atomic_int next;
    atomic_int_least64_t reached[SLOTS]; // the band in the high half, its place in the low: only ever grows
};

static int64_t mark_of(int band, int place)
{
    return (int64_t)(band + 1) << 32 | (int64_t)place;
}

// A worker that waits for another gives way to it: first in its core, then in the system.
static void wait_a_little(int turn)
{
    if (turn % 1024 == 1023)
        sched_yield();
#if defined(__x86_64__) || defined(__i386__)
    else
        __builtin_ia32_pause();
#endif
}

void bw_band_wait(BwPipeline *pipeline, int band, int place)
{
    if (band == 0)
        return;
    atomic_int_least64_t *before = &pipeline->reached[(band - 1) % SLOTS];
    int64_t wanted = mark_of(band - 1, place);
    for (int turn = 0; atomic_load_explicit(before, memory_order_acquire) < wanted; turn++)
        wait_a_little(turn);
}

void bw_band_reach(BwPipeline *pipeline, int band, int place)
{
    atomic_store_explicit(&pipeline->reached[band % SLOTS], mark_of(band, place), memory_order_release);
}

static void work_on_bands(int64_t begin, int64_t end, int worker, void *context)
{
    (void)begin, (void)end, (void)worker;
    BwPipeline *pipeline = context;
    for (;;) {
        int band = atomic_fetch_add_explicit(&pipeline->next, 1, memory_order_relaxed);
        if (band >= pipeline->count)
            return;
        pipeline->fn(pipeline, band, pipeline->context);
        bw_band_wait(pipeline, band, INT_MAX);
        bw_band_reach(pipeline, band, INT_MAX);
    }
}

void bw_parallel_bands(BwPool *pool, int count, BwBandFn *fn, void *context)
{
    BwPipeline pipeline = {.fn = fn, .context = context, .count = count};
    bw_parallel_for(pool, bw_pool_worker_count(pool), 1, work_on_bands, &pipeline);
}
