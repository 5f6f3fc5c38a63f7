// The files of a run that other programs open, by the table of formats: vdb/frame_0000.vdb,
// vtk/frame_0000.vti and its like with a list of them, frame_0000.vtm, and run.pvd, which lists those with
// their times. Written as the run goes, or later from its checkpoints.
#pragma once

#include "formats.h"
#include "run_folder.h"

#include "base/file_commit.h"

struct RunVolumes {
    BwAllocator allocator;
    const char *folder;         // of the run
    bool is_asked[FORMATS_MAX]; // by the number of the format
    int written_count;          // files
    BwVolumeDef def;
    BwArena names;       // of the files for ParaView
    BwVolumeFile *files; // those written so far
    int64_t file_count, file_capacity;
    BwFileCommit commit; // of the last OpenVDB file
    bool has_surface;    // liquids are to be meshed
    BwSurfaceDef surface_def;
    BwSurface *surface; // made when the first liquid comes
};

// Takes from the output what is asked for, or one format alone where it is given, and touches no file. Fails
// where the build cannot serve it.
BwResult run_volumes_begin(RunVolumes *volumes, const char *folder, const BwOutputDef *output,
                           const Format *only, BwError *err);
void run_volumes_end(RunVolumes *volumes);

BwResult run_volumes_make_folders(const RunVolumes *volumes, BwError *err);

// The disk may still be at work on the file of the frame when this returns.
BwResult run_volumes_add(RunVolumes *volumes, const BwFrame *frame, BwError *err);

// Waits until all files are whole.
BwResult run_volumes_settle(RunVolumes *volumes, BwError *err);

// Lists a frame that was written by an earlier run in this folder.
BwResult run_volumes_list(RunVolumes *volumes, int number, double time, BwError *err);

// Writers of the formats.
FormatWriteFn run_volumes_write_vdb, run_volumes_write_vtk, run_volumes_write_particles,
    run_volumes_write_particles_ply, run_volumes_write_ply, run_volumes_write_obj, run_volumes_write_gltf;
