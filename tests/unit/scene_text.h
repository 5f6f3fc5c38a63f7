// Scenes of tests, from text.
#pragma once

#include "gate.h"

#include <billow/scene.h>
#include <string.h>

static inline BwResult load(BwScene **scene, const char *text, BwError *err)
{
    return bw_scene_load_text(scene, text, strlen(text), "test.lua", NULL, err);
}

static inline BwScene *load_good(const char *text)
{
    BwScene *scene;
    BwError err;
    if (load(&scene, text, &err) != BW_OK)
        fail_msg("%s", err.message);
    return scene;
}
