// The volumes of a run: vdb/frame_0000.vdb, vtk/frame_0000.vti with a block around it, frame_0000.vtm, and
// run.pvd, which lists the blocks with their times. Written as the run goes, or later from its checkpoints.
#pragma once

#include "run_folder.h"

#include "base/memory.h"

typedef struct RunVolumes {
    BwAllocator allocator;
    const char *folder; // of the run
    bool vdb, vtk;      // which are asked for
    BwVolumeDef def;
    BwArena names;       // of the files for ParaView
    BwVolumeFile *files; // those written so far
    int64_t file_count, file_capacity;
} RunVolumes;

// Takes from the output what is asked for, and touches no file. Fails where the build cannot serve it.
BwResult run_volumes_begin(RunVolumes *volumes, const char *folder, const BwOutputDef *output, BwError *err);
void run_volumes_end(RunVolumes *volumes);

BwResult run_volumes_make_folders(const RunVolumes *volumes, BwError *err);

BwResult run_volumes_add(RunVolumes *volumes, const BwFrame *frame, BwError *err);

// Lists a frame that was written by an earlier run in this folder.
BwResult run_volumes_list(RunVolumes *volumes, int number, double time, BwError *err);
