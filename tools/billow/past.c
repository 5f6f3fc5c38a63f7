// Reading the past of a run.
#include "past.h"

#include "base/file.h"
#include "base/json_read.h"
#include "interrupt.h"
#include "scene_changes.h"

#include <stdio.h>
#include <string.h>

enum { RUN_JSON_MAX = 1 << 20 };

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

// Runs made before shapes had files tell of none.
static bool read_files(Past *past, BwJsonSpan run)
{
    BwJsonSpan files, name, value;
    if (!bw_json_find(run, "files", &files))
        return true;
    const char *at = files.begin;
    while (bw_json_next(files, &at, &name, &value)) {
        int n = past->file_count;
        BwJsonSpan quoted = {name.begin - 1, name.end + 1};
        if (n == FILES_MAX || !bw_json_read_text(quoted, past->file_names[n], FILE_NAME_BYTES) ||
            !bw_json_read_text(value, past->file_marks[n], FILE_MARK))
            return false;
        past->file_count++;
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
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
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
    BwSceneLoad load = {.watch = loading_watch(),
                        .settings = past->settings,
                        .setting_count = past->setting_count,
                        .folder = past->files_path};
    return bw_scene_load(scene, path, &load, err);
}

static const char *mark_of_file(const Past *past, const char *name)
{
    for (int n = 0; n < past->file_count; n++)
        if (strcmp(past->file_names[n], name) == 0)
            return past->file_marks[n];
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

static BwResult choose_scene(BwScene **scene, Past *past, bool force, BwError *err)
{
    BwScene *now = NULL;
    // A run that was killed before it kept its script has made nothing that another scene could disagree
    // with.
    if (!bw_file_exists(past->kept_path))
        return load_script(scene, past->scene_path, past, err);
    BW_TRY(load_script(scene, past->kept_path, past, err));
    if (!bw_file_exists(past->scene_path))
        return BW_OK;
    BwResult result = load_script(&now, past->scene_path, past, err);
    if (result == BW_OK)
        result = compare_scenes(*scene, now, past, force, err);
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
    *past = (Past){0};
    BW_TRY(run_lock_take(&past->lock, folder, command, false, err));
    BW_TRY(load_past(past, folder, err));
    return load_scene_of(scene, past, force, err);
}

void past_release(Past *past)
{
    run_lock_release(&past->lock);
}
