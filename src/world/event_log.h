// The events of a world, in the order they came. Invariant: `dt` is what the last step was asked for, so that
// a step of that length adds no event.
#pragma once

#include "base/record.h"
#include <billow/live.h>

// Bytes of a scene's title that files of events keep, with the end; each may take six in their first line.
enum { BW_EVENT_TITLE = 128 };

typedef struct BwEventLog {
    BwAllocator allocator;
    BwEvent *list;
    int64_t count, capacity;
    double dt; // s, 0: whole frames
} BwEventLog;

void bw_event_log_free(BwEventLog *log);
BwResult bw_event_log_add(BwEventLog *log, const BwEvent *event, BwError *err);

// Room for one more event, so that ending a step cannot fail.
BwResult bw_event_log_reserve(BwEventLog *log, BwError *err);

// The step of that number was taken, and lasted `dt` as asked: tells the events that came before it, and adds
// one where the length is new. There must be room.
void bw_event_log_end_step(BwEventLog *log, int64_t step, double time, double dt);

// The number of the first event that came before step `step`, which must be the present one.
int64_t bw_event_log_first(const BwEventLog *log, int64_t step);

// Whether both are the same event of a run that has taken so many steps. How long a step lasts is known when
// it was taken.
bool bw_event_is_same(const BwEvent *a, const BwEvent *b, int64_t steps);

const char *bw_event_name(BwEventKind kind);
int bw_event_value_count(BwEventKind kind);

// The list as "events" of a record. Loading replaces what the log held; a record without has none. Fails when
// it holds what no log does; what the events are about is not looked at.
BwResult bw_event_log_save(const BwEventLog *log, BwRecord *record, BwError *err);
BwResult bw_event_log_load(BwEventLog *log, const BwRecord *record, int64_t steps, BwError *err);

// Whether an event could be in a log after `last`, which may be NULL, of a run of so many steps.
BwResult bw_event_check(const BwEvent *event, const BwEvent *last, int64_t steps, BwError *err);
