// A frame as a file, as far as pictures need it: tiles, fields but for details, where solids stand.
// A tile whose values are all those of the background is left out of a field, so that empty air costs a few
// bytes a tile.
#pragma once

#include "base/file.h"
#include <billow/cache.h>

// Begins the file and writes all of it, for the caller to commit; `with_flow` also what bw_frame_record does.
BwResult bw_frame_write(const BwFrame *frame, bool with_flow, const char *path, uint64_t run_id,
                        BwFileWriter *writer, BwError *err);

// The same kept in memory and viewed as a file that was loaded is: for a picture of a frame that does not
// last.
BwResult bw_frame_hold(BwFrameFile **held, const BwFrame *frame, const BwSceneDef *scene, BwError *err);
