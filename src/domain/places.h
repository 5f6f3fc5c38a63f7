// Many places and one solid: bounds of its distance (solid/distance_bounds.h) at all of them, a vector of
// places at a time; to the bit what they are one by one.
#pragma once

#include "domain/domain.h"

enum { BW_PLACES_MAX = 736, BW_PLACES_WORDS = 12 }; // the nodes of a tile, in whole vectors

typedef struct BwPlaces {
    int count;
    _Alignas(BW_ALIGN) float at[3][BW_PLACES_MAX];                    // m
    _Alignas(BW_ALIGN) float low[BW_PLACES_MAX], high[BW_PLACES_MAX]; // bounds of the distance there, m
} BwPlaces;

// From the world to the frame of a solid. Places beyond the last one become the last one, to the end of its
// vector.
void bw_places_to_local(BwPlaces *places, BwPose pose);

// Finds the bounds at places in the frame of the shape.
void bw_places_measure(BwPlaces *places, const BwShape *shape);

// How far each place of one list lies from that of another, m.
void bw_places_apart(const BwPlaces *from, const BwPlaces *to, float *length);

// Which of the straight ways from places of one list to those of another enter a box (bw_box_entered): a bit
// each.
void bw_places_entering_box(const BwPlaces *from, const BwPlaces *to, const BwShape *box,
                            uint64_t entering[BW_PLACES_WORDS]);

static inline void bw_place_put(BwPlaces *places, int n, BwVec3 at)
{
    places->at[0][n] = at.x;
    places->at[1][n] = at.y;
    places->at[2][n] = at.z;
}

// Copies a place with its bounds.
static inline void bw_place_move(BwPlaces *places, int to, int from)
{
    for (int a = 0; a < 3; a++)
        places->at[a][to] = places->at[a][from];
    places->low[to] = places->low[from];
    places->high[to] = places->high[from];
}

static inline BwVec3 bw_place_of(const BwPlaces *places, int n)
{
    return bw_vec3(places->at[0][n], places->at[1][n], places->at[2][n]);
}
