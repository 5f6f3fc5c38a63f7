// Copying frames into fields, tile after tile.
#include "grid/frame_take.h"

#include <string.h>

BwResult bw_grid_take_frame(BwGrid *grid, const BwFrame *frame, BwError *err)
{
    bw_grid_sleep_all(grid);
    BW_TRY(bw_grid_wake(grid, frame->tiles, frame->tile_count, err));
    if (grid->tile_count == frame->tile_count)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT, "%d of the %d tiles of frame %d lie outside of the box",
                   frame->tile_count - grid->tile_count, frame->tile_count, frame->number);
}

void bw_field_take_frame(BwField *field, const BwFrame *frame, const BwFrameField *from)
{
    const BwGrid *grid = field->store.grid;
    size_t cells = (size_t)grid->tile_cells;
    bw_field_set_background(field, from->background);
    for (int32_t n = 0; n < frame->tile_count; n++)
        memcpy(bw_field_tile(field, bw_grid_find(grid, frame->tiles[n])), from->values + (size_t)n * cells,
               cells * sizeof(float));
}

void bw_mask_take_frame(BwMask *mask, const BwFrame *frame, const BwFrameField *from)
{
    const BwGrid *grid = mask->store.grid;
    for (int32_t n = 0; n < frame->tile_count; n++) {
        uint64_t *words = bw_mask_tile(mask, bw_grid_find(grid, frame->tiles[n]));
        const float *values = from->values + (size_t)n * (size_t)grid->tile_cells;
        memset(words, 0, (size_t)grid->layers * sizeof *words);
        for (int c = 0; c < grid->tile_cells; c++)
            words[c >> 6] |= (uint64_t)(values[c] != 0.0f) << (c & 63);
    }
}
