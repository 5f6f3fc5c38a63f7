// Walls and solids in a particle's way. Solids move in the step: a path is followed in the solid's own frame,
// from where the particle was in the solid's pose at the start of the step to where it is in that at its end,
// so that nothing gets through a plate, however thin it is and however fast it moves. A particle that would
// end in a solid is put back to its surface, and goes on without the part of its velocity that leads into it.
#pragma once

#include "domain/near_solids.h"
#include "particle/particles.h"

typedef struct BwCollision {
    const BwSolidPose *solids; // as they stand at the end of the step, and stood at its start
    int solid_count;
    const BwBoxSide *sides; // BW_SIDE_COUNT of them; those that are closed keep particles in
    float reach;            // cells that any particle moves in the step, at most
} BwCollision;

// The solids that particles of a tile may meet in a step.
typedef struct BwCollider {
    const BwGrid *grid;
    double origin[3]; // m, of the tile
    BwSolidPose few[BW_NEAR_SOLIDS_MAX];
    const BwSolidPose *list;
    int count;
} BwCollider;

void bw_collider_begin(BwCollider *collider, const BwCollision *collision, const BwGrid *grid, int32_t slot);

// What a particle met: the way out of it, and how far it went in the step, m.
typedef struct BwParticleContact {
    BwVec3 normal, displacement;
} BwParticleContact;

// Corrects the end of a path from `start` to `place`, both in cells from the tile, where a solid is in its
// way; gives whether one was, and the last of them.
bool bw_collide(const BwCollider *collider, const float start[3], float place[3], BwParticleContact *contact);

// Moves a place so many cells away from the nearest solid, if there is one.
void bw_push_off(const BwCollider *collider, float cells, float place[3]);

// The places of a tile, in cells from it, that no side of the box keeps a particle from: low <= place <=
// high.
void bw_room_in_box(const BwGrid *grid, int32_t slot, float low[3], float high[3]);

// Keeps a place of a tile within the sides that are closed; gives a bit for each axis along which one was in
// the way.
unsigned bw_keep_in_box(const BwCollision *collision, const BwGrid *grid, int32_t slot, float place[3]);
