// Samples of the level set in 2-D, away from the rows of a picture.
#include "render/flat_water.h"

#include "render/water_spline.h"

#include <math.h>

BwFlatWalls bw_flat_walls(const BwFrame *frame, const BwSceneDef *scene)
{
    BwFlatWalls walls = {.first = {INT32_MIN / 2, INT32_MIN / 2}, .last = {INT32_MAX / 2, INT32_MAX / 2}};
    for (int a = 0; a < 2 && frame->has_walls; a++) {
        double h = (double)frame->cell_size;
        double low = (double)bw_component(frame->walls.low, a) / h;
        double high = (double)bw_component(frame->walls.high, a) / h;
        if (fabs(low) < 1e9)
            walls.first[a] = (int32_t)ceil(low - 0.51);
        if (fabs(high) < 1e9)
            walls.last[a] = (int32_t)floor(high - 0.49);
        bool has_ends = fabs(low) < 1e9 && fabs(high) < 1e9 && walls.last[a] >= walls.first[a];
        walls.is_joined[a] = has_ends && scene->has_walls && scene->walls.periodic[a];
    }
    return walls;
}

static float cell_value(const BwFrame *frame, const BwFrameField *phi, int32_t i, int32_t j)
{
    int32_t tile = bw_frame_find_tile(frame, (BwTileCoord){i >> 3, j >> 3, 0});
    int cell = (j & 7) * BW_TILE + (i & 7);
    if (tile < 0 || !(frame->live[tile][0] >> cell & 1))
        return phi->background;
    float value = phi->values[(size_t)tile * 64 * (size_t)frame->layers + (size_t)cell];
    return isfinite(value) ? value : phi->background;
}

float bw_flat_water_distance(const BwFrame *frame, const BwFlatWalls *walls, const double place[2])
{
    const BwFrameField *phi = bw_frame_field(frame, "phi");
    float weights[2][4], sum = 0.0f;
    int32_t first[2];
    for (int a = 0; a < 2; a++) {
        double at = place[a] / (double)frame->cell_size - 0.5;
        if (!(fabs(at) < 1e9))
            return INFINITY;
        first[a] = (int32_t)floor(at) - 1;
        bw_spline_weights((float)(at - floor(at)), weights[a]);
    }
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++)
            sum += weights[0][i] * weights[1][j] *
                   cell_value(frame, phi, bw_between_walls(walls, 0, first[0] + i),
                              bw_between_walls(walls, 1, first[1] + j));
    return sum / frame->cell_size;
}
