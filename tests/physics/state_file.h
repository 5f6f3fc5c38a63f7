// The file of a state that a test writes: named before its tests, removed after them. For the group's set-up
// and tear-down.
#pragma once

#include "run.h"

#include <stdio.h>
#include <unistd.h>

static char state_path[64];

static int name_state_file(void **state)
{
    (void)state;
    snprintf(state_path, sizeof state_path, "/tmp/billow_state_%d.h5", (int)getpid());
    return 0;
}

static int remove_state_file(void **state)
{
    (void)state;
    remove(state_path);
    return 0;
}

static inline void must(BwResult result, const BwError *err)
{
    if (result != BW_OK)
        fail_msg("%s", err->message);
}
