// Rays through a mesh of triangles, which may move while a shutter is open, by Embree (Wald et al. 2014).
// What a ray hits depends on mesh and ray alone: the tree is built by one thread, and rays are traced by
// whoever asks, any number of threads at a time.
#pragma once

#include "base/memory.h"
#include <billow/vec.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct BwMeshRays BwMeshRays;

typedef struct BwRayMesh {
    int64_t vertex_count, triangle_count;
    const BwVec3 *starts; // when the shutter opens
    const BwVec3 *ends;   // when it closes; NULL: nothing moves
    const int32_t (*triangles)[3];
} BwRayMesh;

typedef struct BwMeshHit {
    float t;
    float u, v; // shares of the second and the third corner
    int32_t triangle;
    BwVec3 normal; // unit, of the triangle: towards those who see it counter-clockwise
} BwMeshHit;

// Whether this build has Embree; without it nothing below may be called but destroy.
bool bw_mesh_rays_are_there(void);

// No mesh yet.
BwResult bw_mesh_rays_create(BwMeshRays **rays, const BwAllocator *allocator, BwError *err);
void bw_mesh_rays_destroy(BwMeshRays *rays);

// Takes a mesh, in place of the one before; its arrays must stay as they are as long as it is there.
BwResult bw_mesh_rays_set(BwMeshRays *rays, const BwRayMesh *mesh, BwError *err);

// Lets go of the mesh. While there is one, TBB, which Embree builds with, has one thread in all of the
// program: it should not stay longer than it must.
void bw_mesh_rays_clear(BwMeshRays *rays);

// The first triangle along a ray between t = 0 and t_max; `time` is 0 when the shutter opens, 1 when it
// closes. False where there is none.
bool bw_mesh_rays_hit(const BwMeshRays *rays, const float origin[3], BwVec3 direction, float t_max,
                      float time, BwMeshHit *hit);

// Whether any part of the mesh is within `reach` of a place, while the shutter is half open.
bool bw_mesh_rays_is_near(const BwMeshRays *rays, const float place[3], float reach);
