// Names of half-written files, folder by folder.
#include "run_parts.h"

#include "formats.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAMES_MAX = 5 };

// Beside those of the formats; # stands for the digits of a frame.
static const struct {
    const char *folder, *names[NAMES_MAX];
} places[] = {{".", {"run.json", "scene.lua"}},
              {"cache", {"checkpoint_#.h5", "frame_#.h5", "frame_#.png", "sums.txt"}}};

_Static_assert((int)NAMES_MAX == (int)FORMAT_PATTERNS_MAX, "patterns of formats are searched alike");

static bool is_part(const char *name, const char *const patterns[NAMES_MAX])
{
    for (int n = 0; n < NAMES_MAX && patterns[n] != NULL; n++) {
        const char *rest = format_skip_pattern(name, patterns[n]);
        if (rest != NULL && strcmp(rest, ".part") == 0)
            return true;
    }
    return false;
}

static BwResult remove_from(const char *path, const char *const patterns[NAMES_MAX], BwError *err)
{
    char file[RUN_PATH_SIZE];
    BwResult result = BW_OK;
    DIR *list = opendir(path);
    if (list == NULL)
        return BW_OK; // the run has no such folder
    for (struct dirent *entry = readdir(list); entry != NULL && result == BW_OK; entry = readdir(list)) {
        if (!is_part(entry->d_name, patterns))
            continue;
        result = run_file_path(file, path, entry->d_name, err);
        if (result == BW_OK && unlink(file) != 0 && errno != ENOENT)
            result = bw_fail(err, BW_ERR_FILE, "could not remove %s: %s", file, strerror(errno));
    }
    closedir(list);
    return result;
}

static BwResult remove_in(const char *folder, const char *name, const char *const patterns[NAMES_MAX],
                          BwError *err)
{
    char path[RUN_PATH_SIZE];
    BW_TRY(run_file_path(path, folder, name, err));
    return remove_from(path, patterns, err);
}

BwResult run_remove_parts(const char *folder, BwError *err)
{
    for (size_t n = 0; n < sizeof places / sizeof *places; n++)
        BW_TRY(remove_in(folder, places[n].folder, places[n].names, err));
    for (int n = 0; n < format_count; n++) {
        const char *const file[NAMES_MAX] = {formats[n].file};
        BW_TRY(remove_in(folder, ".", file, err));
        if (formats[n].folder != NULL)
            BW_TRY(remove_in(folder, formats[n].folder, formats[n].patterns, err));
    }
    return BW_OK;
}
