// Files for other programs that a run should have made of earlier frames and that are not there: those that
// the kept frames hold enough for are made again, of the others it is told how many there are.
#pragma once

#include "run_frames.h"
#include "run_volumes.h"

// Looks at the frames up to `last`. Ends with BW_ERR_INTERRUPTED between two of them when somebody asks.
BwResult run_remake(RunVolumes *volumes, FrameSource *source, int last, BwError *err);
