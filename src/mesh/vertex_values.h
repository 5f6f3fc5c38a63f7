// What the liquid has at the vertices of its mesh: its velocity, and its colour where the frame has one.
#pragma once

#include "mesh/particle_velocity.h"
#include "mesh/patches.h"

typedef struct BwVertexValues {
    BwAllocator allocator;
    BwVec3 *velocities; // m/s
    BwVec3 *colors;     // 0 to 1
    int64_t velocity_capacity, color_capacity;
    BwParticleVelocity of_particles; // where the grid has no velocity
    BwFrameAttribute attributes[2];
    int attribute_count;
} BwVertexValues;

// Fields that the frame lacks give no attribute.
BwResult bw_vertex_values_set(BwVertexValues *values, const BwPatches *patches, const BwFrame *frame,
                              BwPool *pool, BwError *err);
void bw_vertex_values_free(BwVertexValues *values);
