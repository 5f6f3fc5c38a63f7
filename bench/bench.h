// What the benchmarks share: the best of several runs, alternating between the things compared, so that noise
// of the machine hits both alike.
#pragma once

#include "base/clock.h"

typedef void BenchFn(void *context);

// Best seconds of `repeats` runs of each of the two.
typedef struct BenchPair {
    double ours, theirs;
} BenchPair;

static inline double bench_once(BenchFn *fn, void *context)
{
    double begin = bw_clock_seconds();
    fn(context);
    return bw_clock_seconds() - begin;
}

static inline BenchPair bench_pair(BenchFn *ours, BenchFn *theirs, void *context, int repeats)
{
    BenchPair best = {1e30, 1e30};
    for (int n = 0; n < repeats; n++) {
        double a = bench_once(ours, context), b = bench_once(theirs, context);
        best.ours = a < best.ours ? a : best.ours;
        best.theirs = b < best.theirs ? b : best.theirs;
    }
    return best;
}
