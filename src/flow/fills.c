// The shapes of fills.
#include "flow/fills.h"

#include <math.h>

BwShape bw_fill_beyond_walls(const BwSceneDef *scene, const BwShape *fill, float far)
{
    BwShape shape = *fill;
    if (!scene->has_walls || shape.kind != BW_SHAPE_BOX)
        return shape;
    const float near = 0.01f * scene->cell;
    float *low[3] = {&shape.a.x, &shape.a.y, &shape.a.z}, *high[3] = {&shape.b.x, &shape.b.y, &shape.b.z};
    for (int a = 0; a < scene->dimension; a++) {
        float first = bw_component(scene->walls.min, a), last = bw_component(scene->walls.max, a);
        if (!scene->walls.periodic[a] && *low[a] <= first + near)
            *low[a] = fminf(*low[a], first - far);
        if (!scene->walls.periodic[a] && *high[a] >= last - near)
            *high[a] = fmaxf(*high[a], last + far);
    }
    return shape;
}

void bw_fills_free(const BwSceneDef *scene, const BwAllocator *allocator, BwShape *shapes,
                   const BwShape **list)
{
    bw_free(allocator, shapes, (size_t)scene->fill_count * sizeof *shapes, BW_ALIGN);
    bw_free(allocator, list, (size_t)scene->fill_count * sizeof *list, BW_ALIGN);
}

BwResult bw_fills_beyond_walls(const BwSceneDef *scene, float far, const BwAllocator *allocator,
                               BwShape **shapes, const BwShape ***list, BwError *err)
{
    size_t count = (size_t)scene->fill_count;
    *shapes = NULL;
    *list = NULL;
    if (count == 0)
        return BW_OK;
    *shapes = bw_alloc(allocator, count * sizeof **shapes, BW_ALIGN);
    *list = bw_alloc(allocator, count * sizeof **list, BW_ALIGN);
    if (*shapes == NULL || *list == NULL) {
        bw_fills_free(scene, allocator, *shapes, *list);
        return bw_fail_memory(err);
    }
    for (int n = 0; n < scene->fill_count; n++) {
        (*shapes)[n] = bw_fill_beyond_walls(scene, &scene->fills[n].shape, far);
        (*list)[n] = &(*shapes)[n];
    }
    return BW_OK;
}
