// Spans of shapes, by the rules by which distances combine (shape.c): each takes the smaller or the larger of
// its parts, so its bounds are those of its parts' bounds.
#include "solid/span.h"

#include "base/extremes.h"
#include "solid/shape_file.h"

static BwSpan no_further(BwSpan a, BwSpan b)
{
    return (BwSpan){bw_smaller(a.low, b.low), bw_smaller(a.high, b.high)};
}

static BwSpan no_nearer(BwSpan a, BwSpan b)
{
    return (BwSpan){bw_larger(a.low, b.low), bw_larger(a.high, b.high)};
}

static BwSpan scaled(BwSpan span, float factor)
{
    return (BwSpan){factor * span.low, factor * span.high};
}

static BwSpan combined_span(const BwShape *shape, BwVec3 p)
{
    if (shape->part_count == 0)
        return (BwSpan){INFINITY, INFINITY};
    BwSpan span = bw_shape_span(&shape->parts[0], p);
    for (int n = 1; n < shape->part_count; n++) {
        BwSpan other = bw_shape_span(&shape->parts[n], p);
        if (shape->kind == BW_SHAPE_UNION)
            span = no_further(span, other);
        else if (shape->kind == BW_SHAPE_INTERSECTION)
            span = no_nearer(span, other);
        else
            span = no_nearer(span, (BwSpan){-other.high, -other.low});
    }
    return span;
}

static BwSpan file_span(const BwShape *shape, BwVec3 p)
{
    if (shape->content == NULL)
        return (BwSpan){INFINITY, INFINITY};
    BwSpan span = scaled(bw_shape_file_span(shape->content, bw_mul(p, 1.0f / shape->factor)), shape->factor);
    float offset = bw_shape_file_offset(shape);
    return (BwSpan){span.low - offset, span.high - offset};
}

BwSpan bw_shape_span(const BwShape *shape, BwVec3 p)
{
    float distance;
    switch (shape->kind) {
    case BW_SHAPE_UNION:
    case BW_SHAPE_INTERSECTION:
    case BW_SHAPE_DIFFERENCE:
        return combined_span(shape, p);
    case BW_SHAPE_TRANSLATE:
        return bw_shape_span(shape->parts, bw_sub(p, shape->a));
    case BW_SHAPE_ROTATE:
        return bw_shape_span(shape->parts, bw_quat_rotate(bw_quat_turn(shape->b, -shape->angle), p));
    case BW_SHAPE_SCALE:
        return scaled(bw_shape_span(shape->parts, bw_mul(p, 1.0f / shape->factor)), shape->factor);
    case BW_SHAPE_MESH:
    case BW_SHAPE_HEIGHTMAP:
    case BW_SHAPE_VOXELS:
    case BW_SHAPE_POINTS:
        return file_span(shape, p);
    default:
        distance = bw_shape_distance(shape, p);
        return (BwSpan){distance, distance};
    }
}
