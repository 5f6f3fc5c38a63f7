// Stages of the explicit step, in the paper's order (section 6, steps 4 to 7).
#include "flow/explicit_motion.h"

#include "domain/measure.h"
#include "operate/field_math.h"
#include "scene/curve.h"

#include <float.h>
#include <math.h>

// Of a cell that the liquid may cross in a step, and of the step that viscosity alone allows: with a share of
// donor cells of |u| dt / h both together are stable.
static const double cells_max = 0.5, viscous_part = 0.7;

// Divergence that is left when the scene does not say, 1/s; and what velocities in floats can hold at all, in
// rounding errors of the fastest.
static const double epsilon_default = 1e-4, roundings = 8.0;

BwResult bw_explicit_create(BwExplicit *scheme, BwFlow *flow, BwError *err)
{
    BW_TRY(bw_free_surface_create(&scheme->cells, flow->grid, err));
    BW_TRY(bw_field_create(&scheme->pressure, flow->grid, BW_AT_CELL, 0.0f, err));
    if (flow->scene->obstacle_count > 0)
        BW_TRY(bw_field_create(&scheme->slip, flow->grid, BW_AT_CELL, 1.0f, err));
    return BW_OK;
}

void bw_explicit_destroy(BwExplicit *scheme)
{
    bw_free_surface_destroy(&scheme->cells);
    bw_field_destroy(&scheme->pressure);
    bw_field_destroy(&scheme->slip);
}

// m/s. All components together pass through the sides of a cell: at most sqrt(dim) times the speed.
static double crossing_speed(const BwSceneDef *scene, double speed)
{
    return sqrt((double)scene->dimension) * speed;
}

// s, in which something crosses so many metres that has a speed and an acceleration.
static double time_to_cross(double way, double speed, double acceleration)
{
    double bound = 0.5 * (speed + sqrt(speed * speed + 4.0 * acceleration * way));
    return bound > 0.0 ? way / bound : (double)INFINITY;
}

BwResult bw_explicit_step_limit(const BwLiquidSources *sources, double time, double *limit, BwError *err)
{
    const BwSceneDef *scene = sources->scene;
    const BwFlow *flow = sources->flow;
    double h = (double)flow->grid->cell_size, donor = (double)scene->liquid.donor_cell;
    float speed, acceleration, viscosity;
    BW_TRY(bw_liquid_limits(sources, time, time + 1.0 / scene->fps, &speed, &acceleration, err));
    BW_TRY(bw_curve_number_at(&scene->liquid.viscosity, time, 0.0f, &viscosity, err));
    BW_TRY(bw_flow_step_limit(flow, time, speed, acceleration, limit, err));
    speed = fmaxf(speed, bw_velocity_max(&flow->domain, &flow->velocity));
    double nu = (double)viscosity, cells = fmin((double)scene->cfl, cells_max);
    double u = crossing_speed(scene, (double)speed), a = crossing_speed(scene, (double)acceleration);
    *limit = fmin(*limit, time_to_cross(cells * h, u, a));
    if (nu > 0.0)
        *limit = fmin(*limit, viscous_part * h * h / (2.0 * scene->dimension * nu));
    double fastest = u + a * *limit;
    if (!isnan(donor) && fastest > 0.0)
        *limit = fmin(*limit, donor * h / fastest + 2.0 * nu / (fastest * fastest));
    return BW_OK;
}

static BwResult check_part(const BwPartedStep *step, double time, double limit, BwError *err)
{
    const BwSceneDef *scene = step->sources->scene;
    const BwFlow *flow = step->sources->flow;
    double least = 1.0 / (scene->fps * scene->steps_max * BW_EXPLICIT_PARTS);
    float viscosity, speed, acceleration; // those that the limit is of, which the step has yet to look up
    if (limit >= least)
        return BW_OK;
    BW_TRY(bw_curve_number_at(&scene->liquid.viscosity, time, 0.0f, &viscosity, err));
    BW_TRY(bw_liquid_limits(step->sources, time, time + 1.0 / scene->fps, &speed, &acceleration, err));
    speed = fmaxf(speed, bw_velocity_max(&flow->domain, &flow->velocity));
    bool is_explicit = scene->liquid.scheme == BW_SCHEME_EXPLICIT;
    return bw_fail(
        err, BW_ERR_SCENE,
        "at %.4g s the liquid is stable in steps of %.3g s at most, with a viscosity of %.3g m^2/s, speeds "
        "of %.3g m/s and %.3g m/s^2; a frame would take more than %d times steps_max = %d of them: raise "
        "scene.steps_max, or lower what needs them%s",
        time, limit, (double)viscosity, (double)speed, (double)acceleration, BW_EXPLICIT_PARTS,
        scene->steps_max, is_explicit ? ", or take liquid.scheme = \"split\"" : "");
}

BwResult bw_explicit_step_in_parts(const BwPartedStep *step, double time, double dt, BwStats *stats,
                                   BwError *err)
{
    for (double done = 0.0, left = dt; left > 1e-9 * dt; left = dt - done) {
        double limit;
        BW_TRY(step->limit(step->solver, time + done, &limit, err));
        double part = left / fmax(1.0, ceil(left / limit * (1.0 - 1e-6)));
        if (part < left)
            BW_TRY(check_part(step, time + done, limit, err));
        BW_TRY(step->part(step->solver, time + done, part, stats, err));
        done += part;
    }
    return BW_OK;
}

float bw_explicit_donor_share(const BwSceneDef *scene, float cell_size, float speed, float viscosity,
                              double dt)
{
    double u = crossing_speed(scene, (double)speed);
    if (!isnan(scene->liquid.donor_cell))
        return scene->liquid.donor_cell;
    if (u * u * dt <= 2.0 * (double)viscosity)
        return 0.0f;
    return (float)fmin(u * dt / (double)cell_size, 1.0);
}

static void find_slip(BwExplicit *scheme, BwFlow *flow)
{
    if (flow->scene->obstacle_count == 0 || (scheme->has_slip && !flow->must_measure_solids))
        return;
    bw_find_slip(&scheme->slip, &flow->domain, flow->solids.poses, flow->scene->obstacle_count);
    scheme->has_slip = true;
}

// (2), but for the body force.
static void step_momentum(BwExplicit *scheme, BwLiquidSources *sources, double dt)
{
    BwFlow *flow = sources->flow;
    float speed = bw_velocity_max(&flow->domain, &flow->velocity), viscosity = flow->def.viscosity;
    BwMomentum momentum = {
        .domain = &flow->domain,
        .surface = &scheme->cells,
        .pressure = &scheme->pressure,
        .slip = flow->scene->obstacle_count > 0 ? &scheme->slip : NULL,
        .follows_outflow = flow->scene->liquid.outflow == BW_OUTFLOW_FOLLOWS,
        .viscosity = viscosity,
        .donor = bw_explicit_donor_share(flow->scene, flow->grid->cell_size, speed, viscosity, dt),
        .dt = (float)dt};
    bw_velocity_copy(&flow->domain, &flow->velocity, &flow->next_velocity);
    bw_momentum_step(&momentum, &flow->velocity, &flow->next_velocity);
    bw_momentum_step_outflow(&momentum, &flow->next_velocity);
    bw_velocity_swap(&flow->velocity, &flow->next_velocity);
}

// (5) to (9).
static void relax(BwExplicit *scheme, const BwLiquidSources *sources, double dt, BwStats *stats)
{
    BwFlow *flow = sources->flow;
    const BwSolverDef *solver = &flow->scene->solver;
    double wanted = solver->divergence_max > 0.0f ? (double)solver->divergence_max : epsilon_default,
           held = roundings * (double)FLT_EPSILON * (double)bw_velocity_max(&flow->domain, &flow->velocity) /
                  (double)flow->grid->cell_size;
    BwRelaxation relaxation = {.domain = &flow->domain,
                               .surface = &scheme->cells,
                               .divergence = sources->is_divergent ? &sources->divergence : NULL,
                               .factor = solver->relaxation,
                               .epsilon = fmax(wanted, held),
                               .sweeps_max = solver->iterations_max,
                               .dt = (float)dt};
    BwRelaxationReport report = bw_relax_cells(&relaxation, &flow->velocity, &scheme->pressure);
    flow->residual = report.first > 0.0 ? report.last / report.first : 0.0;
    flow->stop = report.has_converged ? BW_STOP_CONVERGED : BW_STOP_ITERATIONS;
    stats->iterations += report.sweeps;
    stats->residual = fmax(stats->residual, flow->residual);
    stats->stop_reason = bw_stop_worst(stats->stop_reason, flow->stop);
}

// Where pressures are shown and felt: as a projection would have given it.
static void keep_pressure(const BwExplicit *scheme, BwFlow *flow, double dt)
{
    BwPressureSystem *system = &flow->projection.system;
    flow->pressure_dt = dt;
    if (!system->keeps_impulse)
        return;
    bw_field_scale(&flow->domain, &scheme->pressure, (float)(dt / (double)flow->grid->cell_size),
                   &system->impulse);
    system->impulse_scale = 1.0f;
}

static void label_surface(BwExplicit *scheme, const BwDomain *domain)
{
    bw_free_surface_label(&scheme->cells, domain);
    if (scheme->gaps != NULL)
        bw_free_surface_add(&scheme->cells, domain, scheme->gaps);
}

BwResult bw_explicit_find_velocity(BwExplicit *scheme, BwLiquidSources *sources, const BwFaceMasks *faces,
                                   const BwLiquidForces *forces, BwStats *stats, BwError *err)
{
    BwFlow *flow = sources->flow;
    const BwDomain *domain = &flow->domain;
    find_slip(scheme, flow);
    flow->prescribed.has_any = false; // what the last step prescribed is no part of the state
    bw_liquid_press(sources, NULL, (float)forces->dt); // there is no surface tension
    bw_flow_set_wall_velocity(flow);
    label_surface(scheme, domain);
    bw_free_surface_set_pressure(&scheme->cells, domain, &scheme->pressure);
    if (scheme->head != NULL)
        bw_free_surface_add_pressure(&scheme->cells, domain, scheme->head, &scheme->pressure);
    bw_free_surface_set_velocity(&scheme->cells, domain, forces->gravity, &flow->velocity);
    step_momentum(scheme, sources, forces->dt);
    BW_TRY(bw_liquid_add_forces(sources, faces, forces, stats, err));
    label_surface(scheme, domain); // sources have prescribed some of its faces
    relax(scheme, sources, forces->dt, stats);
    bw_free_surface_set_velocity(&scheme->cells, domain, forces->gravity, &flow->velocity);
    bw_liquid_sources_pull(sources);
    keep_pressure(scheme, flow, forces->dt);
    return BW_OK;
}
