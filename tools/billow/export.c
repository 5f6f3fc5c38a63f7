// billow export DIR --to FORMAT: writes a run in a format of the table, from the checkpoints it kept or,
// where those hold enough, from the frames that it kept for pictures. Nothing is simulated.
#include "past.h"
#include "run_frames.h"
#include "run_volumes.h"
#include "say.h"

#include "base/error.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>

typedef struct Export {
    const Format *format;
    FrameSource source;
    int frame_count, written_count, damaged_count;
    BwSurfaceDef surface; // for meshes; 0: as the scene says
    bool has_from;        // what meshes are wrapped around was chosen
    int thread_count;     // 0: one per core
    RunVolumes volumes;
} Export;

// Frames of which nothing was kept are left out, and those that are damaged, which are named; the start needs
// nothing.
static BwResult export_frame(Export *export, int number, BwError *err)
{
    if (!frame_source_has(&export->source, number))
        return BW_OK;
    const BwFrame *frame = frame_source_view(&export->source, number, err);
    if (frame == NULL && !frame_is_damaged(err))
        return err->code;
    if (frame == NULL) {
        fprintf(stderr, "billow: frame %d is left out: ", number);
        say(stderr, err->message);
        fputs("\n", stderr);
        export->damaged_count++;
        *err = (BwError){0};
        return BW_OK;
    }
    export->written_count++;
    return run_volumes_add(&export->volumes, frame, err);
}

static BwResult export_frames(Export *export, const char *target, BwError *err)
{
    const Format *format = export->format;
    BwOutputDef output = export->source.scene->output;
    output.mesh_resolution =
        export->surface.resolution > 0 ? export->surface.resolution : output.mesh_resolution;
    output.mesh_smoothing =
        export->surface.smoothing >= 0 ? export->surface.smoothing : output.mesh_smoothing;
    output.mesh_from = export->has_from ? export->surface.from : output.mesh_from;
    BW_TRY(run_volumes_begin(&export->volumes, target, &output, format, err));
    export->volumes.def.worker_count = export->thread_count;
    BW_TRY(run_volumes_make_folders(&export->volumes, err));
    for (int frame = 0; frame <= export->frame_count; frame++)
        BW_TRY(export_frame(export, frame, err));
    BW_TRY(run_volumes_settle(&export->volumes, err));
    if (export->volumes.written_count == 0)
        return bw_fail(err, BW_ERR_DEF, "--to %s writes %s, and no frame that %s kept has any", format->name,
                       format->holds, export->source.folder);
    return BW_OK;
}

static void tell(const Export *export, const Past *past, const char *target)
{
    int all = export->frame_count + 1, missing = all - export->written_count - export->damaged_count;
    printf("%d frames: %s/%s\n", export->written_count, target, export->format->folder);
    if (missing > 0 && export->format->needs_little)
        fprintf(stderr,
                "billow: nothing was kept of %d of %d frames, neither for pictures nor as a checkpoint, and "
                "they were left out; output.keep_frames (MB) says how much is kept\n",
                missing, all);
    else if (missing > 0)
        fprintf(stderr,
                "billow: %d of %d frames have no checkpoint and were left out; output { keep_checkpoints = "
                "true, checkpoint_every = 1 } keeps all\n",
                missing, all);
    if (export->frame_count < past->frame_count)
        fprintf(stderr, "billow: the run has %d of %d frames so far\n", export->frame_count,
                past->frame_count);
}

// A run that was stopped is exported as far as it came.
static BwResult find_last(Export *export, const Past *past, BwError *err)
{
    int last;
    BW_TRY(run_frames_last(export->source.folder, &last, err));
    export->frame_count = last < 0 ? 0 : last < past->frame_count ? last : past->frame_count;
    return BW_OK;
}

static BwResult export_to(Export *export, const Past *past, const char *target, BwError *err)
{
    RunLock lock;
    BW_TRY(run_lock_take_other(&lock, &past->lock, target, "export", true, err));
    BwResult result = export_frames(export, target, err);
    run_volumes_end(&export->volumes);
    run_lock_release(&lock);
    return result;
}

static int export_run(Export *export, const char *target)
{
    static Past past; // too much for the stack
    BwError err = {0};
    BwScene *scene = NULL;
    const char *folder = export->source.folder;
    BwResult result = past_take_over(&past, &scene, folder, "export", export->source.force, &err);
    if (result != BW_OK) {
        past_release(&past);
        return report(result, &err);
    }
    export->source.scene = bw_scene_view_def(scene);
    export->source.run_id = past.run_id;
    result = find_last(export, &past, &err);
    if (result == BW_OK)
        result = export_to(export, &past, target, &err);
    frame_source_end(&export->source);
    if (result == BW_OK)
        tell(export, &past, target);
    past_release(&past);
    bw_scene_destroy(scene);
    return result == BW_OK && export->damaged_count > 0 ? EXIT_TROUBLE : report(result, &err);
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

// A whole number of an option for meshes; where it is not given the value stays.
static bool read_number(const char *name, const char *text, int low, int high, const Format *format,
                        int *value)
{
    if (text == NULL)
        return true;
    if (!format->has_surface) {
        fprintf(stderr, "billow: %s is for meshes; --to %s writes %s\n", name, format->name, format->holds);
        return false;
    }
    return options_read_count(name, text, low, high, value);
}

static bool read_from(const char *text, Export *export)
{
    if (text == NULL)
        return true;
    bool is_particles = strcmp(text, "particles") == 0;
    if (!export->format->has_surface)
        fprintf(stderr, "billow: --mesh-from is for meshes; --to %s writes %s\n", export->format->name,
                export->format->holds);
    else if (!is_particles && strcmp(text, "levelset") != 0)
        fprintf(stderr, "billow: --mesh-from is \"%s\"; it must be levelset or particles\n", text);
    else {
        export->surface.from = is_particles ? BW_MESH_FROM_PARTICLES : BW_MESH_FROM_LEVELSET;
        export->has_from = true;
        return true;
    }
    return false;
}

int run_export(const Command *command, int argument_count, char **words)
{
    Options options;
    const char *name = NULL, *target = NULL, *force = NULL, *resolution = NULL, *smoothing = NULL,
               *from = NULL, *threads = NULL;
    const OptionDef own[] = {{"--to", true, &name},
                             {"-o", true, &target},
                             {"--mesh-resolution", true, &resolution},
                             {"--mesh-smoothing", true, &smoothing},
                             {"--mesh-from", true, &from},
                             {"--threads", true, &threads},
                             {"--force", false, &force},
                             {NULL, false, NULL}};
    if (!options_read(&options, command, false, own, argument_count, words) ||
        !options_need_target(&options, command, "DIR"))
        return EXIT_USE;
    const Format *format = find_format(name);
    Export export = {.format = format,
                     .source = {.folder = options.target,
                                .force = force != NULL,
                                .is_whole = true,
                                .may_lack = format != NULL && format->needs_little},
                     .surface = {.resolution = 0, .smoothing = -1}};
    if (format == NULL ||
        !read_number("--mesh-resolution", resolution, 1, 4, format, &export.surface.resolution) ||
        !read_number("--mesh-smoothing", smoothing, 0, 100, format, &export.surface.smoothing) ||
        !read_from(from, &export) || !options_read_count("--threads", threads, 1, 256, &export.thread_count))
        return EXIT_USE;
    return export_run(&export, target != NULL ? target : options.target);
}
