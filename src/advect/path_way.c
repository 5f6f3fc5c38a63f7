// A way is clear of a solid where the distances at its ends tell so; else triangles and boxes are asked where
// they are entered, other shapes for distances along it.
#include "advect/path_way.h"

#include "base/extremes.h"
#include "solid/box_ways.h"
#include "solid/shape_file.h"

void bw_path_places(const BwPathTile *tile, const float at[3][BW_TILE_CELLS_MAX], const int16_t *cell,
                    int count, BwPlaces *places)
{
    places->count = count;
    for (int a = 0; a < 3; a++) {
        double first = (double)tile->first[a], h = (double)tile->grid->cell_size;
        float *restrict place = places->at[a];
        bool is_flat = a >= tile->grid->dimension;
        for (int n = 0; n < count; n++)
            place[n] = is_flat ? 0.0f : at[a][cell[n]];
        for (int n = 0; n < count && !is_flat; n++) // on its own, so that it becomes vectors
            place[n] = (float)((first + (double)place[n]) * h);
    }
}

// Whether the balls of their bounds about places on the way cover all of it, so that it crosses no triangle.
static bool is_covered(const BwWay *way)
{
    enum { PLACES_MAX = 3 };
    float length = bw_safely * way->length, ball = way->from.distance.low, clear = ball;
    BwVec3 along = bw_sub(way->to.at, way->from.at);
    for (int n = 0; n < PLACES_MAX && ball > 0.0f; n++) {
        float at = clear + 0.8f * ball;
        if (at > length)
            return false;
        ball = bw_shape_distance_bounds(way->shape, bw_on_way(way->from.at, along, at / length)).low;
        if (!(clear + ball > at))
            return false;
        clear = at + ball;
        if (clear + way->to.distance.low > length)
            return true;
    }
    return false;
}

bool bw_way_is_apart(const BwPathTile *tile, BwWay *way)
{
    float wanted = bw_safely * way->length;
    if (way->from.distance.low + way->to.distance.low > wanted)
        return true;
    if (way->is_triangles)
        return !tile->is_plain && is_covered(way);
    return bw_way_end_ask(way->shape, &way->from) + bw_way_end_ask(way->shape, &way->to) > wanted;
}

float bw_way_clear_part(BwWay *way, float close)
{
    float met;
    if (way->is_triangles)
        met = bw_shape_cross(way->shape, way->from.at, way->to.at);
    else if (!way->is_box || !bw_box_entered(way->shape, way->from.at, way->to.at, &met))
        return bw_clear_part(way->shape, way->from.at, way->to.at, bw_way_end_ask(way->shape, &way->from),
                             close);
    return met > 1.0f ? 1.0f : bw_larger(met - close / way->length, 0.0f);
}
