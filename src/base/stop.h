// Whether somebody, on whatever thread or in a signal handler, has asked for the work at hand to end.
#pragma once

#include <stdbool.h>
#include <stddef.h>

static inline bool bw_is_asked_to_stop(const volatile int *stop)
{
    return stop != NULL && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
}
