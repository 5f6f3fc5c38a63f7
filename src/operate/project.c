// The projection in a domain. Where solids are whole cells, faces are open or closed, and closed ones hold
// the speed of their wall as the velocity itself; where solids are cut, faces have open shares and solid
// speeds. Coefficients, balance and update are those of poisson/assemble.h.
//
// Where there are outflows, the projection is done again with faces shut and opened (operate/valves.h) until
// the answer agrees with them. While that goes on only the signs of what passes count, and a rough answer
// tells them; the last one is as good as asked, counted like that of the first projection: from what it began
// with.
#include "operate/project.h"

#include "domain/measure.h"
#include "domain/solid_faces.h"
#include "operate/prescribe.h"
#include <float.h>
#include <math.h>

// Rounds of turning valves; one or two are usual. In the last ones they are only shut, so that this ends.
enum { ROUNDS_MAX = 12, OPENING_ROUNDS_MAX = 4 };

enum { RIGHT_GRAIN = 16 }; // tiles

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
    if (projection->system.right.store.grid != NULL)
        bw_valves_free(&projection->valves, &projection->system.right.store.grid->allocator);
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
    terms->parts_fluids = fluid->liquid == NULL;
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

// Square of the norm of the assembled right side.
static double right_square(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwField *right = context;
    const BwGrid *grid = right->store.grid;
    double sum = 0.0;
    for (int64_t n = begin; n < end; n++) {
        const float *value = bw_field_tile(right, grid->order[n]);
        for (int cell = 0; cell < grid->tile_cells; cell++)
            sum += (double)value[cell] * (double)value[cell];
    }
    return sum;
}

// How well to solve.
typedef struct Wish {
    const BwPoissonOptions *options;
    const BwPoissonOptions *otherwise; // where zero meets the options, so that solving for them tells nothing
    bool is_otherwise;                 // it came to that
} Wish;

static const BwPoissonOptions *options_of(const BwProjection *projection, Wish *wish, BwPool *pool)
{
    if (wish->otherwise == NULL)
        return wish->options;
    const BwField *right = &projection->system.right;
    double square =
        bw_parallel_sum(pool, right->store.grid->tile_count, RIGHT_GRAIN, right_square, (void *)right);
    wish->is_otherwise = sqrt(square) <= wish->options->tolerance * wish->options->norm_min;
    return wish->is_otherwise ? wish->otherwise : wish->options;
}

static BwResult project_once(BwProjection *projection, const BwPressureTerms *terms, const BwDomain *domain,
                             BwVelocity *velocity, Wish *wish, BwPoissonReport *report, BwError *err)
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
    BW_TRY(
        bw_poisson_solve(projection->solver, &view, options_of(projection, wish, domain->pool), report, err));
    bw_subtract_pressure(&projection->system, terms, u, domain->pool);
    return BW_OK;
}

// Projects once more after faces were shut, and adds it to the report, which then tells what is left.
static BwResult project_again(BwProjection *projection, const BwPressureTerms *terms, const BwDomain *domain,
                              BwVelocity *velocity, Wish *wish, BwPoissonReport *report, BwError *err)
{
    int iterations = report->iterations;
    BW_TRY(project_once(projection, terms, domain, velocity, wish, report, err));
    report->iterations += iterations;
    return BW_OK;
}

// Whether all valves are shut and nothing has to leave. The pressure is then known but for a constant, and
// with one that is low enough they stay shut.
static bool is_sealed(const BwValves *valves, const BwValveFaces *faces, const BwPoissonReport *report)
{
    double leaves = report->imbalance * (double)report->unknowns;
    return report->regions > 0 && bw_valves_are_shut(valves) &&
           leaves <= (double)valves->count * (double)bw_valves_slowest(faces);
}

// Turns valves as the last projection tells, of which the report tells.
static bool turn_valves(BwProjection *projection, const BwPressureTerms *terms, const BwValveFaces *faces,
                        const BwPoissonReport *report, int round)
{
    return !is_sealed(&projection->valves, faces, report) &&
           bw_valves_turn(&projection->valves, faces,
                          report->reason != BW_STOP_EMPTY ? &projection->system : NULL, terms,
                          round < OPENING_ROUNDS_MAX);
}

// Goes on after the first projection, of which the report tells, until no valve turns.
static BwResult project_valves(BwProjection *projection, const BwPressureTerms *terms,
                               const BwValveFaces *faces, const BwPoissonOptions *options,
                               BwPoissonReport *report, BwError *err)
{
    const BwDomain *domain = faces->domain;
    BwVelocity *velocity = faces->velocity;
    // What is to come changes little: its best guess is zero, and its answers are measured by the first one.
    BwPoissonOptions rough = *options, last = *options;
    rough.from_zero = last.from_zero = true;
    rough.norm_min = report->norm;
    rough.tolerance = fmax(rough_tolerance, options->tolerance);
    rough.bound = 0.0;
    last.norm_min = 0.1 * report->norm;
    bool has_turned = turn_valves(projection, terms, faces, report, 0);
    // Pressures and jumps that are given have acted in the first projection.
    BwPressureTerms rest = *terms;
    rest.surface = rest.pressure_jump = NULL;
    Wish good = {.options = &last};
    for (int n = 1; n <= ROUNDS_MAX && has_turned; n++) {
        Wish wish = {.options = &rough, .otherwise = &last};
        BW_TRY(project_again(projection, &rest, domain, velocity, &wish, report, err));
        has_turned = turn_valves(projection, &rest, faces, report, n);
        if (has_turned || wish.is_otherwise)
            continue;
        BW_TRY(project_again(projection, &rest, domain, velocity, &good, report, err));
        has_turned = turn_valves(projection, &rest, faces, report, n);
    }
    return has_turned ? project_again(projection, &rest, domain, velocity, &good, report, err) : BW_OK;
}

// Whether nothing but outflows lets fluid through the sides, and nothing makes any: then as much as leaves
// would have to come in, so nothing leaves. Where the fluid goes on beyond the tiles that are awake this is
// only a guess, which the rounds put right.
static bool begins_sealed(const BwDomain *domain, const BwPressureTerms *terms)
{
    for (int side = 0; side < 2 * domain->grid->dimension; side++)
        if (domain->side[side].kind != BW_WALL_OUTFLOW && domain->side[side].kind != BW_WALL_CLOSED)
            return false;
    return terms->phi == NULL && terms->surface == NULL && terms->divergence == NULL &&
           terms->velocity_jump == NULL;
}

BwResult bw_project(BwProjection *projection, const BwDomain *domain, BwVelocity *velocity,
                    const BwPoissonOptions *options, BwPoissonReport *report, BwError *err)
{
    bool is_valve = has_outflow(domain),
         is_prescribed = domain->prescribed != NULL && domain->prescribed->has_any;
    BwPressureTerms terms = terms_of(domain);
    BwValveFaces faces = {domain, projection->flow, velocity};
    for (int a = 0; a < domain->grid->dimension; a++)
        terms.flow[a] = is_valve || is_prescribed ? &projection->flow[a] : &domain->flow[a];
    if (is_valve || is_prescribed)
        copy_flow(projection, domain, is_prescribed ? domain->prescribed : NULL);
    if (is_valve)
        BW_TRY(bw_valves_find(&projection->valves, &faces, !is_prescribed && begins_sealed(domain, &terms),
                              err));
    Wish wish = {.options = options};
    BW_TRY(project_once(projection, &terms, domain, velocity, &wish, report, err));
    return is_valve ? project_valves(projection, &terms, &faces, options, report, err) : BW_OK;
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
