// Copying fields into frames.
#include "grid/frame_copy.h"

#include "grid/bits.h"
#include <string.h>

typedef struct Copying {
    const BwGrid *grid;
    const BwFrameSource *source;
    float *values;
} Copying;

static void copy_mask(float *out, const uint64_t *words, int cells)
{
    for (int first = 0; first < cells; first += 64)
        for (int n = 0; n < 64; n++)
            out[first + n] = words[first >> 6] >> n & 1 ? 1.0f : 0.0f;
}

static void copy_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Copying *job = context;
    int cells = job->grid->tile_cells;
    for (int64_t n = begin; n < end; n++) {
        float *out = job->values + (size_t)n * (size_t)cells;
        int32_t slot = job->grid->order[n];
        if (job->source->field != NULL)
            memcpy(out, bw_field_tile(job->source->field, slot), (size_t)cells * sizeof *out);
        else
            copy_mask(out, bw_mask_tile(job->source->mask, slot), cells);
    }
}

static BwResult copy_values(BwFrameCopy *copy, int at, const BwGrid *grid, BwPool *pool,
                            const BwFrameSource *source, const float **values, BwError *err)
{
    int64_t total = (int64_t)grid->tile_count * grid->tile_cells;
    BW_TRY(bw_reserve(&grid->allocator, (void **)&copy->values[at], &copy->value_capacity[at], total,
                      sizeof(float), err));
    Copying job = {grid, source, copy->values[at]};
    bw_parallel_for(pool, grid->tile_count, 64, copy_tiles, &job);
    *values = copy->values[at];
    return BW_OK;
}

static const float *kept_values(const BwRecord *kept, const BwGrid *grid, const BwFrameSource *source)
{
    int64_t rows = grid->tile_count;
    const void *values;
    bool is_kept =
        kept != NULL && source->field != NULL &&
        bw_record_find(kept, source->name, BW_RECORD_FLOAT, &rows, grid->tile_cells, &values, NULL) == BW_OK;
    return is_kept ? values : NULL;
}

static BwResult show(BwFrameCopy *copy, int at, const BwGrid *grid, BwPool *pool, const BwRecord *kept,
                     const BwFrameSource *source, BwError *err)
{
    const float *values = kept_values(kept, grid, source);
    if (values == NULL)
        BW_TRY(copy_values(copy, at, grid, pool, source, &values, err));
    copy->fields[at] =
        (BwFrameField){.name = source->name,
                       .unit = source->unit,
                       .location = source->field != NULL ? source->field->location : BW_AT_CELL,
                       .background = source->field != NULL ? bw_field_background(source->field) : 0.0f,
                       .values = values,
                       .is_detail = source->is_detail};
    return BW_OK;
}

BwResult bw_frame_copy(BwFrameCopy *copy, BwFrame *frame, const BwGrid *grid, BwPool *pool,
                       const BwRecord *kept, const BwFrameSource *sources, int count, BwError *err)
{
    BW_ASSERT(count <= BW_FRAME_FIELDS_MAX);
    const BwAllocator *allocator = &grid->allocator;
    BW_TRY(bw_reserve(allocator, (void **)&copy->tiles, &copy->tile_capacity, grid->tile_count,
                      sizeof *copy->tiles, err));
    BW_TRY(bw_reserve(allocator, (void **)&copy->live, &copy->live_capacity, grid->tile_count,
                      sizeof *copy->live, err));
    for (int32_t n = 0; n < grid->tile_count; n++) {
        const BwGridTile *tile = &grid->tiles[grid->order[n]];
        copy->tiles[n] = tile->coord;
        memcpy(copy->live[n], tile->live, sizeof tile->live);
    }
    for (int n = 0; n < count; n++)
        BW_TRY(show(copy, n, grid, pool, kept, &sources[n], err));
    frame->dimension = grid->dimension;
    frame->layers = grid->layers;
    frame->cell_size = grid->cell_size;
    frame->tile_count = grid->tile_count;
    frame->tiles = copy->tiles;
    frame->live = (const uint64_t(*)[8])copy->live;
    frame->fields = copy->fields;
    frame->field_count = count;
    return BW_OK;
}

void bw_frame_copy_free(BwFrameCopy *copy, const BwAllocator *allocator)
{
    bw_free(allocator, copy->tiles, (size_t)copy->tile_capacity * sizeof *copy->tiles, BW_ALIGN);
    bw_free(allocator, copy->live, (size_t)copy->live_capacity * sizeof *copy->live, BW_ALIGN);
    for (int n = 0; n < BW_FRAME_FIELDS_MAX; n++)
        bw_free(allocator, copy->values[n], (size_t)copy->value_capacity[n] * sizeof(float), BW_ALIGN);
    *copy = (BwFrameCopy){0};
}
