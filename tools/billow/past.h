// The past of a run: what run.json and the scene in its folder tell, for commands that take a folder.
#pragma once

#include "framing.h"
#include "options.h"
#include "run_lock.h"

#include "base/memory.h"

typedef struct PastFile {
    const char *name, *mark;
} PastFile;

typedef struct Past {
    BwArena arena; // of all texts
    RunLock lock;
    uint64_t run_id;                // 0: a run of a version that gave none
    const char *given_path;         // of the script, as it was given
    char scene_path[RUN_PATH_SIZE]; // where the script is now, or was
    char kept_path[RUN_PATH_SIZE];  // of the copy in the folder
    char files_path[RUN_PATH_SIZE]; // the script's own folder, where its shapes look for files
    uint64_t script_sum;            // of the copy as it was written; 0: not known
    View view;                      // of the run's pictures
    bool made_pictures;             // so that the view is known
    bool goes_on;                   // the command is resume
    int frame_count;
    int file_count, setting_count;
    int64_t file_capacity, setting_capacity;
    PastFile *files;
    BwSetting *settings;
} Past;

// Reads the past and the scene: the script as it is now, if it is still there and means the same or `force`;
// else the copy that the run made. The files of its shapes must be what they were, too. What changed is told
// on stderr. No other command may work in the folder until past_release, which must follow a failure, too.
BwResult past_take_over(Past *past, BwScene **scene, const char *folder, const char *command, bool force,
                        BwError *err);

// What pictures of the run show: as they did from its beginning, or, where it made none, as they would have.
View past_view(const Past *past, const BwSceneDef *scene, int worker_count);

void past_release(Past *past);
