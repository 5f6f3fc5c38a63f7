// Merging and splitting particles: the numbers in a cell are bounded, and volume, momentum, the centre of
// mass and what they carry stay.
#include "particle/resample.h"
#include "particle_box.h"
#include "random.h"

#include <math.h>
#include <string.h>

typedef struct Sums {
    double volume, momentum[3], center[3];
    double carried[6]; // volume times red, green, blue, temperature, viscosity and birth
    double sources;    // volume that has any
} Sums;

static Sums sums_of(const BwParticles *particles)
{
    Sums sums = {0};
    for (int32_t m = 0; m < particles->grid->tile_count; m++) {
        int32_t slot = particles->grid->order[m];
        BwParticleRange range = bw_particle_range(particles, slot);
        for (int64_t n = range.begin; n < range.end; n++) {
            double volume = (double)particles->column[BW_PARTICLE_VOLUME][n], place[3];
            place_of(particles, slot, n, place);
            sums.volume += volume;
            for (int c = 0; c < 6; c++)
                sums.carried[c] += volume * (double)particles->column[BW_PARTICLE_RED + c][n];
            sums.sources += bw_particle_sources(particles)[n] == 2 ? volume : 0.0;
            for (int a = 0; a < particles->grid->dimension; a++) {
                sums.momentum[a] += volume * (double)particles->column[BW_PARTICLE_U + a][n];
                sums.center[a] += volume * place[a];
            }
        }
    }
    return sums;
}

// All but a few of the particles of each cell of the low tile are gathered in its low corner, others stay;
// each with a velocity and a gradient of its own.
static void crowd(Box *box, Random *random)
{
    BwParticles *particles = &box->particles;
    BwParticlesGone gone;
    BwParticleRange low = bw_particle_range(particles, box->grid->order[0]);
    for (int64_t n = low.begin; n < low.end; n++)
        for (int a = 0; a < box->grid->dimension && n % 4 != 0; a++)
            particles->column[BW_PARTICLE_X + a][n] = (float)random_between(random, 0.0, 7.0);
    for (int64_t n = 0; n < particles->count; n++)
        for (int c = BW_PARTICLE_U; c < BW_PARTICLE_COLUMNS; c++)
            if (particles->column[c] != NULL && c != BW_PARTICLE_VOLUME && !bw_particle_is_whole(c))
                particles->column[c][n] = (float)random_between(random, -0.5, 0.5);
    assert_int_equal(bw_particles_sort(particles, NULL, &gone, NULL), BW_OK);
}

// The fewest and the most particles of any cell that has some.
static void count_cells(const Box *box, int *fewest, int *most)
{
    *fewest = INT32_MAX;
    *most = 0;
    for (int32_t m = 0; m < box->grid->tile_count; m++) {
        int count[BW_TILE_CELLS_MAX] = {0};
        BwParticleRange range = bw_particle_range(&box->particles, box->grid->order[m]);
        for (int64_t n = range.begin; n < range.end; n++)
            count[bw_particle_cell(&box->particles, n)]++;
        for (int c = 0; c < box->grid->tile_cells; c++) {
            *most = count[c] > *most ? count[c] : *most;
            *fewest = count[c] > 0 && count[c] < *fewest ? count[c] : *fewest;
        }
    }
}

static void assert_names_differ(const Box *box)
{
    static bool seen[1 << 20];
    memset(seen, 0, sizeof seen);
    const int32_t *ids = bw_particle_ids(&box->particles);
    for (int64_t n = 0; n < box->particles.count; n++) {
        assert_in_range(ids[n], 0, box->particles.next_id - 1);
        assert_false(seen[ids[n]]);
        seen[ids[n]] = true;
    }
}

typedef struct Liquid {
    BwField phi, open;
} Liquid;

static void liquid_create(Liquid *liquid, Box *box, float phi)
{
    assert_int_equal(bw_field_create(&liquid->phi, box->grid, BW_AT_CELL, phi, NULL), BW_OK);
    assert_int_equal(bw_field_create(&liquid->open, box->grid, BW_AT_CELL, 1.0f, NULL), BW_OK);
}

static void liquid_destroy(Liquid *liquid)
{
    bw_field_destroy(&liquid->phi);
    bw_field_destroy(&liquid->open);
}

// Gathers the particles of a box and resamples it twice: the second time nothing is left to do that halves of
// halves would be needed for. Gives the digest of all columns.
static uint64_t resample(int dimension, float phi, int workers, const char *name)
{
    Box box;
    Random random = random_seeded(11);
    Liquid liquid;
    BwGridDef def = {.cell_size = 1.0f, .dimension = dimension};
    BwShape shape = bw_box(bw_vec3(0.0f, 0.0f, -1.0f), bw_vec3(16.0f, 16.0f, 16.0f));
    int per_cell = dimension == 3 ? 8 : 4, fewest, most;
    bool has_changed;
    char gate_name[96];
    box_create(&box, &def, 2, workers);
    seed(&box, &shape, 2, true);
    liquid_create(&liquid, &box, phi);
    crowd(&box, &random);
    Sums before = sums_of(&box.particles);
    BwResampling resampling = {
        .phi = &liquid.phi, .open = &liquid.open, .fewest = per_cell / 2, .most = 2 * per_cell};
    assert_int_equal(bw_particles_resample(&box.particles, &resampling, &has_changed, NULL), BW_OK);
    assert_true(has_changed);
    BwParticlesGone gone;
    assert_int_equal(bw_particles_sort(&box.particles, NULL, &gone, NULL), BW_OK);
    assert_int_equal(gone.count, 0);
    Sums after = sums_of(&box.particles);
    double worst = 0.0;
    for (int a = 0; a < dimension; a++)
        worst = fmax(worst, fmax(fabs(after.momentum[a] - before.momentum[a]),
                                 fabs(after.center[a] / before.center[a] - 1.0)));
    for (int c = 0; c < 6; c++)
        worst = fmax(worst, fabs(after.carried[c] - before.carried[c]));
    assert_true(after.sources == after.volume);
    snprintf(gate_name, sizeof gate_name, "resample_volume_%s", name);
    gate(gate_name, fabs(after.volume / before.volume - 1.0), GATE_BELOW, 1e-12);
    snprintf(gate_name, sizeof gate_name, "resample_momentum_and_center_%s", name);
    gate(gate_name, worst, GATE_BELOW, 2e-4);
    count_cells(&box, &fewest, &most);
    assert_int_equal(most, 2 * per_cell);
    if (phi < -1.0f) // one that was alone is two by now, and a pair four
        assert_in_range(fewest, 2, per_cell / 2);
    assert_names_differ(&box);
    uint64_t digest = UINT64_C(14695981039346656037);
    for (int c = 0; c < BW_PARTICLE_COLUMNS; c++)
        for (int64_t n = 0; box.particles.column[c] != NULL && n < box.particles.count; n++) {
            uint32_t bits;
            memcpy(&bits, &box.particles.column[c][n], sizeof bits);
            digest = (digest ^ bits) * UINT64_C(1099511628211);
        }
    liquid_destroy(&liquid);
    box_destroy(&box);
    return digest;
}

static void numbers_are_bounded_and_sums_stay(void **state)
{
    (void)state;
    resample(2, -3.0f, 1, "2d");
    resample(3, -3.0f, 1, "3d");
    resample(3, 0.0f, 1, "3d_at_the_surface");
}

static void any_number_of_threads_does_the_same(void **state)
{
    (void)state;
    uint64_t one = resample(3, -3.0f, 1, "1_thread");
    assert_true(one == resample(3, -3.0f, 3, "3_threads"));
}

static void what_is_even_is_left_alone(void **state)
{
    (void)state;
    Box box;
    Liquid liquid;
    BwGridDef def = {.cell_size = 1.0f, .dimension = 3};
    BwShape shape = bw_box(bw_vec3(1.0f, 1.0f, 1.0f), bw_vec3(9.0f, 9.0f, 9.0f));
    bool has_changed;
    box_create(&box, &def, 2, 1);
    seed(&box, &shape, 2, true);
    liquid_create(&liquid, &box, -3.0f);
    BwResampling resampling = {.phi = &liquid.phi, .open = &liquid.open, .fewest = 4, .most = 16};
    assert_int_equal(bw_particles_resample(&box.particles, &resampling, &has_changed, NULL), BW_OK);
    assert_false(has_changed);
    assert_int_equal(box.particles.count, 8 * 512);
    liquid_destroy(&liquid);
    box_destroy(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_bounded_and_sums_stay),
        cmocka_unit_test(any_number_of_threads_does_the_same),
        cmocka_unit_test(what_is_even_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
