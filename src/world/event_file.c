// Events as JSON lines: a first line that says what the file is, then one line an event. Numbers are written
// so that they read back the same.
#include "base/file.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/need.h"
#include "base/number_text.h"
#include "world/event_log.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char format_name[] = "billow events";
enum { VERSION = 1, LINE_MAX_BYTES = 1024 };
static const size_t file_bytes_max = (size_t)1 << 32;

struct BwEventFile {
    BwEventLog log;
    int64_t steps;
    char scene[BW_EVENT_TITLE]; // "": not told
};

static void write_event(FILE *stream, const BwEvent *event)
{
    BwJson json = bw_json_line(stream);
    bw_json_open(&json, NULL, '{');
    bw_json_text(&json, "event", bw_event_name(event->kind));
    bw_json_integer(&json, "step", event->step);
    bw_json_number(&json, "time", event->time);
    bw_json_number(&json, "dt", event->dt);
    if (event->kind != BW_EVENT_STEP) {
        bw_json_integer(&json, "index", event->index);
        bw_json_integer(&json, "generation", event->generation);
    }
    bw_json_open(&json, "value", '[');
    for (int n = 0; n < bw_event_value_count(event->kind); n++)
        bw_json_number(&json, NULL, (double)event->value[n]);
    bw_json_close(&json, ']');
    bw_json_close(&json, '}');
}

static void write_head(FILE *stream, const BwEvents *events)
{
    BwJson json = bw_json_line(stream);
    bw_json_open(&json, NULL, '{');
    bw_json_text(&json, "format", format_name);
    bw_json_integer(&json, "version", VERSION);
    bw_json_integer(&json, "steps", events->steps);
    bw_json_integer(&json, "events", events->count);
    if (events->scene != NULL && events->scene[0] != '\0') {
        char title[BW_EVENT_TITLE];
        snprintf(title, sizeof title, "%s", events->scene);
        bw_json_text(&json, "scene", title);
    }
    bw_json_close(&json, '}');
}

// As the reader does: what it would refuse is not written.
static BwResult check_events(const BwEvents *events, BwError *err)
{
    BwError reason = {0};
    if (events->steps < 0)
        return bw_fail(err, BW_ERR_DEF, "the events are of %lld steps; it must be 0 or more",
                       (long long)events->steps);
    for (int64_t n = 0; n < events->count; n++) {
        const BwEvent *event = &events->list[n];
        if ((unsigned)event->kind >= BW_EVENT_COUNT)
            return bw_fail(err, BW_ERR_DEF, "event %lld is of unknown kind %d", (long long)n,
                           (int)event->kind);
        if (event->kind != BW_EVENT_STEP && event->index < 0)
            return bw_fail(err, BW_ERR_DEF, "event %lld is of thing %d", (long long)n, event->index);
        if (bw_event_check(event, n > 0 ? event - 1 : NULL, events->steps, &reason) != BW_OK)
            return bw_fail(err, BW_ERR_DEF, "event %lld: %s", (long long)n, reason.message);
    }
    return BW_OK;
}

BwResult bw_events_save(const BwEvents *events, const char *path, BwError *err)
{
    BW_TRY(bw_need(events, "the events", err));
    BW_TRY(bw_need_list(events->list, events->count, "events", err));
    BW_TRY(bw_need(path, "the path of the events", err));
    BW_TRY(check_events(events, err));
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    BwFileWriter writer;
    BW_TRY(bw_file_begin(&writer, &allocator, path, err));
    write_head(writer.stream, events);
    for (int64_t n = 0; n < events->count; n++)
        write_event(writer.stream, &events->list[n]);
    return bw_file_commit(&writer, err);
}

static bool read_whole(BwJsonText line, const char *key, double high, double *number)
{
    return bw_json_find_number(line, key, number) && *number >= 0.0 && *number <= high &&
           *number == floor(*number);
}

// The numbers of the list, exactly as many as the kind has.
static bool read_values(BwJsonText line, BwEvent *event)
{
    BwJsonText list;
    if (!bw_json_find(line, "value", &list) || list.end - list.begin < 2 || *list.begin != '[')
        return false;
    const char *at = list.begin + 1;
    for (int n = 0; n < bw_event_value_count(event->kind); n++) {
        char *end;
        if (n > 0 && *at++ != ',')
            return false;
        double value = bw_number_read(at, &end);
        if (end == at || end >= list.end || !(fabs(value) <= (double)FLT_MAX))
            return false;
        event->value[n] = (float)value;
        at = end;
    }
    return at + 1 == list.end;
}

static bool read_kind(BwJsonText line, BwEventKind *kind)
{
    char name[64];
    if (!bw_json_find_text(line, "event", name, sizeof name))
        return false;
    for (int n = 0; n < BW_EVENT_COUNT; n++)
        if (strcmp(name, bw_event_name((BwEventKind)n)) == 0) {
            *kind = (BwEventKind)n;
            return true;
        }
    return false;
}

static bool read_event(BwJsonText line, BwEvent *event)
{
    double step, index = 0.0, generation = 0.0;
    *event = (BwEvent){0};
    if (!read_kind(line, &event->kind) || !read_whole(line, "step", 0x1p53, &step) ||
        !bw_json_find_number(line, "time", &event->time) || !bw_json_find_number(line, "dt", &event->dt))
        return false;
    bool has_id = event->kind != BW_EVENT_STEP;
    if (has_id && (!read_whole(line, "index", INT32_MAX, &index) ||
                   !read_whole(line, "generation", UINT32_MAX, &generation)))
        return false;
    event->step = (int64_t)step;
    event->index = (int32_t)index;
    event->generation = (uint32_t)generation;
    return read_values(line, event);
}

static bool next_line(const char **at, const char *end, BwJsonText *line)
{
    const char *stop = *at < end ? memchr(*at, '\n', (size_t)(end - *at)) : NULL;
    if (stop == NULL)
        return false;
    *line = (BwJsonText){*at, stop};
    *at = stop + 1;
    return stop - line->begin <= LINE_MAX_BYTES;
}

static BwResult read_head(BwEventFile *file, const char **at, const char *end, double *count, BwError *err)
{
    BwJsonText line;
    char name[32];
    double version, steps;
    if (!next_line(at, end, &line) || !bw_json_find_text(line, "format", name, sizeof name) ||
        strcmp(name, format_name) != 0)
        return bw_fail(err, BW_ERR_FORMAT, "it is no file of events");
    if (!read_whole(line, "version", 1e9, &version) || version > VERSION)
        return bw_fail(err, BW_ERR_FORMAT, "it is of a newer version; this one reads up to %d", VERSION);
    if (!read_whole(line, "steps", 0x1p53, &steps) || !read_whole(line, "events", 0x1p53, count))
        return bw_fail(err, BW_ERR_FORMAT, "line 1 does not tell the number of steps and events");
    file->steps = (int64_t)steps;
    if (!bw_json_find_text(line, "scene", file->scene, sizeof file->scene))
        file->scene[0] = '\0';
    return BW_OK;
}

static BwResult read_lines(BwEventFile *file, const char *at, const char *end, BwError *err)
{
    BwJsonText line;
    BwEvent event;
    BwError own;
    double count;
    BW_TRY(read_head(file, &at, end, &count, err));
    while (at < end) {
        BwEventLog *log = &file->log;
        long long number = (long long)log->count + 2;
        if (!next_line(&at, end, &line) || !read_event(line, &event))
            return bw_fail(err, BW_ERR_FORMAT, "line %lld is no event", number);
        const BwEvent *last = log->count > 0 ? &log->list[log->count - 1] : NULL;
        if (bw_event_check(&event, last, file->steps, &own) != BW_OK)
            return bw_fail(err, BW_ERR_FORMAT, "line %lld: %s", number, own.message);
        BW_TRY(bw_event_log_add(log, &event, err));
    }
    if ((double)file->log.count != count)
        return bw_fail(err, BW_ERR_FORMAT, "it has %lld events; its first line says %.0f",
                       (long long)file->log.count, count);
    return BW_OK;
}

static BwResult read_file(BwEventFile *file, const char *path, BwError *err)
{
    char *content;
    size_t size;
    BwError own = {0};
    BW_TRY(bw_file_read(&file->log.allocator, path, file_bytes_max, &content, &size, err));
    BwResult result = read_lines(file, content, content + size, &own);
    bw_free(&file->log.allocator, content, size + 1, BW_ALIGN);
    return result == BW_OK ? BW_OK : bw_fail(err, result, "%s: %s", path, own.message);
}

BwResult bw_events_load(BwEventFile **out, const char *path, const BwAllocator *allocator, BwError *err)
{
    BW_TRY(bw_need(out, "the place for the events", err));
    *out = NULL;
    BW_TRY(bw_need(path, "the path of the events", err));
    BwAllocator own = bw_allocator_or_default(allocator != NULL ? *allocator : (BwAllocator){0});
    BwEventFile *file = bw_alloc_zeroed(&own, sizeof *file, BW_ALIGN);
    if (file == NULL)
        return bw_fail_memory(err);
    file->log.allocator = own;
    BwResult result = read_file(file, path, err);
    if (result != BW_OK)
        bw_event_file_destroy(file);
    else
        *out = file;
    return result;
}

BwEvents bw_event_file_view(const BwEventFile *file)
{
    return file != NULL ? (BwEvents){file->log.list, file->log.count, file->steps,
                                     file->scene[0] != '\0' ? file->scene : NULL}
                        : (BwEvents){0};
}

void bw_event_file_destroy(BwEventFile *file)
{
    if (file == NULL)
        return;
    BwAllocator allocator = file->log.allocator;
    bw_event_log_free(&file->log);
    bw_free(&allocator, file, sizeof *file, BW_ALIGN);
}
