// What a liquid carries, by what its scene gives.
#include "scene/carried.h"

#include <math.h>

bool bw_color_is_given(const float color[3])
{
    return !(color[0] == 1.0f && color[1] == 1.0f && color[2] == 1.0f);
}

static unsigned carried_from(const float color[3], bool has_temperature)
{
    return (bw_color_is_given(color) ? (unsigned)BW_CARRIES_COLOR : 0) |
           (has_temperature ? (unsigned)BW_CARRIES_TEMPERATURE : 0);
}

unsigned bw_scene_carried(const BwSceneDef *scene)
{
    unsigned carried = (scene->output.age ? (unsigned)BW_CARRIES_AGE : 0) |
                       (scene->output.source ? (unsigned)BW_CARRIES_SOURCE : 0) |
                       (scene->liquid.elastic.modulus > 0.0f ? (unsigned)BW_CARRIES_STRAIN : 0);
    if (scene->fluid != BW_FLUID_LIQUID)
        return 0;
    for (int n = 0; n < scene->fill_count; n++)
        carried |= carried_from(scene->fills[n].color, !isnan(scene->fills[n].temperature));
    for (int n = 0; n < scene->emitter_count; n++)
        carried |= carried_from(scene->emitters[n].color, bw_curve_is_given(&scene->emitters[n].temperature));
    for (int side = 0; side < BW_SIDE_COUNT && scene->has_walls; side++)
        carried |= carried_from(scene->walls.side[side].color,
                                bw_curve_is_given(&scene->walls.side[side].temperature));
    return carried;
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
