// How long the next substep is. A step, up to the next frame or as long as the caller asks, is cut into
// substeps that the solver can bear; none is longer than a frame.
#pragma once

#include <billow/scene.h>

typedef struct BwStepRule {
    double dt_min, dt_max; // s
    int steps;             // fixed per step, 0: free
    int steps_max;         // most per step
} BwStepRule;

// The step from `time` towards `frame_end`. `limit` is the longest step the solver asks for; `taken` counts
// the steps of this frame so far.
double bw_next_step(const BwStepRule *rule, double time, double frame_end, double limit, int taken);

// Where the steps towards `end` have to end first: where a charge begins, for its speed comes at once.
double bw_step_until(const BwSceneDef *scene, double time, double end);

// Whether that step is longer than the limit asks because the frame may not have more.
bool bw_step_is_capped(const BwStepRule *rule, double time, double frame_end, double limit, int taken);

// The rule of a scene for a step of so many frames; each retry halves the substeps: fixed ones, the shortest
// allowed, and those of a world at rest that knows no limit yet. A step that breaks is worse than one that
// takes long.
BwStepRule bw_step_rule(const BwSceneDef *scene, double frames, int retry);

// Where a step of dt from `time` ends. Rounding does not make a step miss the time of a frame: what is a
// millionth of the step beside one is on it.
double bw_step_end(double time, double dt, double fps);

// How many frames long that is: 1 for a whole one, whatever the rounding.
double bw_step_frames(double time, double end, double fps);

// The last frame at or before a time, and the time of a frame.
int bw_frame_at(double time, double fps);
double bw_frame_time(int frame, double fps);
