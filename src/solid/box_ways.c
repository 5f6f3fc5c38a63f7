// Kay and Kajiya 1986: a way is in a box while it is between the sides of all three pairs. Eight ways go side
// by side.
#include "solid/box_ways.h"

#include "base/extremes.h"

#include <math.h>
#include <string.h>

// The shares of eight ways that lie between all sides looked at so far.
typedef struct Stretches {
    float enter[BW_SEEN], leave[BW_SEEN];
    int32_t is_inside[BW_SEEN]; // the other end is
} Stretches;

// A way that stays as far along the axis as it begins is between the sides on all of it, or nowhere.
static void cut_to_sides(Stretches *ways, float low, float high, float from, const float to[BW_SEEN])
{
    bool is_between = from > low && from < high;
    float always = is_between ? -INFINITY : INFINITY;
    for (int n = 0; n < BW_SEEN; n++) {
        float along = to[n] - from;
        bool stays = along == 0.0f;
        float share = 1.0f / (stays ? 1.0f : along), a = share * (low - from), b = share * (high - from);
        float enter = stays ? always : bw_smaller(a, b), leave = stays ? -always : bw_larger(a, b);
        ways->enter[n] = bw_larger(ways->enter[n], enter);
        ways->leave[n] = bw_smaller(ways->leave[n], leave);
        ways->is_inside[n] &= (to[n] > low) & (to[n] < high);
    }
}

static void cut_to_box(Stretches *ways, const BwShape *box, BwVec3 from, float to[3][BW_SEEN])
{
    for (int n = 0; n < BW_SEEN; n++) {
        ways->enter[n] = 0.0f;
        ways->leave[n] = 1.0f;
        ways->is_inside[n] = 1;
    }
    cut_to_sides(ways, box->a.x, box->b.x, from.x, to[0]);
    cut_to_sides(ways, box->a.y, box->b.y, from.y, to[1]);
    cut_to_sides(ways, box->a.z, box->b.z, from.z, to[2]);
}

// From a point in a shape's frame to one in that of what it moves; false if it is nothing moved.
static bool to_part(const BwShape *shape, BwVec3 *point)
{
    switch (shape->kind) {
    case BW_SHAPE_TRANSLATE:
        *point = bw_sub(*point, shape->a);
        return true;
    case BW_SHAPE_ROTATE:
        *point = bw_quat_rotate(bw_quat_turn(shape->b, -shape->angle), *point);
        return true;
    case BW_SHAPE_SCALE:
        *point = bw_mul(*point, 1.0f / shape->factor);
        return true;
    default:
        return false;
    }
}

static void all_to_part(const BwShape *shape, float to[3][BW_SEEN])
{
    for (int n = 0; n < BW_SEEN; n++) {
        BwVec3 point = bw_vec3(to[0][n], to[1][n], to[2][n]);
        to_part(shape, &point);
        to[0][n] = point.x;
        to[1][n] = point.y;
        to[2][n] = point.z;
    }
}

bool bw_shape_is_box(const BwShape *shape)
{
    BwVec3 point = bw_vec3(0.0f, 0.0f, 0.0f);
    while (to_part(shape, &point))
        shape = shape->parts;
    return shape->kind == BW_SHAPE_BOX;
}

bool bw_box_seen(const BwShape *shape, BwVec3 from, float to[3][BW_SEEN], BwSeen *seen)
{
    for (; to_part(shape, &from); shape = shape->parts)
        all_to_part(shape, to);
    if (shape->kind != BW_SHAPE_BOX)
        return false;
    Stretches ways;
    cut_to_box(&ways, shape, from, to);
    *seen = (BwSeen){0};
    for (int n = 0; n < BW_SEEN; n++) {
        seen->inside |= (uint8_t)(ways.is_inside[n] << n);
        seen->hidden |= (uint8_t)((ways.enter[n] < ways.leave[n] && !ways.is_inside[n]) << n);
    }
    return true;
}

bool bw_box_entered(const BwShape *shape, BwVec3 from, BwVec3 to, float *share)
{
    const float not_met = 2.0f;
    while (to_part(shape, &from)) {
        to_part(shape, &to);
        shape = shape->parts;
    }
    if (shape->kind != BW_SHAPE_BOX)
        return false;
    float at[3][BW_SEEN];
    for (int n = 0; n < BW_SEEN; n++) {
        at[0][n] = to.x;
        at[1][n] = to.y;
        at[2][n] = to.z;
    }
    Stretches ways;
    cut_to_box(&ways, shape, from, at);
    *share = ways.enter[0] < ways.leave[0] ? ways.enter[0] : not_met;
    return true;
}
