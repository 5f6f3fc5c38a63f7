// A commit of a file that goes on while other work does: the disk takes its time to say that it has all of a
// file, and a processor need not wait for it.
#pragma once

#include "base/file.h"

#include <pthread.h>

// All zero: no file is on its way. Must not move while one is.
typedef struct BwFileCommit {
    BwFileWriter writer;
    pthread_t thread;
    bool is_busy, has_thread;
    BwResult result;
    BwError err;
} BwFileCommit;

// Takes the writer over, once the file before is done. Fails where that one did, or where not all of this one
// could be written; then the writer is abandoned.
BwResult bw_file_commit_begin(BwFileCommit *commit, BwFileWriter *writer, BwError *err);

// Waits for the file; at once where none is on its way.
BwResult bw_file_commit_finish(BwFileCommit *commit, BwError *err);
