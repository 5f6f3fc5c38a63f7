// Reading the past of a run.
#include "past.h"

#include "run_parts.h"

#include "base/file.h"
#include "base/json_read.h"
#include "interrupt.h"
#include "run_json.h"
#include "scene_changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A text of the arena's own; NULL when the value is none, or memory is short.
static const char *read_text(Past *past, BwJsonText value)
{
    size_t size = (size_t)(value.end - value.begin) + 1;
    char *text = bw_arena_alloc(&past->arena, size, 1);
    return text != NULL && bw_json_read_text(value, text, size) ? text : NULL;
}

static const char *read_name(Past *past, BwJsonText name)
{
    return read_text(past, (BwJsonText){name.begin - 1, name.end + 1});
}

static const char *find_text(Past *past, BwJsonText object, const char *key)
{
    BwJsonText value;
    return bw_json_find(object, key, &value) ? read_text(past, value) : NULL;
}

static uint64_t find_mark(BwJsonText object, const char *key)
{
    char text[FILE_MARK];
    return bw_json_find_text(object, key, text, sizeof text) ? strtoull(text, NULL, 16) : 0;
}

static bool read_settings(Past *past, BwJsonText settings)
{
    BwJsonText name, value;
    const char *at = settings.begin;
    while (bw_json_next(settings, &at, &name, &value)) {
        BwSetting setting = {read_name(past, name), read_text(past, value)};
        if (setting.name == NULL || setting.value == NULL ||
            bw_reserve(&past->arena.allocator, (void **)&past->settings, &past->setting_capacity,
                       past->setting_count + 1, sizeof setting, NULL) != BW_OK)
            return false;
        past->settings[past->setting_count++] = setting;
    }
    return true;
}

// Runs made before shapes had files tell of none.
static bool read_files(Past *past, BwJsonText run)
{
    BwJsonText files, name, value;
    if (!bw_json_find(run, "files", &files))
        return true;
    const char *at = files.begin;
    while (bw_json_next(files, &at, &name, &value)) {
        PastFile file = {read_name(past, name), read_text(past, value)};
        if (file.name == NULL || file.mark == NULL ||
            bw_reserve(&past->arena.allocator, (void **)&past->files, &past->file_capacity,
                       past->file_count + 1, sizeof file, NULL) != BW_OK)
            return false;
        past->files[past->file_count++] = file;
    }
    return true;
}

static bool is_path(const char *path)
{
    return path != NULL && strlen(path) < RUN_PATH_SIZE;
}

// Where the script is: where it was, wherever the command is given; or, when all of it was moved, where it
// is from the run's folder; or, as it was given, from here.
static void find_script(Past *past, BwJsonText run, const char *folder)
{
    char path[RUN_PATH_SIZE];
    const char *whole = find_text(past, run, "script"), *apart = find_text(past, run, "script_from_run");
    snprintf(past->scene_path, sizeof past->scene_path, "%s", is_path(whole) ? whole : past->given_path);
    if (bw_file_exists(past->scene_path))
        return;
    if (is_path(apart) && run_file_path(path, folder, apart, NULL) == BW_OK && bw_file_exists(path))
        snprintf(past->scene_path, sizeof past->scene_path, "%s", path);
    else if (bw_file_exists(past->given_path))
        snprintf(past->scene_path, sizeof past->scene_path, "%s", past->given_path);
}

static bool is_true(BwJsonText run, const char *key)
{
    BwJsonText value;
    return bw_json_find(run, key, &value) && value.begin < value.end && *value.begin == 't';
}

static bool read_past(Past *past, BwJsonText run, const char *folder)
{
    double frames;
    BwJsonText settings;
    past->given_path = find_text(past, run, "scene");
    if (!bw_json_find_number(run, "frames", &frames) || !(frames >= 1.0 && frames <= 1e6) ||
        !is_path(past->given_path) || !bw_json_find(run, "settings", &settings))
        return false;
    past->frame_count = (int)frames;
    past->run_id = find_mark(run, "id");
    past->script_sum = find_mark(run, "script_sum");
    past->view = run_json_view(run);
    past->made_pictures = is_true(run, "movie") || is_true(run, "images");
    find_script(past, run, folder);
    const char *slash = strrchr(past->scene_path, '/');
    int length = slash == NULL ? 0 : slash == past->scene_path ? 1 : (int)(slash - past->scene_path);
    snprintf(past->files_path, sizeof past->files_path, "%.*s", length > 0 ? length : 1,
             length > 0 ? past->scene_path : ".");
    return read_settings(past, settings) && read_files(past, run);
}

static BwResult load_past(Past *past, const char *folder, BwError *err)
{
    char path[RUN_PATH_SIZE], *text;
    size_t size;
    BwAllocator allocator = past->arena.allocator;
    BW_TRY(run_file_path(path, folder, "run.json", err));
    BW_TRY(run_file_path(past->kept_path, folder, "scene.lua", err));
    if (!bw_file_exists(path))
        return bw_fail(err, BW_ERR_DEF, "%s holds no run", folder);
    BW_TRY(bw_file_read(&allocator, path, RUN_JSON_MAX, &text, &size, err));
    BwJsonText run = {text, text + size};
    BwResult result = run_json_check(run, path, err);
    if (result == BW_OK && !read_past(past, run, folder))
        result = bw_fail(err, BW_ERR_FORMAT, "%s does not describe a run that can go on", path);
    bw_free(&allocator, text, size + 1, BW_ALIGN);
    return result;
}

// The copy is what decides whether the scene has changed, so it must be what the run wrote.
static BwResult check_kept_script(const Past *past, BwError *err)
{
    uint64_t sum;
    if (past->script_sum == 0)
        return BW_OK;
    BW_TRY(run_script_sum(past->kept_path, &sum, err));
    if (sum == past->script_sum)
        return BW_OK;
    // The script itself may still be what it was.
    uint64_t own = 0;
    if (!bw_file_exists(past->scene_path) || run_script_sum(past->scene_path, &own, err) != BW_OK ||
        own != past->script_sum)
        return bw_fail(err, BW_ERR_FORMAT,
                       "%s is damaged: it is not the copy of the script that the run wrote", past->kept_path);
    fprintf(stderr, "billow: %s is damaged; it is copied from %s again\n", past->kept_path, past->scene_path);
    return run_keep_script(past->scene_path, past->kept_path, err);
}

static BwResult load_script(BwScene **scene, const char *path, const Past *past, BwError *err)
{
    BwSceneLoad load = {.watch = loading_watch(),
                        .settings = past->settings,
                        .setting_count = past->setting_count,
                        .folder = past->files_path};
    return bw_scene_load(scene, path, &load, err);
}

static const char *mark_of_file(const Past *past, const char *name)
{
    for (int n = 0; n < past->file_count; n++)
        if (strcmp(past->files[n].name, name) == 0)
            return past->files[n].mark;
    return NULL;
}

// A file that the run did not know is a change of the scene, which is told elsewhere.
static BwResult compare_files(const BwScene *scene, const Past *past, bool force, BwError *err)
{
    int count;
    const BwSceneFile *files = bw_scene_view_files(scene, &count);
    for (int n = 0; n < count && !force; n++) {
        char is[FILE_MARK];
        const char *was = mark_of_file(past, files[n].path);
        write_file_mark(is, files[n].content);
        if (was != NULL && strcmp(was, is) != 0)
            return bw_fail(err, BW_ERR_DEF,
                           "%s has changed since the run began; --force goes on all the same", files[n].path);
    }
    return BW_OK;
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

// Files of earlier frames stay as they were.
static void tell_outputs(const BwScene *was, const BwScene *is)
{
    if (output_changes(stderr, &bw_scene_view_def(was)->output, &bw_scene_view_def(is)->output) > 0)
        fprintf(stderr,
                "billow: files of earlier frames stay as they were, but for those that are made again; "
                "billow export makes all of them anew\n");
}

static BwResult choose_scene(BwScene **scene, Past *past, bool force, BwError *err)
{
    BwScene *now = NULL;
    // A run that was killed before it kept its script has made nothing that another scene could disagree
    // with.
    if (!bw_file_exists(past->kept_path))
        return load_script(scene, past->scene_path, past, err);
    BW_TRY(check_kept_script(past, err));
    BW_TRY(load_script(scene, past->kept_path, past, err));
    if (!bw_file_exists(past->scene_path))
        return BW_OK;
    BwResult result = load_script(&now, past->scene_path, past, err);
    if (result == BW_OK)
        result = compare_scenes(*scene, now, past, force, err);
    if (result == BW_OK && past->goes_on)
        tell_outputs(*scene, now);
    bw_scene_destroy(*scene);
    *scene = now;
    return result;
}

static BwResult load_scene_of(BwScene **scene, Past *past, bool force, BwError *err)
{
    *scene = NULL;
    BwResult result = choose_scene(scene, past, force, err);
    if (result == BW_OK)
        result = compare_files(*scene, past, force, err);
    if (result != BW_OK) {
        bw_scene_destroy(*scene);
        *scene = NULL;
    }
    return result;
}

BwResult past_take_over(Past *past, BwScene **scene, const char *folder, const char *command, bool force,
                        BwError *err)
{
    *scene = NULL;
    *past = (Past){.arena = {.allocator = bw_allocator_or_default((BwAllocator){0})},
                   .goes_on = strcmp(command, "resume") == 0};
    BW_TRY(run_lock_take(&past->lock, folder, command, false, err));
    BW_TRY(load_past(past, folder, err));
    run_remove_parts(folder, NULL); // what a run that was killed left half-written; a folder may be read-only
    return load_scene_of(scene, past, force, err);
}

View past_view(const Past *past, const BwSceneDef *scene, int worker_count)
{
    return past->made_pictures ? past->view : framing_find(scene, worker_count);
}

void past_release(Past *past)
{
    const BwAllocator *allocator = &past->arena.allocator;
    run_lock_release(&past->lock);
    bw_free(allocator, past->settings, (size_t)past->setting_capacity * sizeof *past->settings, BW_ALIGN);
    bw_free(allocator, past->files, (size_t)past->file_capacity * sizeof *past->files, BW_ALIGN);
    bw_arena_clear(&past->arena);
}
