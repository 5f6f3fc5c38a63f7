// The lock of a run's folder: whoever writes into it, or reads what a writer would take away, holds the lock
// from the first look to the last write. It goes with the process, however that ends. DIR/run.lock says who
// holds it and is left behind by a kill, but does not itself lock anything.
#pragma once

#include "run_folder.h"

typedef struct RunLock {
    int descriptor; // of the folder; -1 where it is not held
    char path[RUN_PATH_SIZE];
    int kept_length; // of `path`: the part that was there before; the rest was made to be locked
} RunLock;

// Takes the lock in the name of a command, making the folder where `make`. Another process that has it is
// named in the refusal. A folder that is not there, or cannot be opened, is left to the caller to tell of.
BwResult run_lock_take(RunLock *lock, const char *path, const char *command, bool make, BwError *err);

// The same for a second folder that a command writes to, unless it is the one that `first` holds.
BwResult run_lock_take_other(RunLock *lock, const RunLock *first, const char *path, const char *command,
                             bool make, BwError *err);

// Gives the lock back, and removes the folders that were made for it where they are still empty. All zero
// but the descriptor of -1, or given back already, is fine.
void run_lock_release(RunLock *lock);
