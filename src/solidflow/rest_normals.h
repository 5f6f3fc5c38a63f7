// Normals of solids that all stand still, at the faces that the velocity is extended to: found once, and kept
// for as long as neither solids nor faces change.
#pragma once

#include "domain/domain.h"

typedef struct BwRestNormal {
    BwVec3 normal;
    int32_t solid; // the nearest one; -1: there is none
} BwRestNormal;

// What is noted of a tile.
typedef struct BwRestFaces {
    uint64_t key;   // what its normals were found for; 0: nothing
    uint64_t first; // where they begin
    uint64_t next_key, count;
} BwRestFaces;

typedef struct BwRestNormals {
    BwRestNormal *list; // tile after tile
    int64_t capacity;
    BwNotes faces;
} BwRestNormals;

BwResult bw_rest_normals_create(BwRestNormals *normals, BwGrid *grid, BwError *err);
void bw_rest_normals_destroy(BwRestNormals *normals);

// Gives the faces of a tile's layer that have a normal each.
typedef uint64_t BwFacesFn(const void *context, int32_t slot, int axis, int k);

typedef enum BwRestState {
    BW_REST_NONE,  // a solid moves, or memory is short: nothing is kept
    BW_REST_EMPTY, // there is room for the normals, which are to be found
    BW_REST_FOUND,
} BwRestState;

// Looks whether the normals of all faces are there, and makes room where they are not.
BwRestState bw_rest_normals_prepare(BwRestNormals *normals, const BwDomain *domain, const BwSolidPose *solids,
                                    int solid_count, BwFacesFn *faces, const void *context);

static inline BwRestFaces *bw_rest_faces_of(const BwRestNormals *normals, int32_t slot)
{
    return (BwRestFaces *)(void *)bw_note(&normals->faces, slot);
}

// The first normal of a tile.
static inline BwRestNormal *bw_rest_normals_of(const BwRestNormals *normals, int32_t slot)
{
    return normals->list + bw_rest_faces_of(normals, slot)->first;
}
