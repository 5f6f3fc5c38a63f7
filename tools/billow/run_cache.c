// Names in the cache of a run. Files that do not have such a name are left alone.
#include "run_cache.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

BwResult run_checkpoint_path(char path[RUN_PATH_SIZE], const char *folder, int frame, BwError *err)
{
    char name[64];
    snprintf(name, sizeof name, "cache/checkpoint_%04d.h5", frame);
    return run_file_path(path, folder, name, err);
}

BwResult run_picture_path(char path[RUN_PATH_SIZE], const char *folder, const BwOutputDef *output, int frame,
                          BwError *err)
{
    char name[64];
    snprintf(name, sizeof name, "%s/frame_%04d.png", output->images ? "images" : "cache", frame);
    return run_file_path(path, folder, name, err);
}

BwResult run_load_checkpoint(BwWorld *world, const char *folder, int frame, bool force, BwError *err)
{
    char path[RUN_PATH_SIZE];
    if (frame == 0)
        return BW_OK;
    BW_TRY(run_checkpoint_path(path, folder, frame, err));
    BW_TRY(force ? bw_checkpoint_adopt(world, path, err) : bw_checkpoint_load(world, path, err));
    int found = bw_world_view_stats(world)->frame;
    if (found == frame)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT, "%s holds frame %d", path, found);
}

// The frame of a name such as checkpoint_0012.h5; -1 for other names. What a kill left of one ends with
// ".part" and counts only where `or_part`.
static int frame_of(const char *name, const char *prefix, const char *suffix, bool or_part)
{
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0)
        return -1;
    char *end;
    size_t digits = strspn(name + length, "0123456789");
    long frame = strtol(name + length, &end, 10);
    if (digits < 4 || digits > 9 || strncmp(end, suffix, strlen(suffix)) != 0)
        return -1;
    end += strlen(suffix);
    bool is_named_so = *end == '\0' || (or_part && strcmp(end, ".part") == 0);
    return is_named_so ? (int)frame : -1;
}

static BwResult open_cache(const char *folder, char cache[RUN_PATH_SIZE], DIR **list, BwError *err)
{
    BW_TRY(run_file_path(cache, folder, "cache", err));
    *list = opendir(cache);
    if (*list != NULL || errno == ENOENT)
        return BW_OK;
    return bw_fail(err, BW_ERR_FILE, "could not read %s: %s", cache, strerror(errno));
}

BwResult run_frame_path(char path[RUN_PATH_SIZE], const char *folder, int frame, BwError *err)
{
    char name[64];
    snprintf(name, sizeof name, "cache/frame_%04d.h5", frame);
    return run_file_path(path, folder, name, err);
}

static BwResult find_newest(const char *folder, const char *prefix, int below, int *frame, BwError *err)
{
    char cache[RUN_PATH_SIZE];
    DIR *list;
    *frame = -1;
    BW_TRY(open_cache(folder, cache, &list, err));
    if (list == NULL)
        return BW_OK;
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        int found = frame_of(entry->d_name, prefix, ".h5", false);
        *frame = found > *frame && found < below ? found : *frame;
    }
    closedir(list);
    return BW_OK;
}

BwResult run_newest_checkpoint(const char *folder, int below, int *frame, BwError *err)
{
    BW_TRY(find_newest(folder, "checkpoint_", below, frame, err));
    *frame = *frame == 0 ? -1 : *frame; // from the start a run goes on without one
    return BW_OK;
}

BwResult run_newest_frame(const char *folder, int below, int *frame, BwError *err)
{
    return find_newest(folder, "frame_", below, frame, err);
}

static BwResult remove_file(const char *cache, const char *name, BwError *err)
{
    char path[RUN_PATH_SIZE];
    BW_TRY(run_file_path(path, cache, name, err));
    if (unlink(path) == 0 || errno == ENOENT)
        return BW_OK;
    return bw_fail(err, BW_ERR_FILE, "could not remove %s: %s", path, strerror(errno));
}

// Removes checkpoints below a frame, and pictures and frames too where `with_pictures`.
static BwResult remove_below(const char *folder, int below, bool with_pictures, BwError *err)
{
    char cache[RUN_PATH_SIZE];
    DIR *list;
    BW_TRY(open_cache(folder, cache, &list, err));
    if (list == NULL)
        return BW_OK;
    BwResult result = BW_OK;
    for (struct dirent *entry = readdir(list); entry != NULL && result == BW_OK; entry = readdir(list)) {
        int frame = frame_of(entry->d_name, "checkpoint_", ".h5", true);
        if (frame < 0 && with_pictures)
            frame = frame_of(entry->d_name, "frame_", ".png", true);
        if (frame < 0 && with_pictures)
            frame = frame_of(entry->d_name, "frame_", ".h5", true);
        bool is_sums = strcmp(entry->d_name, "sums.txt") == 0 || strcmp(entry->d_name, "sums.txt.part") == 0;
        if ((frame >= 0 && frame < below) || (with_pictures && is_sums))
            result = remove_file(cache, entry->d_name, err);
    }
    closedir(list);
    if (with_pictures)
        rmdir(cache); // stays where it holds something else
    return result;
}

BwResult run_prune_checkpoints(const char *folder, int below, BwError *err)
{
    return remove_below(folder, below, false, err);
}

BwResult run_clear_cache(const char *folder, BwError *err)
{
    return remove_below(folder, 1000000000, true, err);
}
