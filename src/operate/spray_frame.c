// Spray and foam as sets of particles.
#include "operate/spray.h"

#include <math.h>

static BwResult reserve(const BwAllocator *allocator, BwSprayFrame *frame, int64_t count, BwError *err)
{
    BW_TRY(
        bw_reserve(allocator, (void **)&frame->tile, &frame->tile_capacity, count, sizeof *frame->tile, err));
    BW_TRY(bw_reserve(allocator, (void **)&frame->ids, &frame->id_capacity, count, sizeof *frame->ids, err));
    BW_TRY(bw_reserve(allocator, (void **)&frame->positions, &frame->position_capacity, count,
                      sizeof *frame->positions, err));
    BW_TRY(bw_reserve(allocator, (void **)&frame->velocities, &frame->velocity_capacity, count,
                      sizeof *frame->velocities, err));
    BW_TRY(bw_reserve(allocator, (void **)&frame->radii, &frame->radius_capacity, count, sizeof *frame->radii,
                      err));
    return bw_reserve(allocator, (void **)&frame->ages, &frame->age_capacity, count, sizeof *frame->ages,
                      err);
}

// Places count from the tile they are in, one of the grid's: drops outside of it are gone.
static void show_drop(const BwGrid *grid, const BwDrop *drop, float wider, BwSprayFrame *frame, int64_t n)
{
    double h = (double)grid->cell_size;
    int32_t cell[3] = {0}, first[3];
    for (int a = 0; a < grid->dimension; a++) {
        cell[a] = (int32_t)floor(drop->place[a] / h);
        int32_t last = grid->period[a] != 0 ? INT32_MAX : grid->bounds.high[a] - 1;
        cell[a] = cell[a] > last ? last : cell[a];
    }
    int32_t slot = bw_grid_find(grid, bw_tile_of_cell(grid, cell));
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    frame->tile[n] = grid->tiles[slot].rank;
    frame->positions[n] =
        bw_vec3((float)(drop->place[0] - first[0] * h), (float)(drop->place[1] - first[1] * h),
                grid->dimension == 2 ? 0.0f : (float)(drop->place[2] - first[2] * h));
    frame->velocities[n] = bw_vec3(drop->velocity[0], drop->velocity[1], drop->velocity[2]);
    float left = drop->is_foam ? fmaxf(1.0f - drop->age / drop->life, 0.0f) : 1.0f; // foam shrinks away
    frame->radii[n] = wider * drop->radius * sqrtf(left);
    frame->ages[n] = drop->age;
    frame->ids[n] = drop->id;
}

static int list_attributes(BwSprayFrame *frame)
{
    frame->attributes[0] = (BwFrameAttribute){.name = "velocity",
                                              .unit = "m/s",
                                              .components = 3,
                                              .values = (const float *)(const void *)frame->velocities};
    frame->attributes[1] =
        (BwFrameAttribute){.name = "id", .unit = "1", .components = 1, .integers = frame->ids};
    frame->attributes[2] =
        (BwFrameAttribute){.name = "radius", .unit = "m", .components = 1, .values = frame->radii};
    frame->attributes[3] =
        (BwFrameAttribute){.name = "age", .unit = "s", .components = 1, .values = frame->ages};
    return 4;
}

BwResult bw_spray_show(const BwSpray *spray, const BwGrid *grid, bool is_foam, float radius, float wider,
                       BwSprayFrame *frame, BwError *err)
{
    int64_t count = bw_spray_count(spray, is_foam), shown = 0;
    BW_TRY(bw_reserve(&spray->allocator, (void **)&frame->tiles, &frame->tiles_capacity, grid->tile_count,
                      sizeof *frame->tiles, err));
    BW_TRY(reserve(&spray->allocator, frame, count, err));
    for (int32_t m = 0; m < grid->tile_count; m++)
        frame->tiles[m] = grid->tiles[grid->order[m]].coord;
    for (int64_t n = 0; n < spray->count; n++)
        if ((spray->drops[n].is_foam != 0) == is_foam)
            show_drop(grid, &spray->drops[n], wider, frame, shown++);
    frame->set = (BwFrameParticles){.name = is_foam ? "foam" : "spray",
                                    .radius = wider * radius,
                                    .tile_count = grid->tile_count,
                                    .tiles = frame->tiles,
                                    .count = count,
                                    .tile = frame->tile,
                                    .positions = frame->positions,
                                    .attributes = frame->attributes,
                                    .attribute_count = list_attributes(frame)};
    return BW_OK;
}

void bw_spray_frame_free(BwSprayFrame *frame, const BwAllocator *allocator)
{
    bw_free(allocator, frame->tiles, (size_t)frame->tiles_capacity * sizeof *frame->tiles, BW_ALIGN);
    bw_free(allocator, frame->tile, (size_t)frame->tile_capacity * sizeof *frame->tile, BW_ALIGN);
    bw_free(allocator, frame->ids, (size_t)frame->id_capacity * sizeof *frame->ids, BW_ALIGN);
    bw_free(allocator, frame->positions, (size_t)frame->position_capacity * sizeof *frame->positions,
            BW_ALIGN);
    bw_free(allocator, frame->velocities, (size_t)frame->velocity_capacity * sizeof *frame->velocities,
            BW_ALIGN);
    bw_free(allocator, frame->radii, (size_t)frame->radius_capacity * sizeof *frame->radii, BW_ALIGN);
    bw_free(allocator, frame->ages, (size_t)frame->age_capacity * sizeof *frame->ages, BW_ALIGN);
    *frame = (BwSprayFrame){0};
}
