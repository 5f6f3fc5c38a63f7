// Means over the particles of cells, added up in the order of the particles.
#include "mesh/particle_velocity.h"

#include "grid/frame_check.h"

#include <math.h>
#include <string.h>

enum { TILE_CELLS = BW_TILE * BW_TILE * BW_TILE };

// The cell of a particle among all cells of the frame; -1 where the frame has no such tile.
static int64_t cell_of(const BwFrame *frame, const int32_t *tile_of_frame, const BwFrameParticles *water,
                       int64_t n)
{
    int32_t tile = tile_of_frame[water->tile[n]];
    const float place[3] = {water->positions[n].x, water->positions[n].y, water->positions[n].z};
    int cell = 0;
    for (int a = 0; a < 3; a++) {
        int along = (int)(place[a] / frame->cell_size); // of particles on the tile's rim, the last
        cell += (along < 0 ? 0 : along >= BW_TILE ? BW_TILE - 1 : along) << 3 * a;
    }
    return tile >= 0 ? (int64_t)tile * TILE_CELLS + cell : -1;
}

static void add_particles(BwParticleVelocity *velocity, const BwFrame *frame, const int32_t *tile_of_frame,
                          const BwFrameParticles *water, const float *speeds)
{
    int64_t cells = (int64_t)frame->tile_count * TILE_CELLS;
    memset(velocity->values, 0, 3 * (size_t)cells * sizeof *velocity->values);
    memset(velocity->counts, 0, (size_t)cells * sizeof *velocity->counts);
    for (int64_t n = 0; n < water->count; n++) {
        int64_t cell = cell_of(frame, tile_of_frame, water, n);
        for (int a = 0; a < 3 && cell >= 0; a++)
            velocity->values[a * cells + cell] += speeds[3 * n + a];
        if (cell >= 0)
            velocity->counts[cell]++;
    }
    for (int a = 0; a < 3; a++)
        for (int64_t n = 0; n < cells; n++)
            velocity->values[a * cells + n] =
                velocity->counts[n] > 0 ? velocity->values[a * cells + n] / (float)velocity->counts[n] : NAN;
}

static BwResult reserve(BwParticleVelocity *velocity, const BwFrame *frame, BwError *err)
{
    int64_t cells = (int64_t)frame->tile_count * TILE_CELLS;
    BW_TRY(bw_reserve(&velocity->allocator, (void **)&velocity->values, &velocity->value_capacity, 3 * cells,
                      sizeof *velocity->values, err));
    return bw_reserve(&velocity->allocator, (void **)&velocity->counts, &velocity->count_capacity, cells,
                      sizeof *velocity->counts, err);
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
    bw_free(allocator, velocity->counts, (size_t)velocity->count_capacity * sizeof *velocity->counts,
            BW_ALIGN);
    *velocity = (BwParticleVelocity){.allocator = velocity->allocator};
}
