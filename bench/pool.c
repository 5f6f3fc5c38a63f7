// What starting a parallel job costs: the mean time of an empty job of 64 blocks, back to back, against the
// same number of threads started and joined for it.
#include "base/pool.h"
#include "base/clock.h"
#include "cases.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

enum { WORKERS_MAX = 64 };

static void do_nothing(int64_t begin, int64_t end, int worker, void *context)
{
    (void)begin, (void)end, (void)worker, (void)context;
}

static void *run_nothing(void *context)
{
    return context;
}

// Waking or starting many threads is slow.
static int count_jobs(int workers)
{
    return workers > 8 ? 100 : 2000;
}

// Microseconds, or below 0 when the pool could not be made.
static double time_pool(int workers)
{
    BwPool *pool;
    BwPoolDef def = {.worker_count = workers};
    if (bw_pool_create(&pool, &def, NULL) != BW_OK)
        return -1.0;
    int jobs = count_jobs(workers);
    double began = bw_clock_seconds();
    for (int job = 0; job < jobs; job++)
        bw_parallel_for(pool, 64, 1, do_nothing, NULL);
    double seconds = bw_clock_seconds() - began;
    bw_pool_destroy(pool);
    return 1e6 * seconds / jobs;
}

// The one that asks for the job works too, so there is one thread less to start. Microseconds, or below 0.
static double time_fresh_threads(int workers)
{
    pthread_t threads[WORKERS_MAX];
    int jobs = count_jobs(workers) / 10;
    bool is_short = false;
    double began = bw_clock_seconds();
    for (int job = 0; job < jobs && !is_short; job++) {
        int count = 0;
        while (count < workers - 1 && pthread_create(&threads[count], NULL, run_nothing, NULL) == 0)
            count++;
        is_short = count < workers - 1;
        while (count > 0)
            pthread_join(threads[--count], NULL);
    }
    return is_short ? -1.0 : 1e6 * (bw_clock_seconds() - began) / jobs;
}

int bench_pool(int argument_count, char **arguments)
{
    (void)argument_count, (void)arguments;
    static const int workers[] = {2, 3, 8, WORKERS_MAX};
    printf(" 1 worker   a job %8.2f us\n", time_pool(1));
    for (size_t n = 0; n < sizeof workers / sizeof *workers; n++) {
        double ours = time_pool(workers[n]), fresh = time_fresh_threads(workers[n]);
        if (ours < 0.0 || fresh < 0.0) {
            fprintf(stderr, "bench pool: %d threads could not be started\n", workers[n]);
            return 2;
        }
        printf("%2d workers  a job %8.2f us  fresh threads %8.2f us  ratio %.2f\n", workers[n], ours, fresh,
               ours / fresh);
    }
    return 0;
}
