// The names of a run's files, with those of the formats, and what becomes of such files before a run.
#include "run_clear.h"

#include "base/error.h"
#include "base/file.h"
#include "formats.h"
#include "run_cache.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Files of a run beside run.json and those of the formats; each may have a half-written twin.
static const char *const file_names[] = {"stats.jsonl", "scene.lua"};

static BwResult refuse_strange_file(const char *folder, const char *name, BwError *err)
{
    char path[RUN_PATH_SIZE];
    if (name == NULL)
        return BW_OK;
    BW_TRY(run_file_path(path, folder, name, err));
    if (!bw_file_exists(path))
        return BW_OK;
    return bw_fail(err, BW_ERR_DEF,
                   "%s holds %s but no run.json, so it is no run to overwrite; choose another folder with -o",
                   folder, name);
}

BwResult run_refuse_strange_files(const char *folder, BwError *err)
{
    for (size_t n = 0; n < sizeof file_names / sizeof *file_names; n++)
        BW_TRY(refuse_strange_file(folder, file_names[n], err));
    BW_TRY(refuse_strange_file(folder, "cache", err));
    for (int n = 0; n < format_count; n++) {
        BW_TRY(refuse_strange_file(folder, formats[n].file, err));
        BW_TRY(refuse_strange_file(folder, formats[n].folder, err));
    }
    return BW_OK;
}

static BwResult remove_file(const char *path, BwError *err)
{
    if (unlink(path) == 0 || errno == ENOENT)
        return BW_OK;
    return bw_fail(err, BW_ERR_FILE, "could not remove %s: %s", path, strerror(errno));
}

// Files of every frame, and what a killed run left of one.
static BwResult remove_series(const char *folder, const Format *format, BwError *err)
{
    char frames[RUN_PATH_SIZE], path[RUN_PATH_SIZE];
    const char *rest;
    BW_TRY(run_file_path(frames, folder, format->folder, err));
    DIR *list = opendir(frames);
    if (list == NULL)
        return BW_OK;
    BwResult result = BW_OK;
    for (struct dirent *entry = readdir(list); entry != NULL && result == BW_OK; entry = readdir(list)) {
        if (!format_names(format, entry->d_name, &rest))
            continue;
        result = run_file_path(path, frames, entry->d_name, err);
        if (result == BW_OK)
            result = remove_file(path, err);
    }
    closedir(list);
    rmdir(frames); // stays where it holds something else
    return result;
}

static BwResult remove_with_part(const char *folder, const char *name, BwError *err)
{
    char path[RUN_PATH_SIZE], part[RUN_PATH_SIZE];
    BW_TRY(run_file_path(path, folder, name, err));
    BW_TRY(remove_file(path, err));
    if (snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part)
        return BW_OK; // no file has so long a name
    return remove_file(part, err);
}

BwResult run_remove_old(const char *folder, BwError *err)
{
    char path[RUN_PATH_SIZE];
    BW_TRY(run_file_path(path, folder, "run.json.part", err));
    BW_TRY(remove_file(path, err));
    for (size_t n = 0; n < sizeof file_names / sizeof *file_names; n++)
        BW_TRY(remove_with_part(folder, file_names[n], err));
    BW_TRY(run_clear_cache(folder, err));
    for (int n = 0; n < format_count; n++) {
        if (formats[n].file != NULL)
            BW_TRY(remove_with_part(folder, formats[n].file, err));
        if (formats[n].folder != NULL)
            BW_TRY(remove_series(folder, &formats[n], err));
    }
    return BW_OK;
}
