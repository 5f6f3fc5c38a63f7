// Spans of shapes, by the rules by which distances combine (shape.c): each takes the smaller or the larger of
// its parts, so its bounds are those of its parts' bounds.
#include "solid/distance_bounds.h"

#include "base/extremes.h"
#include "solid/shape_file.h"

static BwDistanceBounds no_further(BwDistanceBounds a, BwDistanceBounds b)
{
    return (BwDistanceBounds){bw_smaller(a.low, b.low), bw_smaller(a.high, b.high)};
}

static BwDistanceBounds no_nearer(BwDistanceBounds a, BwDistanceBounds b)
{
    return (BwDistanceBounds){bw_larger(a.low, b.low), bw_larger(a.high, b.high)};
}

static BwDistanceBounds scaled(BwDistanceBounds span, float factor)
{
    return (BwDistanceBounds){factor * span.low, factor * span.high};
}

static BwDistanceBounds combined_span(const BwShape *shape, BwVec3 p)
{
    if (shape->part_count == 0)
        return (BwDistanceBounds){INFINITY, INFINITY};
    BwDistanceBounds span = bw_shape_distance_bounds(&shape->parts[0], p);
    for (int n = 1; n < shape->part_count; n++) {
        BwDistanceBounds other = bw_shape_distance_bounds(&shape->parts[n], p);
        if (shape->kind == BW_SHAPE_UNION)
            span = no_further(span, other);
        else if (shape->kind == BW_SHAPE_INTERSECTION)
            span = no_nearer(span, other);
        else
            span = no_nearer(span, (BwDistanceBounds){-other.high, -other.low});
    }
    return span;
}

static BwDistanceBounds file_span(const BwShape *shape, BwVec3 p)
{
    if (shape->content == NULL)
        return (BwDistanceBounds){INFINITY, INFINITY};
    BwDistanceBounds span =
        scaled(bw_shape_file_distance_bounds(shape->content, bw_mul(p, 1.0f / shape->factor)), shape->factor);
    float offset = bw_shape_file_offset(shape);
    return (BwDistanceBounds){span.low - offset, span.high - offset};
}

BwDistanceBounds bw_shape_distance_bounds_any(const BwShape *shape, BwVec3 p)
{
    float distance;
    switch (shape->kind) {
    case BW_SHAPE_UNION:
    case BW_SHAPE_INTERSECTION:
    case BW_SHAPE_DIFFERENCE:
        return combined_span(shape, p);
    case BW_SHAPE_TRANSLATE:
        return bw_shape_distance_bounds(shape->parts, bw_sub(p, shape->a));
    case BW_SHAPE_ROTATE:
        return bw_shape_distance_bounds(shape->parts,
                                        bw_quat_rotate(bw_quat_turn(shape->b, -shape->angle), p));
    case BW_SHAPE_SCALE:
        return scaled(bw_shape_distance_bounds(shape->parts, bw_mul(p, 1.0f / shape->factor)), shape->factor);
    case BW_SHAPE_MESH:
    case BW_SHAPE_HEIGHTMAP:
    case BW_SHAPE_VOXELS:
    case BW_SHAPE_WRAPPED:
    case BW_SHAPE_POINTS:
        return file_span(shape, p);
    default:
        distance = bw_shape_distance(shape, p);
        return (BwDistanceBounds){distance, distance};
    }
}
