// How long the next step is: rows A2 and E1. Frames land exactly on their times; a step never passes one.
#pragma once

#include <billow/scene.h>

typedef struct BwStepRule {
    double dt_min, dt_max; // s
    int steps;             // fixed per frame, 0: free
    int steps_max;         // most per frame
} BwStepRule;

// The step from `time` towards `frame_end`. `limit` is the longest step the solver asks for; `taken` counts
// the steps of this frame so far.
double bw_next_step(const BwStepRule *rule, double time, double frame_end, double limit, int taken);

// Whether that step is longer than the limit asks because the frame may not have more.
bool bw_step_is_capped(const BwStepRule *rule, double time, double frame_end, double limit, int taken);

// The time of a frame.
double bw_frame_time(int frame, double fps);
