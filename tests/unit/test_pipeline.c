// The pipeline: a sum that runs through the bands in order comes out as if one worker had done it.
#include "base/pipeline.h"
#include "gate.h"

#include <string.h>

enum { BANDS = 1300, PLACES = 200, LAG = 7 };

// Each band adds to what the band before left LAG places further on, so being early shows at once.
typedef struct Chain {
    uint32_t values[PLACES + LAG];
} Chain;

static void add_band(BwPipeline *pipeline, int band, void *context)
{
    Chain *chain = context;
    for (int place = 0; place < PLACES; place++) {
        int ahead = place + LAG < PLACES - 1 ? place + LAG : PLACES - 1;
        bw_band_wait(pipeline, band, ahead + 1);
        chain->values[place] = chain->values[place] * 31u + chain->values[ahead] + (uint32_t)band;
        bw_band_reach(pipeline, band, place + 1);
    }
}

static Chain run_chain(BwPool *pool)
{
    Chain chain;
    memset(&chain, 0, sizeof chain);
    bw_parallel_bands(pool, BANDS, add_band, &chain);
    return chain;
}

static void bands_see_what_the_band_before_left(void **state)
{
    (void)state;
    Chain alone = run_chain(NULL);
    static const int workers[] = {2, 3, 8};
    for (int n = 0; n < 3; n++) {
        BwPool *pool;
        BwPoolDef def = {.worker_count = workers[n]};
        assert_int_equal(bw_pool_create(&pool, &def, NULL), BW_OK);
        Chain chain = run_chain(pool);
        assert_memory_equal(&chain, &alone, sizeof chain);
        bw_pool_destroy(pool);
    }
}

static void run_in_turn(void *user, int worker_count, BwWorkerFn *work, void *context)
{
    (void)user;
    for (int worker = worker_count - 1; worker >= 0; worker--)
        work(context, worker);
}

static void workers_in_turn_do_not_wait_for_ever(void **state)
{
    (void)state;
    BwPool *pool;
    BwPoolDef def = {.worker_count = 4, .scheduler = {run_in_turn, NULL}};
    assert_int_equal(bw_pool_create(&pool, &def, NULL), BW_OK);
    Chain chain = run_chain(pool), alone = run_chain(NULL);
    assert_memory_equal(&chain, &alone, sizeof chain);
    bw_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bands_see_what_the_band_before_left),
        cmocka_unit_test(workers_in_turn_do_not_wait_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
