// Gates: a measured number against its bound, one line each, so that a note can quote the table.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif
#include <stdbool.h>
#include <stdio.h>

// Whether this is a program at its full size (bw_add_full_size).
#ifdef FULL_SIZE
enum { IS_FULL = 1 };
#else
enum { IS_FULL = 0 };
#endif

typedef enum GateSide { GATE_BELOW, GATE_ABOVE } GateSide;

// Prints `GATE name value bound pass|FAIL` and fails the test when the value is past the bound. NaN fails.
static inline void gate(const char *name, double value, GateSide side, double bound)
{
    bool passes = side == GATE_BELOW ? value <= bound : value >= bound;
    printf("GATE %s %.6g %s%.6g %s\n", name, value, side == GATE_BELOW ? "<=" : ">=", bound,
           passes ? "pass" : "FAIL");
    fflush(stdout);
    if (!passes)
        fail_msg("gate %s: %.9g is past %.9g", name, value, bound);
}

// Under the thread sanitizer, only the tests that speak of threads: the others would repeat, ten times as
// slowly, what one thread does.
static inline void only_threads_when_watched(void)
{
#ifdef __SANITIZE_THREAD__
    cmocka_set_test_filter("*threads*");
#endif
}
