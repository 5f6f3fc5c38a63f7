// Checksums of what a run has written frame by frame and takes up again when it goes on: the line of stats
// and the pixels of the picture. In cache/sums.txt, a line a frame; a line that is not whole itself says
// nothing. A further line tells how many frames the movie holds: none while it is being made.
#pragma once

#include "run_folder.h"

#include <stdio.h>

typedef struct RunSum {
    uint64_t stats, picture; // 0: not known
} RunSum;

typedef struct RunSums {
    BwAllocator allocator;
    FILE *stream; // NULL: none are kept
    char path[RUN_PATH_SIZE];
    RunSum *sums; // by frame
    int64_t count, capacity;
    int64_t movie_frames; // that the movie holds, from the first on; -1: not known
} RunSums;

// Reads what is there of the frames up to `frame`; -1: nothing.
BwResult run_sums_read(RunSums *sums, const char *folder, int frame, BwError *err);

// Writes it anew, and keeps the file open for the frames to come.
BwResult run_sums_begin(RunSums *sums, BwError *err);

// All zero where nothing is known of the frame.
RunSum run_sums_find(const RunSums *sums, int frame);
BwResult run_sums_set(RunSums *sums, int frame, RunSum sum, BwError *err);

// Adds a frame to memory and file.
BwResult run_sums_add(RunSums *sums, int frame, RunSum sum, BwError *err);
// Notes that the movie is whole and holds all frames so far.
BwResult run_sums_add_movie(RunSums *sums, BwError *err);
void run_sums_end(RunSums *sums);
