// Choosing the substep. What is left of a step is cut into equal parts, so that no sliver of a step remains
// at its end.
#include "world/stepping.h"

#include "scene/curve.h"

#include <math.h>

double bw_frame_time(int frame, double fps)
{
    return (double)frame / fps;
}

int bw_frame_at(double time, double fps)
{
    int frame = (int)(time * fps);
    while (bw_frame_time(frame + 1, fps) <= time)
        frame++;
    while (frame > 0 && bw_frame_time(frame, fps) > time)
        frame--;
    return frame;
}

static const double rounding = BW_TIME_ROUNDING;

double bw_step_end(double time, double dt, double fps)
{
    double end = time + dt, near = floor(end * fps + 0.5) / fps;
    return fabs(near - end) <= rounding * fmin(dt, 1.0 / fps) ? near : end;
}

double bw_step_frames(double time, double end, double fps)
{
    double frames = (end - time) * fps;
    return fabs(frames - 1.0) <= rounding ? 1.0 : frames;
}

double bw_step_until(const BwSceneDef *scene, double time, double end)
{
    double near = rounding / scene->fps, until = end;
    for (int n = 0; n < scene->charge_count; n++) {
        double start = scene->charges[n].start;
        if (start > time + near && start < end - near && start < until)
            until = start;
    }
    return until;
}

// A share of what a frame may have, rounded up.
static int share_of(int count, double frames)
{
    double share = ceil(count * frames - rounding);
    return count == 0 ? 0 : share < 1.0 ? 1 : share < 1e7 ? (int)share : 10000000;
}

BwStepRule bw_step_rule(const BwSceneDef *scene, double frames, int retry)
{
    double frame = 1.0 / scene->fps, longest = fmin(scene->dt_max, frame);
    if (retry > 0)
        longest = fmin(scene->dt_max, ldexp(fmin(frames, 1.0) * frame, -retry));
    return (BwStepRule){ldexp(fmin(scene->dt_min, frame), -retry), longest,
                        share_of(scene->steps, frames) << retry, share_of(scene->steps_max, frames) << retry};
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
