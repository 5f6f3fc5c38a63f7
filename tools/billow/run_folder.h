// The folder of a run: run.json tells what was asked for, stats.jsonl grows by a line a frame, movie.mp4 and
// images/frame_0000.png show the frames from the start on, vdb/frame_0000.vdb and vtk/frame_0000.vti hold
// them as volumes, the latter listed in run.pvd; scene.lua is the script as it was, and cache/ holds what it
// takes to go on. A folder that holds a run already is refused, or cleared of that run's files and nothing
// else.
#pragma once

#include "framing.h"

#include <billow/billow.h>

enum { RUN_PATH_SIZE = 4096 }; // bytes, of the path of a run's file

typedef struct RunFolderDef {
    const BwSceneDef *scene;
    const BwParam *params; // of the script, with the values of this run
    int param_count;
    const BwSetting *settings; // of the command line
    int setting_count;
    const BwSceneFile *files; // of its shapes
    int file_count;
    const char *scene_path; // where the script is
    const char *given_path; // what it is called in run.json; NULL: the same
    uint64_t run_id;        // kept in run.json and in every checkpoint; 0: none
    uint64_t script_sum;    // of the copy of the script that is there; 0: not known
    const char *path;       // NULL: out/<scene name>
    int frame_count;
    View view;        // of pictures, kept in run.json
    int worker_count; // of pictures and volumes; 0: one per core
    bool overwrite;   // a run that is there
} RunFolderDef;

typedef struct RunFolder RunFolder;

// The folder that the Def names, or the scene's name does.
BwResult run_folder_choose(char path[RUN_PATH_SIZE], const RunFolderDef *def, BwError *err);

// Says whether the folder may be used, and touches nothing. The caller has locked it.
BwResult run_folder_check(const RunFolderDef *def, BwError *err);

// Begins the files of a folder that was checked. On failure what it made is gone again.
BwResult run_folder_create(RunFolder **folder, const RunFolderDef *def, BwError *err);

// Goes on with the run that is in the folder, which the caller has locked, after `frame`: what was written
// for later frames is dropped. On failure the folder is as it was, save for that.
BwResult run_folder_reopen(RunFolder **folder, const RunFolderDef *def, int frame, BwError *err);

// Fails by name when a line of the stats, up to that of `frame`, is not the one that the run wrote; says of
// how many nobody knows.
BwResult run_folder_check_stats(const RunFolderDef *def, int frame, BwError *err);
void run_folder_destroy(RunFolder *folder);

// Frames come in order, the start first; stats follow for each but the start.
BwResult run_folder_add_frame(RunFolder *folder, const BwFrame *frame, BwError *err);
BwResult run_folder_add_stats(RunFolder *folder, const BwStats *stats, BwError *err);

// Removes the last line, where its frame turned out not to be one.
void run_folder_take_stats_back(RunFolder *folder);

// Keeps the state at the last whole frame, when the scene asks for it after this one or `is_end`.
BwResult run_folder_checkpoint(RunFolder *folder, BwWorld *world, int frame, bool is_end, BwError *err);

// The same of the start, where all checkpoints are to be kept: to go on from there needs none.
BwResult run_folder_checkpoint_start(RunFolder *folder, BwWorld *world, BwError *err);

// The frame that billow resume would go on from; 0 before there is a checkpoint.
int run_folder_resume_frame(const RunFolder *folder);

// Ends the files: after it the movie can be played, also when the run was cut short.
BwResult run_folder_finish(RunFolder *folder, BwError *err);

// What is kept for billow render: bytes, and of how many frames one; false where nothing is.
bool run_folder_kept(const RunFolder *folder, double *bytes, int *stride);

const char *run_folder_path(const RunFolder *folder);
const char *run_folder_movie(const RunFolder *folder); // path, or NULL when none is made

// What tells a shape's file from every other, as run.json keeps it.
enum { FILE_MARK = 17 };
void write_file_mark(char mark[FILE_MARK], const BwShapeFile *file);

// The checksum of a script, and a copy of it for a later resume to compare with.
BwResult run_script_sum(const char *path, uint64_t *sum, BwError *err);
BwResult run_keep_script(const char *from, const char *to, BwError *err);

// Joins a folder and the name of a file in it.
BwResult run_file_path(char path[RUN_PATH_SIZE], const char *folder, const char *name, BwError *err);
