// Rules of the free surface, cell by cell. An open side belongs to one fluid cell alone, so cells can be set
// in any order, by any thread.
#include "operate/free_surface.h"

#include "operate/prescribe.h"

#include <math.h>

BwSurfaceRules bw_surface_rules(unsigned open, int dimension)
{
    BwSurfaceRules rules = {.closes = true};
    int one = 0, both = 0;
    for (int a = 0; a < dimension; a++) {
        unsigned sides = open >> (2 * a) & 3;
        one += sides == 1 || sides == 2;
        both += sides == 3;
        rules.axis[a] = sides == 0 ? BW_AXIS_CLOSED : sides == 3 ? BW_AXIS_FALLS : BW_AXIS_FOLLOWS;
    }
    bool splits = one == 0 && both < dimension;
    for (int a = 0; a < dimension && splits; a++)
        if (rules.axis[a] == BW_AXIS_FALLS)
            rules.axis[a] = BW_AXIS_SPLITS;
    rules.takers = splits ? both : one;
    rules.closes = both == 0 || splits;
    return rules;
}

// What the closed axes take in, less what they let out, m/s.
static float missing_outflow(const BwSurfaceRules *rules, int dimension, const float side[6])
{
    float sum = 0.0f;
    for (int a = 0; a < dimension; a++)
        if (rules->axis[a] == BW_AXIS_CLOSED)
            sum -= side[2 * a + 1] - side[2 * a];
    return sum;
}

void bw_surface_cell_velocity(unsigned open, int dimension, float side[6])
{
    BwSurfaceRules rules = bw_surface_rules(open, dimension);
    if (rules.takers == 0)
        return;
    float part = missing_outflow(&rules, dimension, side) / (float)rules.takers;
    for (int a = 0; a < dimension; a++) {
        float *low = &side[2 * a], *high = &side[2 * a + 1];
        if (rules.axis[a] == BW_AXIS_FOLLOWS && (open >> (2 * a) & 1))
            *low = *high - part;
        else if (rules.axis[a] == BW_AXIS_FOLLOWS)
            *high = *low + part;
        if (rules.axis[a] != BW_AXIS_SPLITS)
            continue;
        float mean = 0.5f * (*low + *high);
        *low = mean - 0.5f * part;
        *high = mean + 0.5f * part;
    }
}

BwResult bw_free_surface_create(BwFreeSurface *surface, BwGrid *grid, BwError *err)
{
    BW_TRY(bw_mask_create(&surface->full, grid, err));
    BW_TRY(bw_mask_create(&surface->surface, grid, err));
    for (int a = 0; a < grid->dimension; a++)
        BW_TRY(bw_mask_create(&surface->moves[a], grid, err));
    return BW_OK;
}

void bw_free_surface_destroy(BwFreeSurface *surface)
{
    bw_mask_destroy(&surface->full);
    bw_mask_destroy(&surface->surface);
    for (int a = 0; a < 3; a++)
        bw_mask_destroy(&surface->moves[a]);
}

typedef struct Job {
    const BwFreeSurface *surface;
    const BwDomain *domain;
    BwVelocity *velocity;
    BwField *pressure;
    BwVec3 force;
} Job;

// The cells of a layer whose face on one side moves.
static uint64_t moving_bits(const Job *job, int32_t slot, int side, int k)
{
    const BwMask *moves = &job->surface->moves[side / 2];
    return side % 2 == 0 ? bw_mask_tile(moves, slot)[k]
                         : bw_bits_beside(job->domain->grid, moves, slot, side, k);
}

// The fluid cells of a layer that face an Empty one on one side.
static uint64_t open_bits(const Job *job, int32_t slot, int side, int k)
{
    const BwDomain *domain = job->domain;
    return bw_mask_tile(&domain->fluid, slot)[k] & moving_bits(job, slot, side, k) &
           ~bw_bits_beside(domain->grid, &domain->fluid, slot, side, k) &
           ~bw_bits_beside(domain->grid, &domain->outflow, slot, side, k);
}

static void find_moving(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwDomain *domain = job->domain;
    const BwPrescribed *prescribed = domain->prescribed;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = domain->grid->order[n];
        for (int a = 0; a < domain->grid->dimension; a++)
            for (int k = 0; k < domain->grid->layers; k++) {
                uint64_t fixed = prescribed != NULL && prescribed->has_any
                                     ? bw_mask_tile(&prescribed->face[a], slot)[k]
                                     : 0;
                bw_mask_tile(&job->surface->moves[a], slot)[k] =
                    bw_mask_tile(&domain->flow[a], slot)[k] & ~fixed;
            }
    }
}

static void label_cells(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwDomain *domain = job->domain;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = domain->grid->order[n];
        for (int k = 0; k < domain->grid->layers; k++) {
            uint64_t open = 0, fluid = bw_mask_tile(&domain->fluid, slot)[k];
            for (int side = 0; side < 2 * domain->grid->dimension; side++)
                open |= open_bits(job, slot, side, k);
            bw_mask_tile(&job->surface->surface, slot)[k] = open;
            bw_mask_tile(&job->surface->full, slot)[k] = fluid & ~open;
        }
    }
}

void bw_free_surface_label(BwFreeSurface *surface, const BwDomain *domain)
{
    Job job = {.surface = surface, .domain = domain};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 64, find_moving, &job);
    bw_parallel_for(domain->pool, domain->grid->tile_count, 64, label_cells, &job);
}

void bw_free_surface_add(BwFreeSurface *surface, const BwDomain *domain, const BwMask *gaps)
{
    const BwGrid *grid = domain->grid;
    for (int32_t m = 0; m < grid->tile_count; m++)
        for (int k = 0; k < grid->layers; k++) {
            int32_t slot = grid->order[m];
            uint64_t more = bw_mask_tile(gaps, slot)[k] & bw_mask_tile(&domain->fluid, slot)[k];
            bw_mask_tile(&surface->surface, slot)[k] |= more;
            bw_mask_tile(&surface->full, slot)[k] &= ~more;
        }
}

// Where the velocity on a side of a cell is kept.
static float *side_at(const Job *job, int32_t slot, int cell, int side)
{
    const BwField *u = &job->velocity->u[side / 2];
    int32_t beside = side % 2 == 0 ? slot : bw_cell_beside(job->domain->grid, slot, &cell, side);
    return &bw_field_tile(u, beside)[cell];
}

// What a side across from a wall takes: the faster of the rule's and the body force's, away from the wall.
static float leave_wall(const Job *job, int side, float by_rule, float by_force)
{
    float force = bw_component(job->force, side / 2);
    if (side % 2 == 0)
        return force < 0.0f ? fminf(by_rule, by_force) : by_rule;
    return force > 0.0f ? fmaxf(by_rule, by_force) : by_rule;
}

// Sides that face Empty cells are `open`, those that face no room for liquid `shut`, one bit each.
static void set_cell(const Job *job, int32_t slot, int cell, unsigned open, unsigned shut)
{
    int dimension = job->domain->grid->dimension;
    float before[6] = {0}, side[6] = {0};
    for (int s = 0; s < 2 * dimension; s++)
        side[s] = before[s] = *side_at(job, slot, cell, s);
    bw_surface_cell_velocity(open, dimension, side);
    for (int s = 0; s < 2 * dimension; s++)
        if (open >> s & 1)
            *side_at(job, slot, cell, s) =
                shut >> (s ^ 1) & 1 ? leave_wall(job, s, side[s], before[s]) : side[s];
}

static void set_velocity(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++)
        for (int k = 0; k < grid->layers; k++) {
            int32_t slot = grid->order[n];
            uint64_t open[6] = {0}, shut[6] = {0}, cells = bw_mask_tile(&job->surface->surface, slot)[k];
            for (int side = 0; side < 2 * grid->dimension && cells != 0; side++) {
                open[side] = open_bits(job, slot, side, k);
                shut[side] = ~bw_bits_beside(grid, &job->domain->open, slot, side, k);
            }
            for (; cells != 0; cells &= cells - 1) {
                int index = __builtin_ctzll(cells);
                unsigned opens = 0, shuts = 0;
                for (int side = 0; side < 2 * grid->dimension; side++) {
                    opens |= (unsigned)(open[side] >> index & 1) << side;
                    shuts |= (unsigned)(shut[side] >> index & 1) << side;
                }
                set_cell(job, slot, BW_TILE_LAYER * k + index, opens, shuts);
            }
        }
}

void bw_free_surface_set_velocity(const BwFreeSurface *surface, const BwDomain *domain, BwVec3 force,
                                  BwVelocity *velocity)
{
    Job job = {.surface = surface, .domain = domain, .velocity = velocity, .force = force};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, set_velocity, &job);
}

static void set_pressure(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    const BwFluidTerms *terms = job->domain->terms;
    const BwField *applied = terms != NULL ? terms->surface : NULL;
    float density = applied != NULL && terms->reference > 0.0f ? terms->reference : 1.0f;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        float *pressure = bw_field_tile(job->pressure, slot);
        const uint64_t *full = bw_mask_tile(&job->surface->full, slot),
                       *surface = bw_mask_tile(&job->surface->surface, slot);
        for (int cell = 0; cell < grid->tile_cells; cell++)
            if (!bw_bit(full, cell))
                pressure[cell] = applied != NULL && bw_bit(surface, cell)
                                     ? bw_field_tile(applied, slot)[cell] / density
                                     : 0.0f;
    }
}

void bw_free_surface_set_pressure(const BwFreeSurface *surface, const BwDomain *domain, BwField *pressure)
{
    Job job = {.surface = surface, .domain = domain, .pressure = pressure};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, set_pressure, &job);
}

void bw_free_surface_add_pressure(const BwFreeSurface *surface, const BwDomain *domain, const BwField *added,
                                  BwField *pressure)
{
    const BwGrid *grid = domain->grid;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        int32_t slot = grid->order[m];
        for (int k = 0; k < grid->layers; k++)
            for (uint64_t cells = bw_mask_tile(&surface->surface, slot)[k]; cells != 0; cells &= cells - 1) {
                int cell = BW_TILE_LAYER * k + __builtin_ctzll(cells);
                bw_field_tile(pressure, slot)[cell] += bw_field_tile(added, slot)[cell];
            }
    }
}

static double divergence_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    double most = 0.0;
    for (int64_t n = begin; n < end; n++)
        for (int k = 0; k < grid->layers; k++) {
            int32_t slot = grid->order[n];
            for (uint64_t cells = bw_mask_tile(&job->surface->full, slot)[k]; cells != 0;
                 cells &= cells - 1) {
                int cell = BW_TILE_LAYER * k + __builtin_ctzll(cells);
                double sum = 0.0;
                for (int side = 0; side < 2 * grid->dimension; side++)
                    sum += (side % 2 == 0 ? -1.0 : 1.0) * (double)*side_at(job, slot, cell, side);
                most = fmax(most, fabs(sum) / (double)grid->cell_size);
            }
        }
    return most;
}

double bw_full_divergence_max(const BwFreeSurface *surface, const BwDomain *domain,
                              const BwVelocity *velocity)
{
    BwVelocity view = *velocity;
    Job job = {.surface = surface, .domain = domain, .velocity = &view};
    return bw_parallel_max(domain->pool, domain->grid->tile_count, 16, divergence_range, &job);
}
