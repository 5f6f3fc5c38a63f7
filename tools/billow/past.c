// Reading the past of a run.
#include "past.h"

#include "base/file.h"
#include "base/json_read.h"
#include "scene_changes.h"

#include <stdio.h>

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

BwResult past_load(Past *past, const char *folder, BwError *err)
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

BwResult past_load_scene(BwScene **scene, Past *past, bool force, BwError *err)
{
    BwScene *now = NULL;
    // A run that was killed before it kept its script has made nothing that another scene could disagree
    // with.
    if (!bw_file_exists(past->kept_path))
        return load_script(scene, past->scene_path, past, err);
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
