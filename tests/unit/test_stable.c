// The stable box against the paper's own listing, against itself on other numbers of workers, and in its
// dealings with memory and wrong Defs.
#include "../bench/listing.h"
#include "solvers/stable_box.h"
#include "stable_box.h"
#include "strict_allocator.h"

typedef struct Pair {
    BwStableBoxDef def;
    BwStable *box;
    Listing listing;
} Pair;

// `strength` makes diffusion strong, so that twenty sweeps are far from done and their start still shows.
static void make_pair(Pair *pair, int n, float strength)
{
    pair->def = box_def(n, n, 1);
    pair->def.viscosity = 3e-4f * strength;
    pair->def.diffusion = 1e-4f * strength;
    pair->def.guess_is_source = true;
    pair->def.conserve_mass = false;
    pair->box = make_box(&pair->def);
    assert_true(listing_create(&pair->listing, n, LISTING_AS_PRINTED));
}

static void destroy_pair(Pair *pair)
{
    bw_stable_destroy(pair->box);
    listing_destroy(&pair->listing);
}

// The box's sources, into the listing's arrays too.
static void add_both_sources(Pair *pair)
{
    add_demo_sources(pair->box, &pair->def);
    write_cell(bw_stable_source(pair->box, BW_STABLE_V), 0, 0, 0, 1.0); // boxes too small for the demo
    write_cell(bw_stable_source(pair->box, BW_STABLE_DENSITY), 0, 0, 0, 1.0);
    float *to[] = {pair->listing.u_source, pair->listing.v_source, NULL, pair->listing.density_source};
    int n = pair->listing.n;
    for (int f = 0; f < BW_STABLE_FIELDS; f++) {
        if (to[f] == NULL)
            continue;
        memset(to[f], 0, (size_t)(n + 2) * (size_t)(n + 2) * sizeof(float));
        BwStableView view = bw_stable_source(pair->box, (BwStableField)f);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                to[f][listing_index(n, i + 1, j + 1)] = view.values[i + j * view.row];
    }
}

static double field_difference(Pair *pair, BwStableField field, const float *theirs)
{
    double worst = 0.0, largest = 0.0;
    int n = pair->listing.n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double value = theirs[listing_index(n, i + 1, j + 1)];
            worst = fmax(worst, fabs(read_cell(bw_stable_field(pair->box, field), i, j, 0) - value));
            largest = fmax(largest, fabs(value));
        }
    assert_true(largest > 0.0);
    return worst / largest;
}

// Sizes around whole bands and vectors, and some with a ragged rest.
static void a_step_is_the_listings_step(void **state)
{
    (void)state;
    static const int sizes[] = {2, 5, 31, 32, 33, 64, 75, 75, 128, 128};
    double worst = 0.0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        Pair pair;
        make_pair(&pair, sizes[s], s % 2 == 0 ? 1.0f : 100.0f);
        for (int step = 0; step < 8; step++) {
            add_both_sources(&pair);
            bw_stable_step(pair.box, 0.1f);
            listing_step(&pair.listing, pair.def.viscosity, pair.def.diffusion, 0.1f);
        }
        worst = fmax(worst, field_difference(&pair, BW_STABLE_U, pair.listing.u));
        worst = fmax(worst, field_difference(&pair, BW_STABLE_V, pair.listing.v));
        worst = fmax(worst, field_difference(&pair, BW_STABLE_DENSITY, pair.listing.density));
        destroy_pair(&pair);
    }
    gate("stable.listing_difference", worst, GATE_BELOW, 2e-5);
}

static double divergence_size(int n, const float *u, const float *v)
{
    double sum = 0.0;
    for (int j = 1; j <= n; j++)
        for (int i = 1; i <= n; i++) {
            double d = (double)u[listing_index(n, i + 1, j)] - u[listing_index(n, i - 1, j)] +
                       v[listing_index(n, i, j + 1)] - v[listing_index(n, i, j - 1)];
            sum += d * d;
        }
    return sqrt(sum);
}

// The box's velocity with the paper's ghosts, as a listing holds it.
static void copy_velocity(BwStable *box, BwStableField field, int n, float *to)
{
    BwStableView view = bw_stable_field(box, field);
    for (int j = -1; j <= n; j++)
        for (int i = -1; i <= n; i++)
            to[listing_index(n, i + 1, j + 1)] = view.values[i + j * view.row];
}

static void projection_leaves_the_listings_divergence(void **state)
{
    (void)state;
    Pair pair;
    int n = 96;
    make_pair(&pair, n, 1.0f);
    add_both_sources(&pair);
    bw_stable_step(pair.box, 0.1f);
    listing_step(&pair.listing, pair.def.viscosity, pair.def.diffusion, 0.1f);
    double theirs = divergence_size(n, pair.listing.u, pair.listing.v);
    copy_velocity(pair.box, BW_STABLE_U, n, pair.listing.u);
    copy_velocity(pair.box, BW_STABLE_V, n, pair.listing.v);
    double ours = divergence_size(n, pair.listing.u, pair.listing.v);
    gate("stable.divergence_ratio_minus_1", fabs(ours / theirs - 1.0), GATE_BELOW, 1e-4);
    destroy_pair(&pair);
}

// Boxes of every make, for tests that go over all of them.
enum { MAKES = 8 };

static BwStableBoxDef def_of_make(int make)
{
    BwStableBoxDef def = make == 1 || make == 6 ? box_def(20, 24, 18) : box_def(70, 53, 1);
    def.viscosity = 1e-4f;
    def.diffusion = 1e-4f;
    def.confinement = 2.0f;
    def.periodic[0] = make == 2;
    def.number = make == 3 || make == 6 ? BW_NUMBER_FIXED : BW_NUMBER_FLOAT;
    def.solver = make == 4 ? BW_STABLE_CG : make == 5 ? BW_STABLE_FAST : BW_STABLE_RELAXATION;
    def.sweeps = make == 0 ? 47 : 20;
    return def;
}

static void add_wall(BwStable *box, const BwStableBoxDef *def)
{
    size_t count = (size_t)def->size[0] * (size_t)def->size[1] * (size_t)def->size[2];
    uint8_t *cells = calloc(count, 1);
    for (int i = def->size[0] / 4; i < def->size[0]; i++)
        cells[i + def->size[0] * (def->size[1] / 2)] = 1;
    bw_stable_set_solids(box, cells);
    free(cells);
}

static uint64_t hash_after_steps(int make, int workers)
{
    BwStableBoxDef def = def_of_make(make);
    def.worker_count = workers;
    BwStable *box = make_box(&def);
    if (make == 7)
        add_wall(box, &def);
    for (int step = 0; step < 6; step++) {
        add_demo_sources(box, &def);
        bw_stable_step(box, 0.1f);
    }
    uint64_t hash = hash_box(box, &def);
    bw_stable_destroy(box);
    return hash;
}

static void workers_do_not_change_a_bit(void **state)
{
    (void)state;
    for (int make = 0; make < MAKES; make++) {
        uint64_t alone = hash_after_steps(make, 1);
        assert_true(hash_after_steps(make, 2) == alone);
        assert_true(hash_after_steps(make, 7) == alone);
    }
}

static void run_in_turn(void *user, int worker_count, BwWorkerFn *work, void *context)
{
    (void)user;
    for (int worker = worker_count - 1; worker >= 0; worker--)
        work(context, worker);
}

// A host that runs its workers one after another must not make relaxation wait for ever.
static void a_host_scheduler_may_run_workers_in_turn(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int hosted = 0; hosted < 2; hosted++) {
        BwStableBoxDef def = def_of_make(0);
        def.worker_count = hosted ? 3 : 1;
        def.scheduler.run = hosted ? run_in_turn : NULL;
        BwStable *box = make_box(&def);
        add_demo_sources(box, &def);
        bw_stable_step(box, 0.1f);
        hash[hosted] = hash_box(box, &def);
        bw_stable_destroy(box);
    }
    assert_true(hash[0] == hash[1]);
}

static void a_step_takes_no_memory(void **state)
{
    (void)state;
    for (int make = 0; make < MAKES; make++) {
        StrictAllocator strict = {0};
        BwStableBoxDef def = def_of_make(make);
        def.allocator = strict_allocator(&strict);
        BwStable *box = make_box(&def);
        fail_after(&strict, 0);
        if (make == 7)
            add_wall(box, &def);
        add_demo_sources(box, &def);
        bw_stable_step(box, 0.1f);
        assert_int_equal(strict.left, 0); // nobody asked
        bw_stable_destroy(box);
        assert_nothing_left(&strict);
    }
}

static void short_memory_is_an_error_and_leaks_nothing(void **state)
{
    (void)state;
    BwResult result = BW_ERR_MEMORY;
    for (int n = 0; result != BW_OK; n++) {
        StrictAllocator strict = {0};
        BwStableBoxDef def = def_of_make(5);
        def.worker_count = 2;
        def.allocator = strict_allocator(&strict);
        fail_after(&strict, n);
        BwStable *box;
        result = bw_stable_create(&box, &def, NULL);
        assert_true(result == BW_OK || (result == BW_ERR_MEMORY && box == NULL));
        bw_stable_destroy(box);
        assert_nothing_left(&strict);
    }
}

static void the_callers_own_memory_serves(void **state)
{
    (void)state;
    BwStableBoxDef def = def_of_make(0);
    size_t size = bw_stable_memory_size(&def);
    char *memory = aligned_alloc(64, size);
    def.memory = memory;
    def.memory_size = size;
    BwStable *box = make_box(&def);
    add_demo_sources(box, &def);
    bw_stable_step(box, 0.1f);
    bw_stable_destroy(box);
    def.memory_size = size - 1;
    BwError err;
    assert_int_equal(bw_stable_create(&box, &def, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "memory_size is"));
    free(memory);
}

static void expect_refusal(BwStableBoxDef def, const char *text)
{
    BwStable *box;
    BwError err = {0};
    assert_int_equal(bw_stable_create(&box, &def, &err), BW_ERR_DEF);
    assert_null(box);
    assert_non_null(strstr(err.message, text));
}

static void wrong_defs_are_refused_in_words(void **state)
{
    (void)state;
    BwStableBoxDef good = box_def(8, 8, 1), def = {0};
    expect_refusal(def, "bw_stable_box_def_default");
    def = good;
    def.size[1] = 1;
    expect_refusal(def, "size[1] is 1 cells; it must be 2 to 16384");
    def = good;
    def.viscosity = NAN;
    expect_refusal(def, "viscosity is nan");
    def = good;
    def.sweeps = 0;
    expect_refusal(def, "sweeps is 0; it must be 1 to 10000");
    def = good;
    def.worker_count = 0;
    expect_refusal(def, "worker_count is 0");
    def = good;
    def.number = BW_NUMBER_FIXED;
    def.solver = BW_STABLE_CG;
    expect_refusal(def, "fixed point only relaxes");
    def = good;
    def.patch_count = 1;
    def.patches[0] = (BwStablePatch){.side = 4, .high = {1, 1}};
    expect_refusal(def, "patches[0].side is 4; it must be 0 to 3");
    def.patches[0] = (BwStablePatch){.side = 0, .low = {3, 0}, .high = {9, 1}};
    expect_refusal(def, "patches[0] goes from 3 to 9 along axis 1; it must lie in 0 to 8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_the_listings_step),
        cmocka_unit_test(projection_leaves_the_listings_divergence),
        cmocka_unit_test(workers_do_not_change_a_bit),
        cmocka_unit_test(a_host_scheduler_may_run_workers_in_turn),
        cmocka_unit_test(a_step_takes_no_memory),
        cmocka_unit_test(short_memory_is_an_error_and_leaks_nothing),
        cmocka_unit_test(the_callers_own_memory_serves),
        cmocka_unit_test(wrong_defs_are_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
