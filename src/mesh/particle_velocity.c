// Means over the particles of cells, added up in the order of the particles.
#include "mesh/particle_velocity.h"

#include "grid/frame_check.h"
#include "mesh/particle_cell.h"

#include <math.h>
#include <string.h>

enum { TILE_CELLS = BW_TILE * BW_TILE * BW_TILE };

static void add_particles(BwParticleVelocity *velocity, const BwFrame *frame, const int32_t *tile_of_frame,
                          const BwFrameParticles *water, const float *speeds)
{
    float per_cell = 1.0f / frame->cell_size;
    memset(velocity->sums, 0, (size_t)frame->tile_count * TILE_CELLS * sizeof *velocity->sums);
    for (int64_t n = 0; n < water->count; n++) {
        int32_t tile = tile_of_frame[water->tile[n]];
        if (tile < 0)
            continue;
        BwSpeedSum *sum =
            &velocity->sums[(int64_t)tile * TILE_CELLS + bw_particle_cell(water->positions[n], per_cell)];
        for (int a = 0; a < 3; a++)
            sum->speed[a] += speeds[3 * n + a];
        sum->count++;
    }
}

static void take_means(BwParticleVelocity *velocity, int64_t cells)
{
    for (int64_t n = 0; n < cells; n++) {
        const BwSpeedSum *sum = &velocity->sums[n];
        for (int a = 0; a < 3; a++)
            velocity->values[a * cells + n] = sum->count > 0 ? sum->speed[a] / (float)sum->count : NAN;
    }
}

static BwResult reserve(BwParticleVelocity *velocity, const BwFrame *frame, BwError *err)
{
    int64_t cells = (int64_t)frame->tile_count * TILE_CELLS;
    BW_TRY(bw_reserve(&velocity->allocator, (void **)&velocity->values, &velocity->value_capacity, 3 * cells,
                      sizeof *velocity->values, err));
    return bw_reserve(&velocity->allocator, (void **)&velocity->sums, &velocity->sum_capacity, cells,
                      sizeof *velocity->sums, err);
}

BwResult bw_particle_velocity_set(BwParticleVelocity *velocity, const BwFrame *frame, BwError *err)
{
    const BwFrameParticles *water = bw_frame_particles(frame, "water");
    const BwFrameAttribute *speeds =
        water != NULL ? bw_frame_attribute(water->attributes, water->attribute_count, "velocity") : NULL;
    memset(velocity->fields, 0, sizeof velocity->fields);
    if (speeds == NULL || speeds->values == NULL || speeds->components != 3 || water->tile_count == 0)
        return BW_OK;
    BW_TRY(reserve(velocity, frame, err));
    size_t bytes = (size_t)water->tile_count * sizeof(int32_t);
    int32_t *tile_of_frame = bw_alloc(&velocity->allocator, bytes, BW_ALIGN);
    if (tile_of_frame == NULL)
        return bw_fail_memory(err);
    for (int32_t n = 0; n < water->tile_count; n++)
        tile_of_frame[n] = bw_frame_find_tile(frame, water->tiles[n]);
    add_particles(velocity, frame, tile_of_frame, water, speeds->values);
    take_means(velocity, (int64_t)frame->tile_count * TILE_CELLS);
    bw_free(&velocity->allocator, tile_of_frame, bytes, BW_ALIGN);
    for (int a = 0; a < 3; a++)
        velocity->fields[a] =
            (BwFrameField){.unit = "m/s",
                           .location = BW_AT_CELL,
                           .values = velocity->values + (int64_t)a * frame->tile_count * TILE_CELLS};
    return BW_OK;
}

void bw_particle_velocity_free(BwParticleVelocity *velocity)
{
    const BwAllocator *allocator = &velocity->allocator;
    bw_free(allocator, velocity->values, (size_t)velocity->value_capacity * sizeof *velocity->values,
            BW_ALIGN);
    bw_free(allocator, velocity->sums, (size_t)velocity->sum_capacity * sizeof *velocity->sums, BW_ALIGN);
    *velocity = (BwParticleVelocity){.allocator = velocity->allocator};
}
