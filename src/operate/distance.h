// Signed distance to a surface that is given by samples of a function: |phi| is how far a cell's centre is
// from where phi was zero, below 0 inside. Nothing moves that zero set: in the cells beside it the distance
// is measured, to second order, and kept; from there it is carried on over a band of cells to solve |grad
// phi| = 1, upwind and to second order, by one of three methods.
//
// Marching goes outward in the order of distance (Sethian 1996; in groups of cells that are equally far, as
// Kim 2001, so that many threads can). Sweeping goes over tiles in alternating directions until nothing
// changes (Zhao 2005, A Fast Sweeping Method for Eikonal Equations). The third lets the equation dphi/dtau =
// -S(phi) (|grad phi| - 1) come to rest (Sussman, Smereka and Osher 1994), with S = phi / sqrt(phi^2 + h^2).
//
// All give the same bits for any number of threads.
#pragma once

#include "domain/domain.h"
#include <billow/shape.h>

typedef enum BwDistanceMethod { BW_DISTANCE_MARCH, BW_DISTANCE_SWEEP, BW_DISTANCE_PDE } BwDistanceMethod;

// Memory for the methods; nothing in it lives from call to call.
typedef struct BwDistance {
    BwMask known;        // cells that have their distance
    BwMask front, fresh; // those that have one that may yet change; those that have become known last
    BwField next;        // m, what cells get when all have read the ones beside them
    BwNotes visits;      // when a tile was worked on, and when it changed
} BwDistance;

BwResult bw_distance_create(BwDistance *distance, BwGrid *grid, BwError *err);
void bw_distance_destroy(BwDistance *distance);

typedef struct BwRedistance {
    BwDistanceMethod method;
    const BwMask *valid;  // cells that count; NULL: all that are live
    float kept;           // m: phi is a distance already where its magnitude is below this; 0: it is measured
                          // in the cells beside those of the other sign
    float band;           // m, how far distances go; beyond that phi is +-band
    const BwField *given; // phi as it is, in a field of its own, whose slope across walls is kept
                          // (distance_walls.h); NULL: distances are those to what is in the valid cells
} BwRedistance;

// Makes phi a distance. Signs stay. Cells of the missing tile must be +-band or farther; a function that is
// measured must be there for two cells around its zero set.
void bw_redistance(BwDistance *distance, BwField *phi, BwPool *pool, const BwRedistance *how);

// The distance to a shape's surface, up to +-band, in all awake tiles: meshes, points and what else scenes
// have. Exact but for combined shapes, of which it is a bound (billow/shape.h) that bw_redistance makes a
// distance.
void bw_distance_from_shape(BwField *phi, BwPool *pool, const BwShape *shape, float band);

// Wraps a surface around scattered points. Given is phi of balls of that radius about them, large enough to
// overlap, up to band + radius (the shape `points`, bw_distance_from_shape); it becomes the distance to a
// surface on the points, with the inside filled. Around it there must be air, and enough tiles awake for
// that.
void bw_distance_wrap(BwDistance *distance, BwField *phi, BwPool *pool, float radius, float band);
