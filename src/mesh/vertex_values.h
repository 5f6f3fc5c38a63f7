// What the liquid has at the vertices of its mesh: its velocity, and what else it carries in the frame.
#pragma once

#include "mesh/particle_velocity.h"
#include "mesh/patches.h"

typedef struct BwVertexValues {
    BwAllocator allocator;
    float *values[4]; // of each attribute, vertex after vertex
    int64_t capacities[4];
    BwParticleVelocity of_particles; // where the grid has no velocity
    BwFrameAttribute attributes[4];
    int attribute_count;
} BwVertexValues;

// Fields that the frame lacks give no attribute.
BwResult bw_vertex_values_set(BwVertexValues *values, const BwPatches *patches, const BwFrame *frame,
                              BwPool *pool, BwError *err);
void bw_vertex_values_free(BwVertexValues *values);
