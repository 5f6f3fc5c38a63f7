// How the vocabulary writes a row of its tables: name, kind, place in the Def, unit, range, flags, meaning,
// default. DEF names the Def whose fields are listed.
#pragma once

#include "scene/vocabulary.h"

#include <math.h>

// A row ends where it has nothing more to say.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define AT(field)    offsetof(DEF, field)

// clang-format off
// Ranges. Numbers in Defs are floats; what is past these bounds has no meaning in a fluid.
#define ANY                 {-INFINITY, INFINITY, false}
#define ABOVE_ZERO          {0.0, INFINITY, true}
#define NOT_NEGATIVE        {0.0, INFINITY, false}
#define FROM_TO(low, high)  {low, high, false}
#define ABOVE_TO(low, high) {low, high, true}
#define SHARE               FROM_TO(0.0, 1.0)

#define NAMES(identifier, ...)                                                                               \
    static const char *const identifier##_texts[] = {__VA_ARGS__};                                           \
    static const BwNames identifier = {identifier##_texts, COUNT(identifier##_texts)}

// When a thing begins and ends, for every Def that has both.
#define START_STOP                                                                                           \
    {"start", BW_FIELD_DOUBLE, AT(start), "s", NOT_NEGATIVE, BW_ENDLESS, "when it begins; math.huge: never"},\
    {"stop", BW_FIELD_DOUBLE, AT(stop), "s", NOT_NEGATIVE, BW_ENDLESS, "when it ends", {INFINITY}}
// clang-format on
