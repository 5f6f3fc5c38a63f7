// The colour of a fluid, as a field beside its density. Between steps it holds red, green and blue where the
// density is above 0, else 0. What mixing adds up is colour times density: while anything is advected or
// emitted, the fields hold the coordinates of the hull of the scene's colours times density.
//
// Density, heat and velocity never look at colour: with it or without it they are the same to the bit.
#pragma once

#include "domain/domain.h"
#include "operate/color_hull.h"

typedef struct BwColorField {
    bool is_used; // all zero: a fluid without colours, of which each call below makes nothing
    BwColorHull hull;
    BwField field[3], next[3];           // of the second, as many as the hull has dimensions
    BwField *amount[3], *next_amount[3]; // the same, as advection and sources take them
    BwNotes left[2]; // per tile: excess and deficit that its cells could not take up, as floats
} BwColorField;

// A field that can hold all mixtures of the colours.
BwResult bw_color_field_create(BwColorField *color, BwGrid *grid, const float (*colors)[3], int count,
                               BwError *err);
void bw_color_field_destroy(BwColorField *color);

// From colours to coordinates times density, and back.
void bw_color_premultiply(BwColorField *color, const BwDomain *domain, const BwField *density);
void bw_color_divide(BwColorField *color, const BwDomain *domain, const BwField *density);

// Exchanges `field` and `next`, after advection from one to the other.
void bw_color_swap(BwColorField *color);

// Brings every cell back into the hull, and keeps the totals. Cells of `sources` will be filled up later and
// are left alone.
void bw_color_limit(BwColorField *color, const BwDomain *domain, const BwField *density,
                    const BwMask *sources);

// The farthest that a cell's colour is from what it may be: one of the hull where there is density, else
// none.
double bw_color_stray(const BwColorField *color, const BwDomain *domain, const BwField *density);
