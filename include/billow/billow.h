/// Billow: smoke, water and fire for pictures and games. This header brings the whole public API;
/// docs/api.md tells how to live with it.
/// ```c
/// BwScene *scene;
/// BwError err;
/// if (bw_scene_load(&scene, "plume.lua", NULL, &err) != BW_OK)
///     return;
/// BwWorldDef def = bw_world_def_default();
/// def.scene = bw_scene_view_def(scene);
/// BwWorld *world;
/// BwResult result = bw_world_create(&world, &def, &err);
/// bw_scene_destroy(scene); // the world has its own
/// while (result == BW_OK && bw_world_view_stats(world)->frame < 24)
///     result = bw_world_step_frame(world, NULL, &err);
/// bw_world_destroy(world);
/// ```
#pragma once

#include <billow/base.h>
#include <billow/cache.h>
#include <billow/curve.h>
#include <billow/frame.h>
#include <billow/live.h>
#include <billow/render.h>
#include <billow/scene.h>
#include <billow/shape.h>
#include <billow/stable.h>
#include <billow/surface.h>
#include <billow/vec.h>
#include <billow/volume.h>
#include <billow/world.h>
