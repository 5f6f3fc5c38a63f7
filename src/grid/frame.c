// Looking into frames: fields by name, tiles by place, and one number that stands for all of it.
#include "grid/frame_check.h"

#include "base/checksum.h"
#include "base/need.h"

#include <math.h>
#include <string.h>

const BwFrameField *bw_frame_field(const BwFrame *frame, const char *name)
{
    if (frame == NULL || name == NULL)
        return NULL;
    for (int n = 0; n < frame->field_count; n++)
        if (strcmp(frame->fields[n].name, name) == 0)
            return &frame->fields[n];
    return NULL;
}

BwResult bw_frame_check(const BwFrame *frame, BwError *err)
{
    BW_TRY(bw_need(frame, "the frame", err));
    if (frame->layers != (frame->dimension == 2 ? 1 : BW_TILE))
        return bw_fail(err, BW_ERR_DEF, "the frame is of dimension %d and has tiles of %d layers",
                       frame->dimension, frame->layers);
    if (!(frame->cell_size > 0.0f) || isinf(frame->cell_size))
        return bw_fail(err, BW_ERR_DEF, "the frame's cell_size is %g m; it must be positive",
                       (double)frame->cell_size);
    if (!isfinite(frame->time))
        return bw_fail(err, BW_ERR_DEF, "the frame's time is %g s; it must be finite", frame->time);
    BW_TRY(bw_need_list(frame->tiles, frame->tile_count, "the frame's tiles", err));
    BW_TRY(bw_need_list(frame->live, frame->tile_count, "the frame's masks of live cells", err));
    BW_TRY(bw_need_list(frame->fields, frame->field_count, "the frame's fields", err));
    BW_TRY(bw_need_list(frame->solids, frame->solid_count, "the frame's solids", err));
    for (int n = 0; n < frame->field_count; n++) {
        BW_TRY(bw_need(frame->fields[n].name, "the name of a frame's field", err));
        BW_TRY(bw_need_list(frame->fields[n].values, frame->tile_count, "a field's tiles", err));
    }
    for (int n = 0; n < frame->solid_count; n++)
        BW_TRY(bw_need(frame->solids[n].shape, "the shape of a frame's solid", err));
    return BW_OK;
}

// The order of tiles in a frame: by z, then y, then x.
static bool is_before(BwTileCoord a, BwTileCoord b)
{
    if (a.z != b.z)
        return a.z < b.z;
    if (a.y != b.y)
        return a.y < b.y;
    return a.x < b.x;
}

int32_t bw_frame_find_tile(const BwFrame *frame, BwTileCoord coord)
{
    if (frame == NULL || frame->tiles == NULL)
        return -1;
    int32_t low = 0, high = frame->tile_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (is_before(frame->tiles[middle], coord))
            low = middle + 1;
        else
            high = middle;
    }
    return low < frame->tile_count && !is_before(coord, frame->tiles[low]) ? low : -1;
}

static uint64_t mix_head(uint64_t hash, const BwFrame *frame)
{
    hash = bw_mix(hash, (uint64_t)frame->number);
    hash = bw_mix_bytes(hash, &frame->time, sizeof frame->time);
    hash = bw_mix(hash, (uint64_t)frame->dimension);
    hash = bw_mix(hash, (uint64_t)frame->layers);
    hash = bw_mix_bytes(hash, &frame->cell_size, sizeof frame->cell_size);
    hash = bw_mix(hash, frame->has_walls);
    return frame->has_walls ? bw_mix_bytes(hash, &frame->walls, sizeof frame->walls) : hash;
}

static uint64_t mix_field(uint64_t hash, const BwFrame *frame, const BwFrameField *field)
{
    size_t count = (size_t)frame->tile_count * 64 * (size_t)frame->layers;
    hash = bw_mix_bytes(hash, field->name, strlen(field->name));
    hash = bw_mix_bytes(hash, field->unit, strlen(field->unit));
    hash = bw_mix(hash, (uint64_t)field->location);
    hash = bw_mix_bytes(hash, &field->background, sizeof field->background);
    return bw_mix_bytes(hash, field->values, count * sizeof *field->values);
}

uint64_t bw_frame_hash(const BwFrame *frame)
{
    if (frame == NULL)
        return 0;
    size_t tile_count = (size_t)frame->tile_count;
    uint64_t hash = mix_head(0, frame);
    hash = bw_mix_bytes(hash, frame->tiles, tile_count * sizeof *frame->tiles);
    // Words of layers that a 2-D tile does not have are not part of the frame.
    for (size_t tile = 0; tile < tile_count; tile++)
        hash = bw_mix_bytes(hash, frame->live[tile], (size_t)frame->layers * sizeof frame->live[tile][0]);
    for (int n = 0; n < frame->field_count; n++)
        hash = mix_field(hash, frame, &frame->fields[n]);
    for (int n = 0; n < frame->solid_count; n++) {
        hash = bw_mix_bytes(hash, &frame->solids[n].pose, sizeof frame->solids[n].pose);
        hash = bw_mix_bytes(hash, frame->solids[n].color, sizeof frame->solids[n].color);
    }
    return hash;
}
