// Assembly of the pressure system, a tile at a time: coefficients of its low faces first, then the balance of
// its cells.
#include "poisson/assemble_job.h"

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

static void assemble_faces(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwAssembleJob *job = context;
    const BwGrid *grid = job->grid;
    float k_face[BW_ASSEMBLE_CELLS];
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        for (int axis = 0; axis < grid->dimension; axis++) {
            const BwField *shares = job->terms->open[axis];
            const float *open = shares != NULL ? bw_field_tile(shares, slot) : NULL;
            const BwMask *flow = job->terms->flow[axis];
            float *face = bw_field_tile(&job->system->face[axis], slot);
            if (!bw_conductance_is_plain(job))
                bw_conductance_of_tile(job, axis, slot, k_face);
            for (int k = 0; k < grid->layers; k++) {
                BwFluidBits bits = bw_fluid_bits(job, slot, axis, k);
                uint64_t moved =
                    (bits.own | bits.low) & (flow != NULL ? bw_mask_tile(flow, slot)[k] : ~(uint64_t)0);
                for (int n = 64 * k; n < 64 * k + 64; n++) {
                    float share = open != NULL ? open[n] : 1.0f;
                    face[n] = moved >> (n & 63) & 1
                                  ? share * (bw_conductance_is_plain(job) ? 1.0f : k_face[n])
                                  : 0.0f;
                }
            }
        }
    }
}

// Sum of the coefficients of each cell's faces.
static void coefficient_sums(const BwAssembleJob *job, int32_t slot, double *sum)
{
    double low[BW_ASSEMBLE_CELLS], behind[BW_ASSEMBLE_CELLS], high[BW_ASSEMBLE_CELLS];
    int cells = job->grid->tile_cells;
    memset(sum, 0, (size_t)cells * sizeof *sum);
    for (int axis = 0; axis < job->grid->dimension; axis++) {
        const BwField *face = &job->system->face[axis];
        bw_widen(bw_field_tile(face, slot), cells, low);
        bw_widen(bw_field_tile(face, bw_slot_high(job, slot, axis)), cells, behind);
        bw_move_from_high(job, axis, low, behind, high);
        for (int n = 0; n < cells; n++)
            sum[n] += low[n] + high[n];
    }
}

static void assemble_cells(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwAssembleJob *job = context;
    const BwGrid *grid = job->grid;
    double sum[BW_ASSEMBLE_CELLS], outflow[BW_ASSEMBLE_CELLS];
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        float *right = bw_field_tile(&job->system->right, slot);
        coefficient_sums(job, slot, sum);
        bw_outflow_of_tile(job, slot, true, outflow);
        for (int k = 0; k < grid->layers; k++) {
            uint64_t fluid = bw_mask_tile(job->terms->fluid, slot)[k], unknown = 0;
            for (int n = 0; n < BW_TILE_LAYER; n++)
                unknown |= (uint64_t)(sum[64 * k + n] > 0.0) << n;
            unknown &= fluid;
            bw_mask_tile(&job->system->unknown, slot)[k] = unknown;
            for (int n = 0; n < BW_TILE_LAYER; n++)
                right[64 * k + n] = unknown >> n & 1 ? (float)(0.0 - outflow[64 * k + n]) : 0.0f;
        }
    }
}

static BwAssembleJob job_of(const BwPressureSystem *system, const BwPressureTerms *terms,
                            BwField *const velocity[3])
{
    return (BwAssembleJob){.grid = system->right.store.grid,
                           .system = (BwPressureSystem *)system,
                           .terms = terms,
                           .velocity = velocity};
}

void bw_assemble_pressure(BwPressureSystem *system, const BwPressureTerms *terms, BwField *const velocity[3],
                          BwPool *pool)
{
    BwAssembleJob job = job_of(system, terms, velocity);
    BW_ASSERT(terms->phi != NULL || (terms->pressure_jump == NULL && terms->velocity_jump == NULL));
    BW_ASSERT(!bw_field_is_lent(&system->right));
    for (int a = 0; a < job.grid->dimension; a++)
        BW_ASSERT(!bw_field_is_lent(&system->face[a]));
    bw_parallel_for(pool, job.grid->tile_count, 16, assemble_faces, &job);
    bw_parallel_for(pool, job.grid->tile_count, 16, assemble_cells, &job);
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
static void add_impulse(const BwAssembleJob *job, int32_t slot, const double *x)
{
    float *restrict impulse = bw_field_tile(&job->system->impulse, slot), scale = job->system->impulse_scale;
    const uint64_t *unknown = bw_mask_tile(&job->system->unknown, slot);
    for (int n = 0; n < job->grid->tile_cells; n++) {
        float before = scale != 0.0f ? scale * impulse[n] : 0.0f;
        impulse[n] = bw_bit(unknown, n) ? before + (float)x[n] : before;
    }
}

// x of the low neighbours along an axis, with what it gains from there to the cell itself by the terms.
static void x_low_of_tile(const BwAssembleJob *job, int axis, int32_t slot, double *low)
{
    double offset[BW_ASSEMBLE_CELLS];
    const BwWideField *x = &job->system->x;
    bw_move_from_low(job, axis, bw_wide_field_tile(x, slot),
                     bw_wide_field_tile(x, bw_slot_low(job, slot, axis)), low);
    if (!bw_has_offsets(job))
        return;
    if (!bw_offset_of_tile(job, axis, slot, offset))
        return;
    for (int n = 0; n < job->grid->tile_cells; n++)
        low[n] += offset[n];
}

void bw_pressure_change(const BwPressureSystem *system, const BwPressureTerms *terms, int axis, int32_t slot,
                        double *change)
{
    BwAssembleJob job = job_of((BwPressureSystem *)system, terms, NULL);
    float conductance[BW_ASSEMBLE_CELLS];
    const double *own = bw_wide_field_tile(&system->x, slot);
    x_low_of_tile(&job, axis, slot, change);
    if (!bw_conductance_is_plain(&job))
        bw_conductance_of_tile(&job, axis, slot, conductance);
    for (int n = 0; n < job.grid->tile_cells; n++) {
        double k = bw_conductance_is_plain(&job) ? 1.0 : (double)conductance[n];
        change[n] = -k * (own[n] - change[n]);
    }
}

// Those of the faces that are driven; where none is partly shut they are the coefficients themselves.
static const float *conductance_of_driven(const BwAssembleJob *job, int axis, int32_t slot, float *room)
{
    const float *face = bw_field_tile(&job->system->face[axis], slot);
    if (job->terms->open[axis] == NULL)
        return face;
    if (!bw_conductance_is_plain(job)) {
        bw_conductance_of_tile(job, axis, slot, room);
        return room;
    }
    for (int n = 0; n < job->grid->tile_cells; n++)
        room[n] = 1.0f;
    return room;
}

static void subtract_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwAssembleJob *job = context;
    const BwGrid *grid = job->grid;
    const BwMask *unknown = &job->system->unknown;
    double low[BW_ASSEMBLE_CELLS];
    float room[BW_ASSEMBLE_CELLS];
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        const double *own = bw_wide_field_tile(&job->system->x, slot);
        if (job->system->keeps_impulse)
            add_impulse(job, slot, own);
        for (int axis = 0; axis < grid->dimension; axis++) {
            const float *face = bw_field_tile(&job->system->face[axis], slot);
            float *u = bw_field_tile(job->velocity[axis], slot);
            x_low_of_tile(job, axis, slot, low);
            const float *conductance = conductance_of_driven(job, axis, slot, room);
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
    BwAssembleJob job = job_of(system, terms, velocity);
    bw_parallel_for(pool, job.grid->tile_count, 16, subtract_tiles, &job);
    system->impulse_scale = 1.0f;
}
