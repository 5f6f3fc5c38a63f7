// billow resume DIR: goes on with a run from its last whole checkpoint, as if it had never stopped.
#include "interrupt.h"
#include "past.h"
#include "run_cache.h"
#include "simulate.h"

#include "base/file.h"

#include <limits.h>
#include <stdio.h>

// The newest checkpoint that is whole; the run begins anew where there is none.
static BwResult find_checkpoint(const char *folder, int *frame, BwError *err)
{
    char path[RUN_PATH_SIZE];
    *frame = INT_MAX;
    for (;;) {
        BW_TRY(run_newest_checkpoint(folder, *frame, frame, err));
        if (*frame <= 0) {
            *frame = 0;
            return BW_OK;
        }
        BW_TRY(run_checkpoint_path(path, folder, *frame, err));
        BwResult result = bw_checkpoint_check(path, err);
        if (result == BW_OK || result == BW_ERR_MEMORY)
            return result;
        fprintf(stderr, "billow: %s; looking for an older one\n", err->message);
    }
}

static bool is_done(const Run *run, const char *folder, const BwSceneDef *scene)
{
    char movie[RUN_PATH_SIZE];
    return run->frame == run->frame_count &&
           (!scene->output.movie ||
            (run_file_path(movie, folder, "movie.mp4", NULL) == BW_OK && bw_file_exists(movie)));
}

static int go_on(Run *run, RunFolderDef *def, bool force, bool is_quiet)
{
    BwError err = {0};
    BwResult result = find_checkpoint(def->path, &run->frame, &err);
    if (result == BW_OK && run->frame > run->frame_count)
        result = bw_fail(&err, BW_ERR_DEF, "%s has %d frames already; --frames must be more", def->path,
                         run->frame);
    if (result == BW_OK && is_done(run, def->path, def->scene)) {
        if (!is_quiet)
            printf("%s is done: %d frames; --frames makes more\n", def->path, run->frame);
        return EXIT_DONE;
    }
    if (result == BW_OK)
        result = run_create_world(run, def->scene, def->worker_count, &err);
    if (result == BW_OK)
        result = run_load_checkpoint(run->world, def->path, run->frame, force, &err);
    if (result == BW_OK)
        result = run_folder_reopen(&run->folder, def, run->frame, &err);
    run->progress.frame = run->frame;
    return result == BW_OK ? run_carry_out(run) : report(result, &err);
}

static int resume_run(const char *folder, const RunOptions *options)
{
    static Past past; // too much for the stack
    BwError err = {0};
    BwScene *scene = NULL;
    BwResult result = past_take_over(&past, &scene, folder, "resume", options->force != NULL, &err);
    if (result != BW_OK) {
        past_release(&past);
        return report(result, &err);
    }
    RunFolderDef def = {.scene = bw_scene_view_def(scene),
                        .scene_path = past.scene_path,
                        .path = folder,
                        .settings = past.settings,
                        .setting_count = past.setting_count,
                        .frame_count = options->frame_count > 0 ? options->frame_count : past.frame_count,
                        .worker_count = options->thread_count};
    def.params = bw_scene_view_params(scene, &def.param_count);
    def.files = bw_scene_view_files(scene, &def.file_count);
    Run run = {.frame_count = def.frame_count,
               .progress = progress_begin(run_progress_style(options), def.frame_count)};
    int code = go_on(&run, &def, options->force != NULL, options->quiet != NULL || options->json != NULL);
    run_end(&run);
    past_release(&past);
    bw_scene_destroy(scene);
    return code;
}

int run_resume(const Command *command, int argument_count, char **words)
{
    Options options;
    RunOptions run = {0};
    const OptionDef own[] = {RUN_OPTIONS(&run), {NULL, false, NULL}};
    if (!options_read(&options, command, false, own, argument_count, words) ||
        !options_need_target(&options, command, "DIR") || !run_options_read(&run))
        return EXIT_USE;
    interrupt_listen(run.quiet != NULL || run.json != NULL);
    return resume_run(options.target, &run);
}
