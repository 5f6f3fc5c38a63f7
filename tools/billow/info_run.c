// What a run holds: what was asked for from run.json, what came of it from stats.jsonl. Both may be looked at
// while the run goes on; a line that is not whole yet does not count.
#include "info_run.h"

#include "base/file.h"
#include "base/json_read.h"
#include "formats.h"
#include "info_frame.h"
#include "options.h"
#include "run_json.h"
#include "say.h"
#include "world/stats_json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { STOP_COUNT = BW_STOP_EMPTY + 1 };

// Sums and extremes over the lines of stats.jsonl.
typedef struct Tally {
    int frame; // the last that is done
    double seconds, cells, mass, divergence;
    bool has_volume; // what follows is there
    double particles, volume, drift, worst_drift;
    int stops[STOP_COUNT];
} Tally;

static void count_stop(Tally *tally, BwJsonText line)
{
    char text[32];
    if (!bw_json_find_text(line, "stop_reason", text, sizeof text))
        return;
    for (int n = 0; n < STOP_COUNT; n++)
        if (strcmp(text, bw_stop_text((BwStop)n)) == 0)
            tally->stops[n]++;
}

static void add_volume(Tally *tally, BwJsonText line)
{
    tally->has_volume = bw_json_find_number(line, "particles", &tally->particles) &&
                        bw_json_find_number(line, "volume", &tally->volume) &&
                        bw_json_find_number(line, "volume_drift", &tally->drift);
    if (tally->has_volume)
        tally->worst_drift = fmax(tally->worst_drift, fabs(tally->drift));
}

static bool add_line(Tally *tally, BwJsonText line)
{
    double frame, seconds, divergence;
    if (!bw_json_find_number(line, "frame", &frame) || !bw_json_find_number(line, "seconds", &seconds) ||
        !bw_json_find_number(line, "cells", &tally->cells) ||
        !bw_json_find_number(line, "mass", &tally->mass) ||
        !bw_json_find_number(line, "divergence", &divergence))
        return false;
    tally->frame = frame >= 0.0 && frame < 1e9 ? (int)frame : 0;
    tally->seconds += seconds;
    add_volume(tally, line);
    if (tally->frame == 0) // the start is as the scene gives it: nothing is solved for yet
        return true;
    tally->divergence = isnan(divergence) ? divergence : fmax(tally->divergence, divergence);
    count_stop(tally, line);
    return true;
}

static BwResult add_lines(Tally *tally, FILE *stream, const char *path, BwError *err)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    BwResult result = BW_OK;
    for (int number = 1; result == BW_OK && (length = getline(&line, &capacity, stream)) > 0; number++)
        if (line[length - 1] == '\n' && !add_line(tally, (BwJsonText){line, line + length}))
            result = bw_fail(err, BW_ERR_FORMAT, "%s:%d: not a line of stats", path, number);
    free(line);
    return result;
}

// Without stats a run has only just begun, or has lost them: sums are written with the first of them.
static BwResult check_just_begun(const char *folder, const char *stats_path, BwError *err)
{
    char path[RUN_PATH_SIZE];
    BW_TRY(run_file_path(path, folder, "cache/sums.txt", err));
    return bw_file_exists(path) ? bw_fail(err, BW_ERR_FILE, "%s is gone", stats_path) : BW_OK;
}

static BwResult tally_stats(Tally *tally, const char *folder, BwError *err)
{
    char path[RUN_PATH_SIZE];
    *tally = (Tally){0};
    BW_TRY(run_file_path(path, folder, "stats.jsonl", err));
    struct stat status;
    if (stat(path, &status) != 0 && errno == ENOENT)
        return check_just_begun(folder, path, err);
    FILE *stream = S_ISREG(status.st_mode) ? fopen(path, "r") : NULL; // a pipe would keep us waiting
    if (stream == NULL)
        return bw_fail(err, BW_ERR_FILE, "could not read %s: %s", path,
                       S_ISREG(status.st_mode) ? strerror(errno) : "it is no file");
    BwResult result = add_lines(tally, stream, path, err);
    fclose(stream);
    return result;
}

static void print_text(BwJsonText run, const char *label, const char *key)
{
    char text[1000];
    if (bw_json_find_text(run, key, text, sizeof text)) {
        printf("%-10s ", label);
        say(stdout, text);
        printf("\n");
    }
}

static void print_stops(const Tally *tally)
{
    printf("solves    ");
    for (int n = 0; n < STOP_COUNT; n++)
        if (tally->stops[n] > 0)
            printf(" %s in %d", bw_stop_text((BwStop)n), tally->stops[n]);
    printf(" frames\n");
}

static void print_tally(const Tally *tally, double frames_asked)
{
    printf("frames     %d of %g\n", tally->frame, frames_asked);
    if (tally->frame == 0)
        return;
    printf("seconds    %.3g, %.3g a frame, of simulation\n", tally->seconds, tally->seconds / tally->frame);
    printf("cells      %.0f\n", tally->cells);
    if (tally->has_volume) {
        printf("particles  %.0f\n", tally->particles);
        printf("volume     %.6g m^3, drift %.2g%%, %.2g%% at worst\n", tally->volume, 100.0 * tally->drift,
               100.0 * tally->worst_drift);
    } else
        printf("mass       %.6g m^3\n", tally->mass);
    printf("divergence %.3g 1/s at worst\n", tally->divergence);
    print_stops(tally);
}

// Only what is there: the movie gets its name when it is finished.
static void print_file(const char *folder, const char *label, const char *name)
{
    char path[RUN_PATH_SIZE];
    if (run_file_path(path, folder, name, NULL) == BW_OK && bw_file_exists(path))
        printf("%-10s %s\n", label, path);
}

static BwResult tell(const char *folder, BwJsonText run, BwError *err)
{
    Tally tally;
    double frames;
    if (!bw_json_find_number(run, "frames", &frames))
        return bw_fail(err, BW_ERR_FORMAT, "%s/run.json does not describe a run", folder);
    BW_TRY(tally_stats(&tally, folder, err));
    print_text(run, "title", "title");
    print_text(run, "scene", "scene");
    print_text(run, "fluid", "fluid");
    print_tally(&tally, frames);
    for (int n = 0; n < format_count; n++)
        print_file(folder, formats[n].label, formats[n].file != NULL ? formats[n].file : formats[n].folder);
    return tell_last_frame(folder, err);
}

static BwResult read_and_tell(const char *folder, BwError *err)
{
    char path[RUN_PATH_SIZE], *text;
    size_t size;
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    BW_TRY(run_file_path(path, folder, "run.json", err));
    if (!bw_file_exists(path))
        return bw_fail(err, BW_ERR_DEF, "%s is a folder that holds no run", folder);
    BW_TRY(bw_file_read(&allocator, path, RUN_JSON_MAX, &text, &size, err));
    BwJsonText run = {text, text + size};
    BwResult result = run_json_check(run, path, err);
    if (result == BW_OK)
        result = tell(folder, run, err);
    bw_free(&allocator, text, size + 1, BW_ALIGN);
    return result;
}

int tell_run(const char *folder)
{
    BwError err;
    return report(read_and_tell(folder, &err), &err);
}
