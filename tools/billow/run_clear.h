// Making a folder fit for a run: nothing of somebody else's is overwritten, and nothing of an older run
// stays.
#pragma once

#include "run_folder.h"

// A file that has the name of one of ours, in a folder that no run of ours made, is somebody else's: fails
// where there is one.
BwResult run_refuse_strange_files(const char *folder, BwError *err);

// Removes the files of the run in the folder, all but run.json, which the next run replaces.
BwResult run_remove_old(const char *folder, BwError *err);
