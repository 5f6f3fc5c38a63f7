// Names and lists of a run's files; the files themselves are src/export's.
#include "run_volumes.h"

#include "export/volume.h"

#include <string.h>

enum { BLOCKS_MAX = 64, MESHES_MAX = 16 };

// Files for ParaView hold the surface where the scene asks for it.
static BwResult choose_formats(RunVolumes *volumes, const BwOutputDef *output, const Format *only,
                               BwError *err)
{
    volumes->has_surface = output->mesh;
    for (int n = 0; n < format_count; n++) {
        const Format *format = &formats[n];
        bool is_asked = only != NULL ? only == format : format->is_asked != NULL && format->is_asked(output);
        volumes->is_asked[n] = is_asked && format->write != NULL;
        volumes->has_surface |= volumes->is_asked[n] && format->has_surface;
        if (volumes->is_asked[n] && format->is_built != NULL && !format->is_built())
            return bw_fail(err, BW_ERR_BACKEND, "%s", format->needs);
    }
    return BW_OK;
}

BwResult run_volumes_begin(RunVolumes *volumes, const char *folder, const BwOutputDef *output,
                           const Format *only, BwError *err)
{
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    *volumes = (RunVolumes){.allocator = allocator,
                            .folder = folder,
                            .def = bw_volume_def_default(),
                            .names = {.allocator = allocator},
                            .surface_def = bw_surface_def_default()};
    volumes->surface_def.resolution = output->mesh_resolution;
    volumes->surface_def.smoothing = output->mesh_smoothing;
    volumes->surface_def.from = output->mesh_from;
    volumes->def.up = output->up;
    volumes->def.half = output->half;
    volumes->def.faces = output->vtk_faces;
    volumes->def.compression = output->compression;
    return choose_formats(volumes, output, only, err);
}

BwResult run_volumes_settle(RunVolumes *volumes, BwError *err)
{
    return bw_file_commit_finish(&volumes->commit, err);
}

void run_volumes_end(RunVolumes *volumes)
{
    run_volumes_settle(volumes, NULL);
    bw_surface_destroy(volumes->surface);
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
    for (int n = 0; n < format_count; n++)
        if (volumes->is_asked[n] && formats[n].begins_with_folder)
            BW_TRY(make_folder(volumes, formats[n].folder, err));
    return BW_OK;
}

// frame_0012_water_mesh.vtp in a folder of the run; `set` and `ending` may be empty. The name counts from
// that folder.
typedef struct FileName {
    char name[120], path[RUN_PATH_SIZE];
} FileName;

static BwResult name_file(FileName *file, const RunVolumes *volumes, const char *folder, int number,
                          const char *set, const char *ending, BwError *err)
{
    char inside[160];
    snprintf(file->name, sizeof file->name, "frame_%04d%s%.64s%s", number, set[0] != '\0' ? "_" : "", set,
             ending);
    snprintf(inside, sizeof inside, "%s/%s", folder, file->name);
    return run_file_path(file->path, volumes->folder, inside, err);
}

BwResult run_volumes_write_vdb(RunVolumes *volumes, const BwFrame *frame, BwError *err)
{
    FileName file;
    BwFileWriter writer;
    BW_TRY(name_file(&file, volumes, "vdb", frame->number, "", ".vdb", err));
    BW_TRY(bw_volume_write_vdb(frame, &volumes->def, file.path, &writer, err));
    volumes->written_count++;
    return bw_file_commit_begin(&volumes->commit, &writer, err);
}

// The blocks of a frame for ParaView: each a file, with its name kept beside it.
typedef struct Blocks {
    BwVolumeBlock list[BLOCKS_MAX];
    FileName files[BLOCKS_MAX];
    char names[BLOCKS_MAX][64];
    int count;
} Blocks;

// Names the next block and its file.
static BwResult next_block(Blocks *blocks, const RunVolumes *volumes, const BwFrame *frame, const char *set,
                           const char *ending, FileName **file, BwError *err)
{
    int n = blocks->count;
    if (n == BLOCKS_MAX)
        return bw_fail(err, BW_ERR_DEF, "frame %d has more than %d parts for ParaView", frame->number,
                       BLOCKS_MAX);
    *file = &blocks->files[n];
    BW_TRY(name_file(*file, volumes, "vtk", frame->number, set, ending, err));
    const char *end = strchr(ending, '.');
    snprintf(blocks->names[n], sizeof blocks->names[n], "%s%.*s", set, (int)(end - ending), ending);
    blocks->list[n] = (BwVolumeBlock){set[0] != '\0' ? blocks->names[n] : "volume", (*file)->name};
    blocks->count++;
    return BW_OK;
}

static BwResult write_blocks(Blocks *blocks, const RunVolumes *volumes, const BwFrame *frame, BwError *err)
{
    const BwVolumeDef *def = &volumes->def;
    FileName *file;
    bool has_sets = frame->particle_set_count + frame->column_set_count + frame->mesh_count > 0;
    blocks->count = 0;
    if (frame->field_count > 0 || !has_sets) {
        BW_TRY(next_block(blocks, volumes, frame, "", ".vti", &file, err));
        BW_TRY(bw_volume_save_vti(frame, def, file->path, err));
    }
    for (int n = 0; n < frame->particle_set_count; n++) {
        const BwFrameParticles *set = &frame->particles[n];
        BW_TRY(next_block(blocks, volumes, frame, set->name, "_particles.vtp", &file, err));
        BW_TRY(bw_particles_save_vtp(frame, set, def, file->path, err));
    }
    for (int n = 0; n < frame->column_set_count; n++) {
        const BwFrameColumns *set = &frame->columns[n];
        BW_TRY(next_block(blocks, volumes, frame, set->name, "_columns.vts", &file, err));
        BW_TRY(bw_columns_save_vts(frame, set, def, file->path, err));
    }
    for (int n = 0; n < frame->mesh_count; n++) {
        const BwFrameMesh *mesh = &frame->meshes[n];
        BW_TRY(next_block(blocks, volumes, frame, mesh->name, "_mesh.vtp", &file, err));
        BW_TRY(bw_mesh_save_vtp(frame, mesh, def, file->path, err));
    }
    return BW_OK;
}

// Adds the list of a frame's blocks to those of the collection.
static BwResult add_to_collection(RunVolumes *volumes, const char *name, double time, BwError *err)
{
    char inside[160];
    snprintf(inside, sizeof inside, "vtk/%s", name);
    BW_TRY(bw_reserve(&volumes->allocator, (void **)&volumes->files, &volumes->file_capacity,
                      volumes->file_count + 1, sizeof *volumes->files, err));
    const char *kept = bw_arena_copy_text(&volumes->names, inside, strlen(inside));
    if (kept == NULL)
        return bw_fail_memory(err);
    volumes->files[volumes->file_count++] = (BwVolumeFile){time, kept};
    return BW_OK;
}

static bool writes_vtk(const RunVolumes *volumes)
{
    for (int n = 0; n < format_count; n++)
        if (volumes->is_asked[n] && formats[n].write == run_volumes_write_vtk)
            return true;
    return false;
}

// Runs from before there were lists of blocks have images alone.
BwResult run_volumes_list(RunVolumes *volumes, int number, double time, BwError *err)
{
    FileName list, image;
    if (!writes_vtk(volumes))
        return BW_OK;
    BW_TRY(name_file(&list, volumes, "vtk", number, "", ".vtm", err));
    BW_TRY(name_file(&image, volumes, "vtk", number, "", ".vti", err));
    const BwVolumeBlock block = {"volume", image.name};
    if (!bw_file_exists(list.path))
        BW_TRY(bw_volume_save_vtm(&block, 1, list.path, err));
    return add_to_collection(volumes, list.name, time, err);
}

// The collection is written anew for each frame, so that it is right also while the run goes on, or when it
// was killed.
BwResult run_volumes_write_vtk(RunVolumes *volumes, const BwFrame *frame, BwError *err)
{
    static Blocks blocks; // too much for the stack
    FileName list;
    char path[RUN_PATH_SIZE];
    BW_TRY(write_blocks(&blocks, volumes, frame, err));
    BW_TRY(name_file(&list, volumes, "vtk", frame->number, "", ".vtm", err));
    BW_TRY(bw_volume_save_vtm(blocks.list, blocks.count, list.path, err));
    BW_TRY(add_to_collection(volumes, list.name, frame->time, err));
    BW_TRY(run_file_path(path, volumes->folder, "run.pvd", err));
    volumes->written_count += blocks.count;
    return bw_volume_save_pvd(volumes->files, (int)volumes->file_count, path, err);
}

typedef BwResult ParticlesSaveFn(const BwFrame *frame, const BwFrameParticles *set, const BwVolumeDef *def,
                                 const char *path, BwError *err);

static BwResult write_particles(RunVolumes *volumes, const BwFrame *frame, const char *folder,
                                const char *ending, ParticlesSaveFn *save, BwError *err)
{
    FileName file;
    for (int n = 0; n < frame->particle_set_count; n++) {
        const BwFrameParticles *set = &frame->particles[n];
        BW_TRY(make_folder(volumes, folder, err));
        BW_TRY(name_file(&file, volumes, folder, frame->number, set->name, ending, err));
        BW_TRY(save(frame, set, &volumes->def, file.path, err));
        volumes->written_count++;
    }
    return BW_OK;
}

BwResult run_volumes_write_particles(RunVolumes *volumes, const BwFrame *frame, BwError *err)
{
    return write_particles(volumes, frame, "particles", ".vtp", bw_particles_save_vtp, err);
}

BwResult run_volumes_write_particles_ply(RunVolumes *volumes, const BwFrame *frame, BwError *err)
{
    return write_particles(volumes, frame, "particles_ply", ".ply", bw_particles_save_ply, err);
}

typedef BwResult MeshSaveFn(const BwFrameMesh *mesh, const BwVolumeDef *def, const char *path, BwError *err);

static BwResult write_meshes(RunVolumes *volumes, const BwFrame *frame, const char *folder,
                             const char *ending, MeshSaveFn *save, BwError *err)
{
    FileName file;
    for (int n = 0; n < frame->mesh_count; n++) {
        BW_TRY(make_folder(volumes, folder, err));
        BW_TRY(name_file(&file, volumes, folder, frame->number, frame->meshes[n].name, ending, err));
        BW_TRY(save(&frame->meshes[n], &volumes->def, file.path, err));
        volumes->written_count++;
    }
    return BW_OK;
}

BwResult run_volumes_write_ply(RunVolumes *volumes, const BwFrame *frame, BwError *err)
{
    return write_meshes(volumes, frame, "ply", ".ply", bw_mesh_save_ply, err);
}

BwResult run_volumes_write_obj(RunVolumes *volumes, const BwFrame *frame, BwError *err)
{
    return write_meshes(volumes, frame, "obj", ".obj", bw_mesh_save_obj, err);
}

BwResult run_volumes_write_gltf(RunVolumes *volumes, const BwFrame *frame, BwError *err)
{
    return write_meshes(volumes, frame, "gltf", ".glb", bw_mesh_save_gltf, err);
}

// Whether the frame has a liquid that can be meshed, and no mesh of it already.
static bool has_liquid(const BwFrame *frame)
{
    bool is_round = frame->dimension == 2 && bw_frame_particles(frame, "surface") != NULL;
    return (frame->dimension == 3 || is_round) && bw_frame_field(frame, "phi") != NULL &&
           bw_frame_mesh(frame, "water") == NULL && frame->mesh_count < MESHES_MAX;
}

// The frame with the surface of its liquid among its meshes, of which there is room for all in `meshes`.
static BwResult add_surface(RunVolumes *volumes, BwFrame *frame, BwFrameMesh meshes[MESHES_MAX], BwError *err)
{
    volumes->surface_def.worker_count = volumes->def.worker_count;
    if (volumes->surface == NULL)
        BW_TRY(bw_surface_create(&volumes->surface, &volumes->surface_def, err));
    const BwFrameMesh *surface = bw_surface_mesh(volumes->surface, frame, err);
    if (surface == NULL)
        return err->code;
    for (int n = 0; n < frame->mesh_count; n++)
        meshes[n] = frame->meshes[n];
    meshes[frame->mesh_count++] = *surface;
    frame->meshes = meshes;
    return BW_OK;
}

BwResult run_volumes_add(RunVolumes *volumes, const BwFrame *frame, BwError *err)
{
    BwFrame whole = *frame;
    BwFrameMesh meshes[MESHES_MAX];
    if (volumes->has_surface && has_liquid(frame))
        BW_TRY(add_surface(volumes, &whole, meshes, err));
    for (int n = 0; n < format_count; n++)
        if (volumes->is_asked[n])
            BW_TRY(formats[n].write(volumes, &whole, err));
    return BW_OK;
}
