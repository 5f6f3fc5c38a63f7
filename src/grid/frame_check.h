// Whether a frame is one that can be read: those of a world always are, one that a caller put together may
// not be.
#pragma once

#include <billow/frame.h>

BwResult bw_frame_check(const BwFrame *frame, BwError *err);
