// Names and list of a run's volumes; the files themselves are src/export's.
#include "run_volumes.h"

#include "export/volume.h"

#include <string.h>

BwResult run_volumes_begin(RunVolumes *volumes, const char *folder, const BwOutputDef *output, BwError *err)
{
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    *volumes = (RunVolumes){.allocator = allocator,
                            .folder = folder,
                            .vdb = output->vdb,
                            .vtk = output->vtk,
                            .def = bw_volume_def_default(),
                            .names = {.allocator = allocator}};
    volumes->def.up = output->up;
    volumes->def.half = output->half;
    volumes->def.faces = output->vtk_faces;
    volumes->def.compression = output->compression;
    if (!output->vdb || bw_volume_has_vdb())
        return BW_OK;
    return bw_fail(err, BW_ERR_BACKEND,
                   "OpenVDB volumes are asked for and this build has no OpenVDB; install libopenvdb-dev and "
                   "libboost-dev and build again");
}

BwResult run_volumes_settle(RunVolumes *volumes, BwError *err)
{
    return bw_file_commit_finish(&volumes->commit, err);
}

void run_volumes_end(RunVolumes *volumes)
{
    run_volumes_settle(volumes, NULL);
    bw_arena_clear(&volumes->names);
    bw_free(&volumes->allocator, volumes->files, (size_t)volumes->file_capacity * sizeof *volumes->files,
            BW_ALIGN);
    *volumes = (RunVolumes){.allocator = volumes->allocator};
}

static BwResult make_folder(const RunVolumes *volumes, const char *name, BwError *err)
{
    char path[RUN_PATH_SIZE];
    BW_TRY(run_file_path(path, volumes->folder, name, err));
    return bw_folder_make(path, err);
}

BwResult run_volumes_make_folders(const RunVolumes *volumes, BwError *err)
{
    if (volumes->vdb)
        BW_TRY(make_folder(volumes, "vdb", err));
    return volumes->vtk ? make_folder(volumes, "vtk", err) : BW_OK;
}

static BwResult add_vdb(RunVolumes *volumes, const BwFrame *frame, BwError *err)
{
    char name[64], path[RUN_PATH_SIZE];
    snprintf(name, sizeof name, "vdb/frame_%04d.vdb", frame->number);
    BW_TRY(run_file_path(path, volumes->folder, name, err));
    BwFileWriter writer;
    BW_TRY(bw_volume_write_vdb(frame, &volumes->def, path, &writer, err));
    return bw_file_commit_begin(&volumes->commit, &writer, err);
}

// Beside each image lies a block that holds it, for the collection to list: the box around the smoke grows.
static BwResult add_block(const RunVolumes *volumes, int number, char name[64], BwError *err)
{
    char image[64], path[RUN_PATH_SIZE];
    snprintf(image, sizeof image, "frame_%04d.vti", number);
    snprintf(name, 64, "vtk/frame_%04d.vtm", number);
    BW_TRY(run_file_path(path, volumes->folder, name, err));
    return bw_file_exists(path) ? BW_OK : bw_volume_save_vtm(image, path, err);
}

BwResult run_volumes_list(RunVolumes *volumes, int number, double time, BwError *err)
{
    char name[64];
    if (!volumes->vtk)
        return BW_OK;
    BW_TRY(add_block(volumes, number, name, err));
    BW_TRY(bw_reserve(&volumes->allocator, (void **)&volumes->files, &volumes->file_capacity,
                      volumes->file_count + 1, sizeof *volumes->files, err));
    const char *kept = bw_arena_copy_text(&volumes->names, name, strlen(name));
    if (kept == NULL)
        return bw_fail_memory(err);
    volumes->files[volumes->file_count++] = (BwVolumeFile){time, kept};
    return BW_OK;
}

// The collection is written anew for each frame, so that it is right also while the run goes on, or when it
// was killed.
static BwResult add_vtk(RunVolumes *volumes, const BwFrame *frame, BwError *err)
{
    char name[64], path[RUN_PATH_SIZE];
    snprintf(name, sizeof name, "vtk/frame_%04d.vti", frame->number);
    BW_TRY(run_file_path(path, volumes->folder, name, err));
    BW_TRY(bw_volume_save_vti(frame, &volumes->def, path, err));
    BW_TRY(run_volumes_list(volumes, frame->number, frame->time, err));
    BW_TRY(run_file_path(path, volumes->folder, "run.pvd", err));
    return bw_volume_save_pvd(volumes->files, (int)volumes->file_count, path, err);
}

BwResult run_volumes_add(RunVolumes *volumes, const BwFrame *frame, BwError *err)
{
    if (volumes->vdb)
        BW_TRY(add_vdb(volumes, frame, err));
    return volumes->vtk ? add_vtk(volumes, frame, err) : BW_OK;
}
