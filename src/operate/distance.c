// The stages that all methods share: what is known at first, and the ends of the band.
#include "operate/distance_job.h"

BwResult bw_distance_create(BwDistance *distance, BwGrid *grid, BwError *err)
{
    *distance = (BwDistance){0};
    BW_TRY(bw_mask_create(&distance->known, grid, err));
    BW_TRY(bw_mask_create(&distance->front, grid, err));
    BW_TRY(bw_mask_create(&distance->fresh, grid, err));
    BW_TRY(bw_notes_create_wide(&distance->visits, grid, 2, err));
    return bw_field_create(&distance->next, grid, BW_AT_CELL, 0.0f, err);
}

void bw_distance_destroy(BwDistance *distance)
{
    bw_mask_destroy(&distance->known);
    bw_mask_destroy(&distance->front);
    bw_mask_destroy(&distance->fresh);
    bw_notes_destroy(&distance->visits);
    bw_field_destroy(&distance->next);
}

typedef struct Taking {
    const BwDistanceJob *job;
    BwDistanceCellsFn *cells;
} Taking;

static void take_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Taking *taking = context;
    const BwDistanceJob *job = taking->job;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        float *phi = bw_field_tile(job->phi, slot);
        const float *next = bw_field_tile(&job->distance->next, slot);
        for (int k = 0; k < job->grid->layers; k++)
            for (uint64_t bits = taking->cells(job, slot, k); bits != 0; bits &= bits - 1) {
                int cell = BW_TILE_LAYER * k + __builtin_ctzll(bits);
                phi[cell] = next[cell];
            }
    }
}

void bw_distance_take(const BwDistanceJob *job, BwDistanceCellsFn *cells)
{
    Taking taking = {job, cells};
    bw_parallel_for(job->pool, job->grid->tile_count, 32, take_range, &taking);
}

static void keep_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwDistanceJob *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        const float *phi = bw_field_tile(job->phi, slot);
        for (int k = 0; k < job->grid->layers; k++) {
            uint64_t known = 0;
            for (int n = 0; n < BW_TILE_LAYER; n++)
                known |= (uint64_t)(fabsf(phi[BW_TILE_LAYER * k + n]) < job->kept) << n;
            bw_mask_tile(&job->distance->known, slot)[k] = known & bw_words(job->grid, job->valid, slot)[k];
        }
    }
}

// What is not known ends with the band; marching begins there, sweeping with what is given.
static void push_off_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwDistanceJob *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        float *phi = bw_field_tile(job->phi, slot);
        for (int k = 0; k < job->grid->layers; k++) {
            uint64_t known = bw_mask_tile(&job->distance->known, slot)[k],
                     given = job->is_given ? bw_words(job->grid, job->valid, slot)[k] : 0;
            for (int n = BW_TILE_LAYER * k; n < BW_TILE_LAYER * (k + 1); n++) {
                float most = given >> (n & 63) & 1 ? bw_smaller(fabsf(phi[n]), job->band) : job->band;
                phi[n] = known >> (n & 63) & 1 ? phi[n] : copysignf(most, phi[n]);
            }
        }
    }
}

void bw_redistance(BwDistance *distance, BwField *phi, BwPool *pool, const BwRedistance *how)
{
    BwGrid *grid = phi->store.grid;
    BwDistanceJob job = {.distance = distance,
                         .grid = grid,
                         .phi = phi,
                         .valid = how->valid,
                         .pool = pool,
                         .given = how->given,
                         .h = grid->cell_size,
                         .kept = how->kept,
                         .band = how->band,
                         .is_given = how->method != BW_DISTANCE_MARCH};
    if (how->kept > 0.0f)
        bw_parallel_for(pool, grid->tile_count, 32, keep_range, &job);
    else
        bw_distance_measure(&job);
    bw_parallel_for(pool, grid->tile_count, 32, push_off_range, &job);
    if (how->method == BW_DISTANCE_MARCH)
        bw_distance_march(&job);
    else if (how->method == BW_DISTANCE_SWEEP)
        bw_distance_sweep(&job);
    else
        bw_distance_relax(&job);
}

typedef struct ShapeJob {
    BwField *phi;
    const BwShape *shape;
    float band;
} ShapeJob;

static void measure_shape_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const ShapeJob *job = context;
    const BwGrid *grid = job->phi->store.grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        for (int n = 0; n < grid->tile_cells; n++) {
            BwVec3 place = bw_sample_position(grid, grid->tiles[slot].coord, n, BW_AT_CELL);
            float distance = bw_shape_distance(job->shape, place);
            bw_field_tile(job->phi, slot)[n] = bw_smaller(bw_larger(distance, -job->band), job->band);
        }
    }
}

void bw_distance_from_shape(BwField *phi, BwPool *pool, const BwShape *shape, float band)
{
    ShapeJob job = {phi, shape, band};
    bw_parallel_for(pool, phi->store.grid->tile_count, 4, measure_shape_range, &job);
}
