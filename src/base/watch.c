// Asking the watch.
#include "base/watch.h"

#include "base/clock.h"
#include "base/number_text.h"

#include <stdarg.h>

static const double seconds_between = 0.1;

BwTask bw_task(BwWatch watch, const char *format, ...)
{
    BwTask task = {.watch = watch};
    va_list args;
    va_start(args, format);
    bw_text_print_list(task.name, sizeof task.name, format, args);
    va_end(args);
    return task;
}

BwResult bw_task_go_on(BwTask *task, double share, BwError *err)
{
    if (task == NULL || task->watch.look == NULL)
        return BW_OK;
    double now = bw_clock_seconds();
    if (now < task->next)
        return BW_OK;
    task->next = now + seconds_between;
    if (task->watch.look(task->watch.user, task->name, share))
        return BW_OK;
    return bw_fail(err, BW_ERR_INTERRUPTED, "interrupted while %s", task->name);
}
