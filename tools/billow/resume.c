// billow resume DIR: goes on with a run from its last whole checkpoint, as if it had never stopped.
#include "interrupt.h"
#include "past.h"
#include "run_cache.h"
#include "run_parts.h"
#include "run_remake.h"
#include "run_sums.h"
#include "simulate.h"

#include "base/file.h"

#include <limits.h>
#include <stdio.h>

// Takes a fresh world to the newest checkpoint that agrees with the run; what is wrong with newer ones is
// told. Where all are damaged the run begins anew; where one is whole and refused all the same, another scene
// or another run may be at fault, and nothing is thrown away.
static BwResult load_newest(Run *run, const RunFolderDef *def, bool force, BwError *err)
{
    char path[RUN_PATH_SIZE];
    int refused = 0, tried = 0;
    run->frame = INT_MAX;
    for (;;) {
        BW_TRY(run_newest_checkpoint(def->path, run->frame, &run->frame, err));
        if (run->frame <= 0)
            break;
        BwResult result = run_load_checkpoint(run->world, def->path, run->frame, force, err);
        if (result == BW_OK || result == BW_ERR_MEMORY)
            return result;
        fprintf(stderr, "billow: %s; looking for an older one\n", err->message);
        tried++;
        BW_TRY(run_checkpoint_path(path, def->path, run->frame, err));
        refused += bw_checkpoint_check(path, NULL) == BW_OK;
    }
    run->frame = 0;
    if (refused > 0)
        return bw_fail(err, BW_ERR_FORMAT,
                       "no checkpoint of %s can be gone on from, as told above; without them the run would "
                       "begin anew",
                       def->path);
    if (tried == 0)
        return BW_OK;
    bw_world_destroy(run->world); // a failed load may have left anything in it
    run->world = NULL;
    return run_create_world(run, def, err);
}

// Pictures are drawn behind the simulation: the last one, and the movie, may be missing of a run whose frames
// are all there. What older versions have not noted is not asked.
static bool has_drawn_all(const RunSums *sums, const BwOutputDef *output, int frame)
{
    bool has_picture = sums->count == 0 || run_sums_find(sums, frame).picture != 0;
    bool has_movie = sums->movie_frames < 0 || sums->movie_frames > frame;
    return (has_picture || !(output->movie || output->images)) && (has_movie || !output->movie);
}

static bool is_done(const Run *run, const char *folder, const BwSceneDef *scene)
{
    char movie[RUN_PATH_SIZE];
    RunSums sums;
    if (run->frame != run->frame_count)
        return false;
    if (scene->output.movie &&
        (run_file_path(movie, folder, "movie.mp4", NULL) != BW_OK || !bw_file_exists(movie)))
        return false;
    bool has_drawn = run_sums_read(&sums, folder, run->frame, NULL) != BW_OK ||
                     has_drawn_all(&sums, &scene->output, run->frame);
    run_sums_end(&sums);
    return has_drawn && run_remake_has_all(folder, &scene->output, run->frame, false);
}

// There is nothing left to make, so what is wrong with what is there is told here or never.
static int tell_done(const Run *run, const RunFolderDef *def, bool is_quiet)
{
    BwError err = {0};
    BwResult result = run_folder_check_stats(def, run->frame, &err);
    run_remake_has_all(def->path, &def->scene->output, run->frame, true);
    if (result == BW_OK && !is_quiet)
        printf("%s is done: %d frames; --frames makes more\n", def->path, run->frame);
    return report(result, &err);
}

static int go_on(Run *run, RunFolderDef *def, bool force, bool is_quiet)
{
    BwError err = {0};
    BwResult result = run_create_world(run, def, &err);
    if (result == BW_OK)
        result = load_newest(run, def, force, &err);
    if (result == BW_OK && run->frame > run->frame_count)
        result = bw_fail(&err, BW_ERR_DEF, "%s has %d frames already; --frames must be more", def->path,
                         run->frame);
    if (result == BW_OK)
        result = run_remove_parts(def->path, &err);
    if (result == BW_OK && is_done(run, def->path, def->scene))
        return tell_done(run, def, is_quiet);
    interrupt_end_load(); // what follows writes, and must not leave half a movie
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
                        .given_path = past.given_path,
                        .run_id = past.run_id,
                        .script_sum = past.script_sum,
                        .view = past_view(&past, bw_scene_view_def(scene), options->thread_count),
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
