// Files for other programs that a run should have made of earlier frames and that are not there, or damaged:
// those that the kept frames hold enough for are made again, of the others it is told how many there are.
#pragma once

#include "run_frames.h"
#include "run_volumes.h"

// Looks at the frames up to `last`. Ends with BW_ERR_INTERRUPTED between two of them when somebody asks.
BwResult run_remake(RunVolumes *volumes, FrameSource *source, int last, BwError *err);

// Whether all files that could be made again are there and whole. Damaged ones of any kind are named if told
// to.
bool run_remake_has_all(const char *folder, const BwOutputDef *output, int last, bool is_telling);
