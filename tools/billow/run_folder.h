// The folder of a run: run.json tells what was asked for, stats.jsonl grows by a line a frame, movie.mp4 and
// images/frame_0000.png show the frames from the start on, vdb/frame_0000.vdb and vtk/frame_0000.vti hold
// them as volumes, the latter listed in run.pvd. A folder that holds a run already is refused, or cleared of
// that run's files and nothing else.
#pragma once

#include <billow/billow.h>

enum { RUN_PATH_SIZE = 4096 }; // bytes, of the path of a run's file

typedef struct RunFolderDef {
    const BwSceneDef *scene;
    const BwParam *params; // of the script, with the values of this run
    int param_count;
    const char *scene_path;
    const char *path; // NULL: out/<scene name>
    int frame_count;
    int worker_count; // of the pictures; 0: one per core
    bool overwrite;   // a run that is there
} RunFolderDef;

typedef struct RunFolder RunFolder;

// Says whether the folder may be used, and touches nothing.
BwResult run_folder_check(const RunFolderDef *def, BwError *err);

// Makes the folder and begins its files. On failure what it made is gone again.
BwResult run_folder_create(RunFolder **folder, const RunFolderDef *def, BwError *err);
void run_folder_destroy(RunFolder *folder);

// Frames come in order, the start first; stats follow for each but the start.
BwResult run_folder_add_frame(RunFolder *folder, const BwFrame *frame, BwError *err);
BwResult run_folder_add_stats(RunFolder *folder, const BwStats *stats, BwError *err);

// Ends the files: after it the movie can be played, also when the run was cut short.
BwResult run_folder_finish(RunFolder *folder, BwError *err);

const char *run_folder_path(const RunFolder *folder);
const char *run_folder_movie(const RunFolder *folder); // path, or NULL when none is made

// Joins a folder and the name of a file in it.
BwResult run_file_path(char path[RUN_PATH_SIZE], const char *folder, const char *name, BwError *err);
