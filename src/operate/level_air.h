// Air that follows a liquid carried by a level set. Beyond the box and inside of solids phi goes on as it is
// beside them, so that water lies against walls; what comes from there is air all the same, and has to be
// told.
#pragma once

#include "domain/domain.h"

// Of the cells outside, beside open sides of the box: those that the velocity leads in from become air. Where
// `is_given` so do those of outflows, which no pressure shuts. Gives whether there were any.
bool bw_level_open_sides(BwField *phi, const BwVelocity *velocity, const BwDomain *domain, bool is_given);

// Where liquid lies against a closed side of the box or a solid: there air comes in between the two if the
// velocity leads away.
typedef struct BwLevelFront {
    int32_t slot;
    int cell, side; // of the cell, towards the wall
    BwVec3 place;   // m, of the face between the two
    float way;      // m, that the air has come from there, up to half of a cell; then phi tells it
} BwLevelFront;

typedef struct BwLevelFronts {
    BwAllocator allocator;
    BwLevelFront *list;
    int64_t count, capacity;
} BwLevelFronts;

void bw_level_fronts_destroy(BwLevelFronts *fronts);

// Finds all places where liquid lies against something.
BwResult bw_level_fronts_find(BwLevelFronts *fronts, const BwField *phi, const BwDomain *domain,
                              BwError *err);

// Air up to where the fronts are.
void bw_level_fronts_draw(const BwLevelFronts *fronts, const BwDomain *domain, BwField *phi);
