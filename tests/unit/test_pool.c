// The thread pool: every item once, nested calls, sums that do not depend on the number of workers, and pools
// that come and go, sleep and wake.
#include "base/pool.h"
#include "strict_allocator.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TILE_COUNT = 5000, CELLS = 512 };

static const int worker_counts[] = {1, 2, 3, 8, 64};

static BwPool *make_pool(int workers)
{
    BwPool *pool;
    BwPoolDef def = {.worker_count = workers};
    assert_int_equal(bw_pool_create(&pool, &def, NULL), BW_OK);
    return pool;
}

static void count_visits(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    int *visits = context;
    for (int64_t i = begin; i < end; i++)
        visits[i]++;
}

static void every_item_is_visited_once(void **state)
{
    (void)state;
    int *visits = malloc(10007 * sizeof *visits);
    for (size_t w = 0; w < sizeof worker_counts / sizeof *worker_counts; w++) {
        BwPool *pool = make_pool(worker_counts[w]);
        for (int64_t grain = 1; grain < 20000; grain = grain * 7 + 1) {
            memset(visits, 0, 10007 * sizeof *visits);
            bw_parallel_for(pool, 10007, grain, count_visits, visits);
            for (int i = 0; i < 10007; i++)
                assert_int_equal(visits[i], 1);
        }
        bw_parallel_for(pool, 0, 1, count_visits, visits);
        bw_pool_destroy(pool);
    }
    free(visits);
}

// Numbers of mixed size and sign, so that any other order of adding them gives other bits.
static double sum_of_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const float *values = context;
    double sum = 0.0;
    for (int64_t n = begin * CELLS; n < end * CELLS; n++)
        sum += values[n];
    return sum;
}

static float *mixed_numbers(void)
{
    float *values = malloc((size_t)TILE_COUNT * CELLS * sizeof *values);
    uint32_t random = 12345;
    for (int n = 0; n < TILE_COUNT * CELLS; n++) {
        random = random * 1664525u + 1013904223u;
        float sign = (random & 0x100) ? 1.0f : -1.0f;
        values[n] = sign * ldexpf((float)(random >> 9) / 8388608.0f, (int)(random >> 3 & 63) - 31);
    }
    return values;
}

static void sums_do_not_depend_on_workers(void **state)
{
    (void)state;
    float *values = mixed_numbers();
    double first = 0.0;
    for (size_t w = 0; w < sizeof worker_counts / sizeof *worker_counts; w++) {
        BwPool *pool = make_pool(worker_counts[w]);
        for (int repeat = 0; repeat < 20; repeat++) {
            double sum = bw_parallel_sum(pool, TILE_COUNT, 4, sum_of_tiles, values);
            if (w == 0 && repeat == 0)
                first = sum;
            assert_memory_equal(&sum, &first, sizeof sum);
        }
        bw_pool_destroy(pool);
    }
    free(values);
}

typedef struct Nest {
    BwPool *pool;
    int visits[16][32];
} Nest;

static void outer(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    Nest *nest = context;
    for (int64_t i = begin; i < end; i++)
        bw_parallel_for(nest->pool, 32, 4, count_visits, nest->visits[i]);
}

static void nested_calls_run_in_the_caller(void **state)
{
    (void)state;
    Nest nest = {.pool = make_pool(3)};
    bw_parallel_for(nest.pool, 16, 1, outer, &nest);
    for (int i = 0; i < 16; i++)
        for (int n = 0; n < 32; n++)
            assert_int_equal(nest.visits[i][n], 1);
    bw_pool_destroy(nest.pool);
}

typedef struct Claims {
    BwPool *pool;
    atomic_flag claimed[64];
    atomic_int collisions;
} Claims;

// Two workers inside with one index would share scratch memory.
static void claim_scratch(int64_t begin, int64_t end, int worker, void *context)
{
    (void)begin, (void)end;
    Claims *claims = context;
    if (atomic_flag_test_and_set(&claims->claimed[worker]))
        claims->collisions++;
    for (volatile int spin = 0; spin < 2000; spin++)
        ;
    atomic_flag_clear(&claims->claimed[worker]);
}

static void claim_in_nested_calls(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    Claims *claims = context;
    for (int64_t i = begin; i < end; i++)
        bw_parallel_for(claims->pool, 3, i % 2 + 2, claim_scratch, claims);
}

static void nested_calls_keep_their_workers_index(void **state)
{
    (void)state;
    for (int workers = 2; workers <= 64; workers *= 2) {
        static Claims claims;
        claims = (Claims){.pool = make_pool(workers)};
        bw_parallel_for(claims.pool, 2000, 1, claim_in_nested_calls, &claims);
        assert_int_equal(claims.collisions, 0);
        bw_pool_destroy(claims.pool);
    }
}

static void run_backwards(void *user, int worker_count, BwWorkerFn *work, void *context)
{
    (*(int *)user)++;
    for (int worker = worker_count - 1; worker >= 0; worker--)
        work(context, worker);
}

static void a_host_scheduler_gives_the_same_sum(void **state)
{
    (void)state;
    float *values = mixed_numbers();
    BwPool *own = make_pool(2), *hosted;
    int calls = 0;
    BwPoolDef def = {.worker_count = 5, .scheduler = {run_backwards, &calls}};
    assert_int_equal(bw_pool_create(&hosted, &def, NULL), BW_OK);
    double a = bw_parallel_sum(own, TILE_COUNT, 4, sum_of_tiles, values);
    double b = bw_parallel_sum(hosted, TILE_COUNT, 4, sum_of_tiles, values);
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(calls, 1);
    bw_pool_destroy(own);
    bw_pool_destroy(hosted);
    free(values);
}

static void refuses_absurd_worker_counts(void **state)
{
    (void)state;
    BwPool *pool;
    BwError err;
    BwPoolDef def = {.worker_count = -1};
    assert_int_equal(bw_pool_create(&pool, &def, &err), BW_ERR_DEF);
    assert_string_equal(err.message, "worker_count is -1; it must be 0 to 256");
    assert_null(pool);
}

static void pools_come_and_go(void **state)
{
    (void)state;
    int visits[100] = {0};
    for (int n = 0; n < 100; n++) {
        BwPool *pool = make_pool(worker_counts[n % 5]);
        if (n % 2 == 1)
            bw_parallel_for(pool, 100, 3, count_visits, visits);
        bw_pool_destroy(pool);
    }
    for (int i = 0; i < 100; i++)
        assert_int_equal(visits[i], 50);
    bw_pool_destroy(NULL);
}

// Jobs of every number of blocks, back to back and after pauses in which all threads fall asleep.
static void small_jobs_in_a_row_lose_nothing(void **state)
{
    (void)state;
    static int visits[64];
    for (size_t w = 0; w < sizeof worker_counts / sizeof *worker_counts; w++) {
        BwPool *pool = make_pool(worker_counts[w]);
        int jobs = worker_counts[w] > 8 ? 200 : 3000;
        int expected[64] = {0};
        memset(visits, 0, sizeof visits);
        for (int job = 0; job < jobs; job++) {
            int64_t count = job % 64 + 1;
            bw_parallel_for(pool, count, 1, count_visits, visits);
            for (int64_t i = 0; i < count; i++)
                expected[i]++;
            if (job % 100 == 99)
                usleep(500);
        }
        assert_memory_equal(visits, expected, sizeof visits);
        bw_pool_destroy(pool);
    }
}

static void nap(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    (void)context;
    usleep((useconds_t)(10000 * (end - begin)));
}

// Each of four workers naps for 10 ms, at the same time or not: the clock has seen at least one nap, the
// workers together all of them, and none has worked longer than the job took. Work of one alone is not
// shared.
static void times_of_workers_are_counted(void **state)
{
    (void)state;
    BwPool *pool = make_pool(4);
    bw_parallel_for(pool, 4, 1, nap, NULL);
    BwPoolTimes times = bw_pool_times(pool);
    assert_true(times.shared >= 0.0099 && times.worked >= 0.0396);
    assert_true(times.worked <= 4.0 * times.shared);
    bw_parallel_for(pool, 1, 1, nap, NULL);
    assert_true(bw_pool_times(pool).shared == times.shared);
    bw_pool_destroy(pool);
    assert_true(bw_pool_times(NULL).worked == 0.0);
}

static void a_grain_past_the_count_is_one_block(void **state)
{
    (void)state;
    int visits[10] = {0};
    BwPool *pool = make_pool(3);
    bw_parallel_for(pool, 10, INT64_MAX, count_visits, visits);
    bw_parallel_for(NULL, 10, INT64_MAX - 3, count_visits, visits);
    for (int i = 0; i < 10; i++)
        assert_int_equal(visits[i], 2);
    bw_pool_destroy(pool);
}

static double value_of_item(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const double *values = context;
    double max = values[begin];
    for (int64_t i = begin; i < end; i++)
        max = values[i] > max ? values[i] : max;
    return max;
}

static void the_maximum_does_not_hide_nan(void **state)
{
    (void)state;
    double values[100];
    for (int i = 0; i < 100; i++)
        values[i] = -200.0 + i;
    BwPool *pool = make_pool(2);
    assert_true(bw_parallel_max(pool, 100, 1, value_of_item, values) == -101.0);
    assert_true(bw_parallel_max(pool, 0, 1, value_of_item, values) == -INFINITY);
    assert_true(bw_parallel_sum(pool, 0, 1, value_of_item, values) == 0.0);
    values[50] = NAN;
    assert_true(isnan(bw_parallel_max(pool, 100, 1, value_of_item, values)));
    bw_pool_destroy(pool);
}

#if defined(__x86_64__) || defined(__aarch64__)
static void halve(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    volatile float *values = context;
    for (int64_t i = begin; i < end; i++)
        values[i] = values[i] * 0.5f;
}

static void denormals_are_zero_in_jobs_and_not_outside(void **state)
{
    (void)state;
    for (int workers = 1; workers <= 3; workers++) {
        volatile float values[64];
        for (int i = 0; i < 64; i++)
            values[i] = FLT_MIN;
        BwPool *pool = make_pool(workers);
        bw_parallel_for(pool, 64, 1, halve, (void *)values);
        for (int i = 0; i < 64; i++)
            assert_true(values[i] == 0.0f);
        values[0] = FLT_MIN;
        values[0] = values[0] * 0.5f;
        assert_true(values[0] > 0.0f);
        bw_pool_destroy(pool);
    }
}
#endif

static void short_memory_is_told_and_leaves_nothing(void **state)
{
    (void)state;
    StrictAllocator strict = {0};
    BwPoolDef def = {.allocator = strict_allocator(&strict), .worker_count = 4};
    BwPool *pool = NULL;
    int allocations = 0;
    for (; pool == NULL; allocations++) {
        BwError err;
        fail_after(&strict, allocations);
        BwResult result = bw_pool_create(&pool, &def, &err);
        assert_true(result == BW_OK || (result == BW_ERR_MEMORY && pool == NULL));
        if (result != BW_OK)
            assert_nothing_left(&strict);
    }
    assert_int_equal(allocations, 5);
    bw_pool_destroy(pool);
    assert_nothing_left(&strict);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// With room for a few stacks only, the threads that did start are stopped again. In a child, for the limit
// stays.
static void too_many_threads_are_told(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {(rlim_t)512 << 20, (rlim_t)512 << 20};
        setrlimit(RLIMIT_STACK, &(struct rlimit){(rlim_t)64 << 20, (rlim_t)64 << 20});
        setrlimit(RLIMIT_AS, &limit);
        BwPool *pool;
        BwError err;
        BwPoolDef def = {.worker_count = BW_WORKERS_MAX};
        BwResult result = bw_pool_create(&pool, &def, &err);
        bool is_told = strncmp(err.message, "could not start worker thread ", 30) == 0;
        _exit(result == BW_ERR_BACKEND && pool == NULL && is_told ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_visited_once),
        cmocka_unit_test(sums_do_not_depend_on_workers),
        cmocka_unit_test(nested_calls_run_in_the_caller),
        cmocka_unit_test(a_host_scheduler_gives_the_same_sum),
        cmocka_unit_test(refuses_absurd_worker_counts),
        cmocka_unit_test(nested_calls_keep_their_workers_index),
        cmocka_unit_test(pools_come_and_go),
        cmocka_unit_test(small_jobs_in_a_row_lose_nothing),
        cmocka_unit_test(times_of_workers_are_counted),
        cmocka_unit_test(a_grain_past_the_count_is_one_block),
        cmocka_unit_test(the_maximum_does_not_hide_nan),
#if defined(__x86_64__) || defined(__aarch64__)
        cmocka_unit_test(denormals_are_zero_in_jobs_and_not_outside),
#endif
        cmocka_unit_test(short_memory_is_told_and_leaves_nothing),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        cmocka_unit_test(too_many_threads_are_told),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
