// What all paths of a tile share beside solids: where they lie, and how far solids matter to them.
#pragma once

#include "advect/clear_part.h"
#include "advect/rest_distance.h"
#include "advect/sight_memo.h"
#include "advect/trace.h"

#include <math.h>

// Where the centre of a face is deeper in a solid than this, in cells, the solid closes all of it, and its
// velocity is made from that of the solid and of the flow beside it.
static const float bw_path_deep = 0.75f;

// A path ends this near to a solid, in cells; one that slides along nearer than that cannot be told from one
// that enters.
static const float bw_path_skin = 0.02f;

typedef struct BwPathTile {
    const BwGrid *grid;
    int32_t first[3];
    float shift[3];
    float lowest[3], highest[3]; // samples inside the bounds
    bool is_scalar, is_back;
    bool is_plain;      // see BwPathSolids
    uint64_t concerned; // the solids that may have to do with its paths (BwPathMarks.solids)
    float thick;        // m, see BwPathMarks.thick
    bool sees_all;      // nothing is hidden from the ends of its paths
    BwSightMemo *memo;  // of samples around its paths back
    BwRestBounds rest;  // what is kept of distances to solids that stand still
} BwPathTile;

static inline BwVec3 bw_path_position(const BwPathTile *tile, const float at[3])
{
    float p[3] = {0};
    for (int a = 0; a < tile->grid->dimension; a++)
        p[a] = (float)(((double)tile->first[a] + (double)at[a]) * (double)tile->grid->cell_size);
    return bw_vec3(p[0], p[1], p[2]);
}

// How far from its start a solid may be that has to do with a path of some length: it may be met, or hide one
// of the samples around the end of a path back.
static inline float bw_path_reach(const BwPathTile *tile, float length)
{
    float around = tile->is_back ? tile->grid->cell_size * sqrtf((float)tile->grid->dimension) : 0.0f;
    return bw_safely * (length + around);
}

// The end of a path that is as far outside of a thick solid as this has a sample beside it that is outside
// too, m. Velocities do without one.
static inline float bw_path_beside_thick(float cell_size, bool is_scalar)
{
    return is_scalar ? 0.92f * cell_size : 0.0f;
}
