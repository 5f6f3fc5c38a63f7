// The frames that a run keeps for later pictures: cache/frame_0012.h5, at most as many bytes as the scene
// allows. When they would be more, every second one goes, so that what is left still shows the whole run.
#pragma once

#include "run_folder.h"

#include "base/file_commit.h"

typedef struct RunFrames {
    const char *folder; // of the run
    uint64_t run_id;
    double bytes, bytes_max;
    bool is_recorded; // all are kept, with velocity and pressure
    int stride;       // frames that are kept are whole multiples of it
    int last;         // the last one that is kept; -1: none
    bool is_waiting;  // `commit` is at work on the file of `last`
    BwFileCommit commit;
} RunFrames;

// Goes on after `frame`, -1 for none: what is there of later ones goes.
BwResult run_frames_begin(RunFrames *frames, const char *folder, const BwOutputDef *output, uint64_t run_id,
                          int frame, BwError *err);

// The disk may still be at work on the file when this returns.
BwResult run_frames_add(RunFrames *frames, const BwFrame *frame, BwError *err);
BwResult run_frames_settle(RunFrames *frames, BwError *err);

// Where frames are drawn from: the file of a frame, or its checkpoint, or the start of the scene.
typedef struct FrameSource {
    const char *folder;
    const BwSceneDef *scene;
    uint64_t run_id;
    bool force;     // whatever became of the scene
    bool is_whole;  // a checkpoint, which has all of a frame, goes before its file
    bool may_lack;  // where `is_whole`: the file, which lacks details, will do where there is no checkpoint
    BwWorld *world; // made when it is needed
    BwFrameFile *file;
} FrameSource;

// Whether something was kept of the frame that will do.
bool frame_source_has(const FrameSource *source, int number);

// Whether the last frame that was asked for was kept and cannot be read, by the error; else it was not kept,
// or all is lost.
bool frame_is_damaged(const BwError *err);

// The frame of that number, borrowed until the next call; NULL, with the reason, where it was not kept.
const BwFrame *frame_source_view(FrameSource *source, int number, BwError *err);
void frame_source_end(FrameSource *source);

// The last frame that something was kept of; below zero where nothing was.
BwResult run_frames_last(const char *folder, int *last, BwError *err);
