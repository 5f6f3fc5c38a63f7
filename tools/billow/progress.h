// What a run says while it goes: one line that changes on a terminal, a line a frame elsewhere, JSON lines,
// or nothing. All of it goes to stdout; stderr is left to trouble.
#pragma once

#include <billow/world.h>
#include <stdbool.h>

typedef enum ProgressStyle { PROGRESS_LINES, PROGRESS_QUIET, PROGRESS_JSON } ProgressStyle;

typedef struct Progress {
    ProgressStyle style;
    bool is_terminal;
    bool has_open_line; // the changing line stands where the next text would go
    int frame, frame_count;
    double began, last;   // s, on the clock
    double frame_seconds; // of late, pictures and files included
} Progress;

Progress progress_begin(ProgressStyle style, int frame_count);

// The start is written. Only JSON tells it.
void progress_start(const Progress *progress, const BwStats *stats);

// A frame is done and written.
void progress_frame(Progress *progress, const BwStats *stats);

// Ends the changing line, so that other text may follow.
void progress_end(Progress *progress);

// The last words of a run that went well; false, and said so, when stdout did not take all of them and of
// those before. `movie` may be NULL.
bool progress_summary(const Progress *progress, const char *folder, const char *movie);

// Messages of the world go to stderr, below the changing line. The progress must stay where it is.
BwLog progress_log(Progress *progress);
