// billow export DIR --to FORMAT: writes a run in a format of the table, from the checkpoints it kept. Nothing
// is simulated.
#include "past.h"
#include "run_cache.h"
#include "run_volumes.h"

#include "base/error.h"
#include "base/file.h"

#include <stdio.h>

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

static BwResult export_frames(Export *export, const Format *format, const char *target, BwError *err)
{
    BwWorldDef world = bw_world_def_default();
    world.run_id = export->run_id;
    world.scene = export->scene;
    BW_TRY(run_volumes_begin(&export->volumes, target, &export->scene->output, format, err));
    BW_TRY(bw_world_create(&export->world, &world, err));
    BW_TRY(run_volumes_make_folders(&export->volumes, err));
    for (int frame = 0; frame <= export->frame_count; frame++)
        BW_TRY(export_frame(export, frame, err));
    BW_TRY(run_volumes_settle(&export->volumes, err));
    if (export->volumes.written_count == 0)
        return bw_fail(err, BW_ERR_DEF, "--to %s writes %s, and no frame that %s kept has any", format->name,
                       format->holds, export->folder);
    return BW_OK;
}

static void tell(const Export *export, const char *target, const Format *format)
{
    int missing = export->frame_count + 1 - export->written_count;
    printf("%d frames: %s/%s\n", export->written_count, target, format->folder);
    if (missing > 0)
        fprintf(stderr,
                "billow: %d of %d frames have no checkpoint and were left out; output { keep_checkpoints = "
                "true, checkpoint_every = 1 } keeps all\n",
                missing, export->frame_count + 1);
}

static BwResult export_to(Export *export, const Past *past, const char *target, const Format *format,
                          BwError *err)
{
    RunLock lock;
    BW_TRY(run_lock_take_other(&lock, &past->lock, target, "export", true, err));
    BwResult result = export_frames(export, format, target, err);
    run_volumes_end(&export->volumes);
    run_lock_release(&lock);
    return result;
}

static int export_run(const char *folder, const char *target, const Format *format, bool force)
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

static const Format *find_format(const char *name)
{
    char known[120];
    const Format *format = format_to_export(name);
    formats_list(known, sizeof known);
    if (name == NULL)
        fprintf(stderr, "billow: export needs --to %s\n", known);
    else if (format == NULL)
        fprintf(stderr, "billow: --to is \"%s\"; it must be %s\n", name, known);
    return format;
}

int run_export(const Command *command, int argument_count, char **words)
{
    Options options;
    const char *name = NULL, *target = NULL, *force = NULL;
    const OptionDef own[] = {
        {"--to", true, &name}, {"-o", true, &target}, {"--force", false, &force}, {NULL, false, NULL}};
    if (!options_read(&options, command, false, own, argument_count, words) ||
        !options_need_target(&options, command, "DIR"))
        return EXIT_USE;
    const Format *format = find_format(name);
    if (format == NULL)
        return EXIT_USE;
    return export_run(options.target, target != NULL ? target : options.target, format, force != NULL);
}
