// billow resume DIR: goes on with a run from its last whole checkpoint, as if it had never stopped.
#include "simulate.h"

#include "base/file.h"
#include "base/json_read.h"
#include "run_cache.h"
#include "scene_changes.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { RUN_JSON_MAX = 1 << 20, SETTING_BYTES = 512 };

// What run.json tells of the run.
typedef struct Past {
    char scene_path[RUN_PATH_SIZE]; // as it was given
    char kept_path[RUN_PATH_SIZE];  // of the copy in the folder
    int frame_count;
    BwSetting settings[SETTINGS_MAX];
    int setting_count;
    char names[SETTINGS_MAX][SETTING_BYTES], values[SETTINGS_MAX][SETTING_BYTES];
} Past;

static bool read_settings(Past *past, BwJsonSpan settings)
{
    BwJsonSpan name, value;
    const char *at = settings.begin;
    while (bw_json_next(settings, &at, &name, &value)) {
        int n = past->setting_count;
        BwJsonSpan quoted = {name.begin - 1, name.end + 1};
        if (n == SETTINGS_MAX || !bw_json_read_text(quoted, past->names[n], SETTING_BYTES) ||
            !bw_json_read_text(value, past->values[n], SETTING_BYTES))
            return false;
        past->settings[n] = (BwSetting){past->names[n], past->values[n]};
        past->setting_count++;
    }
    return true;
}

static bool read_past(Past *past, BwJsonSpan run)
{
    double frames;
    BwJsonSpan settings;
    if (!bw_json_find_number(run, "frames", &frames) || !(frames >= 1.0 && frames <= 1e6) ||
        !bw_json_find_text(run, "scene", past->scene_path, sizeof past->scene_path) ||
        !bw_json_find(run, "settings", &settings))
        return false;
    past->frame_count = (int)frames;
    return read_settings(past, settings);
}

static BwResult load_past(Past *past, const char *folder, BwError *err)
{
    char path[RUN_PATH_SIZE], *text;
    size_t size;
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    *past = (Past){0};
    BW_TRY(run_file_path(path, folder, "run.json", err));
    BW_TRY(run_file_path(past->kept_path, folder, "scene.lua", err));
    if (!bw_file_exists(path))
        return bw_fail(err, BW_ERR_DEF, "%s holds no run", folder);
    BW_TRY(bw_file_read(&allocator, path, RUN_JSON_MAX, &text, &size, err));
    bool is_read = read_past(past, (BwJsonSpan){text, text + size});
    bw_free(&allocator, text, size + 1, BW_ALIGN);
    if (is_read)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT, "%s does not describe a run that can go on", path);
}

static BwResult load_script(BwScene **scene, const char *path, const Past *past, BwError *err)
{
    BwSceneLoad load = {.settings = past->settings, .setting_count = past->setting_count};
    return bw_scene_load(scene, path, &load, err);
}

static BwResult compare_scenes(const BwScene *was, const BwScene *is, const Past *past, bool force,
                               BwError *err)
{
    int changes = scene_changes(stderr, bw_scene_view_def(was), bw_scene_view_def(is));
    if (changes < 0)
        return bw_fail_memory(err);
    if (changes == 0 || force)
        return BW_OK;
    return bw_fail(err, BW_ERR_DEF,
                   "%s has changed since the run began, as told above; --force goes on all the same",
                   past->scene_path);
}

// The scene as it is now, if it is still there and means the same; else the copy that the run made.
static BwResult load_scene_of(BwScene **scene, Past *past, bool force, BwError *err)
{
    BwScene *now = NULL;
    BW_TRY(load_script(scene, past->kept_path, past, err));
    if (!bw_file_exists(past->scene_path)) {
        snprintf(past->scene_path, sizeof past->scene_path, "%s", past->kept_path);
        return BW_OK;
    }
    BwResult result = load_script(&now, past->scene_path, past, err);
    if (result == BW_OK)
        result = compare_scenes(*scene, now, past, force, err);
    bw_scene_destroy(*scene);
    *scene = now;
    if (result != BW_OK) {
        bw_scene_destroy(now);
        *scene = NULL;
    }
    return result;
}

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

static BwResult load_checkpoint(Run *run, const char *folder, BwError *err)
{
    char path[RUN_PATH_SIZE];
    if (run->frame == 0)
        return BW_OK;
    BW_TRY(run_checkpoint_path(path, folder, run->frame, err));
    return bw_checkpoint_load(run->world, path, err);
}

static bool is_done(const Run *run, const char *folder, const BwSceneDef *scene)
{
    char movie[RUN_PATH_SIZE];
    return run->frame == run->frame_count &&
           (!scene->output.movie ||
            (run_file_path(movie, folder, "movie.mp4", NULL) == BW_OK && bw_file_exists(movie)));
}

static int go_on(Run *run, RunFolderDef *def, bool is_quiet)
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
        result = load_checkpoint(run, def->path, &err);
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
    int lock; // kept until the process ends
    BwResult result = run_folder_lock(folder, &lock, &err);
    if (result == BW_OK)
        result = load_past(&past, folder, &err);
    if (result == BW_OK)
        result = load_scene_of(&scene, &past, options->force != NULL, &err);
    if (result != BW_OK)
        return report(result, &err);
    RunFolderDef def = {.scene = bw_scene_view_def(scene),
                        .scene_path = past.scene_path,
                        .path = folder,
                        .settings = past.settings,
                        .setting_count = past.setting_count,
                        .frame_count = options->frame_count > 0 ? options->frame_count : past.frame_count,
                        .worker_count = options->thread_count};
    def.params = bw_scene_view_params(scene, &def.param_count);
    Run run = {.frame_count = def.frame_count,
               .progress = progress_begin(run_progress_style(options), def.frame_count)};
    int code = go_on(&run, &def, options->quiet != NULL || options->json != NULL);
    run_end(&run);
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
    run_listen_to_signals();
    return resume_run(options.target, &run);
}
