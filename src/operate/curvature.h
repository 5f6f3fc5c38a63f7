// The curvature of a liquid's surface, from phi at cell centres.
//
// Where phi changes its sign between two centres there is a point of the surface. Around each cell beside it
// a quadric is fitted to those within three cells (operate/surface_fit.h), but for those of another sheet,
// whose normals point away. So only phi right at the surface counts, the curvature is of second order, and
// that of circles, spheres and cylinders as good as their points are. Where phi comes from particles, and
// trembles by some hundredths of a cell, what is found is averaged along the surface.
//
// At walls and solids the surface ends, and the fit is told its direction there: that of the contact angle.
#pragma once

#include "domain/domain.h"

typedef struct BwCurvature {
    BwField value; // 1/m, the sum of the principal curvatures, above 0 for drops; at cells beside the surface
    BwField change;                // of it in the time to come, where it is asked for
    BwField average;               // scratch
    struct BwSurfaceBlock *blocks; // scratch, by worker
    int block_count;
    BwAllocator allocator;
} BwCurvature;

typedef struct BwCurvatureDef {
    const BwDomain *domain;
    const BwField *phi;         // m, below 0 inside
    const BwMask *liquid;       // cells where it is
    const BwField *solid;       // m, to the nearest solid, at most four cells; NULL: there are none
    float contact_angle;        // between surface and wall, through the liquid, radians
    bool is_noisy;              // phi trembles: the curvature is averaged along the surface
    const BwVelocity *velocity; // m/s; NULL: nothing is damped
    float damping;              // s; so much of the curvature's change is added, half of it for long ripples
} BwCurvatureDef;

BwResult bw_curvature_create(BwCurvature *curvature, BwGrid *grid, BwPool *pool, BwError *err);
void bw_curvature_destroy(BwCurvature *curvature);

// Finds it on both sides of the surface; elsewhere it is 0.
void bw_curvature_find(BwCurvature *curvature, const BwCurvatureDef *def);
