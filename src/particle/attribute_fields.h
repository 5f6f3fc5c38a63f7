// What particles carry, as fields at the centres of cells: for meshes, volumes, pictures and viscosity. A
// cell has the mean of the particles within a cell of its centre, weighted by their volumes and by the hat
// function, as velocities have (particle/transfer.h); in some layers of cells around them, that of the cells
// beside it, so that values can be interpolated wherever the liquid's surface lies. Farther out there is
// nothing to tell, and the background stands.
#pragma once

#include "particle/particles.h"

typedef enum BwAttributeField {
    BW_ATTRIBUTE_RED,
    BW_ATTRIBUTE_GREEN,
    BW_ATTRIBUTE_BLUE,
    BW_ATTRIBUTE_TEMPERATURE, // K
    BW_ATTRIBUTE_VISCOSITY,   // m^2/s, a geometric mean
    BW_ATTRIBUTE_AGE,         // s
    BW_ATTRIBUTE_FIELDS
} BwAttributeField;

typedef struct BwAttributeFields {
    unsigned carried; // of BwCarried; 0: there are no fields
    BwField field[BW_ATTRIBUTE_FIELDS];
    BwMask known, grown; // cells with a value; scratch
} BwAttributeFields;

// `ambient` is the temperature where there is no liquid, K.
BwResult bw_attribute_fields_create(BwAttributeFields *fields, BwGrid *grid, unsigned carried, float ambient,
                                    BwError *err);
void bw_attribute_fields_destroy(BwAttributeFields *fields); // nothing to do for all zero

// Whether there is that field.
bool bw_attribute_field_is_there(const BwAttributeFields *fields, BwAttributeField which);

// Sets those that are there and, by BwCarried, wanted; `time` is what ages count to, s.
void bw_attribute_fields_set(BwAttributeFields *fields, const BwParticles *particles, unsigned wanted,
                             double time);
