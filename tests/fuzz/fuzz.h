// What libFuzzer calls; a property that does not hold ends the program, which libFuzzer reports.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static inline void must_hold(int condition)
{
    if (!condition)
        abort();
}
