// Particles to cells, once for all that asks.
#include "mesh/wet_cells.h"

#include "grid/frame_check.h"
#include "mesh/particle_cell.h"

#include <string.h>

enum { TILE_CELLS = BW_TILE * BW_TILE * BW_TILE };

typedef struct Job {
    BwWetCells *wet;
    const BwFrame *frame;
    const BwFrameParticles *water;
} Job;

const BwFrameParticles *bw_water_with_volume(const BwFrame *frame, BwError *err)
{
    const BwFrameParticles *water = bw_frame_particles(frame, "water");
    const BwFrameAttribute *volume =
        water != NULL ? bw_frame_attribute(water->attributes, water->attribute_count, "volume") : NULL;
    bool is_empty = water != NULL && water->count == 0; // then nothing needs a volume
    if (is_empty || (volume != NULL && volume->values != NULL && volume->components == 1))
        return water;
    bw_fail(err, BW_ERR_DEF, "the frame has no particles \"water\" with a \"volume\" to wrap a mesh around");
    return NULL;
}

static void cell_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    float per_cell = 1.0f / job->frame->cell_size;
    int32_t own = -1, tile = -1; // of the particle before, in the set and in the frame
    for (int64_t n = begin; n < end; n++) {
        if (job->water->tile[n] != own) {
            own = job->water->tile[n];
            tile = bw_frame_find_tile(job->frame, job->water->tiles[own]);
        }
        int cell = bw_particle_cell(job->water->positions[n], per_cell);
        job->wet->cell[n] = tile >= 0 ? tile * TILE_CELLS + cell : -1;
    }
}

BwResult bw_wet_cells_set(BwWetCells *wet, const BwFrame *frame, const BwFrameParticles *water, BwPool *pool,
                          BwError *err)
{
    Job job = {wet, frame, water};
    int64_t cells = (int64_t)frame->tile_count * TILE_CELLS;
    const BwFrameAttribute *volume = bw_frame_attribute(water->attributes, water->attribute_count, "volume");
    BW_TRY(bw_reserve(&wet->allocator, (void **)&wet->cell, &wet->cell_capacity, water->count,
                      sizeof *wet->cell, err));
    BW_TRY(bw_reserve(&wet->allocator, (void **)&wet->filled, &wet->filled_capacity, cells,
                      sizeof *wet->filled, err));
    memset(wet->filled, 0, (size_t)cells * sizeof *wet->filled);
    bw_parallel_for(pool, water->count, 4096, cell_range, &job);
    float per_cell = 1.0f / frame->cell_size, unit = per_cell * per_cell * per_cell;
    for (int64_t n = 0; n < water->count; n++) {
        float size = volume->values[n] * unit;
        if (wet->cell[n] >= 0 && size > 0.0f)
            wet->filled[wet->cell[n]] += size;
    }
    return BW_OK;
}

void bw_wet_cells_free(BwWetCells *wet)
{
    const BwAllocator *allocator = &wet->allocator;
    bw_free(allocator, wet->cell, (size_t)wet->cell_capacity * sizeof *wet->cell, BW_ALIGN);
    bw_free(allocator, wet->filled, (size_t)wet->filled_capacity * sizeof *wet->filled, BW_ALIGN);
    *wet = (BwWetCells){.allocator = wet->allocator};
}
