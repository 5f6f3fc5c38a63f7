// billow export DIR --to vdb|vtk: writes volumes of a run from the checkpoints it kept. Nothing is simulated.
#include "past.h"
#include "run_cache.h"
#include "run_volumes.h"

#include "base/error.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>

typedef struct Export {
    const char *folder; // of the run
    const BwSceneDef *scene;
    uint64_t run_id;
    int frame_count, written_count;
    bool force; // whatever became of the scene
    BwWorld *world;
    RunVolumes volumes;
} Export;

// Frames whose checkpoint was not kept are left out; the start needs none.
static BwResult export_frame(Export *export, int frame, BwError *err)
{
    char path[RUN_PATH_SIZE];
    BW_TRY(run_checkpoint_path(path, export->folder, frame, err));
    if (frame > 0 && !bw_file_exists(path))
        return BW_OK;
    BW_TRY(run_load_checkpoint(export->world, export->folder, frame, export->force, err));
    const BwFrame *now = bw_world_view_frame(export->world, err);
    if (now == NULL)
        return err->code;
    export->written_count++;
    return run_volumes_add(&export->volumes, now, err);
}

static BwResult export_frames(Export *export, const BwOutputDef *output, const char *target, BwError *err)
{
    BwWorldDef world = bw_world_def_default();
    world.run_id = export->run_id;
    world.scene = export->scene;
    BW_TRY(run_volumes_begin(&export->volumes, target, output, err));
    BW_TRY(bw_world_create(&export->world, &world, err));
    BW_TRY(run_volumes_make_folders(&export->volumes, err));
    for (int frame = 0; frame <= export->frame_count; frame++)
        BW_TRY(export_frame(export, frame, err));
    return run_volumes_settle(&export->volumes, err);
}

static void tell(const Export *export, const char *target, const char *format)
{
    int missing = export->frame_count + 1 - export->written_count;
    printf("%d frames: %s/%s\n", export->written_count, target, format);
    if (missing > 0)
        fprintf(stderr,
                "billow: %d of %d frames have no checkpoint and were left out; output { keep_checkpoints = "
                "true, checkpoint_every = 1 } keeps all\n",
                missing, export->frame_count + 1);
}

// The scene's own output, but for which files.
static BwOutputDef choose_output(const BwSceneDef *scene, const char *format)
{
    BwOutputDef output = scene->output;
    output.vdb = strcmp(format, "vdb") == 0;
    output.vtk = !output.vdb;
    return output;
}

static BwResult export_to(Export *export, const Past *past, const char *target, const char *format,
                          BwError *err)
{
    RunLock lock;
    BwOutputDef output = choose_output(export->scene, format);
    BW_TRY(run_lock_take_other(&lock, &past->lock, target, "export", true, err));
    BwResult result = export_frames(export, &output, target, err);
    run_volumes_end(&export->volumes);
    run_lock_release(&lock);
    return result;
}

static int export_run(const char *folder, const char *target, const char *format, bool force)
{
    static Past past; // too much for the stack
    BwError err = {0};
    BwScene *scene = NULL;
    BwResult result = past_take_over(&past, &scene, folder, "export", force, &err);
    if (result != BW_OK) {
        past_release(&past);
        return report(result, &err);
    }
    Export export = {.folder = folder,
                     .scene = bw_scene_view_def(scene),
                     .frame_count = past.frame_count,
                     .run_id = past.run_id,
                     .force = force};
    result = export_to(&export, &past, target, format, &err);
    bw_world_destroy(export.world);
    past_release(&past);
    bw_scene_destroy(scene);
    if (result == BW_OK)
        tell(&export, target, format);
    return report(result, &err);
}

static bool check_format(const char *format)
{
    if (format != NULL && (strcmp(format, "vdb") == 0 || strcmp(format, "vtk") == 0))
        return true;
    bool is_mesh = format != NULL && (strcmp(format, "ply") == 0 || strcmp(format, "obj") == 0);
    if (is_mesh)
        fprintf(stderr,
                "billow: --to %s writes the surface of a liquid, and no run of this version has one; "
                "vdb and vtk write volumes\n",
                format);
    else if (format == NULL)
        fprintf(stderr, "billow: export needs --to vdb or --to vtk\n");
    else
        fprintf(stderr, "billow: --to is \"%s\"; it must be vdb or vtk\n", format);
    return false;
}

int run_export(const Command *command, int argument_count, char **words)
{
    Options options;
    const char *format = NULL, *target = NULL, *force = NULL;
    const OptionDef own[] = {
        {"--to", true, &format}, {"-o", true, &target}, {"--force", false, &force}, {NULL, false, NULL}};
    if (!options_read(&options, command, false, own, argument_count, words) ||
        !options_need_target(&options, command, "DIR") || !check_format(format))
        return EXIT_USE;
    return export_run(options.target, target != NULL ? target : options.target, format, force != NULL);
}
