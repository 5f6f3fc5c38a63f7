// The lines of stats.jsonl that a run goes on after.
#pragma once

#include "run_sums.h"

// Where the line after that of `frame` begins. Lines that were lost are told, and the run goes on without
// them; fails where one was changed.
BwResult run_lines_find_end(const char *path, const RunSums *sums, int frame, size_t *end, BwError *err);
