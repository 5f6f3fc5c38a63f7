// The numbers of the gas that a scene is about: those of smoke, and of fire the same ones under its own name.
#pragma once

#include <billow/scene.h>

static inline const BwSmokeDef *bw_scene_gas(const BwSceneDef *scene)
{
    return scene->fluid == BW_FLUID_FIRE ? &scene->fire.smoke : &scene->smoke;
}

// Whether any obstacle burns.
static inline bool bw_scene_has_solid_fuel(const BwSceneDef *scene)
{
    for (int n = 0; n < scene->obstacle_count; n++)
        if (scene->fluid == BW_FLUID_FIRE && scene->obstacles[n].fuel != NULL)
            return true;
    return false;
}

// Whether the gas gains volume: by charges, by what burns in it, or by solids that turn to gas.
static inline bool bw_scene_expands(const BwSceneDef *scene)
{
    return scene->charge_count > 0 || bw_scene_has_solid_fuel(scene) ||
           (scene->fluid == BW_FLUID_FIRE &&
            (scene->fire.model == BW_FIRE_THIN || scene->fire.expansion > 0.0f));
}

// Smoke, or fire, whose smoke is solved alike.
static inline bool bw_is_gas(BwFluid fluid)
{
    return fluid == BW_FLUID_SMOKE || fluid == BW_FLUID_FIRE;
}
