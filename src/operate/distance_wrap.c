// A surface wrapped around scattered points (after Zhao, Osher and Fedkiw 2001, Fast Surface Reconstruction
// Using the Level Set Method). Balls about the points, large enough to overlap, make a crust; what it
// encloses is filled, and the whole shrinks back by the balls' radius, so that its surface lies on the points
// again and spans the gaps between them.
#include "operate/distance_job.h"

// Spreads from `reached` through the air of a tile.
static void flood_tile(const uint64_t air[8], uint64_t reached[8], int layers)
{
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (int k = 0; k < layers; k++) {
            uint64_t own = reached[k];
            own |= bw_bits_x_low(own, 0) | bw_bits_x_high(own, 0) | bw_bits_y_low(own, 0) |
                   bw_bits_y_high(own, 0);
            own |= (k > 0 ? reached[k - 1] : 0) | (k + 1 < layers ? reached[k + 1] : 0);
            own &= air[k];
            has_changed |= own != reached[k];
            reached[k] = own;
        }
    }
}

// Cells of air that have come to be outside in this round go to `fresh`. The outside begins beside cells that
// are not live: beyond the bounds, and where no tile is awake.
static double flood_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwDistanceJob *job = context;
    const BwGrid *grid = job->grid;
    bool has_changed = false;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        const float *phi = bw_field_tile(job->phi, slot);
        uint64_t air[8] = {0}, reached[8] = {0};
        for (int k = 0; k < grid->layers; k++) {
            for (int n = 0; n < BW_TILE_LAYER; n++)
                air[k] |= (uint64_t)(phi[BW_TILE_LAYER * k + n] >= 0.0f) << n;
            air[k] &= grid->tiles[slot].live[k];
            reached[k] = bw_mask_tile(&job->distance->known, slot)[k];
            for (int side = 0; side < 2 * grid->dimension; side++)
                reached[k] |= air[k] & (bw_bits_beside(grid, &job->distance->known, slot, side, k) |
                                        ~bw_bits_beside(grid, NULL, slot, side, k));
        }
        flood_tile(air, reached, grid->layers);
        for (int k = 0; k < grid->layers; k++) {
            has_changed |= reached[k] != bw_mask_tile(&job->distance->known, slot)[k];
            bw_mask_tile(&job->distance->fresh, slot)[k] = reached[k];
        }
    }
    return has_changed;
}

static void begin_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwDistanceJob *job = context;
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < job->grid->layers; k++)
            bw_mask_tile(&job->distance->known, job->grid->order[m])[k] = 0;
}

// What is enclosed is inside. The crust keeps its distance, of which only that to its outer side will count.
static void fill_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwDistanceJob *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        float *phi = bw_field_tile(job->phi, slot);
        for (int n = 0; n < job->grid->tile_cells; n++)
            if (!bw_bit(bw_mask_tile(&job->distance->known, slot), n) && phi[n] >= 0.0f)
                phi[n] = -job->band;
    }
}

static void shrink_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwDistanceJob *job = context;
    for (int64_t m = begin; m < end; m++) {
        float *phi = bw_field_tile(job->phi, job->grid->order[m]);
        for (int n = 0; n < job->grid->tile_cells; n++)
            phi[n] += job->radius;
    }
}

void bw_distance_wrap(BwDistance *distance, BwField *phi, BwPool *pool, float radius, float band)
{
    const BwGrid *grid = phi->store.grid;
    BwDistanceJob job = {.distance = distance,
                         .grid = grid,
                         .phi = phi,
                         .pool = pool,
                         .h = grid->cell_size,
                         .band = band + radius,
                         .radius = radius};
    bw_parallel_for(pool, grid->tile_count, 64, begin_range, &job);
    while (bw_parallel_max(pool, grid->tile_count, 8, flood_range, &job) > 0.0)
        bw_mask_join(&distance->known, &distance->fresh);
    bw_parallel_for(pool, grid->tile_count, 64, fill_range, &job);
    bw_redistance(distance, phi, pool, &(BwRedistance){.band = band + radius});
    bw_parallel_for(pool, grid->tile_count, 64, shrink_range, &job);
    bw_redistance(distance, phi, pool, &(BwRedistance){.band = band});
}
