// A liquid carried by particles (Foster and Metaxas 1996; Zhu and Bridson 2005; Jiang et al. 2015), as in the
// recipe of Cline, Cardon and Egbert 2005, fig. 3. Particles keep all that lasts from step to step; the grid
// is made anew from them, solves for the pressure, and gives them their new velocity. Below a narrow band of
// them the grid keeps and advects the liquid itself (particle/core.h).
//
// Velocities are those of the middle of a step, as in the leapfrog method (Verlet 1967): forces act from the
// middle of the last step to that of this one, and particles then move by the velocity that results. So free
// fall is exact, water at rest stays at rest, and waves neither gain nor lose energy by the size of the step.
// Particles go straight on by their velocity, whose divergence is such that they keep their spacing where the
// flow turns (operate/turning.h); so a drop that spins keeps its angular momentum.
//
// Particles move by that velocity and by a displacement that gives crowded ones their spacing back: the
// gradient of a pressure which the same system is solved for (after Kugelstadt, Longva, Thuerey and Bender
// 2019, Implicit Density Projection for Volume Conserving Liquids). It is no part of their velocity, and adds
// no momentum.
#include "solvers/liquid.h"

#include "flow/given_flow.h"
#include "flow/stage_clock.h"
#include "particle/particle_sums.h"

static BwResult liquid_step_limit(void *solver, double time, double *limit, BwError *err)
{
    const BwLiquid *liquid = solver;
    return liquid->is_explicit ? bw_explicit_step_limit(&liquid->sources, time, limit, err)
                               : bw_liquid_step_limit(&liquid->sources, time, limit, err);
}

static BwResult split_step(BwLiquid *liquid, double time, double dt, BwStats *stats, BwError *err)
{
    BwStageClock clock = bw_stage_clock(stats, liquid->flow.pool);
    BwLiquidForces forces = {.time = time, .dt = dt};
    int reach;
    bw_stage(&clock, "tiles");
    bw_flow_begin_measures(&liquid->flow, time, dt, stats);
    BW_TRY(bw_liquid_find_pressure(&liquid->sources, time, dt, liquid->last_dt, err));
    BW_TRY(bw_liquid_reach(&liquid->sources, time, dt, &reach, err));
    BW_TRY(bw_liquid_resample(liquid, err));
    BW_TRY(bw_liquid_sources_plan(&liquid->sources, time, dt, err));
    BW_TRY(bw_liquid_prepare(liquid, reach, time, dt, err));
    BW_TRY(bw_liquid_sources_act(&liquid->sources, time, dt, err));
    BW_TRY(bw_liquid_look_up_forces(&liquid->flow, liquid->last_dt, &forces, err));
    BW_TRY(bw_obey_stop(liquid->stop, err));
    if (liquid->has_heat) {
        bw_stage(&clock, "conduction");
        BW_TRY(bw_liquid_conduct(liquid, dt, stats, err));
    }
    bw_stage(&clock, "pressure");
    BW_TRY(bw_liquid_find_velocity(liquid, &forces, stats, err));
    BW_TRY(bw_obey_stop(liquid->stop, err));
    bw_liquid_limit_way(liquid, dt);
    bw_stage(&clock, "spacing");
    if (bw_liquid_corrects_spacing(liquid))
        BW_TRY(bw_liquid_find_shift(liquid, &liquid->flow.velocity, dt, stats, err));
    BW_TRY(bw_obey_stop(liquid->stop, err));
    bw_stage(&clock, "extrapolate");
    bw_liquid_extend_velocity(liquid, reach);
    bw_liquid_find_midway(liquid, dt);
    bw_stage(&clock, "particles");
    if (bw_liquid_is_elastic(liquid->scene))
        bw_liquid_strain_particles(liquid, dt);
    BW_TRY(bw_liquid_move_particles(liquid, &forces, reach, err));
    bw_flow_move_bodies(&liquid->flow, &liquid->surface.phi, &liquid->surface.liquid, forces.gravity, dt);
    bw_stage(&clock, "advection");
    bw_liquid_carry_velocity(liquid, dt);
    bw_stage(&clock, "sort");
    BW_TRY(bw_liquid_sort_particles(liquid, &liquid->midway, reach, time, dt, stats, err));
    liquid->flow.max_speed = bw_liquid_max_speed(liquid);
    BW_TRY(bw_liquid_reach(&liquid->sources, time + dt, dt, &reach, err));
    BW_TRY(bw_obey_stop(liquid->stop, err));
    bw_stage(&clock, "surface");
    BW_TRY(bw_liquid_renew(liquid, reach, true, err));
    bw_stage(&clock, "spacing");
    BW_TRY(bw_liquid_space_out_crowds(liquid, dt, stats, err));
    liquid->flow.max_speed = bw_liquid_max_speed(liquid);
    bw_stage(&clock, NULL);
    return BW_OK;
}

static BwResult liquid_step(void *solver, double time, double dt, BwStats *stats, BwError *err)
{
    BwLiquid *liquid = solver;
    if (bw_flow_is_given(&liquid->flow))
        return bw_liquid_given_step(liquid, time, dt, stats, err);
    return liquid->is_explicit ? bw_liquid_explicit_step(liquid, time, dt, stats, err)
                               : split_step(liquid, time, dt, stats, err);
}

// How much of the volume is faster. The core is calm water: when any of it is, all of it counts.
static double share_above(const void *fluid, float speed)
{
    const BwLiquid *liquid = fluid;
    double core =
               liquid->has_core ? bw_core_volume(&liquid->core) / (double)bw_liquid_unit(liquid->scene) : 0.0,
           all = core + bw_particles_volume(&liquid->particles),
           faster = bw_particles_volume_above(&liquid->particles, speed);
    if (liquid->has_core && bw_core_max_speed(&liquid->core, &liquid->flow.velocity) > speed)
        faster += core;
    return all > 0.0 ? faster / all : 0.0;
}

static double overlap(void *fluid)
{
    BwLiquid *liquid = fluid;
    return bw_liquid_surface_overlap(&liquid->surface, &liquid->flow.domain);
}

static double covered(void *fluid)
{
    BwLiquid *liquid = fluid;
    double all = bw_liquid_seeds(liquid);
    return all > 0.0
               ? bw_liquid_surface_covered(&liquid->surface, &liquid->flow.domain, &liquid->particles) / all
               : 0.0;
}

static BwResult liquid_drive(void *solver, double time, BwDrive *drive, BwError *err)
{
    BwLiquid *liquid = solver;
    BW_TRY(bw_liquid_drive(&liquid->sources, time, drive, err));
    drive->overlap = overlap;
    drive->covered = covered;
    drive->share_above = share_above;
    drive->fluid = liquid;
    return BW_OK;
}

static BwFlow *liquid_flow(void *solver)
{
    return &((BwLiquid *)solver)->flow;
}

static bool runs_particles(const BwSceneDef *scene)
{
    BwLiquidMethod method = scene->liquid.method;
    return method == BW_LIQUID_APIC || method == BW_LIQUID_FLIP || method == BW_LIQUID_MARKERS;
}

const BwSolverType bw_liquid_solver = {
    .fluid = BW_FLUID_LIQUID,
    .runs = runs_particles,
    .create = bw_liquid_create,
    .destroy = bw_liquid_destroy,
    .step_limit = liquid_step_limit,
    .step = liquid_step,
    .measure = bw_liquid_measure,
    .frame = bw_liquid_frame,
    .flow = liquid_flow,
    .state_fields = bw_liquid_state_fields,
    .drive = liquid_drive,
    .check = bw_liquid_check,
    .save = bw_liquid_save,
    .load = bw_liquid_load,
    .agree = bw_liquid_agree,
};
