// What a run keeps so that it can go on: DIR/cache holds checkpoints, checkpoint_0012.h5, and the pictures of
// the movie so far, frame_0012.png, where they are not kept as images anyway; and the frames themselves,
// frame_0012.h5, as far as later pictures need them.
#pragma once

#include "run_folder.h"

// The name of a frame's checkpoint or picture, within the folder of the run.
BwResult run_checkpoint_path(char path[RUN_PATH_SIZE], const char *folder, int frame, BwError *err);
BwResult run_picture_path(char path[RUN_PATH_SIZE], const char *folder, const BwOutputDef *output, int frame,
                          BwError *err);

// Takes the world to a frame of the run; with `force` also if the scene is not the run's any more. Frame 0 is
// what the scene begins with.
BwResult run_load_checkpoint(BwWorld *world, const char *folder, int frame, bool force, BwError *err);

// The newest checkpoint of a frame below `below`; -1 when there is none.
BwResult run_newest_checkpoint(const char *folder, int below, int *frame, BwError *err);

// The name of the file of a frame for later pictures, and the newest such below `below`; -1 when there is
// none.
BwResult run_frame_path(char path[RUN_PATH_SIZE], const char *folder, int frame, BwError *err);
BwResult run_newest_frame(const char *folder, int below, int *frame, BwError *err);

// Removes the checkpoints of frames below `below`.
BwResult run_prune_checkpoints(const char *folder, int below, BwError *err);

// Removes all that is ours in the cache, and the cache if nothing else is in it.
BwResult run_clear_cache(const char *folder, BwError *err);
