// Questions to a scene.
#include "flow/scene_surfaces.h"

#include "scene/gas.h"

static bool may_stick(const BwCurve *slip, float otherwise)
{
    if (!bw_curve_is_given(slip))
        return otherwise != 1.0f;
    return slip->kind != BW_CURVE_CONSTANT || slip->value[0] != 1.0f;
}

bool bw_scene_has_no_slip(const BwSceneDef *scene)
{
    float slip = scene->has_walls ? scene->walls.slip : 1.0f;
    for (int side = 0; side < BW_SIDE_COUNT && scene->has_walls; side++)
        if (may_stick(&scene->walls.side[side].slip, slip))
            return true;
    for (int n = 0; n < scene->obstacle_count; n++)
        if (may_stick(&scene->obstacles[n].slip, slip))
            return true;
    return false;
}

bool bw_scene_has_heated_surface(const BwSceneDef *scene)
{
    for (int side = 0; side < BW_SIDE_COUNT && scene->has_walls; side++)
        if (bw_curve_is_given(&scene->walls.side[side].temperature))
            return true;
    for (int n = 0; n < scene->obstacle_count; n++)
        if (bw_curve_is_given(&scene->obstacles[n].temperature))
            return true;
    return false;
}

bool bw_scene_is_whole_box(const BwSceneDef *scene)
{
    bool is_whole = scene->fluid == BW_FLUID_STABLE ||
                    (scene->fluid != BW_FLUID_LIQUID && bw_scene_gas(scene)->envelope == 0.0f);
    return scene->has_walls && is_whole;
}
