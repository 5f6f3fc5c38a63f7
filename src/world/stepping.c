// Choosing the step. What is left of a frame is cut into equal parts, so that no sliver of a step remains at
// its end.
#include "world/stepping.h"

#include <math.h>

double bw_frame_time(int frame, double fps)
{
    return (double)frame / fps;
}

// Steps that a frame still needs to keep to the limit.
static double steps_wanted(const BwStepRule *rule, double left, double limit)
{
    double wanted = fmin(fmax(limit, rule->dt_min), rule->dt_max);
    return wanted > 0.0 ? ceil(left / wanted * (1.0 - 1e-9)) : INFINITY;
}

static double steps_left(const BwStepRule *rule, int taken)
{
    return rule->steps_max > taken ? rule->steps_max - taken : 1;
}

bool bw_step_is_capped(const BwStepRule *rule, double time, double frame_end, double limit, int taken)
{
    return rule->steps == 0 && steps_wanted(rule, frame_end - time, limit) > steps_left(rule, taken);
}

double bw_next_step(const BwStepRule *rule, double time, double frame_end, double limit, int taken)
{
    double left = frame_end - time;
    if (rule->steps > 0)
        return rule->steps > taken ? left / (rule->steps - taken) : left;
    // The cap of steps a frame wins over the limit: stable all the same, and the stats tell.
    double count = fmax(1.0, fmin(steps_wanted(rule, left, limit), steps_left(rule, taken)));
    // No more than what fits at the shortest step either.
    if (rule->dt_min > 0.0)
        count = fmax(1.0, fmin(count, floor(left / rule->dt_min)));
    return left / count;
}
