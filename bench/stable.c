// Our box against the paper's own listing, in one run and with the same flags: milliseconds a step, their
// ratio, and how far the two answers are apart. Both sides start from the same stirred smoke and get the same
// sources before every step; the best of STEPS steps counts. Then ours goes on for as long as the listing
// took, at most MORE_STEPS, for its steps are so short that a neighbour's work on the machine hides them.
#include "base/clock.h"
#include "cases.h"
#include "listing.h"
#include <billow/stable.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const float viscosity = 2e-5f, diffusion = 1e-5f, dt = 0.05f;

enum { STEPS = 6, MORE_STEPS = 60 };

// Two jets with smoke in them, seen by cell: what to add this step.
static void jets(int n, int i, int j, float *u, float *v, float *density)
{
    int size = n / 16;
    bool is_left = abs(i - n / 4) < size && abs(j - n / 8) < size;
    bool is_right = abs(i - 3 * n / 4) < size && abs(j - n / 3) < size;
    *u = is_right ? -8.0f : 0.0f;
    *v = is_left ? 10.0f : is_right ? 3.0f : 0.0f;
    *density = is_left || is_right ? 20.0f : 0.0f;
}

static void add_listing_sources(Listing *l)
{
    for (int n = 0; n < (l->n + 2) * (l->n + 2); n++)
        l->u_source[n] = l->v_source[n] = l->density_source[n] = 0.0f;
    for (int j = 0; j < l->n; j++)
        for (int i = 0; i < l->n; i++) {
            int c = listing_index(l->n, i + 1, j + 1);
            jets(l->n, i, j, &l->u_source[c], &l->v_source[c], &l->density_source[c]);
        }
}

static void add_box_sources(BwStable *box, int n)
{
    BwStableView u = bw_stable_source(box, BW_STABLE_U), v = bw_stable_source(box, BW_STABLE_V);
    BwStableView density = bw_stable_source(box, BW_STABLE_DENSITY);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            jets(n, i, j, &u.values[i + j * u.row], &v.values[i + j * v.row],
                 &density.values[i + j * density.row]);
}

static double time_listing(Listing *listing)
{
    double best = INFINITY;
    for (int step = 0; step < STEPS; step++) {
        add_listing_sources(listing);
        double start = bw_clock_seconds();
        listing_step(listing, viscosity, diffusion, dt);
        best = fmin(best, bw_clock_seconds() - start);
    }
    return best;
}

static double time_box(BwStable *box, int n, int steps)
{
    double best = INFINITY;
    for (int step = 0; step < steps; step++) {
        add_box_sources(box, n);
        double start = bw_clock_seconds();
        bw_stable_step(box, dt);
        best = fmin(best, bw_clock_seconds() - start);
    }
    return best;
}

// Largest difference over the largest value, of the density after the same steps.
static double difference(BwStable *box, const Listing *listing)
{
    BwStableView density = bw_stable_field(box, BW_STABLE_DENSITY);
    double worst = 0.0, largest = 0.0;
    for (int j = 0; j < listing->n; j++)
        for (int i = 0; i < listing->n; i++) {
            double theirs = listing->density[listing_index(listing->n, i + 1, j + 1)];
            worst = fmax(worst, fabs((double)density.values[i + j * density.row] - theirs));
            largest = fmax(largest, fabs(theirs));
        }
    return worst / largest;
}

static BwStable *make_box(int n, int depth, int workers)
{
    BwStableBoxDef def = bw_stable_box_def_default();
    def.size[0] = def.size[1] = n;
    def.size[2] = depth;
    def.worker_count = workers;
    def.viscosity = viscosity;
    def.diffusion = diffusion;
    def.guess_is_source = depth == 1; // as the listing, so that the answers compare
    def.conserve_mass = depth > 1;
    BwStable *box;
    BwError err;
    if (bw_stable_create(&box, &def, &err) != BW_OK)
        fprintf(stderr, "bench stable: %s\n", err.message);
    return box;
}

static bool compare(int n)
{
    Listing printed, turned;
    if (!listing_create(&printed, n, LISTING_AS_PRINTED))
        return false;
    if (!listing_create(&turned, n, LISTING_TURNED))
        return false;
    double listing = time_listing(&printed), along = time_listing(&turned);
    printf("%4d^2  listing as printed %8.2f ms   loops turned %8.2f ms\n", n, listing * 1e3, along * 1e3);
    for (int workers = 1; workers <= 2; workers++) {
        BwStable *box = make_box(n, 1, workers);
        if (box == NULL)
            return false;
        double ours = time_box(box, n, STEPS), apart = difference(box, &printed);
        int more = (int)fmin(MORE_STEPS, STEPS * listing / ours);
        ours = fmin(ours, time_box(box, n, more));
        printf(
            "%4d^2  ours, %d thread%s    %8.2f ms   %5.1fx the listing, %5.1fx it turned, difference %.1e\n",
            n, workers, workers > 1 ? "s" : " ", ours * 1e3, listing / ours, along / ours, apart);
        bw_stable_destroy(box);
    }
    listing_destroy(&printed);
    listing_destroy(&turned);
    return true;
}

// Jets from the floor of a 3-D box.
static void add_cube_sources(BwStable *box, int n)
{
    BwStableView v = bw_stable_source(box, BW_STABLE_V), density = bw_stable_source(box, BW_STABLE_DENSITY);
    for (int k = n / 3; k < 2 * n / 3; k++)
        for (int j = 1; j < n / 8; j++)
            for (int i = n / 3; i < 2 * n / 3; i++) {
                v.values[i + j * v.row + k * v.plane] = 5.0f;
                density.values[i + j * density.row + k * density.plane] = 10.0f;
            }
}

static bool time_cube(int n, int workers)
{
    BwStable *box = make_box(n, n, workers);
    if (box == NULL)
        return false;
    double best = INFINITY;
    for (int step = 0; step < 4 * STEPS; step++) {
        add_cube_sources(box, n);
        double start = bw_clock_seconds();
        bw_stable_step(box, dt);
        best = fmin(best, bw_clock_seconds() - start);
    }
    printf("%4d^3  ours, %d thread%s    %8.2f ms   %5.1f steps a second\n", n, workers,
           workers > 1 ? "s" : " ", best * 1e3, 1.0 / best);
    bw_stable_destroy(box);
    return true;
}

int bench_stable(int argument_count, char **arguments)
{
    (void)argument_count, (void)arguments;
    bool is_done = compare(512) && compare(1024) && time_cube(64, 1) && time_cube(64, 2);
    return is_done ? 0 : 2;
}
