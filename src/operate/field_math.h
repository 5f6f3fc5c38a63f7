// Plain operations on whole fields: copy, scale, clear, and searches for what is extreme or not finite.
#pragma once

#include "domain/domain.h"

// `to` becomes `from`, in all awake tiles.
void bw_velocity_copy(const BwDomain *domain, const BwVelocity *from, BwVelocity *to);

// `from` becomes `from` less `what`, in all awake tiles.
void bw_velocity_subtract(const BwDomain *domain, const BwVelocity *what, BwVelocity *from);
void bw_velocity_clear(const BwDomain *domain, BwVelocity *velocity);
void bw_field_clear(const BwDomain *domain, BwField *field);

// Exchanges two velocities of one grid.
void bw_velocity_swap(BwVelocity *a, BwVelocity *b);

// `to` becomes factor times `from`.
void bw_field_scale(const BwDomain *domain, const BwField *from, float factor, BwField *to);

// Adds `more` to a field, in all awake tiles.
void bw_field_add(const BwDomain *domain, const BwField *more, BwField *to);

// `to` becomes where `from` is between low and high, 0 to 1 and beyond.
void bw_field_normalize(const BwDomain *domain, const BwField *from, float low, float high, BwField *to);

void bw_mask_clear(const BwDomain *domain, BwMask *mask);

// The least value of the live cells, and the largest of all, each with 0 counted in.
void bw_field_range(const BwField *field, float *low, float *high);

// The first sample of a field, tile after tile, that is infinite or not a number.
typedef struct BwBadNumber {
    bool is_found;
    float value;
    BwVec3 place; // m
} BwBadNumber;
BwBadNumber bw_field_find_bad(const BwDomain *domain, const BwField *field);

// The sample of largest magnitude of any component, in metres; of all awake tiles.
BwVec3 bw_velocity_fastest_place(const BwGrid *grid, const BwVelocity *velocity);

// The largest speed of a velocity whose components all sit at cell centres, m/s.
double bw_centred_speed_max(const BwGrid *grid, BwPool *pool, const BwVelocity *velocity);
