// What a script allows itself and hardly means, told to the log as warnings.
#pragma once

#include "scene/walk.h"

// The scene has been checked, and the files of its shapes are read.
void bw_scene_tell_doubts(const BwSceneDef *def, const BwOrigins *origins, const BwLog *log);
