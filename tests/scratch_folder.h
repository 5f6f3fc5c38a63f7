// A folder that tests write into and stand in: made before them, removed with all that is in it after. For
// cmocka's setup and teardown; *state is the folder's path in between.
#pragma once

#include "gate.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline int make_folder(void **state)
{
    static char path[64];
    strcpy(path, "/tmp/billow-test-XXXXXX");
    *state = path;
    return mkdtemp(path) != NULL && chdir(path) == 0 ? 0 : -1;
}

// Files in the folder, hidden ones aside.
static inline int files_in_folder(void)
{
    int count = 0;
    DIR *folder = opendir(".");
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static inline int empty_folder(void **state)
{
    (void)state;
    DIR *folder = opendir(".");
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        remove(entry->d_name);
    closedir(folder);
    return 0;
}

static inline int remove_folder(void **state)
{
    empty_folder(state);
    return chdir("/") == 0 && rmdir(*state) == 0 ? 0 : -1;
}
