// Straight ways past a solid, in its frame: paths, and from their ends to samples.
#pragma once

#include "advect/path_tile.h"
#include "domain/places.h"
#include "solid/distance_bounds.h"

// A point in a solid's frame, and what is known of its distance: bounds at first, the distance itself once
// something hangs on it.
typedef struct BwWayEnd {
    BwVec3 at;
    BwDistanceBounds distance;
} BwWayEnd;

static inline float bw_way_end_ask(const BwShape *shape, BwWayEnd *place)
{
    if (place->distance.low < place->distance.high)
        place->distance.low = place->distance.high = bw_shape_distance(shape, place->at);
    return place->distance.low;
}

static inline BwWayEnd bw_way_end_at(const BwPathTile *tile, const BwShape *shape, BwVec3 at)
{
    BwWayEnd place = {at, bw_shape_distance_bounds(shape, at)};
    if (tile->is_plain)
        bw_way_end_ask(shape, &place);
    return place;
}

// Whether the distance is below a bound; this one decides, so it is asked for where its bounds do not tell.
static inline bool bw_way_end_is_below(const BwShape *shape, BwWayEnd *place, float bound)
{
    if (place->distance.low < bound && !(place->distance.high < bound))
        bw_way_end_ask(shape, place);
    return place->distance.low < bound;
}

// A path, or the way from its end to a sample, past a solid.
typedef struct BwWay {
    const BwSolidPose *solid;
    const BwShape *shape;
    bool is_triangles, is_box;
    BwPose pose; // of the solid, at the end of the path
    BwWayEnd from, to;
    float length;
} BwWay;

// The positions of some cells' starts or ends of paths.
void bw_path_places(const BwPathTile *tile, const float at[3][BW_TILE_CELLS_MAX], const int16_t *cell,
                    int count, BwPlaces *places);

// Whether the solid cannot lie between the ends. Triangles are not asked for distances: where bounds do not
// tell, asking which one is crossed is cheaper.
bool bw_way_is_apart(const BwPathTile *tile, BwWay *way);

// How much of a way from outside is clear of the solid: 1 if all, else to `close` before it meets it.
float bw_way_clear_part(BwWay *way, float close);
