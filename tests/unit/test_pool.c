// The thread pool: every item once, nested calls, and sums that do not depend on the number of workers.
#include "base/pool.h"
#include "gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_visited_once),
        cmocka_unit_test(sums_do_not_depend_on_workers),
        cmocka_unit_test(nested_calls_run_in_the_caller),
        cmocka_unit_test(a_host_scheduler_gives_the_same_sum),
        cmocka_unit_test(refuses_absurd_worker_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
