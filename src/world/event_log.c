// Keeping events.
#include "world/event_log.h"

#include "base/need.h"

#include <math.h>
#include <string.h>

const char *bw_event_name(BwEventKind kind)
{
    static const char *const names[] = {
#define X(name, text, count) text,
        BW_EVENTS(X)
#undef X
    };
    return names[kind];
}

int bw_event_value_count(BwEventKind kind)
{
    static const int counts[] = {
#define X(name, text, count) count,
        BW_EVENTS(X)
#undef X
    };
    return counts[kind];
}

void bw_event_log_free(BwEventLog *log)
{
    bw_free(&log->allocator, log->list, (size_t)log->capacity * sizeof *log->list, BW_ALIGN);
    *log = (BwEventLog){.allocator = log->allocator};
}

BwResult bw_event_log_reserve(BwEventLog *log, BwError *err)
{
    return bw_reserve(&log->allocator, (void **)&log->list, &log->capacity, log->count + 1, sizeof *log->list,
                      err);
}

BwResult bw_event_log_add(BwEventLog *log, const BwEvent *event, BwError *err)
{
    BW_TRY(bw_event_log_reserve(log, err));
    log->list[log->count++] = *event;
    return BW_OK;
}

int64_t bw_event_log_first(const BwEventLog *log, int64_t step)
{
    int64_t first = log->count;
    while (first > 0 && log->list[first - 1].step == step)
        first--;
    return first;
}

void bw_event_log_end_step(BwEventLog *log, int64_t step, double time, double dt)
{
    for (int64_t n = bw_event_log_first(log, step); n < log->count; n++)
        log->list[n].dt = dt;
    if (dt != log->dt)
        log->list[log->count++] = (BwEvent){.kind = BW_EVENT_STEP, .step = step, .time = time, .dt = dt};
    log->dt = dt;
}

bool bw_event_is_same(const BwEvent *a, const BwEvent *b, int64_t steps)
{
    return a->kind == b->kind && a->index == b->index && a->generation == b->generation &&
           a->step == b->step && a->time == b->time && (a->step >= steps || a->dt == b->dt) &&
           memcmp(a->value, b->value, sizeof a->value) == 0;
}

BwResult bw_event_check(const BwEvent *event, const BwEvent *last, int64_t steps, BwError *err)
{
    bool is_step = event->kind == BW_EVENT_STEP;
    int64_t first = last != NULL ? last->step : 0;
    if (event->step < first || event->step > steps || (is_step && event->step == steps))
        return bw_fail(err, BW_ERR_FORMAT, "an event came before step %lld; it must be %lld to %lld",
                       (long long)event->step, (long long)first, (long long)steps);
    if (last != NULL && last->kind == BW_EVENT_STEP && last->step == event->step)
        return bw_fail(err, BW_ERR_FORMAT, "an event of step %lld came after its length was told",
                       (long long)event->step);
    if (!(event->time >= (last != NULL ? last->time : 0.0)) || isinf(event->time))
        return bw_fail(err, BW_ERR_FORMAT, "an event of step %lld came at %g s, before the one before it",
                       (long long)event->step, event->time);
    if (!(event->dt >= 0.0) || isinf(event->dt))
        return bw_fail(err, BW_ERR_FORMAT, "an event says that step %lld lasts %g s", (long long)event->step,
                       event->dt);
    for (int n = 0; n < BW_EVENT_VALUES; n++)
        if (!(fabsf(event->value[n]) <= BW_EVENT_VALUE_MAX))
            return bw_fail(err, BW_ERR_FORMAT, "an event of step %lld holds %g; it must be within %g",
                           (long long)event->step, (double)event->value[n], (double)BW_EVENT_VALUE_MAX);
    return BW_OK;
}

enum { HEAD = 6, COLUMNS = HEAD + BW_EVENT_VALUES };

BwResult bw_event_log_save(const BwEventLog *log, BwRecord *record, BwError *err)
{
    void *values;
    BW_TRY(bw_record_add(record, "events", BW_RECORD_DOUBLE, log->count, COLUMNS, &values, err));
    for (int64_t n = 0; n < log->count; n++) {
        const BwEvent *event = &log->list[n];
        double *row = (double *)values + n * COLUMNS;
        const double head[HEAD] = {(double)event->kind, (double)event->index, (double)event->generation,
                                   (double)event->step, event->time,          event->dt};
        memcpy(row, head, sizeof head);
        for (int v = 0; v < BW_EVENT_VALUES; v++)
            row[HEAD + v] = (double)event->value[v];
    }
    return BW_OK;
}

static bool is_whole(double value, double high)
{
    return value >= 0.0 && value <= high && value == floor(value);
}

static BwResult read_row(const double *row, BwEvent *event, BwError *err)
{
    if (!is_whole(row[0], BW_EVENT_COUNT - 1) || !is_whole(row[1], INT32_MAX) ||
        !is_whole(row[2], UINT32_MAX) || !is_whole(row[3], 0x1p53))
        return bw_fail(err, BW_ERR_FORMAT, "\"events\" of the state hold what is no event");
    *event = (BwEvent){.kind = (BwEventKind)row[0],
                       .index = (int32_t)row[1],
                       .generation = (uint32_t)row[2],
                       .step = (int64_t)row[3],
                       .time = row[4],
                       .dt = row[5]};
    for (int v = 0; v < BW_EVENT_VALUES; v++)
        event->value[v] = (float)row[HEAD + v];
    return BW_OK;
}

BwResult bw_event_log_load(BwEventLog *log, const BwRecord *record, int64_t steps, BwError *err)
{
    const void *values;
    int64_t rows = -1;
    log->count = 0;
    log->dt = 0.0;
    if (!bw_record_has(record, "events"))
        return BW_OK;
    BW_TRY(bw_record_find(record, "events", BW_RECORD_DOUBLE, &rows, COLUMNS, &values, err));
    for (int64_t n = 0; n < rows; n++) {
        BwEvent event;
        BW_TRY(read_row((const double *)values + n * COLUMNS, &event, err));
        BW_TRY(bw_event_check(&event, n > 0 ? &log->list[n - 1] : NULL, steps, err));
        BW_TRY(bw_event_log_add(log, &event, err));
        if (event.kind == BW_EVENT_STEP)
            log->dt = event.dt;
    }
    return BW_OK;
}
