// What starting a parallel job costs: the mean time of an empty job, back to back, next to one worker alone.
#include "base/pool.h"
#include "base/clock.h"

#include <stdio.h>

static void do_nothing(int64_t begin, int64_t end, int worker, void *context)
{
    (void)begin, (void)end, (void)worker, (void)context;
}

static double microseconds_per_job(int workers, int64_t blocks)
{
    int jobs = workers > 8 ? 200 : 5000; // waking many threads is slow
    BwPool *pool;
    BwPoolDef def = {.worker_count = workers};
    if (bw_pool_create(&pool, &def, NULL) != BW_OK)
        return -1.0;
    double began = bw_clock_seconds();
    for (int job = 0; job < jobs; job++)
        bw_parallel_for(pool, blocks, 1, do_nothing, NULL);
    double seconds = bw_clock_seconds() - began;
    bw_pool_destroy(pool);
    return 1e6 * seconds / jobs;
}

int main(void)
{
    static const int workers[] = {1, 2, 3, 8, 64};
    for (size_t n = 0; n < sizeof workers / sizeof *workers; n++)
        printf("%2d workers: %7.2f us for 2 blocks, %7.2f us for 64 blocks\n", workers[n],
               microseconds_per_job(workers[n], 2), microseconds_per_job(workers[n], 64));
    return 0;
}
