// Choosing the step. What is left of a frame is cut into equal parts, so that no sliver of a step remains at
// its end.
#include "world/stepping.h"

#include <math.h>

double bw_frame_time(int frame, double fps)
{
    return (double)frame / fps;
}

double bw_next_step(const BwStepRule *rule, double time, double frame_end, double limit, int taken)
{
    double left = frame_end - time;
    if (rule->steps > 0)
        return rule->steps > taken ? left / (rule->steps - taken) : left;
    double wanted = fmin(fmax(limit, rule->dt_min), rule->dt_max);
    double count = wanted > 0.0 ? ceil(left / wanted * (1.0 - 1e-9)) : INFINITY;
    // The cap of steps a frame wins over the limit: stable all the same, and the stats tell.
    double most = rule->steps_max > taken ? rule->steps_max - taken : 1;
    count = fmax(1.0, fmin(count, most));
    // No more than what fits at the shortest step either.
    if (rule->dt_min > 0.0)
        count = fmax(1.0, fmin(count, floor(left / rule->dt_min)));
    return left / count;
}
