// A liquid by the explicit scheme of Foster and Metaxas 1996: what its velocity is after a step, whatever
// tells where the liquid is (marker particles, chains of surface particles, a height field).
//
// The pressure is kept from step to step and acts as it was in the explicit step; the relaxation changes it
// by as much as continuity asks.
#pragma once

#include "flow/liquid_motion.h"
#include "operate/momentum.h"
#include "operate/relax_cells.h"

typedef struct BwExplicit {
    BwFreeSurface cells;
    BwField pressure; // over density, m^2/s^2
    BwField slip;     // of solid cells; only where there are obstacles
    bool has_slip;    // it has been found
    // What water above or below the centre of a Surface cell adds to its pressure, where that is known;
    // m^2/s^2. NULL: the surface is taken to be at the centre, as the paper does.
    const BwField *head;
    const BwMask
        *gaps; // cells of liquid that are mostly air, where that is known: Surface cells too; or NULL
} BwExplicit;

BwResult bw_explicit_create(BwExplicit *scheme, BwFlow *flow, BwError *err);
void bw_explicit_destroy(BwExplicit *scheme);

// The longest stable step, s: no more than half a cell, by (3), h^2 / (2 dim nu), and, where the scene gives
// the share of donor cells, what that and 2 nu / u^2 allow.
BwResult bw_explicit_step_limit(const BwLiquidSources *sources, double time, double *limit, BwError *err);

// A step that may be longer than is stable, or than a surface can be moved by at once, and is taken in parts
// that are not.
typedef struct BwPartedStep {
    const BwLiquidSources *sources;
    void *solver;
    BwResult (*limit)(void *solver, double time, double *limit, BwError *err);
    BwResult (*part)(void *solver, double time, double dt, BwStats *stats, BwError *err);
} BwPartedStep;

// Fails where a frame would take BW_EXPLICIT_PARTS times as many parts as the scene lets it have steps: a
// projection takes longer steps that are less exact, but here these would blow up.
enum { BW_EXPLICIT_PARTS = 10 };
BwResult bw_explicit_step_in_parts(const BwPartedStep *step, double time, double dt, BwStats *stats,
                                   BwError *err);

// The share of donor cells in a step: the scene's; or none where viscosity is enough, else |u| dt / h.
float bw_explicit_donor_share(const BwSceneDef *scene, float cell_size, float speed, float viscosity,
                              double dt);

// The velocity of the step, from that of the last one, on all sides of the liquid's cells. Cells are
// labelled, and forces looked up.
BwResult bw_explicit_find_velocity(BwExplicit *scheme, BwLiquidSources *sources, const BwFaceMasks *faces,
                                   const BwLiquidForces *forces, BwStats *stats, BwError *err);
