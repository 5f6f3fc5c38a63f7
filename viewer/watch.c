// Looking at the time of a file.
#include "watch.h"

#include <sys/stat.h>

static const double look_every = 0.25; // s

static bool look(const char *path, struct timespec *changed)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return false; // it is being replaced
    *changed = info.st_mtim;
    return true;
}

FileWatch watch_begin(const char *path)
{
    FileWatch watch = {.path = path};
    if (path != NULL)
        look(path, &watch.changed);
    return watch;
}

bool watch_has_changed(FileWatch *watch, double seconds)
{
    struct timespec changed;
    if (watch->path == NULL || seconds < watch->next_look)
        return false;
    watch->next_look = seconds + look_every;
    if (!look(watch->path, &changed))
        return false;
    bool is_other = changed.tv_sec != watch->changed.tv_sec || changed.tv_nsec != watch->changed.tv_nsec;
    watch->changed = changed;
    return is_other;
}
