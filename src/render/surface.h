// Solids and the ground: where a ray meets them, and how much light of a lamp gets past them.
#pragma once

#include "base/memory.h"
#include <billow/frame.h>

typedef struct BwSolidView {
    const BwFrameSolid *solid;
    BwVec3 center; // of a ball that holds the shape, in the shape's own frame, m
    float radius;  // infinite for shapes without end
} BwSolidView;

typedef struct BwSolids {
    BwAllocator allocator;
    BwSolidView *views;
    int64_t count, capacity;
    float size; // m, of the scene: what distances are small against
} BwSolids;

// Takes the solids of a frame that are of glass, or those that are not.
BwResult bw_solids_set(BwSolids *solids, const BwFrame *frame, bool is_glass, float scene_size, BwError *err);
void bw_solids_free(BwSolids *solids);

// False when a cone, as wide as `spread` per distance, surely passes all solids.
bool bw_solids_may_hit(const BwSolids *solids, const double origin[3], BwVec3 direction, float spread);

// The first solid along a ray, at *t at most, or -1; *t becomes the distance to it.
int bw_solids_trace(const BwSolids *solids, const double origin[3], BwVec3 direction, float *t);

// How near to a surface a place may be and count as on it, m. Rays that go on from a surface start farther
// off.
float bw_solids_touch(const BwSolids *solids);

// The way along a ray from inside a solid to its surface, m; no more than t_max.
float bw_solids_way_out(const BwSolids *solids, int solid, const double origin[3], BwVec3 direction,
                        float t_max);

// The outward normal of a solid at a place on its surface; that of a mesh is smooth over its triangles.
BwVec3 bw_solids_normal(const BwSolids *solids, int solid, const double place[3]);

// The same of the triangle itself. Rays go on from its sides.
BwVec3 bw_solids_face(const BwSolids *solids, int solid, const double place[3]);

// The signed distance to the nearest solid, m; no more than `reach`, as which all counts that is farther, and
// something below -reach where a place is deeper in one.
float bw_solids_gap(const BwSolids *solids, const double place[3], float reach);

// How much of a far lamp is seen from a place, 0 to 1, with a soft rim as of a lamp of some width.
float bw_solids_light(const BwSolids *solids, const double place[3], BwVec3 direction);

// False when no solid takes light of the lamp from any place in a ball.
bool bw_solids_may_shade(const BwSolids *solids, const double center[3], float radius, BwVec3 direction);

// How open the half space above a surface is, 0 to 1.
float bw_solids_openness(const BwSolids *solids, const double place[3], BwVec3 normal);
