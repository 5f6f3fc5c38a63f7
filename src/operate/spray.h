// Spray and foam over columns of water (Foster and Metaxas 1996, section 4.3). A surface that rises faster
// than a threshold throws drops, with the velocity that it has; in the air they follow gravity, wind and drag
// alone, and now and then one breaks in two. Where a drop falls back on the surface it leaves a patch of
// foam, which goes with the water and lasts a random time in proportion to the drop.
//
// Drops are for the eye: they take no water with them and bring none back. What is random depends on the
// seed, the step and the drop's number alone.
#pragma once

#include "operate/columns.h"

typedef struct BwDrop {
    double place[3];   // m
    float velocity[3]; // m/s
    float radius;      // m
    float age, life;   // s
    int32_t id;
    int32_t is_foam;
} BwDrop;

typedef struct BwSpray {
    BwAllocator allocator;
    BwDrop *drops;
    int64_t count, capacity;
    int64_t thrown; // since the start
    int64_t steps;
    BwVec3 *velocities; // m/s, of the surface, of each column
    int64_t columns;
} BwSpray;

// How drops are thrown and fly, in a step.
typedef struct BwSprayStep {
    const BwSprayDef *spray;
    const BwFoamDef *foam;
    BwVec3 gravity, wind;
    const BwVelocity *velocity;
    uint64_t seed;
    float dt;
} BwSprayStep;

BwResult bw_spray_create(BwSpray *spray, const BwAllocator *allocator, const BwColumns *columns,
                         BwError *err);
void bw_spray_destroy(BwSpray *spray);

// Once the surface has moved.
BwResult bw_spray_step(BwSpray *spray, const BwColumns *columns, const BwDomain *domain,
                       const BwSprayStep *step, BwError *err);

int64_t bw_spray_count(const BwSpray *spray, bool is_foam);

// Drops, or foam, as a frame shows them. All zero is a valid empty one.
typedef struct BwSprayFrame {
    BwTileCoord *tiles;
    int32_t *tile, *ids;
    BwVec3 *positions, *velocities;
    float *radii, *ages;
    int64_t tiles_capacity, tile_capacity, id_capacity, position_capacity, velocity_capacity, radius_capacity,
        age_capacity;
    BwFrameAttribute attributes[4];
    BwFrameParticles set;
} BwSprayFrame;

// The largest drops have a radius, m; what is shown is `wider`.
BwResult bw_spray_show(const BwSpray *spray, const BwGrid *grid, bool is_foam, float radius, float wider,
                       BwSprayFrame *frame, BwError *err);
void bw_spray_frame_free(BwSprayFrame *frame, const BwAllocator *allocator);
