// From columns to the lists of a frame.
#include "particle/particle_frame.h"

#include <math.h>

// As large as a particle is drawn, in cells.
static const float drawn_radius = 0.3f;

typedef struct Job {
    const BwParticles *particles;
    BwParticleFrame *frame;
    float unit;  // m^3, of what a particle is seeded with
    double time; // s
} Job;

// Of what came in the last step a rounded number may be ahead of the time.
static float age_of(const Job *job, int64_t n)
{
    return fmaxf((float)(job->time - (double)job->particles->column[BW_PARTICLE_BORN][n]), 0.0f);
}

static void show_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    float *const *column = job->particles->column;
    bool is_flat = job->particles->grid->dimension == 2;
    float h = job->particles->grid->cell_size;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->particles->grid->order[m];
        BwParticleRange range = bw_particle_range(job->particles, slot);
        job->frame->tiles[m] = job->particles->grid->tiles[slot].coord;
        for (int64_t n = range.begin; n < range.end; n++) {
            job->frame->tile[n] = (int32_t)m;
            job->frame->positions[n] = bw_vec3(h * column[BW_PARTICLE_X][n], h * column[BW_PARTICLE_Y][n],
                                               is_flat ? 0.0f : h * column[BW_PARTICLE_Z][n]);
            job->frame->velocities[n] = bw_vec3(column[BW_PARTICLE_U][n], column[BW_PARTICLE_V][n],
                                                is_flat ? 0.0f : column[BW_PARTICLE_W][n]);
            job->frame->volumes[n] = job->unit * column[BW_PARTICLE_VOLUME][n];
            if (job->particles->carried & BW_CARRIES_COLOR)
                job->frame->colors[n] = bw_vec3(column[BW_PARTICLE_RED][n], column[BW_PARTICLE_GREEN][n],
                                                column[BW_PARTICLE_BLUE][n]);
            if (job->particles->carried & BW_CARRIES_AGE)
                job->frame->ages[n] = age_of(job, n);
        }
    }
}

static BwResult reserve(const BwParticles *particles, BwParticleFrame *frame, int32_t tiles, BwError *err)
{
    const BwAllocator *allocator = &particles->allocator;
    BW_TRY(bw_reserve(allocator, (void **)&frame->tiles, &frame->tiles_capacity, tiles, sizeof *frame->tiles,
                      err));
    BW_TRY(bw_reserve(allocator, (void **)&frame->tile, &frame->tile_capacity, particles->count,
                      sizeof *frame->tile, err));
    BW_TRY(bw_reserve(allocator, (void **)&frame->positions, &frame->position_capacity, particles->count,
                      sizeof *frame->positions, err));
    BW_TRY(bw_reserve(allocator, (void **)&frame->velocities, &frame->velocity_capacity, particles->count,
                      sizeof *frame->velocities, err));
    BW_TRY(bw_reserve(allocator, (void **)&frame->volumes, &frame->volume_capacity, particles->count,
                      sizeof *frame->volumes, err));
    if (particles->carried & BW_CARRIES_COLOR)
        BW_TRY(bw_reserve(allocator, (void **)&frame->colors, &frame->color_capacity, particles->count,
                          sizeof *frame->colors, err));
    if (particles->carried & BW_CARRIES_AGE)
        BW_TRY(bw_reserve(allocator, (void **)&frame->ages, &frame->age_capacity, particles->count,
                          sizeof *frame->ages, err));
    return BW_OK;
}

// Lists what is there; gives how many that are.
static int list_attributes(const BwParticles *particles, BwParticleFrame *frame)
{
    int count = 3;
    frame->attributes[0] = (BwFrameAttribute){.name = "velocity",
                                              .unit = "m/s",
                                              .components = 3,
                                              .values = (const float *)(const void *)frame->velocities};
    frame->attributes[1] = (BwFrameAttribute){
        .name = "id", .unit = "1", .components = 1, .integers = bw_particle_ids(particles)};
    frame->attributes[2] =
        (BwFrameAttribute){.name = "volume", .unit = "m^3", .components = 1, .values = frame->volumes};
    if (particles->carried & BW_CARRIES_COLOR)
        frame->attributes[count++] = (BwFrameAttribute){.name = "color",
                                                        .unit = "1",
                                                        .components = 3,
                                                        .values = (const float *)(const void *)frame->colors};
    if (particles->carried & BW_CARRIES_TEMPERATURE)
        frame->attributes[count++] = (BwFrameAttribute){.name = "temperature",
                                                        .unit = "K",
                                                        .components = 1,
                                                        .values = particles->column[BW_PARTICLE_TEMPERATURE]};
    if (particles->carried & BW_CARRIES_AGE)
        frame->attributes[count++] =
            (BwFrameAttribute){.name = "age", .unit = "s", .components = 1, .values = frame->ages};
    if (particles->carried & BW_CARRIES_SOURCE)
        frame->attributes[count++] = (BwFrameAttribute){
            .name = "source", .unit = "1", .components = 1, .integers = bw_particle_sources(particles)};
    return count;
}

BwResult bw_particles_show(const BwParticles *particles, const char *name, float unit, double time,
                           BwParticleFrame *frame, BwError *err)
{
    int32_t tiles = particles->grid->tile_count;
    Job job = {particles, frame, unit, time};
    BW_TRY(reserve(particles, frame, tiles, err));
    bw_parallel_for(particles->pool, tiles, 8, show_range, &job);
    frame->set = (BwFrameParticles){.name = name,
                                    .radius = drawn_radius * particles->grid->cell_size,
                                    .tile_count = tiles,
                                    .tiles = frame->tiles,
                                    .count = particles->count,
                                    .tile = frame->tile,
                                    .positions = frame->positions,
                                    .attributes = frame->attributes,
                                    .attribute_count = list_attributes(particles, frame)};
    return BW_OK;
}

void bw_particle_frame_free(BwParticleFrame *frame, const BwAllocator *allocator)
{
    bw_free(allocator, frame->tiles, (size_t)frame->tiles_capacity * sizeof *frame->tiles, BW_ALIGN);
    bw_free(allocator, frame->tile, (size_t)frame->tile_capacity * sizeof *frame->tile, BW_ALIGN);
    bw_free(allocator, frame->positions, (size_t)frame->position_capacity * sizeof *frame->positions,
            BW_ALIGN);
    bw_free(allocator, frame->velocities, (size_t)frame->velocity_capacity * sizeof *frame->velocities,
            BW_ALIGN);
    bw_free(allocator, frame->volumes, (size_t)frame->volume_capacity * sizeof *frame->volumes, BW_ALIGN);
    bw_free(allocator, frame->colors, (size_t)frame->color_capacity * sizeof *frame->colors, BW_ALIGN);
    bw_free(allocator, frame->ages, (size_t)frame->age_capacity * sizeof *frame->ages, BW_ALIGN);
    *frame = (BwParticleFrame){0};
}
