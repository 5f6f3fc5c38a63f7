// What the methods of operate/distance.h share: the job, and |grad phi| = 1 solved in one cell.
#pragma once

#include "base/extremes.h"
#include "operate/distance.h"

typedef struct BwDistanceJob {
    BwDistance *distance;
    const BwGrid *grid;
    BwField *phi;
    const BwMask *valid; // NULL: live
    BwPool *pool;
    const BwField *given; // NULL: slopes across walls are not kept
    float h, kept, band;
    bool is_given; // it begins with the phi that is given, else with the cells beside the surface alone
    float radius;  // m, of wrapping: of the balls
    float limit;   // m, of marching: cells nearer than this become known
    uint64_t turn; // of sweeping
    int color;
} BwDistanceJob;

// Cells of a layer of a tile, a bit each.
typedef uint64_t BwDistanceCellsFn(const BwDistanceJob *job, int32_t slot, int k);

// Lets those cells take what was found for them in `next`, all at once.
void bw_distance_take(const BwDistanceJob *job, BwDistanceCellsFn *cells);

// Marks the cells beside the surface as known, with their distance in phi; in the others phi stays.
void bw_distance_measure(BwDistanceJob *job);

// From there on.
void bw_distance_march(BwDistanceJob *job);
void bw_distance_sweep(BwDistanceJob *job);
void bw_distance_relax(BwDistanceJob *job);

// A tile's values and those of the tiles beside it, by axis, low and high.
typedef struct BwDistanceTile {
    const float *own, *beside[6];
} BwDistanceTile;

static inline BwDistanceTile bw_distance_tile(const BwField *field, int32_t slot)
{
    BwDistanceTile tile = {.own = bw_field_tile(field, slot)};
    for (int side = 0; side < 2 * field->store.grid->dimension; side++)
        tile.beside[side] =
            bw_field_tile(field, field->store.grid->tiles[slot].neighbour[bw_side_neighbour[side]]);
    return tile;
}

// The value so many cells from one along an axis, up to eight.
static inline float bw_distance_along(const BwDistanceTile *tile, int cell, int axis, int by)
{
    int at = cell + by * (1 << (3 * axis)), place = (cell >> (3 * axis) & 7) + by;
    if (place < 0)
        return tile->beside[2 * axis][at + (8 << (3 * axis))];
    return place > 7 ? tile->beside[2 * axis + 1][at - (8 << (3 * axis))] : tile->own[at];
}

// What the cells along an axis say of a cell's distance v: the square of its slope is weight (v - from)^2.
typedef struct BwSlopeTerm {
    float from, weight;
} BwSlopeTerm;

// From the values one and two cells away on the side of the axis where the surface is nearer; those of band
// or more are not known, and so is the term when it says as much. The second is seen from the cell's side of
// the surface, and counts where the two differ by no more than a distance does over a cell: there may be a
// wall between them, dry behind.
static inline BwSlopeTerm bw_slope_term(const float low[2], const float high[2], float sign, float band,
                                        float h)
{
    float below = fabsf(low[0]) < band ? fabsf(low[0]) : INFINITY,
          above = fabsf(high[0]) < band ? fabsf(high[0]) : INFINITY;
    float next = bw_smaller(below, above), beyond = sign * (below <= above ? low[1] : high[1]);
    if (next < INFINITY && fabsf(beyond) < band && beyond <= next && next - beyond < 1.1f * h)
        return (BwSlopeTerm){next + (next - beyond) * (1.0f / 3.0f), 2.25f};
    return (BwSlopeTerm){next, 1.0f};
}

static inline void bw_slope_order(BwSlopeTerm *low, BwSlopeTerm *high)
{
    if (low->from > high->from) {
        BwSlopeTerm larger = *low;
        *low = *high;
        *high = larger;
    }
}

// The distance at which the squares of the slopes add up to one, of the terms that are nearer than it; h is
// that times the size of a cell.
static inline float bw_distance_of_terms(BwSlopeTerm term[3], float h)
{
    bw_slope_order(&term[0], &term[1]);
    bw_slope_order(&term[1], &term[2]);
    bw_slope_order(&term[0], &term[1]);
    float first = term[0].from, sum = term[0].weight, moment = 0.0f, square = -h * h;
    float way = term[0].weight == 1.0f ? h : h * (2.0f / 3.0f);
    for (int n = 1; n < 3 && first + way > term[n].from; n++) {
        float from = term[n].from - first;
        sum += term[n].weight;
        moment += term[n].weight * from;
        square += term[n].weight * from * from;
        way = (moment + sqrtf(bw_larger(moment * moment - sum * square, 0.0f))) / sum;
    }
    return first + way;
}
