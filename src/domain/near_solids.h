// The solids of a tile: those that can be the nearest one to a point in it, or hold one. A scene may have
// many, and whoever asks cell after cell for the nearest one should not measure all of them. What is left out
// is farther, at every point, than one that is kept; so distances and nearest solids are the same as of all.
#pragma once

#include "domain/domain.h"

enum { BW_NEAR_SOLIDS_MAX = 16 };

typedef struct BwNearSolids {
    const BwSolidPose *list; // in the order of all; `few`, or all where more than that are near
    int count;
    const BwSolidPose *all, *from[BW_NEAR_SOLIDS_MAX]; // which of all the few are
    BwSolidPose few[BW_NEAR_SOLIDS_MAX];
} BwNearSolids;

// Finds those of a tile and of one cell around it. Points into itself: it is not to be copied.
void bw_near_solids_find(BwNearSolids *near, const BwSolidPose *solids, int solid_count, const BwGrid *grid,
                         BwTileCoord tile);

// Where a solid of the list stands among all.
static inline int bw_near_solid_index(const BwNearSolids *near, const BwSolidPose *solid)
{
    return (int)((near->list == near->few ? near->from[solid - near->few] : solid) - near->all);
}

// Signed distance to the nearest of some solids.
float bw_solids_distance(const BwSolidPose *solids, int solid_count, BwVec3 point);

// The nearest of them, or NULL when there is none.
const BwSolidPose *bw_solids_nearest(const BwSolidPose *solids, int solid_count, BwVec3 point);

// Whether all of some solids are farther from a point than a distance, as bounds tell.
bool bw_solids_are_beyond(const BwSolidPose *solids, int solid_count, BwVec3 point, float distance);

// The nearest of those that are less than *distance away, which becomes its distance; or NULL, and the
// distance stays.
const BwSolidPose *bw_solids_nearest_within(const BwSolidPose *solids, int solid_count, BwVec3 point,
                                            float *distance);
