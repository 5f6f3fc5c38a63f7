// The pressure system from geometry, and the velocity that its answer leaves. With x = p dt / (rho h), rho
// the reference density, h the cell, each cell c asks for a net outflow of h d_c, d_c the divergence it is
// asked for:
//
//     sum over faces f, outwards, of  A_f u'_f + (1 - A_f) s_f = h d_c,     u'_f = u_f - k_f (x_n - x_c -
//     g_f),
//
// A_f the open share of the face, s_f the speed of the solid on the rest of it (the moving wall's work:
// Batty, Bertails and Bridson 2007), k_f = 1 / (rho_f theta_f) with rho_f the density relative to the
// reference and theta_f the share of the way to the neighbour's centre that is fluid (Gibou, Fedkiw, Cheng
// and Kang 2002), g_f the jump of x on that way. That is poisson/poisson.h with a_f = A_f k_f. Without g and
// d the result is the orthogonal projection under the energy sum of A_f u_f^2 / k_f.
//
// phi tells where an interface is. With fluid on one side it is a free surface, where x is given. With fluid
// on both sides it parts two fluids, each with its density, and x and the normal velocity may jump there
// (Liu, Fedkiw and Kang 2000; Nguyen, Fedkiw and Jensen 2002); where such fluids end (`parts_fluids`), phi
// does not tell, and x is given in the middle of the cell beyond, as it is where there is no phi. The
// velocity of a face is that of the fluid at the face's centre; a cell of the other fluid adds the jump to
// it, a ghost value.
//
// A closed region that is asked for a net outflow cannot have it. As with walls that squeeze one, each of its
// cells gives up the same amount: the velocity then misses what was asked by a divergence that is the same
// all over the region, and the solver reports it (BwPoissonReport.imbalance, here in m/s: that divergence
// times h).
#pragma once

#include "base/pool.h"
#include "poisson/poisson.h"

// What the pressure meets. All fields are of one grid.
typedef struct BwPressureTerms {
    const BwMask *fluid;    // cells whose pressure is asked for; the others hold a fixed one, or nothing
    const BwField *open[3]; // A; NULL: 1
    const BwField *wall[3]; // s, m/s; NULL: the velocity's own value stands for it
    const BwMask *flow[3];  // faces whose velocity the pressure may change; NULL: all that border fluid
    const BwField *phi; // signed distance to the interface at cell centres, m; NULL: there is none, theta 1
    bool parts_fluids;  // phi parts two fluids: where they end is no surface
    const BwField *density; // relative to the reference, above 0; NULL: 1
    float theta_min;        // theta is not taken smaller; 0: BW_THETA_MIN

    // Of x, at cell centres, read at the interface between two of them: those on both sides count.
    const BwField *surface;       // on a free surface; NULL: 0, the open air
    const BwField *pressure_jump; // between two fluids, outside (phi >= 0) less inside; NULL: none
    float pressure_scale;         // x for each unit of these two; 0: 1

    // At cell centres alike: the normal velocity outside less that inside, m/s, the normal towards the
    // outside; NULL: none.
    const BwField *velocity_jump;
    const BwField *divergence; // asked of the cells, 1/s of a whole cell's volume; NULL: 0
} BwPressureTerms;

// The thinnest film of fluid that a cell's centre can be under, in cells. Smaller ones only stiffen the
// matrix: the pressure there is near zero anyway.
#define BW_THETA_MIN 1e-3f

// The assembled system; the caller owns fields of the same grid. But for x and the impulse it is made anew
// for each solve: in between `face` and `right` may be lent (bw_field_borrow).
typedef struct BwPressureSystem {
    BwMask unknown;
    BwField face[3];
    BwField right;
    BwWideField x;       // keeps the last answer as the next guess
    BwField impulse;     // x of several solves, added up while `keeps_impulse`, m/s
    float impulse_scale; // the sum so far is this times `impulse`
    bool keeps_impulse;
} BwPressureSystem;

BwResult bw_pressure_system_create(BwPressureSystem *system, BwGrid *grid, BwError *err);
void bw_pressure_system_destroy(BwPressureSystem *system);

// From here on what bw_subtract_pressure takes off is added up in `impulse`.
BwResult bw_pressure_system_keep_impulse(BwPressureSystem *system, BwError *err);

// The system as the solver takes it.
BwPoisson bw_pressure_system_view(BwPressureSystem *system);

// Fills in unknowns (fluid cells with a way out), coefficients and right side for a velocity, m/s.
void bw_assemble_pressure(BwPressureSystem *system, const BwPressureTerms *terms, BwField *const velocity[3],
                          BwPool *pool);

// Takes the gradient of x off the velocity on every open face that borders an unknown.
void bw_subtract_pressure(BwPressureSystem *system, const BwPressureTerms *terms, BwField *const velocity[3],
                          BwPool *pool);

// What that would change the velocity of a tile's low faces along an axis by, were they all open, m/s.
void bw_pressure_change(const BwPressureSystem *system, const BwPressureTerms *terms, int axis, int32_t slot,
                        double *change);

// The largest difference of a fluid cell's net outflow from what is asked, m/s: a divergence times h.
double bw_net_outflow_max(const BwPressureTerms *terms, BwField *const velocity[3], BwPool *pool);

// Whether it exceeds a bound; most often a few tiles tell.
bool bw_net_outflow_exceeds(const BwPressureTerms *terms, BwField *const velocity[3], double bound,
                            BwPool *pool);

// Share of the way from a fluid cell to its neighbour outside that lies in the fluid.
static inline float bw_surface_theta(float phi_fluid, float phi_outside, float theta_min)
{
    if (phi_fluid >= 0.0f)
        return theta_min;
    float theta = phi_outside > 0.0f ? phi_fluid / (phi_fluid - phi_outside) : 1.0f;
    return theta > theta_min ? theta : theta_min;
}
