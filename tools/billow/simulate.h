// A run while it goes: steps a world frame by frame and writes its folder; what `run` and `resume` share.
#pragma once

#include "options.h"
#include "progress.h"
#include "run_folder.h"

typedef struct Run {
    BwWorld *world;
    RunFolder *folder;
    Progress progress;
    int frame, frame_count; // the frame that the world is at, and the last one
} Run;

// Options of both commands; numbers are 0 where they were not given.
typedef struct RunOptions {
    const char *frames, *threads, *force, *quiet, *json;
    int frame_count, thread_count;
} RunOptions;

// The entries of an OptionDef list that fill `options`.
#define RUN_OPTIONS(options)                                                                                 \
    {"--frames", true, &(options)->frames}, {"--threads", true, &(options)->threads},                        \
        {"--force", false, &(options)->force}, {"--quiet", false, &(options)->quiet},                        \
    {                                                                                                        \
        "--json", false, &(options)->json                                                                    \
    }

// Reads the numbers; says what is wrong with them.
bool run_options_read(RunOptions *options);
ProgressStyle run_progress_style(const RunOptions *options);

BwResult run_create_world(Run *run, const RunFolderDef *folder, BwError *err);

// Goes on to the last frame and ends the folder's files whatever happened, so that what is there is whole.
// Gives the exit code.
int run_carry_out(Run *run);

// Frees folder and world.
void run_end(Run *run);
