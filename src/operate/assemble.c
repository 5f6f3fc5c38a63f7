// Assembly of the pressure system, face by face: coefficients first, then the balance of each cell.
#include "operate/assemble.h"

#include <math.h>

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

// A cell's neighbour along an axis: the tile it is in and its place there.
typedef struct Beside {
    int32_t slot;
    int cell;
} Beside;

static const int low_link[3] = {12, 10, 4}, high_link[3] = {14, 16, 22};

static Beside beside_low(const BwGrid *grid, int32_t slot, int cell, int axis)
{
    int step = 1 << (3 * axis), last = 7 * step;
    if ((cell & last) != 0)
        return (Beside){slot, cell - step};
    return (Beside){grid->tiles[slot].neighbour[low_link[axis]], cell + last};
}

static Beside beside_high(const BwGrid *grid, int32_t slot, int cell, int axis)
{
    int step = 1 << (3 * axis), last = 7 * step;
    if ((cell & last) != last)
        return (Beside){slot, cell + step};
    return (Beside){grid->tiles[slot].neighbour[high_link[axis]], cell - last};
}

static float value_at(const BwField *field, Beside at)
{
    return bw_field_tile(field, at.slot)[at.cell];
}

static bool is_set(const BwMask *mask, Beside at)
{
    return bw_bit(bw_mask_tile(mask, at.slot), at.cell);
}

// k of the face between two cells, at least one of them fluid.
static float conductance(const Job *job, Beside a, Beside b)
{
    const BwPressureTerms *terms = job->terms;
    bool a_is_fluid = is_set(terms->fluid, a), b_is_fluid = is_set(terms->fluid, b);
    float density = 1.0f, theta = 1.0f;
    if (terms->density != NULL) {
        float at_a = value_at(terms->density, a), at_b = value_at(terms->density, b);
        density = a_is_fluid && b_is_fluid ? 0.5f * (at_a + at_b) : a_is_fluid ? at_a : at_b;
    }
    if (terms->phi != NULL && a_is_fluid != b_is_fluid) {
        Beside fluid = a_is_fluid ? a : b, outside = a_is_fluid ? b : a;
        theta = bw_surface_theta(value_at(terms->phi, fluid), value_at(terms->phi, outside), job->theta_min);
    }
    return 1.0f / (density * theta);
}

static void assemble_faces(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->grid;
    bool is_plain = job->terms->phi == NULL && job->terms->density == NULL;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        for (int axis = 0; axis < grid->dimension; axis++) {
            const float *open = bw_field_tile(job->terms->open[axis], slot);
            float *face = bw_field_tile(&job->system->face[axis], slot);
            for (int cell = 0; cell < grid->tile_cells; cell++) {
                Beside own = {slot, cell}, low = beside_low(grid, slot, cell, axis);
                bool is_bordered = is_set(job->terms->fluid, own) || is_set(job->terms->fluid, low);
                float k = !is_bordered || open[cell] == 0.0f ? 0.0f
                          : is_plain                         ? 1.0f
                                                             : conductance(job, own, low);
                face[cell] = open[cell] * k;
            }
        }
    }
}

// What flows through a face, per area: the fluid on its open share, the solid on the rest.
static double flux(const Job *job, int axis, Beside at)
{
    double u = (double)value_at(job->velocity[axis], at), open = (double)value_at(job->terms->open[axis], at);
    double solid = job->terms->wall[axis] != NULL ? (double)value_at(job->terms->wall[axis], at) : u;
    return open * u + (1.0 - open) * solid;
}

static double net_outflow(const Job *job, int32_t slot, int cell)
{
    double sum = 0.0;
    for (int axis = 0; axis < job->grid->dimension; axis++)
        sum +=
            flux(job, axis, beside_high(job->grid, slot, cell, axis)) - flux(job, axis, (Beside){slot, cell});
    return sum;
}

// What fixed pressures on the free surface bring to a cell's balance.
static double surface_push(const Job *job, int32_t slot, int cell)
{
    double sum = 0.0;
    for (int axis = 0; axis < job->grid->dimension && job->terms->surface != NULL; axis++) {
        Beside own = {slot, cell}, low = beside_low(job->grid, slot, cell, axis);
        Beside high = beside_high(job->grid, slot, cell, axis);
        if (!is_set(job->terms->fluid, low))
            sum +=
                (double)value_at(&job->system->face[axis], own) * (double)value_at(job->terms->surface, low);
        if (!is_set(job->terms->fluid, high))
            sum += (double)value_at(&job->system->face[axis], high) *
                   (double)value_at(job->terms->surface, high);
    }
    return sum;
}

static bool has_way_out(const Job *job, int32_t slot, int cell)
{
    for (int axis = 0; axis < job->grid->dimension; axis++)
        if (value_at(&job->system->face[axis], (Beside){slot, cell}) > 0.0f ||
            value_at(&job->system->face[axis], beside_high(job->grid, slot, cell, axis)) > 0.0f)
            return true;
    return false;
}

static void assemble_cells(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        const uint64_t *fluid = bw_mask_tile(job->terms->fluid, slot);
        uint64_t *unknown = bw_mask_tile(&job->system->unknown, slot);
        float *right = bw_field_tile(&job->system->right, slot);
        for (int k = 0; k < grid->layers; k++)
            unknown[k] = 0;
        for (int cell = 0; cell < grid->tile_cells; cell++) {
            bool is_unknown = bw_bit(fluid, cell) && has_way_out(job, slot, cell);
            right[cell] =
                is_unknown ? (float)(surface_push(job, slot, cell) - net_outflow(job, slot, cell)) : 0.0f;
            unknown[cell >> 6] |= (uint64_t)is_unknown << (cell & 63);
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

// x across a face from the unknown: its own, or what the free surface holds.
static double x_at(const Job *job, Beside at)
{
    if (is_set(&job->system->unknown, at))
        return bw_wide_field_tile(&job->system->x, at.slot)[at.cell];
    return job->terms->surface != NULL ? (double)value_at(job->terms->surface, at) : 0.0;
}

static void subtract_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        for (int axis = 0; axis < grid->dimension; axis++) {
            const float *face = bw_field_tile(&job->system->face[axis], slot);
            float *u = bw_field_tile(job->velocity[axis], slot);
            for (int cell = 0; cell < grid->tile_cells; cell++) {
                if (face[cell] == 0.0f)
                    continue;
                Beside own = {slot, cell}, low = beside_low(grid, slot, cell, axis);
                if (is_set(&job->system->unknown, own) || is_set(&job->system->unknown, low))
                    u[cell] = (float)((double)u[cell] -
                                      (double)conductance(job, own, low) * (x_at(job, own) - x_at(job, low)));
            }
        }
    }
}

void bw_subtract_pressure(const BwPressureSystem *system, const BwPressureTerms *terms,
                          BwField *const velocity[3], BwPool *pool)
{
    Job job = job_of(system, terms, velocity);
    bw_parallel_for(pool, job.grid->tile_count, 16, subtract_tiles, &job);
}

static double largest_outflow(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    double most = 0.0;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = job->grid->order[n];
        const uint64_t *unknown = bw_mask_tile(&job->system->unknown, slot);
        for (int cell = 0; cell < job->grid->tile_cells; cell++)
            if (bw_bit(unknown, cell))
                most = fmax(most, fabs(net_outflow(job, slot, cell)));
    }
    return most;
}

double bw_net_outflow_max(const BwPressureSystem *system, const BwPressureTerms *terms,
                          BwField *const velocity[3], BwPool *pool)
{
    Job job = job_of(system, terms, velocity);
    return fmax(bw_parallel_max(pool, job.grid->tile_count, 16, largest_outflow, &job), 0.0);
}
