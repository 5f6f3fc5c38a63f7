// The projection in a domain. Where solids are whole cells, faces are open or closed, and closed ones hold
// the speed of their wall as the velocity itself; where solids are cut, faces have open shares and solid
// speeds. Coefficients, balance and update are those of poisson/assemble.h.
//
// An outflow is a valve: pressure zero behind it, and no flow back. Which faces it shuts is found by trying:
// project, shut those that let fluid in, and project what is left, until none does. Shut faces stay shut for
// the step, so this ends. While it goes on only the signs of what passes count, and a rough answer tells
// them; the last one is as good as asked, counted like that of the first projection: from what it began with.
#include "operate/project.h"

#include "domain/measure.h"
#include "domain/solid_faces.h"
#include "operate/prescribe.h"
#include <float.h>
#include <math.h>

// Rounds of shutting; two or three are usual.
enum { ROUNDS_MAX = 12 };

// Of the answers that tell which faces to shut.
static const double rough_tolerance = 1e-2;

BwResult bw_projection_create(BwProjection *projection, BwGrid *grid, BwPool *pool, BwError *err)
{
    *projection = (BwProjection){0};
    BwResult result = bw_poisson_solver_create(&projection->solver, &grid->allocator, pool, err);
    if (result == BW_OK)
        result = bw_pressure_system_create(&projection->system, grid, err);
    for (int a = 0; a < grid->dimension && result == BW_OK; a++)
        result = bw_mask_create(&projection->flow[a], grid, err);
    if (result != BW_OK)
        bw_projection_destroy(projection);
    return result;
}

void bw_projection_destroy(BwProjection *projection)
{
    bw_poisson_solver_destroy(projection->solver);
    projection->solver = NULL;
    bw_pressure_system_destroy(&projection->system);
    for (int a = 0; a < 3; a++)
        bw_mask_destroy(&projection->flow[a]);
}

static void components(const BwVelocity *velocity, BwField *u[3])
{
    for (int a = 0; a < 3; a++)
        u[a] = (BwField *)&velocity->u[a];
}

// x is p dt / (rho h).
static void add_fluid_terms(BwPressureTerms *terms, const BwFluidTerms *fluid, float h)
{
    BW_ASSERT(fluid->dt > 0.0f || (fluid->surface == NULL && fluid->pressure_jump == NULL));
    terms->phi = fluid->phi;
    terms->density = fluid->density;
    terms->surface = fluid->surface;
    terms->pressure_jump = fluid->pressure_jump;
    terms->pressure_scale = fluid->dt / ((fluid->reference > 0.0f ? fluid->reference : 1.0f) * h);
    terms->velocity_jump = fluid->velocity_jump;
    terms->divergence = fluid->divergence;
}

static BwPressureTerms terms_of(const BwDomain *domain)
{
    BwPressureTerms terms = {.fluid = &domain->fluid};
    for (int a = 0; a < domain->grid->dimension && domain->cut != NULL; a++) {
        terms.open[a] = &domain->cut->open[a];
        terms.wall[a] = &domain->cut->speed[a];
    }
    if (domain->terms != NULL)
        add_fluid_terms(&terms, domain->terms, domain->grid->cell_size);
    return terms;
}

static bool has_outflow(const BwDomain *domain)
{
    for (int side = 0; side < 2 * domain->grid->dimension; side++)
        if (domain->side[side].kind == BW_WALL_OUTFLOW)
            return true;
    return false;
}

static void copy_flow(BwProjection *projection, const BwDomain *domain, const BwPrescribed *prescribed)
{
    const BwGrid *grid = domain->grid;
    for (int32_t n = 0; n < grid->tile_count; n++)
        for (int a = 0; a < grid->dimension; a++)
            for (int k = 0; k < grid->layers; k++)
                bw_mask_tile(&projection->flow[a], grid->order[n])[k] =
                    bw_mask_tile(&domain->flow[a], grid->order[n])[k] &
                    (prescribed != NULL ? ~bw_mask_tile(&prescribed->face[a], grid->order[n])[k]
                                        : ~(uint64_t)0);
}

// Shuts the faces of a tile's layer that let fluid in from an outflow; gives whether there were any.
static bool shut_layer(BwProjection *projection, const BwDomain *domain, BwVelocity *velocity, int32_t slot,
                       int axis, int k)
{
    const BwGrid *grid = domain->grid;
    uint64_t *flow = &bw_mask_tile(&projection->flow[axis], slot)[k];
    uint64_t from_below = *flow & bw_bits_beside(grid, &domain->outflow, slot, 2 * axis, k);
    uint64_t from_above = *flow & bw_mask_tile(&domain->outflow, slot)[k];
    float *u = bw_field_tile(&velocity->u[axis], slot) + BW_TILE_LAYER * k;
    bool has_shut = false;
    for (uint64_t bits = from_below | from_above; bits != 0; bits &= bits - 1) {
        int index = __builtin_ctzll(bits);
        if (!((from_below >> index & 1 ? u[index] : -u[index]) > 0.0f))
            continue;
        u[index] = 0.0f;
        *flow &= ~((uint64_t)1 << index);
        has_shut = true;
    }
    return has_shut;
}

static bool shut_backflow(BwProjection *projection, const BwDomain *domain, BwVelocity *velocity)
{
    const BwGrid *grid = domain->grid;
    bool has_shut = false;
    for (int32_t n = 0; n < grid->tile_count; n++)
        for (int a = 0; a < grid->dimension; a++)
            for (int k = 0; k < grid->layers; k++)
                has_shut |= shut_layer(projection, domain, velocity, grid->order[n], a, k);
    return has_shut;
}

static BwResult project_once(BwProjection *projection, const BwPressureTerms *terms, const BwDomain *domain,
                             BwVelocity *velocity, const BwPoissonOptions *options, BwPoissonReport *report,
                             BwError *err)
{
    // Below the rounding of the velocities there is nothing to solve for, only noise to chase; unless a given
    // pressure drives the fluid.
    double noise = FLT_EPSILON * (double)bw_velocity_max(domain, velocity);
    bool is_driven = terms->surface != NULL || terms->pressure_jump != NULL;
    BwField *u[3];
    components(velocity, u);
    if (!is_driven && noise >= 0.0 && // not so where it is NaN
        !bw_net_outflow_exceeds(terms, u, noise, domain->pool)) {
        double outflow = bw_net_outflow_max(terms, u, domain->pool);
        *report = (BwPoissonReport){.residual_max = outflow, .reason = BW_STOP_EMPTY};
        return BW_OK;
    }
    bw_assemble_pressure(&projection->system, terms, u, domain->pool);
    BwPoisson view = bw_pressure_system_view(&projection->system);
    BW_TRY(bw_poisson_solve(projection->solver, &view, options, report, err));
    bw_subtract_pressure(&projection->system, terms, u, domain->pool);
    return BW_OK;
}

// Projects once more after faces were shut, and adds it to the report, which then tells what is left.
static BwResult project_again(BwProjection *projection, const BwPressureTerms *terms, const BwDomain *domain,
                              BwVelocity *velocity, const BwPoissonOptions *options, BwPoissonReport *report,
                              BwError *err)
{
    int iterations = report->iterations;
    BW_TRY(project_once(projection, terms, domain, velocity, options, report, err));
    report->iterations += iterations;
    return BW_OK;
}

// Shuts what lets fluid in through outflows, after the first projection, of which the report tells.
static BwResult project_valves(BwProjection *projection, const BwPressureTerms *terms, const BwDomain *domain,
                               BwVelocity *velocity, const BwPoissonOptions *options, BwPoissonReport *report,
                               BwError *err)
{
    // What is to come changes little: its best guess is zero, and its answers are measured by the first one.
    BwPoissonOptions rough = *options, last = *options;
    rough.from_zero = last.from_zero = true;
    rough.norm_min = report->norm;
    rough.tolerance = fmax(rough_tolerance, options->tolerance);
    rough.bound = 0.0;
    // Pressures and jumps that are given have acted in the first projection.
    BwPressureTerms rest = *terms;
    rest.surface = rest.pressure_jump = NULL;
    terms = &rest;
    last.norm_min = 0.1 * report->norm;
    bool has_shut = shut_backflow(projection, domain, velocity);
    for (int n = 0; n < ROUNDS_MAX && has_shut; n++) {
        BW_TRY(project_again(projection, terms, domain, velocity, &rough, report, err));
        if (shut_backflow(projection, domain, velocity))
            continue;
        BW_TRY(project_again(projection, terms, domain, velocity, &last, report, err));
        has_shut = shut_backflow(projection, domain, velocity);
    }
    return has_shut ? project_again(projection, terms, domain, velocity, &last, report, err) : BW_OK;
}

BwResult bw_project(BwProjection *projection, const BwDomain *domain, BwVelocity *velocity,
                    const BwPoissonOptions *options, BwPoissonReport *report, BwError *err)
{
    bool is_valve = has_outflow(domain),
         is_prescribed = domain->prescribed != NULL && domain->prescribed->has_any;
    BwPressureTerms terms = terms_of(domain);
    for (int a = 0; a < domain->grid->dimension; a++)
        terms.flow[a] = is_valve || is_prescribed ? &projection->flow[a] : &domain->flow[a];
    if (is_valve || is_prescribed)
        copy_flow(projection, domain, is_prescribed ? domain->prescribed : NULL);
    BW_TRY(project_once(projection, &terms, domain, velocity, options, report, err));
    return is_valve ? project_valves(projection, &terms, domain, velocity, options, report, err) : BW_OK;
}

void bw_projection_begin_step(BwProjection *projection)
{
    projection->system.impulse_scale = 0.0f;
}

void bw_projection_mirror(BwProjection *projection)
{
    projection->system.impulse_scale *= 2.0f;
}

// x is p dt / (rho h).
double bw_projection_pressure_scale(const BwProjection *projection, double dt)
{
    double h = (double)projection->system.right.store.grid->cell_size;
    return (double)projection->system.impulse_scale * h / dt;
}

double bw_divergence_max(const BwDomain *domain, const BwVelocity *velocity)
{
    BwField *u[3];
    components(velocity, u);
    BwPressureTerms terms = terms_of(domain);
    return bw_net_outflow_max(&terms, u, domain->pool) / (double)domain->grid->cell_size;
}
