// Fields of a liquid that are given and have no effect for want of another.
#pragma once

#include <billow/scene.h>

#include <stddef.h>

enum { BW_IDLE_FIELDS_MAX = 6 };

// What it lacks, as a text that goes on after the field's name.
typedef struct BwIdleField {
    const char *name, *lacks;
} BwIdleField;

// Those of scene.liquid, and their number.
int bw_liquid_idle_fields(const BwSceneDef *def, BwIdleField list[BW_IDLE_FIELDS_MAX]);
