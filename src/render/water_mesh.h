// The surface of water as a mesh that rays are traced through (src/mesh, src/trace): in place of the level
// set where Embree is there. Places and distances are those of BwWater: cells from its origin. Triangles on
// the walls are flat and have a normal of their own, all others the smooth one of their corners; those on
// solids and on the ground are left out, for what they touch is seen in their place.
#pragma once

#include "render/surface.h"
#include "render/water.h"
#include "trace/mesh_rays.h"
#include <billow/surface.h>

typedef struct BwWaterMesh {
    BwAllocator allocator;
    BwSurface *surface; // makes the mesh; NULL: not yet
    BwMeshRays *rays;   // traces it
    BwVec3 *starts;     // of vertices, when the shutter opens
    BwVec3 *ends;       // when it closes
    BwVec3 *normals;    // unit, out of the water, without the triangles on walls
    int32_t (*triangles)[3];
    uint8_t *walls; // that a triangle lies on: 1 and 2 those across x, low and high, 3 to 6; 0: none
    int64_t vertex_count, triangle_count;
    int64_t start_capacity, end_capacity, normal_capacity, triangle_capacity, wall_capacity;
    float low[3], high[3]; // that it lies in, in cells
} BwWaterMesh;

// What the mesh is made from.
typedef struct BwWaterMeshDef {
    const BwFrame *frame;
    const BwWater *water; // whose places it uses
    const BwSolids *solids;
    double ground;        // m; -infinite: there is none
    float shutter;        // s, how long it is open, around the frame's time
    BwSurfaceDef surface; // of the first call; later ones keep it
} BwWaterMeshDef;

BwResult bw_water_mesh_build(BwWaterMesh *mesh, BwPool *pool, const BwWaterMeshDef *def, BwError *err);

// Lets go of it, and keeps memory for the next; to be called when a picture is done.
void bw_water_mesh_clear(BwWaterMesh *mesh);
void bw_water_mesh_free(BwWaterMesh *mesh);

// As bw_water_cross, at a time from 0 to 1 while the shutter is open.
bool bw_water_mesh_cross(const BwWaterMesh *mesh, const float origin[3], BwVec3 direction, float t_max,
                         float time, bool *is_inside, BwCrossing *crossing);

// As bw_water_holds, while the shutter is half open.
bool bw_water_mesh_holds(const BwWaterMesh *mesh, const float place[3]);

// As bw_water_length without the blur; *is_inside tells whether the ray starts in water.
float bw_water_mesh_length(const BwWaterMesh *mesh, const float origin[3], BwVec3 direction, bool *is_inside);

// Whether a place is outside of the water, by more than `reach`.
bool bw_water_mesh_is_beyond(const BwWaterMesh *mesh, const float place[3], float reach);

// False where a cone, as wide as `spread` per distance, surely passes the mesh.
bool bw_water_mesh_may_hit(const BwWaterMesh *mesh, const float origin[3], BwVec3 direction, float spread);
