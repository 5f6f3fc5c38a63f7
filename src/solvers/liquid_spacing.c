// The spacing of a liquid's particles: a displacement that gives crowded ones theirs back, in a step and,
// where it has crossed many cells, after it.
#include "solvers/liquid.h"

#include "operate/field_math.h"
#include "particle/redistribute.h"

#include <math.h>

// Rounds of moving crowded particles apart after a step, and how much crowding is left to the next one after
// steps of up to so many cells.
enum { SPACING_ROUNDS_MAX = 24 };
static const double crowding_allowed = 0.02, cells_parted = 4.0;

// What cells hold beyond being full is seen up to so many times that: in the rounds, where nothing else moves
// the particles, a crowd may burst; in a step it must not throw them about.
static const float crowding_max_moving = 1.0f, crowding_max_apart = 8.0f;

// Cells of liquid that one holds at most whose particles are left where they are in it; and rounds that may
// part them before they are moved, for they lose their centre by it.
static const float clump_min = 3.0f;
enum { ROUNDS_BEFORE_REDISTRIBUTION = 3 };

// The solve for the particles' spacing is good enough when so much of its right side is left.
static const double spacing_tolerance = 2e-3;

bool bw_liquid_corrects_spacing(const BwLiquid *liquid)
{
    return liquid->scene->liquid.volume_correction > 0.0f;
}

// Finds what, added to a velocity that walls and solids agree with, gives the particles their spacing back.
static BwResult find_shift(BwLiquid *liquid, const BwVelocity *velocity, float crowding_max, double dt,
                           BwStats *stats, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    BwPoissonOptions options = {.method = BW_PRESSURE_MULTIGRID,
                                .tolerance = spacing_tolerance,
                                .iterations_max = liquid->scene->solver.iterations_max,
                                .from_zero = true};
    BwPoissonReport report = {0};
    bw_velocity_copy(&flow->domain, velocity, &liquid->shift);
    BwSpreadDef spread = {.part = liquid->scene->liquid.volume_correction,
                          .dt = (float)dt,
                          .crowding_max = crowding_max,
                          .unsure = liquid->has_core ? &liquid->core.around : NULL,
                          .unsure_part = fminf(flow->max_speed * (float)dt / flow->grid->cell_size, 1.0f)};
    bw_liquid_surface_find_spread(&liquid->surface, &flow->domain, &spread);
    if (velocity == &flow->velocity) // which has a divergence of its own
        bw_field_add(&flow->domain, &liquid->turning, &liquid->surface.spread);
    liquid->terms.divergence = &liquid->surface.spread;
    BwResult result = bw_project(&liquid->spacing, &flow->domain, &liquid->shift, &options, &report, err);
    liquid->terms.divergence = NULL;
    bw_extrapolate_change(&liquid->faces, &flow->domain, velocity, &liquid->shift, BW_LIQUID_LAYERS_RESTING,
                          true);
    bw_velocity_subtract(&flow->domain, velocity, &liquid->shift);
    bw_extrapolate(&liquid->faces, &flow->domain,
                   (BwExtrapolation){BW_FROM_FLUID, BW_LIQUID_LAYERS_MIN, 0.0f, false}, &liquid->shift);
    stats->iterations += report.iterations;
    return result;
}

BwResult bw_liquid_find_shift(BwLiquid *liquid, const BwVelocity *velocity, double dt, BwStats *stats,
                              BwError *err)
{
    return find_shift(liquid, velocity, crowding_max_moving, dt, stats, err);
}

// Moves crowded particles apart, and nothing else: they keep their velocity.
static BwResult space_out(BwLiquid *liquid, double dt, BwStats *stats, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    bw_find_passable_faces(&liquid->faces, &flow->domain);
    bw_velocity_clear(&flow->domain, &flow->next_velocity);
    BW_TRY(find_shift(liquid, &flow->next_velocity, crowding_max_apart, dt, stats, err));
    BwAdvance advance = {.shift = &liquid->shift,
                         .crammed = &liquid->surface.crammed,
                         .dt = (float)dt,
                         .collision = bw_liquid_collision(flow, 1)};
    bw_particles_advance(&liquid->particles, liquid->advancer, &advance);
    BW_TRY(bw_liquid_sort_particles(liquid, NULL, 1, 0.0, dt, stats, err));
    return bw_liquid_renew(liquid, 0, false, err);
}

// A step of many cells leaves no two particles side by side that were: what crowds in it is not parted by and
// by in those that follow, and adds up.
static double crowding_left(const BwLiquid *liquid, double dt)
{
    double cells = (double)liquid->flow.max_speed * dt / (double)liquid->flow.grid->cell_size,
           part = fmin(cells_parted / fmax(cells, 1e-9), 1.0);
    return crowding_allowed * part * part * part;
}

BwResult bw_liquid_space_out_crowds(BwLiquid *liquid, double dt, BwStats *stats, BwError *err)
{
    bool may = bw_liquid_corrects_spacing(liquid) && !bw_scene_solids_have_moved(&liquid->flow.solids);
    for (int round = 0; round < SPACING_ROUNDS_MAX && may; round++) {
        if (bw_liquid_surface_crowding(&liquid->surface, &liquid->flow.domain) <= crowding_left(liquid, dt))
            return BW_OK;
        if (round >= ROUNDS_BEFORE_REDISTRIBUTION)
            bw_particles_redistribute(&liquid->particles, &liquid->surface.open,
                                      bw_liquid_unit(liquid->scene), clump_min);
        BW_TRY(space_out(liquid, dt, stats, err));
    }
    return BW_OK;
}
