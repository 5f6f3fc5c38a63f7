// Chains of points, made shorter.
#include "stroke.h"

#include <float.h>

// A mouse that moves after standing still moves as if it had waited this long, s.
static const double pause_most = 0.05, pause_least = 0.002; // and no faster than its clock

static float distance_to_piece(BwVec3 point, BwVec3 from, BwVec3 to)
{
    BwVec3 along = bw_sub(to, from), way = bw_sub(point, from);
    float length2 = bw_dot(along, along);
    float share = length2 > 0.0f ? fminf(fmaxf(bw_dot(way, along) / length2, 0.0f), 1.0f) : 0.0f;
    return bw_length(bw_sub(way, bw_mul(along, share)));
}

static void drop(Stroke *stroke, int n)
{
    for (int m = n; m + 1 < stroke->count; m++)
        stroke->points[m] = stroke->points[m + 1];
    stroke->count--;
}

// Leaves out the point inside of a chain that bends it least. False: there is none.
static bool drop_straightest(Stroke *stroke)
{
    int best = -1;
    float least = FLT_MAX;
    for (int n = 1; n + 1 < stroke->count; n++) {
        const StrokePoint *p = &stroke->points[n];
        if (p->is_first || p[1].is_first)
            continue;
        float bend = distance_to_piece(p->place, p[-1].place, p[1].place);
        if (bend < least) {
            least = bend;
            best = n;
        }
    }
    if (best < 0)
        return false;
    drop(stroke, best);
    return true;
}

// A point that neither goes on nor is gone on from is a piece of its own: a dot.
static bool is_dot(const Stroke *stroke, int n)
{
    bool begins = n == 0 || stroke->points[n].is_first;
    bool ends = n + 1 == stroke->count || stroke->points[n + 1].is_first;
    return begins && ends;
}

static int count_pieces(const Stroke *stroke)
{
    int pieces = 0;
    for (int n = 0; n < stroke->count; n++)
        pieces += is_dot(stroke, n) || (n > 0 && !stroke->points[n].is_first);
    return pieces;
}

void stroke_add(Stroke *stroke, BwVec3 place, double seconds, bool is_first)
{
    if (stroke->count == STROKE_POINTS && !drop_straightest(stroke))
        drop(stroke, 0);
    stroke->is_down = true;
    stroke->points[stroke->count++] = (StrokePoint){place, seconds, is_first || stroke->count == 0};
}

static StrokePiece piece_between(const StrokePoint *from, const StrokePoint *to)
{
    double seconds = fmin(to->seconds - from->seconds, pause_most);
    BwVec3 way = bw_sub(to->place, from->place);
    float rate = (float)(1.0 / fmax(seconds, pause_least));
    return (StrokePiece){from->place, to->place, bw_mul(way, rate)};
}

int stroke_take(Stroke *stroke, StrokePiece *pieces, int most)
{
    int count = 0;
    while (count_pieces(stroke) > most)
        if (!drop_straightest(stroke))
            drop(stroke, 0);
    for (int n = 0; n < stroke->count && count < most; n++) {
        const StrokePoint *point = &stroke->points[n];
        if (is_dot(stroke, n))
            pieces[count++] = (StrokePiece){point->place, point->place, bw_vec3(0.0f, 0.0f, 0.0f)};
        else if (n > 0 && !point->is_first)
            pieces[count++] = piece_between(point - 1, point);
    }
    bool goes_on = stroke->is_down && stroke->count > 0;
    if (goes_on)
        stroke->points[0] = stroke->points[stroke->count - 1];
    stroke->count = goes_on ? 1 : 0;
    return count;
}

void stroke_end(Stroke *stroke)
{
    stroke->is_down = false;
}
