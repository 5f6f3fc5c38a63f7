// Names of half-written files, folder by folder.
#include "run_parts.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAMES_MAX = 5 };

// `#` stands for the digits of a frame.
static const struct {
    const char *folder, *names[NAMES_MAX];
} places[] = {{".", {"run.json", "scene.lua", "movie.mp4", "run.pvd"}},
              {"cache", {"checkpoint_#.h5", "frame_#.h5", "frame_#.png", "sums.txt"}},
              {"images", {"frame_#.png"}},
              {"vdb", {"frame_#.vdb"}},
              {"vtk", {"frame_#.vti", "frame_#.vtm"}}};

// The rest of the name after what the pattern stands for; NULL when it does not begin so.
static const char *skip_pattern(const char *name, const char *pattern)
{
    for (; *pattern != '\0'; pattern++) {
        size_t length = *pattern == '#' ? strspn(name, "0123456789") : *name == *pattern;
        if (length == 0 || (*pattern == '#' && length < 4))
            return NULL;
        name += length;
    }
    return name;
}

static bool is_part(const char *name, const char *const patterns[NAMES_MAX])
{
    for (int n = 0; n < NAMES_MAX && patterns[n] != NULL; n++) {
        const char *rest = skip_pattern(name, patterns[n]);
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

BwResult run_remove_parts(const char *folder, BwError *err)
{
    char path[RUN_PATH_SIZE];
    for (size_t n = 0; n < sizeof places / sizeof *places; n++) {
        BW_TRY(run_file_path(path, folder, places[n].folder, err));
        BW_TRY(remove_from(path, places[n].names, err));
    }
    return BW_OK;
}
