// Assembly of the pressure system, a tile at a time: coefficients of its low faces first, then the balance of
// its cells. Arrays of a tile are moved by one cell along an axis, the rim taken from the tile beside, so
// that loops stay plain.
#include "poisson/assemble.h"

#include "grid/bits.h"
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define CELLS_MAX (BW_TILE * BW_TILE_LAYER)

BwResult bw_pressure_system_create(BwPressureSystem *system, BwGrid *grid, BwError *err)
{
    *system = (BwPressureSystem){0};
    BwResult result = bw_mask_create(&system->unknown, grid, err);
    for (int a = 0; a < grid->dimension && result == BW_OK; a++)
        result = bw_field_create(&system->face[a], grid, (BwLocation)(BW_AT_FACE_X + a), 0.0f, err);
    if (result == BW_OK)
        result = bw_field_create(&system->right, grid, BW_AT_CELL, 0.0f, err);
    if (result == BW_OK)
        result = bw_wide_field_create(&system->x, grid, err);
    if (result != BW_OK)
        bw_pressure_system_destroy(system);
    return result;
}

void bw_pressure_system_destroy(BwPressureSystem *system)
{
    bw_mask_destroy(&system->unknown);
    for (int a = 0; a < 3; a++)
        bw_field_destroy(&system->face[a]);
    bw_field_destroy(&system->right);
    bw_wide_field_destroy(&system->x);
    bw_field_destroy(&system->impulse);
}

BwResult bw_pressure_system_keep_impulse(BwPressureSystem *system, BwError *err)
{
    BW_TRY(bw_field_create(&system->impulse, system->right.store.grid, BW_AT_CELL, 0.0f, err));
    system->keeps_impulse = true;
    return BW_OK;
}

BwPoisson bw_pressure_system_view(BwPressureSystem *system)
{
    const BwGrid *grid = system->right.store.grid;
    BwPoisson view = {.grid = grid, .unknown = &system->unknown, .right = &system->right, .x = &system->x};
    for (int a = 0; a < grid->dimension; a++)
        view.face[a] = &system->face[a];
    return view;
}

typedef struct Job {
    const BwGrid *grid;
    BwPressureSystem *system;
    const BwPressureTerms *terms;
    BwField *const *velocity;
    float theta_min;
} Job;

static const int low_link[3] = {12, 10, 4}, high_link[3] = {14, 16, 22};

static int32_t slot_low(const Job *job, int32_t slot, int axis)
{
    return job->grid->tiles[slot].neighbour[low_link[axis]];
}

static int32_t slot_high(const Job *job, int32_t slot, int axis)
{
    return job->grid->tiles[slot].neighbour[high_link[axis]];
}

// Cells in a run along the axes below this one, and how many such runs follow each other in a line of eight.
static int run_length(int axis)
{
    return 1 << (3 * axis);
}

// For each cell the value of the next one along the axis; at the rim that of the first in the tile behind.
static void move_from_high(const Job *job, int axis, const double *own, const double *behind, double *out)
{
    int run = run_length(axis), line = BW_TILE * run;
    for (int first = 0; first < job->grid->tile_cells; first += line) {
        memcpy(out + first, own + first + run, (size_t)(line - run) * sizeof *out);
        memcpy(out + first + line - run, behind + first, (size_t)run * sizeof *out);
    }
}

// The same from the other side.
static void move_from_low(const Job *job, int axis, const double *own, const double *before, double *out)
{
    int run = run_length(axis), line = BW_TILE * run;
    for (int first = 0; first < job->grid->tile_cells; first += line) {
        memcpy(out + first + run, own + first, (size_t)(line - run) * sizeof *out);
        memcpy(out + first, before + first + line - run, (size_t)run * sizeof *out);
    }
}

static void widen(const float *values, int count, double *out)
{
    for (int n = 0; n < count; n++)
        out[n] = (double)values[n];
}

// What flows through the low faces of a tile, per area: the fluid on the open share, the solid on the rest.
static void flux_of_tile(const Job *job, int axis, int32_t slot, double *flux)
{
    const float *u = bw_field_tile(job->velocity[axis], slot);
    const BwField *wall = job->terms->wall[axis];
    if (wall == NULL) {
        widen(u, job->grid->tile_cells, flux);
        return;
    }
    const float *solid = bw_field_tile(wall, slot), *open = bw_field_tile(job->terms->open[axis], slot);
    for (int n = 0; n < job->grid->tile_cells; n++)
        flux[n] = (double)open[n] * (double)u[n] + (1.0 - (double)open[n]) * (double)solid[n];
}

// Net outflow of all cells of a tile.
static void outflow_of_tile(const Job *job, int32_t slot, double *sum)
{
    double low[CELLS_MAX], behind[CELLS_MAX], high[CELLS_MAX];
    memset(sum, 0, (size_t)job->grid->tile_cells * sizeof *sum);
    for (int axis = 0; axis < job->grid->dimension; axis++) {
        flux_of_tile(job, axis, slot, low);
        flux_of_tile(job, axis, slot_high(job, slot, axis), behind);
        move_from_high(job, axis, low, behind, high);
        for (int n = 0; n < job->grid->tile_cells; n++)
            sum[n] += high[n] - low[n];
    }
}

// Values of a cell field and those of the low neighbours along an axis.
static void own_and_low(const Job *job, const BwField *field, int32_t slot, int axis, double *own,
                        double *low)
{
    double before[CELLS_MAX];
    int cells = job->grid->tile_cells;
    widen(bw_field_tile(field, slot), cells, own);
    widen(bw_field_tile(field, slot_low(job, slot, axis)), cells, before);
    move_from_low(job, axis, own, before, low);
}

// Which cells of a layer hold fluid, and which of their low neighbours do.
typedef struct FluidBits {
    uint64_t own, low;
} FluidBits;

static FluidBits fluid_bits(const Job *job, int32_t slot, int axis, int k)
{
    const BwMask *fluid = job->terms->fluid;
    return (FluidBits){bw_mask_tile(fluid, slot)[k], bw_bits_beside(job->grid, fluid, slot, 2 * axis, k)};
}

static bool is_plain(const Job *job)
{
    return job->terms->phi == NULL && job->terms->density == NULL;
}

// k of the low faces of a tile that border fluid, 0 of the others.
static void conductance_of_tile(const Job *job, int axis, int32_t slot, float *k_face)
{
    const BwPressureTerms *terms = job->terms;
    double density[CELLS_MAX], density_low[CELLS_MAX], phi[CELLS_MAX], phi_low[CELLS_MAX];
    if (terms->density != NULL)
        own_and_low(job, terms->density, slot, axis, density, density_low);
    if (terms->phi != NULL)
        own_and_low(job, terms->phi, slot, axis, phi, phi_low);
    for (int n = 0; n < job->grid->tile_cells; n++) {
        FluidBits bits = fluid_bits(job, slot, axis, n >> 6);
        bool own = bits.own >> (n & 63) & 1, low = bits.low >> (n & 63) & 1;
        double rho = 1.0, theta = 1.0;
        if (terms->density != NULL)
            rho = own && low ? 0.5 * (density[n] + density_low[n]) : own ? density[n] : density_low[n];
        if (terms->phi != NULL && own != low)
            theta = (double)bw_surface_theta((float)(own ? phi[n] : phi_low[n]),
                                             (float)(own ? phi_low[n] : phi[n]), job->theta_min);
        k_face[n] = own || low ? (float)(1.0 / (rho * theta)) : 0.0f;
    }
}

static void assemble_faces(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->grid;
    float k_face[CELLS_MAX];
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        for (int axis = 0; axis < grid->dimension; axis++) {
            const BwField *shares = job->terms->open[axis];
            const float *open = shares != NULL ? bw_field_tile(shares, slot) : NULL;
            const BwMask *flow = job->terms->flow[axis];
            float *face = bw_field_tile(&job->system->face[axis], slot);
            if (!is_plain(job))
                conductance_of_tile(job, axis, slot, k_face);
            for (int k = 0; k < grid->layers; k++) {
                FluidBits bits = fluid_bits(job, slot, axis, k);
                uint64_t moved =
                    (bits.own | bits.low) & (flow != NULL ? bw_mask_tile(flow, slot)[k] : ~(uint64_t)0);
                for (int n = 64 * k; n < 64 * k + 64; n++) {
                    float share = open != NULL ? open[n] : 1.0f;
                    face[n] = moved >> (n & 63) & 1 ? share * (is_plain(job) ? 1.0f : k_face[n]) : 0.0f;
                }
            }
        }
    }
}

// Sum of the coefficients of each cell's faces, and what fixed pressures on the free surface bring to its
// balance.
static void faces_of_tile(const Job *job, int32_t slot, double *sum, double *push)
{
    double low[CELLS_MAX], behind[CELLS_MAX], high[CELLS_MAX];
    int cells = job->grid->tile_cells;
    memset(sum, 0, (size_t)cells * sizeof *sum);
    memset(push, 0, (size_t)cells * sizeof *push);
    for (int axis = 0; axis < job->grid->dimension; axis++) {
        const BwField *face = &job->system->face[axis];
        widen(bw_field_tile(face, slot), cells, low);
        widen(bw_field_tile(face, slot_high(job, slot, axis)), cells, behind);
        move_from_high(job, axis, low, behind, high);
        for (int n = 0; n < cells; n++)
            sum[n] += low[n] + high[n];
        if (job->terms->surface == NULL)
            continue;
        double own[CELLS_MAX], value_low[CELLS_MAX], value_high[CELLS_MAX];
        own_and_low(job, job->terms->surface, slot, axis, own, value_low);
        widen(bw_field_tile(job->terms->surface, slot_high(job, slot, axis)), cells, behind);
        move_from_high(job, axis, own, behind, value_high);
        for (int n = 0; n < cells; n++) {
            uint64_t fluid_low = bw_bits_beside(job->grid, job->terms->fluid, slot, 2 * axis, n >> 6);
            uint64_t fluid_high = bw_bits_beside(job->grid, job->terms->fluid, slot, 2 * axis + 1, n >> 6);
            push[n] += fluid_low >> (n & 63) & 1 ? 0.0 : low[n] * value_low[n];
            push[n] += fluid_high >> (n & 63) & 1 ? 0.0 : high[n] * value_high[n];
        }
    }
}

static void assemble_cells(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->grid;
    double sum[CELLS_MAX], push[CELLS_MAX], outflow[CELLS_MAX];
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        float *right = bw_field_tile(&job->system->right, slot);
        faces_of_tile(job, slot, sum, push);
        outflow_of_tile(job, slot, outflow);
        for (int k = 0; k < grid->layers; k++) {
            uint64_t fluid = bw_mask_tile(job->terms->fluid, slot)[k], unknown = 0;
            for (int n = 0; n < BW_TILE_LAYER; n++)
                unknown |= (uint64_t)(sum[64 * k + n] > 0.0) << n;
            unknown &= fluid;
            bw_mask_tile(&job->system->unknown, slot)[k] = unknown;
            for (int n = 0; n < BW_TILE_LAYER; n++)
                right[64 * k + n] = unknown >> n & 1 ? (float)(push[64 * k + n] - outflow[64 * k + n]) : 0.0f;
        }
    }
}

static Job job_of(const BwPressureSystem *system, const BwPressureTerms *terms, BwField *const velocity[3])
{
    return (Job){.grid = system->right.store.grid,
                 .system = (BwPressureSystem *)system,
                 .terms = terms,
                 .velocity = velocity,
                 .theta_min = terms->theta_min > 0.0f ? terms->theta_min : BW_THETA_MIN};
}

void bw_assemble_pressure(BwPressureSystem *system, const BwPressureTerms *terms, BwField *const velocity[3],
                          BwPool *pool)
{
    Job job = job_of(system, terms, velocity);
    bw_parallel_for(pool, job.grid->tile_count, 16, assemble_faces, &job);
    bw_parallel_for(pool, job.grid->tile_count, 16, assemble_cells, &job);
}

// x of a tile's cells; where there is no unknown, what the free surface holds.
static void x_of_tile(const Job *job, int32_t slot, double *out)
{
    const double *x = bw_wide_field_tile(&job->system->x, slot);
    memcpy(out, x, (size_t)job->grid->tile_cells * sizeof *out);
    if (job->terms->surface == NULL)
        return;
    const float *surface = bw_field_tile(job->terms->surface, slot);
    const uint64_t *unknown = bw_mask_tile(&job->system->unknown, slot);
    for (int n = 0; n < job->grid->tile_cells; n++)
        out[n] = bw_bit(unknown, n) ? x[n] : (double)surface[n];
}

// Takes the gradient off the faces of a layer that an unknown borders.
static void subtract_layer(float *restrict u, const float *restrict face, const float *restrict conductance,
                           const double *restrict own, const double *restrict low, uint64_t bordered)
{
    for (int n = 0; n < BW_TILE_LAYER; n++) {
        bool is_driven = face[n] > 0.0f && (bordered >> n & 1);
        float driven = (float)((double)u[n] - (double)conductance[n] * (own[n] - low[n]));
        u[n] = is_driven ? driven : u[n];
    }
}

// Solves of a step add up. Of cells that hold no unknown nothing is known.
static void add_impulse(const Job *job, int32_t slot, const double *x)
{
    float *restrict impulse = bw_field_tile(&job->system->impulse, slot), scale = job->system->impulse_scale;
    const uint64_t *unknown = bw_mask_tile(&job->system->unknown, slot);
    for (int n = 0; n < job->grid->tile_cells; n++) {
        float before = scale != 0.0f ? scale * impulse[n] : 0.0f;
        impulse[n] = bw_bit(unknown, n) ? before + (float)x[n] : before;
    }
}

static void subtract_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->grid;
    const BwMask *unknown = &job->system->unknown;
    double own[CELLS_MAX], before[CELLS_MAX], low[CELLS_MAX];
    float conductance[CELLS_MAX];
    for (int n = 0; n < CELLS_MAX; n++)
        conductance[n] = 1.0f;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        x_of_tile(job, slot, own);
        if (job->system->keeps_impulse)
            add_impulse(job, slot, own);
        for (int axis = 0; axis < grid->dimension; axis++) {
            const float *face = bw_field_tile(&job->system->face[axis], slot);
            float *u = bw_field_tile(job->velocity[axis], slot);
            x_of_tile(job, slot_low(job, slot, axis), before);
            move_from_low(job, axis, own, before, low);
            if (!is_plain(job))
                conductance_of_tile(job, axis, slot, conductance);
            for (int k = 0, n = 0; k < grid->layers; k++, n += BW_TILE_LAYER)
                subtract_layer(u + n, face + n, conductance + n, own + n, low + n,
                               bw_mask_tile(unknown, slot)[k] |
                                   bw_bits_beside(grid, unknown, slot, 2 * axis, k));
        }
    }
}

void bw_subtract_pressure(BwPressureSystem *system, const BwPressureTerms *terms, BwField *const velocity[3],
                          BwPool *pool)
{
    Job job = job_of(system, terms, velocity);
    bw_parallel_for(pool, job.grid->tile_count, 16, subtract_tiles, &job);
    system->impulse_scale = 1.0f;
}

// By eight lanes, which the compilers make vectors of.
static double largest_of_layer(const double *restrict outflow, uint64_t fluid)
{
    double lane[8] = {0.0};
    for (int n = 0; n < BW_TILE_LAYER; n += 8)
        for (int i = 0; i < 8; i++) {
            double size = fluid >> (n + i) & 1 ? fabs(outflow[n + i]) : 0.0;
            lane[i] = size > lane[i] ? size : lane[i];
        }
    double most = 0.0;
    for (int i = 0; i < 8; i++)
        most = lane[i] > most ? lane[i] : most;
    return most;
}

static double largest_outflow(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    double most = 0.0, outflow[CELLS_MAX];
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        outflow_of_tile(job, slot, outflow);
        for (int k = 0; k < job->grid->layers; k++)
            most = fmax(most, largest_of_layer(outflow + BW_TILE_LAYER * k,
                                               bw_mask_tile(job->terms->fluid, slot)[k]));
    }
    return most;
}

double bw_net_outflow_max(const BwPressureTerms *terms, BwField *const velocity[3], BwPool *pool)
{
    Job job = {.grid = terms->fluid->store.grid, .terms = terms, .velocity = velocity};
    return fmax(bw_parallel_max(pool, job.grid->tile_count, 16, largest_outflow, &job), 0.0);
}

typedef struct Search {
    Job job;
    double bound;
    atomic_bool is_over;
} Search;

// Whoever comes after it was found has nothing to do.
static void search_outflow(int64_t begin, int64_t end, int worker, void *context)
{
    Search *search = context;
    if (!atomic_load_explicit(&search->is_over, memory_order_relaxed) &&
        largest_outflow(begin, end, worker, &search->job) > search->bound)
        atomic_store_explicit(&search->is_over, true, memory_order_relaxed);
}

bool bw_net_outflow_exceeds(const BwPressureTerms *terms, BwField *const velocity[3], double bound,
                            BwPool *pool)
{
    Search search = {.job = {.grid = terms->fluid->store.grid, .terms = terms, .velocity = velocity},
                     .bound = bound};
    bw_parallel_for(pool, search.job.grid->tile_count, 16, search_outflow, &search);
    return atomic_load_explicit(&search.is_over, memory_order_relaxed);
}
