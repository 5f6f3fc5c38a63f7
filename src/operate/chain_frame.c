// From chains to the lists of a frame.
#include "operate/chain_frame.h"

// As large as a particle is drawn, in cells.
static const float drawn_radius = 0.12f;

static BwResult reserve(const BwChains *chains, BwChainFrame *frame, BwError *err)
{
    const BwAllocator *allocator = &chains->allocator;
    int64_t count = chains->point_count;
    BW_TRY(bw_reserve(allocator, (void **)&frame->tiles, &frame->tile_capacity, count, sizeof *frame->tiles,
                      err));
    BW_TRY(bw_reserve(allocator, (void **)&frame->numbers, &frame->number_capacity, count,
                      sizeof *frame->numbers, err));
    BW_TRY(bw_reserve(allocator, (void **)&frame->positions, &frame->position_capacity, count,
                      sizeof *frame->positions, err));
    return bw_reserve(allocator, (void **)&frame->velocities, &frame->velocity_capacity, count,
                      sizeof *frame->velocities, err);
}

BwResult bw_chains_show(const BwChains *chains, const BwVelocity *velocity, BwChainFrame *frame, BwError *err)
{
    double h = (double)chains->grid->cell_size;
    BW_TRY(reserve(chains, frame, err));
    frame->tile = (BwTileCoord){chains->low[0] >> 3, chains->low[1] >> 3, 0};
    for (int64_t n = 0; n < chains->chain_count; n++)
        for (int64_t p = chains->starts[n]; p < chains->starts[n + 1]; p++) {
            const double *place = chains->points[p].place;
            double speed[2];
            bw_chain_velocity(chains, velocity, place, speed);
            frame->tiles[p] = 0;
            frame->numbers[p] = (int32_t)n;
            frame->positions[p] = bw_vec3((float)(place[0] - BW_TILE * frame->tile.x * h),
                                          (float)(place[1] - BW_TILE * frame->tile.y * h), 0.0f);
            frame->velocities[p] = bw_vec3((float)speed[0], (float)speed[1], 0.0f);
        }
    frame->attributes[0] = (BwFrameAttribute){.name = "velocity",
                                              .unit = "m/s",
                                              .components = 3,
                                              .values = (const float *)(const void *)frame->velocities};
    frame->attributes[1] =
        (BwFrameAttribute){.name = "chain", .unit = "1", .components = 1, .integers = frame->numbers};
    frame->set = (BwFrameParticles){.name = "surface",
                                    .radius = drawn_radius * chains->grid->cell_size,
                                    .tile_count = 1,
                                    .tiles = &frame->tile,
                                    .count = chains->point_count,
                                    .tile = frame->tiles,
                                    .positions = frame->positions,
                                    .attributes = frame->attributes,
                                    .attribute_count = 2};
    return BW_OK;
}

void bw_chain_frame_free(BwChainFrame *frame, const BwAllocator *allocator)
{
    bw_free(allocator, frame->tiles, (size_t)frame->tile_capacity * sizeof *frame->tiles, BW_ALIGN);
    bw_free(allocator, frame->numbers, (size_t)frame->number_capacity * sizeof *frame->numbers, BW_ALIGN);
    bw_free(allocator, frame->positions, (size_t)frame->position_capacity * sizeof *frame->positions,
            BW_ALIGN);
    bw_free(allocator, frame->velocities, (size_t)frame->velocity_capacity * sizeof *frame->velocities,
            BW_ALIGN);
    *frame = (BwChainFrame){0};
}
