// The past of a run: what run.json and the scene in its folder tell, for commands that take a folder.
#pragma once

#include "options.h"
#include "run_lock.h"

enum { SETTING_BYTES = 512, FILES_MAX = 256, FILE_NAME_BYTES = 512 };

typedef struct Past {
    char scene_path[RUN_PATH_SIZE]; // as it was given; the script may be gone
    char kept_path[RUN_PATH_SIZE];  // of the copy in the folder
    char files_path[RUN_PATH_SIZE]; // the script's own folder, where its shapes look for files
    int frame_count;
    int file_count;
    char file_names[FILES_MAX][FILE_NAME_BYTES], file_marks[FILES_MAX][FILE_MARK];
    RunLock lock;
    BwSetting settings[SETTINGS_MAX];
    int setting_count;
    char names[SETTINGS_MAX][SETTING_BYTES], values[SETTINGS_MAX][SETTING_BYTES];
} Past;

// Reads the past and the scene: the script as it is now, if it is still there and means the same or `force`;
// else the copy that the run made. The files of its shapes must be what they were, too. What changed is told
// on stderr. No other command may work in the folder until past_release, which must follow a failure, too.
BwResult past_take_over(Past *past, BwScene **scene, const char *folder, const char *command, bool force,
                        BwError *err);
void past_release(Past *past);
