// What a scene says of its surfaces and its box as a whole, for all who choose fields, memory or methods by
// it.
#pragma once

#include <billow/scene.h>

// Whether the fluid may stick to any side or obstacle, at any time.
bool bw_scene_has_no_slip(const BwSceneDef *scene);

// Whether any side or obstacle has a temperature.
bool bw_scene_has_heated_surface(const BwSceneDef *scene);

// Whether every tile between the walls is awake, always: between walls the air pushes back from all of the
// box, unless an envelope says that the near air is enough. Air does not push liquids.
bool bw_scene_is_whole_box(const BwSceneDef *scene);
