// A stroke of the mouse between two steps of the world, as a chain of straight pieces without gaps. However
// many points the mouse gave, and however long the step took, it becomes at most as many pieces as the brush
// has; points that bend the chain least are left out first.
#pragma once

#include <billow/vec.h>
#include <stdbool.h>

enum { STROKE_POINTS = 256 };

typedef struct StrokePoint {
    BwVec3 place;   // m
    double seconds; // of the clock on the wall
    bool is_first;  // it does not go on from the one before
} StrokePoint;

// Invariant: the first point is that where the last step's chain ended, if the mouse was still down.
typedef struct Stroke {
    StrokePoint points[STROKE_POINTS];
    int count;
    bool is_down;
} Stroke;

typedef struct StrokePiece {
    BwVec3 from, to; // m, the same for a mouse that stands still
    BwVec3 velocity; // m/s, of the mouse along it
} StrokePiece;

void stroke_add(Stroke *stroke, BwVec3 place, double seconds, bool is_first);

// The pieces since the last call, at most `most` of them; gives their number. What comes next goes on from
// the end of the last one.
int stroke_take(Stroke *stroke, StrokePiece *pieces, int most);

// The mouse button is up: nothing goes on from what was drawn, which the next call still takes.
void stroke_end(Stroke *stroke);
