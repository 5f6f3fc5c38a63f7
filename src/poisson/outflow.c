// What flows out of cells in all, less what they are asked to let out.
#include "poisson/assemble_job.h"

#include <math.h>
#include <stdatomic.h>

// What flows through the low faces of a tile, per area: the fluid on the open share, the solid on the rest.
static void flux_of_tile(const BwAssembleJob *job, int axis, int32_t slot, double *flux)
{
    const float *u = bw_field_tile(job->velocity[axis], slot);
    const BwField *wall = job->terms->wall[axis];
    if (wall == NULL) {
        bw_widen(u, job->grid->tile_cells, flux);
        return;
    }
    const float *solid = bw_field_tile(wall, slot), *open = bw_field_tile(job->terms->open[axis], slot);
    for (int n = 0; n < job->grid->tile_cells; n++)
        flux[n] = (double)open[n] * (double)u[n] + (1.0 - (double)open[n]) * (double)solid[n];
}

// The same with what the pressure adds where x changes by a given amount.
static void driven_flux_of_tile(const BwAssembleJob *job, int axis, int32_t slot, double *flux)
{
    double offset[BW_ASSEMBLE_CELLS];
    const float *face = bw_field_tile(&job->system->face[axis], slot);
    flux_of_tile(job, axis, slot, flux);
    if (!bw_offset_of_tile(job, axis, slot, offset))
        return;
    for (int n = 0; n < job->grid->tile_cells; n++)
        flux[n] += (double)face[n] * offset[n];
}

// Ghost velocities count on the open share of their face.
static int ghost_fluxes_of_tile(const BwAssembleJob *job, int axis, int32_t slot,
                                BwGhostVelocity list[BW_ASSEMBLE_CELLS])
{
    int count = bw_ghost_velocities_of_tile(job, axis, slot, list);
    const BwField *shares = job->terms->open[axis];
    const float *open = shares != NULL ? bw_field_tile(shares, slot) : NULL;
    for (int i = 0; i < count && open != NULL; i++) {
        list[i].for_own *= (double)open[list[i].n];
        list[i].for_low *= (double)open[list[i].n];
    }
    return count;
}

static void add_ghost_outflow(const BwAssembleJob *job, int axis, int32_t slot, double *sum)
{
    BwGhostVelocity list[BW_ASSEMBLE_CELLS], behind[BW_ASSEMBLE_CELLS];
    int count = ghost_fluxes_of_tile(job, axis, slot, list),
        count_behind = ghost_fluxes_of_tile(job, axis, bw_slot_high(job, slot, axis), behind);
    if (count == 0 && count_behind == 0)
        return;
    int run = 1 << 3 * axis, last = 7 * run; // from a cell to the next, and from the first to the last
    double own[BW_ASSEMBLE_CELLS] = {0.0}, high[BW_ASSEMBLE_CELLS] = {0.0};
    for (int i = 0; i < count; i++) {
        own[list[i].n] = list[i].for_own;
        if ((list[i].n & last) != 0)
            high[list[i].n - run] = list[i].for_low;
    }
    for (int i = 0; i < count_behind; i++)
        if ((behind[i].n & last) == 0)
            high[behind[i].n + last] = behind[i].for_low;
    for (int n = 0; n < job->grid->tile_cells; n++)
        sum[n] += high[n] - own[n];
}

static void subtract_asked(const BwAssembleJob *job, int32_t slot, double *sum)
{
    const float *asked = bw_field_tile(job->terms->divergence, slot);
    double h = (double)job->grid->cell_size;
    for (int n = 0; n < job->grid->tile_cells; n++)
        sum[n] -= h * (double)asked[n];
}

void bw_outflow_of_tile(const BwAssembleJob *job, int32_t slot, bool driven, double *sum)
{
    double low[BW_ASSEMBLE_CELLS], behind[BW_ASSEMBLE_CELLS], high[BW_ASSEMBLE_CELLS];
    bool has_offsets = driven && bw_has_offsets(job);
    memset(sum, 0, (size_t)job->grid->tile_cells * sizeof *sum);
    for (int axis = 0; axis < job->grid->dimension; axis++) {
        int32_t slot_behind = bw_slot_high(job, slot, axis);
        if (has_offsets) {
            driven_flux_of_tile(job, axis, slot, low);
            driven_flux_of_tile(job, axis, slot_behind, behind);
        } else {
            flux_of_tile(job, axis, slot, low);
            flux_of_tile(job, axis, slot_behind, behind);
        }
        bw_move_from_high(job, axis, low, behind, high);
        for (int n = 0; n < job->grid->tile_cells; n++)
            sum[n] += high[n] - low[n];
        if (job->terms->velocity_jump != NULL)
            add_ghost_outflow(job, axis, slot, sum);
    }
    if (job->terms->divergence != NULL)
        subtract_asked(job, slot, sum);
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
    const BwAssembleJob *job = context;
    double most = 0.0, outflow[BW_ASSEMBLE_CELLS];
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        bw_outflow_of_tile(job, slot, false, outflow);
        for (int k = 0; k < job->grid->layers; k++)
            most = fmax(most, largest_of_layer(outflow + BW_TILE_LAYER * k,
                                               bw_mask_tile(job->terms->fluid, slot)[k]));
    }
    return most;
}

double bw_net_outflow_max(const BwPressureTerms *terms, BwField *const velocity[3], BwPool *pool)
{
    BwAssembleJob job = {.grid = terms->fluid->store.grid, .terms = terms, .velocity = velocity};
    return fmax(bw_parallel_max(pool, job.grid->tile_count, 16, largest_outflow, &job), 0.0);
}

typedef struct Search {
    BwAssembleJob job;
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
