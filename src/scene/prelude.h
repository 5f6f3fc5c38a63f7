// prelude.lua as bytes, written by the build.
#pragma once

#include <stddef.h>

extern const char bw_prelude[];
extern const size_t bw_prelude_size;
