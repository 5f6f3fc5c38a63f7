// Distances beside walls. Where a surface meets a wall at an angle, the cells beside the wall on one side of
// it are nearest to where the surface would go on behind the wall, and no cell there knows of it. Measured to
// the edge of the surface instead, phi would have a kink at the wall, and call by call the surface would be
// moved there. So phi goes on across the wall as it came: its slope there is kept, and the slopes along the
// wall are what is left of a length of one.
#pragma once

#include "operate/distance_job.h"

// Surfaces flatter to the wall than that, by the sine of their angle to its normal, have come down on it, and
// do not go on behind it.
static const float bw_wall_slope_most = 0.8f;

// The valid cells beside those of a layer, by side.
typedef struct BwDistanceWalls {
    uint64_t beside[6];
    bool has_any;
} BwDistanceWalls;

static inline BwDistanceWalls bw_distance_walls(const BwDistanceJob *job, int32_t slot, int k)
{
    BwDistanceWalls walls = {.has_any = false};
    uint64_t all = ~(uint64_t)0;
    for (int side = 0; side < 2 * job->grid->dimension && job->given != NULL; side++)
        all &= walls.beside[side] = bw_bits_beside(job->grid, job->valid, slot, side, k);
    walls.has_any = job->given != NULL && (bw_words(job->grid, job->valid, slot)[k] & ~all) != 0;
    return walls;
}

// By which phi came to be farther from the surface away from a wall, by axis, in units of 1; 0 where there is
// none. Gives the square of all, 0 where they are not to be kept.
static inline float bw_distance_wall_slopes(const BwDistanceJob *job, const BwDistanceWalls *walls,
                                            int32_t slot, int cell, float slope[3])
{
    float own = bw_field_tile(job->given, slot)[cell], square = 0.0f, most = bw_wall_slope_most;
    for (int a = 0; a < job->grid->dimension; a++) {
        bool is_low = walls->beside[2 * a] >> (cell & 63) & 1,
             is_high = walls->beside[2 * a + 1] >> (cell & 63) & 1;
        slope[a] = 0.0f;
        if (is_low == is_high)
            continue;
        float away = bw_value_beside(job->given, slot, cell, is_low ? 2 * a : 2 * a + 1);
        if ((away < 0.0f) == (own < 0.0f) && fabsf(away) < job->band)
            slope[a] = bw_larger(fabsf(away) - fabsf(own), 0.0f) / job->h;
        square += slope[a] * slope[a];
    }
    return square <= most * most ? square : 0.0f;
}

// A cell's distance of its terms, but with the slope that phi has across walls; without it where the surface
// turns out to be on the other side.
static inline float bw_distance_of_cell(const BwDistanceJob *job, const BwDistanceWalls *walls, int32_t slot,
                                        int cell, BwSlopeTerm term[3])
{
    float slope[3], nearest = INFINITY;
    float square = walls->has_any ? bw_distance_wall_slopes(job, walls, slot, cell, slope) : 0.0f;
    if (square == 0.0f)
        return bw_distance_of_terms(term, job->h);
    BwSlopeTerm along[3] = {term[0], term[1], term[2]};
    for (int a = 0; a < job->grid->dimension; a++)
        if (slope[a] > 0.0f) {
            nearest = bw_smaller(nearest, term[a].from);
            along[a] = (BwSlopeTerm){INFINITY, 1.0f};
        }
    float distance = bw_distance_of_terms(along, job->h * sqrtf(1.0f - square));
    return distance < nearest ? distance : bw_distance_of_terms(term, job->h);
}
