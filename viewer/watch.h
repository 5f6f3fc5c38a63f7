// Whether a file has changed since the last look.
#pragma once

#include <stdbool.h>
#include <time.h>

typedef struct FileWatch {
    const char *path; // NULL: nothing is watched
    struct timespec changed;
    double next_look; // s
} FileWatch;

FileWatch watch_begin(const char *path);

// Looks a few times a second, however often it is asked. An editor may replace the file.
bool watch_has_changed(FileWatch *watch, double seconds);
