// What a liquid carries, by what its scene gives.
#include "scene/carried.h"

#include <math.h>

bool bw_color_is_given(const float color[3])
{
    return !(color[0] == 1.0f && color[1] == 1.0f && color[2] == 1.0f);
}

static unsigned carried_from(const float color[3], bool has_temperature, bool has_viscosity)
{
    return (bw_color_is_given(color) ? (unsigned)BW_CARRIES_COLOR : 0) |
           (has_temperature ? (unsigned)BW_CARRIES_TEMPERATURE : 0) |
           (has_viscosity ? (unsigned)BW_CARRIES_VISCOSITY : 0);
}

bool bw_scene_melts(const BwSceneDef *scene)
{
    return scene->fluid == BW_FLUID_LIQUID && scene->liquid.melt.viscosity_solid > 0.0f;
}

// What comes in through a side brings its temperature; a wall keeps its own.
static bool wall_is_heated(const BwWallSideDef *side)
{
    bool lets_in = bw_curve_is_given(&side->kind_curve) || side->kind == BW_WALL_INFLOW;
    return !lets_in && bw_curve_is_given(&side->temperature);
}

bool bw_scene_conducts_in_liquid(const BwSceneDef *scene)
{
    bool is_heated = bw_scene_melts(scene) ||
                     scene->liquid.melt.conductivity != bw_scene_def_default().liquid.melt.conductivity;
    for (int side = 0; side < BW_SIDE_COUNT && scene->has_walls; side++)
        is_heated |= wall_is_heated(&scene->walls.side[side]);
    for (int n = 0; n < scene->obstacle_count; n++)
        is_heated |= bw_curve_is_given(&scene->obstacles[n].temperature);
    return scene->fluid == BW_FLUID_LIQUID && is_heated;
}

// Level sets have theirs on the grid.
static bool particles_have_strain(const BwLiquidDef *liquid)
{
    return liquid->elastic.modulus > 0.0f && liquid->method != BW_LIQUID_LEVELSET &&
           liquid->method != BW_LIQUID_PARTICLE_LEVELSET;
}

unsigned bw_scene_carried(const BwSceneDef *scene)
{
    unsigned carried = (scene->output.age ? (unsigned)BW_CARRIES_AGE : 0) |
                       (scene->output.source ? (unsigned)BW_CARRIES_SOURCE : 0) |
                       (particles_have_strain(&scene->liquid) ? (unsigned)BW_CARRIES_STRAIN : 0);
    if (scene->fluid != BW_FLUID_LIQUID)
        return 0;
    if (bw_scene_conducts_in_liquid(scene))
        carried |= BW_CARRIES_TEMPERATURE;
    for (int n = 0; n < scene->fill_count; n++)
        carried |= carried_from(scene->fills[n].color, !isnan(scene->fills[n].temperature),
                                !isnan(scene->fills[n].viscosity));
    for (int n = 0; n < scene->emitter_count; n++)
        carried |= carried_from(scene->emitters[n].color, bw_curve_is_given(&scene->emitters[n].temperature),
                                bw_curve_is_given(&scene->emitters[n].viscosity));
    for (int side = 0; side < BW_SIDE_COUNT && scene->has_walls; side++)
        carried |= carried_from(scene->walls.side[side].color,
                                bw_curve_is_given(&scene->walls.side[side].temperature), false);
    return carried;
}

bool bw_scene_is_viscous(const BwSceneDef *scene)
{
    const BwCurve *viscosity = &scene->liquid.viscosity;
    bool is_given =
        bw_curve_is_given(viscosity) && (viscosity->kind != BW_CURVE_CONSTANT || viscosity->value[0] > 0.0f);
    return is_given || scene->liquid.yield_stress > 0.0f || bw_scene_varies_viscosity(scene);
}

bool bw_scene_varies_viscosity(const BwSceneDef *scene)
{
    return bw_scene_melts(scene) || (bw_scene_carried(scene) & BW_CARRIES_VISCOSITY) != 0;
}

int bw_source_of_fill(const BwSceneDef *scene, int n)
{
    (void)scene;
    return 1 + n;
}

int bw_source_of_emitter(const BwSceneDef *scene, int n)
{
    return 1 + scene->fill_count + n;
}

int bw_source_of_side(const BwSceneDef *scene, int side)
{
    return 1 + scene->fill_count + scene->emitter_count + side;
}

int bw_source_count(const BwSceneDef *scene)
{
    return scene->fill_count + scene->emitter_count + BW_SIDE_COUNT;
}
