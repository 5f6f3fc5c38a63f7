// The pressure system from geometry, and the velocity that its answer leaves. With x = p dt / (rho h), rho
// the reference density, h the cell, each cell c asks that nothing flows out in all:
//
//     sum over faces f, outwards, of  A_f u'_f + (1 - A_f) s_f = 0,     u'_f = u_f - k_f (x_n - x_c),
//
// A_f the open share of the face, s_f the speed of the solid on the rest of it (the moving wall's work, row
// E5), k_f = 1 / (rho_f theta_f) with rho_f the density relative to the reference and theta_f the share of
// the way to the neighbour's centre that is fluid (row E4). That is poisson/poisson.h with a_f = A_f k_f. The
// result is the orthogonal projection under the energy sum of A_f u_f^2 / k_f.
#pragma once

#include "base/pool.h"
#include "poisson/poisson.h"

// What the pressure meets. All fields are of one grid.
typedef struct BwPressureTerms {
    const BwMask *fluid;    // cells whose pressure is asked for; the others hold a fixed one, or nothing
    const BwField *open[3]; // A; NULL: 1
    const BwField *wall[3]; // s, m/s; NULL: the velocity's own value stands for it
    const BwMask *flow[3];  // faces whose velocity the pressure may change; NULL: all that border fluid
    const BwField
        *phi; // signed distance to the free surface at cell centres, negative in fluid; NULL: theta 1
    const BwField *density; // relative to the reference, above 0; NULL: 1
    const BwField *surface; // x on the free surface, asked in the cell outside; NULL: 0, the open air
    float theta_min;        // theta is not taken smaller; 0: BW_THETA_MIN
} BwPressureTerms;

// The thinnest film of fluid that a cell's centre can be under, in cells. Smaller ones only stiffen the
// matrix: the pressure there is near zero anyway.
#define BW_THETA_MIN 1e-3f

// The assembled system; the caller owns fields of the same grid.
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

// The largest net outflow of a fluid cell, m/s: a divergence times h.
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
