// Linear interpolation among the cells around a place that hold a colour: those that are live. What is beyond
// a wall does not count.
#include "render/water_tint.h"

#include "base/extremes.h"

#include <math.h>

enum { TILE_CELLS = BW_TILE * BW_TILE * BW_TILE };

static bool is_live(const BwFrame *frame, int32_t tile, int cell)
{
    return frame->live[tile][cell >> 6] >> (cell & 63) & 1;
}

static void find_mean(BwWaterTint *tint, const BwFrameField *phi)
{
    if (tint->field[0] == NULL)
        return;
    double sum[3] = {0.0}, count = 0.0;
    for (int64_t n = 0; n < (int64_t)tint->frame->tile_count * TILE_CELLS; n++) {
        if (!is_live(tint->frame, (int32_t)(n / TILE_CELLS), (int)(n % TILE_CELLS)) ||
            !(phi->values[n] < 0.0f))
            continue;
        count += 1.0;
        for (int c = 0; c < 3; c++)
            sum[c] += isfinite(tint->field[c]->values[n]) ? (double)tint->field[c]->values[n] : 0.0;
    }
    for (int c = 0; c < 3; c++)
        tint->mean[c] = count > 0.0 ? bw_smaller(bw_larger((float)(sum[c] / count), 0.0f), 1.0f) : 1.0f;
}

static void find_colors(BwWaterTint *tint, const BwFrame *frame, const BwLookDef *look)
{
    static const char *const names[3] = {"color_r", "color_g", "color_b"};
    bool is_there = true;
    for (int c = 0; c < 3; c++) {
        tint->field[c] = bw_frame_field(frame, names[c]);
        is_there &= tint->field[c] != NULL && tint->field[c]->location == BW_AT_CELL;
    }
    for (int c = 0; c < 3 && !is_there; c++) {
        tint->field[c] = NULL;
        tint->mean[c] = bw_smaller(bw_larger(look->water_color[c], 0.0f), 1.0f);
    }
}

// The temperature, where any of the liquid is hot enough to be seen by its own light.
static void find_heat(BwWaterTint *tint, const BwFrame *frame, const BwFrameField *phi, const BwLookDef *look)
{
    const BwFrameField *heat = bw_frame_field(frame, "temperature");
    bool is_hot = false;
    tint->heat = NULL;
    if (heat == NULL || heat->location != BW_AT_CELL || !(look->fire_brightness > 0.0f))
        return;
    for (int64_t n = 0; n < (int64_t)frame->tile_count * TILE_CELLS && !is_hot; n++)
        is_hot = phi->values[n] < 0.0f && heat->values[n] >= (float)BW_GLOW_FIRST;
    if (!is_hot)
        return;
    tint->heat = heat;
    bw_glow_table_fill(&tint->glow, look->fire_brightness, look->white_temperature);
}

BwResult bw_water_tint_build(BwWaterTint *tint, const BwFrame *frame, const BwLookDef *look, BwError *err)
{
    const BwFrameField *phi = bw_frame_field(frame, "phi");
    tint->frame = NULL;
    tint->heat = NULL;
    if (phi == NULL || phi->location != BW_AT_CELL || frame->layers != BW_TILE)
        return BW_OK;
    find_colors(tint, frame, look);
    find_heat(tint, frame, phi, look);
    if (tint->field[0] == NULL && tint->heat == NULL)
        return BW_OK;
    bw_brick_map_clear(&tint->map);
    for (int32_t n = 0; n < frame->tile_count; n++) {
        const int32_t place[3] = {frame->tiles[n].x, frame->tiles[n].y, frame->tiles[n].z};
        int32_t *index;
        BW_TRY(bw_brick_map_make(&tint->map, &tint->allocator, place, &index, err));
        *index = n;
    }
    tint->frame = frame;
    find_mean(tint, phi);
    return BW_OK;
}

void bw_water_tint_free(BwWaterTint *tint)
{
    bw_brick_map_free(&tint->map, &tint->allocator);
    *tint = (BwWaterTint){.allocator = tint->allocator};
}

// The tile of a cell, or -1.
static int32_t tile_at(const BwWaterTint *tint, const int32_t cell[3])
{
    const int32_t tile[3] = {cell[0] >> 3, cell[1] >> 3, cell[2] >> 3};
    const BwRegion *region = bw_brick_map_region(&tint->map, tile[0] >> 3, tile[1] >> 3, tile[2] >> 3);
    return region != NULL ? region->bricks[bw_brick_slot(tile)] : -1;
}

// What a place is made of: three colours and a temperature.
enum { COLORS = 3, HEAT = COLORS, VALUES };

// The sum over the eight cells around, by linear weights; gives what those weights are together.
static float add_cells(const BwWaterTint *tint, const int32_t low[3], const float share[3], float sum[VALUES])
{
    const BwFrameField *const fields[VALUES] = {tint->field[0], tint->field[1], tint->field[2], tint->heat};
    float weights = 0.0f;
    for (int corner = 0; corner < 8; corner++) {
        int32_t cell[3] = {low[0] + (corner & 1), low[1] + (corner >> 1 & 1), low[2] + (corner >> 2)};
        int32_t tile = tile_at(tint, cell);
        int n = (cell[0] & 7) + 8 * (cell[1] & 7) + 64 * (cell[2] & 7);
        if (tile < 0 || !is_live(tint->frame, tile, n))
            continue;
        float weight = (corner & 1 ? share[0] : 1.0f - share[0]) * (corner & 2 ? share[1] : 1.0f - share[1]) *
                       (corner & 4 ? share[2] : 1.0f - share[2]);
        weights += weight;
        for (int c = 0; c < VALUES; c++)
            sum[c] +=
                fields[c] != NULL ? weight * fields[c]->values[(size_t)tile * TILE_CELLS + (size_t)n] : 0.0f;
    }
    return weights;
}

void bw_water_tint_at(const BwWaterTint *tint, const double place[3], float color[3], float glow[3])
{
    int32_t low[3] = {0};
    float share[3] = {0.0f}, sum[VALUES] = {0.0f};
    bool is_near = true;
    for (int a = 0; a < 3; a++) {
        double at = place[a] / (double)tint->frame->cell_size - 0.5;
        is_near &= fabs(at) < 1e9;
        low[a] = is_near ? (int32_t)floor(at) : 0;
        share[a] = is_near ? (float)(at - floor(at)) : 0.0f;
    }
    float weights = is_near ? add_cells(tint, low, share, sum) : 0.0f;
    for (int c = 0; c < 3; c++) {
        float mean = weights > 1e-3f && tint->field[c] != NULL ? sum[c] / weights : tint->mean[c];
        glow[c] = 0.0f;
        color[c] = isfinite(mean) ? bw_smaller(bw_larger(mean, 0.0f), 1.0f) : tint->mean[c];
    }
    if (tint->heat != NULL && weights > 1e-3f)
        bw_glow_at(&tint->glow, sum[HEAT] / weights, glow);
}
