// The curvature of a surface near a point, from points on it: a quadric is fitted to them by least squares,
// in a frame with the normal along z,
//
//     z = a + b.t + t.D t + q z^2,     t the place across the normal,
//
// with q such that circles, spheres and cylinders fit exactly wherever the frame stands on them. With weights
// of a Gaussian the curvature so found is that of the surface blurred by it (the fit's kernel is its second
// derivative): noise of single points hardly counts, and no ripple, however short, gets the wrong sign.
#pragma once

#include <billow/vec.h>

enum { BW_FIT_UNKNOWNS_MAX = 6 };

typedef struct BwSurfaceFit {
    int unknowns; // 3 in 2-D: a, b, D; 6 in 3-D
    BwVec3 origin, across[2], normal;
    double matrix[BW_FIT_UNKNOWNS_MAX][BW_FIT_UNKNOWNS_MAX]; // normal equations
    double height[BW_FIT_UNKNOWNS_MAX];                      // their right side for z
    double square[BW_FIT_UNKNOWNS_MAX];                      // and for z^2
    double motion[BW_FIT_UNKNOWNS_MAX];                      // and for how far points move along z
    double weight;                                           // of all points
} BwSurfaceFit;

// Begins a fit near a point of the surface, with its normal and curvature, roughly: as good as that is the
// answer where points are too few or lie badly.
void bw_surface_fit_begin(BwSurfaceFit *fit, int dimension, BwVec3 origin, BwVec3 normal, float curvature);

// The surface passes through a point, and moves by so much along the normal there; and at a point it goes
// along a direction.
void bw_surface_fit_add_point(BwSurfaceFit *fit, BwVec3 point, float motion, float weight);
void bw_surface_fit_add_direction(BwSurfaceFit *fit, BwVec3 point, BwVec3 direction, float weight);

// The sum of the principal curvatures where the surface passes the origin, over the unit of length of the
// points; above 0 where the surface bends away from the normal, as that of a drop does. `change` is what the
// motion of the points adds to it, to first order.
double bw_surface_fit_curvature(const BwSurfaceFit *fit, double *change);
