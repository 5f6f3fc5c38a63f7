// Where in a scene something is: file and line of a script (a C caller's Def has none), and the path of names
// down to a field. Every message about a scene starts with it.
#pragma once

#include "base/error.h"

typedef struct BwPlace {
    const char *file; // NULL: a C caller's Def
    int line;
    char path[120]; // "emitter.noise"
} BwPlace;

BwPlace bw_place(const char *file, int line, const char *name);

// One name further down.
BwPlace bw_place_inside(const BwPlace *place, const char *name);

// Fails with "file:line: path.field text"; field may be NULL.
BwResult bw_fail_at(BwError *err, const BwPlace *place, const char *field, const char *format, ...)
    BW_PRINTF(4, 5);
