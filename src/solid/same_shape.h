// Whether two shapes are the same as far as one look tells: what they are made of counts by where it is. Who
// keeps something that took long to find for a shape asks, for a program may change the shapes of emitters.
#pragma once

#include <billow/shape.h>

static inline bool bw_same_vector(BwVec3 a, BwVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static inline bool bw_same_shape(const BwShape *a, const BwShape *b)
{
    return a->kind == b->kind && bw_same_vector(a->a, b->a) && bw_same_vector(a->b, b->b) &&
           a->radius == b->radius && a->thickness == b->thickness && a->size[0] == b->size[0] &&
           a->size[1] == b->size[1] && a->angle == b->angle && a->factor == b->factor &&
           a->height == b->height && a->detail == b->detail && a->threshold == b->threshold &&
           a->content == b->content && a->parts == b->parts && a->part_count == b->part_count;
}
