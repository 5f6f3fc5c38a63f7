// phi relaxed to a distance ((1.15) and (1.16) of Enright, Marschner and Fedkiw's chapter of Simulating
// Natural Phenomena): slopes by the essentially non-oscillatory scheme of second order, upwind by Godunov, in
// plain steps, for it is where they end that counts.
#include "grid/block.h"
#include "operate/distance_walls.h"

// Of h: how far a step goes. And steps beyond those that reach the end of the band, for S is less than 1.
static const float step_cells = 0.5f;
enum { STEPS_MORE = 8 };

static const int stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};

static float smaller_change(float a, float b)
{
    return a * b <= 0.0f ? 0.0f : fabsf(a) < fabsf(b) ? a : b;
}

// The larger square of the slopes that come from the surface's side along an axis, in units of 1/h.
static float slope_square(const float *at, int s, bool is_inside)
{
    float here = at[-s] - 2.0f * at[0] + at[s];
    float low = at[0] - at[-s] + 0.5f * smaller_change(at[-2 * s] - 2.0f * at[-s] + at[0], here);
    float high = at[s] - at[0] - 0.5f * smaller_change(here, at[0] - 2.0f * at[s] + at[2 * s]);
    float from_low = bw_larger(is_inside ? -low : low, 0.0f),
          from_high = bw_larger(is_inside ? high : -high, 0.0f);
    return bw_larger(from_low * from_low, from_high * from_high);
}

// No step leads to the other side of the surface.
static float relaxed(const BwDistanceJob *job, const float *at, const float across[3])
{
    float own = *at, square = 0.0f;
    for (int a = 0; a < job->grid->dimension; a++) {
        float least = across[a] * job->h;
        square += bw_larger(slope_square(at, stride[a], own < 0.0f), least * least);
    }
    float way = step_cells * fabsf(own) / sqrtf(own * own + job->h * job->h) * (sqrtf(square) - job->h);
    return copysignf(bw_larger(fabsf(own) - way, 0.1f * job->h), own);
}

static uint64_t wanted_bits(const BwDistanceJob *job, int32_t slot, int k)
{
    return bw_words(job->grid, job->valid, slot)[k] & ~bw_mask_tile(&job->distance->known, slot)[k];
}

static void relax_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwDistanceJob *job = context;
    const BwGrid *grid = job->grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        float block[BW_BLOCK_CELLS], *next = bw_field_tile(&job->distance->next, slot);
        bw_block_gather(job->phi, slot, block);
        const float *origin = block + bw_block_origin(grid);
        for (int k = 0; k < grid->layers; k++) {
            BwDistanceWalls walls = bw_distance_walls(job, slot, k);
            for (uint64_t bits = wanted_bits(job, slot, k); bits != 0; bits &= bits - 1) {
                int n = __builtin_ctzll(bits);
                float across[3] = {0.0f};
                if (walls.has_any &&
                    bw_distance_wall_slopes(job, &walls, slot, BW_TILE_LAYER * k + n, across) == 0.0f)
                    across[0] = across[1] = across[2] = 0.0f;
                next[BW_TILE_LAYER * k + n] =
                    relaxed(job, origin + (n & 7) + BW_BLOCK * (n >> 3) + BW_BLOCK_LAYER * k, across);
            }
        }
    }
}

static void end_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwDistanceJob *job = context;
    for (int64_t m = begin; m < end; m++) {
        float *phi = bw_field_tile(job->phi, job->grid->order[m]);
        for (int n = 0; n < job->grid->tile_cells; n++)
            phi[n] = bw_smaller(bw_larger(phi[n], -job->band), job->band);
    }
}

void bw_distance_relax(BwDistanceJob *job)
{
    int32_t count = job->grid->tile_count;
    int steps = (int)ceilf(job->band / (step_cells * job->h)) + STEPS_MORE;
    for (int step = 0; step < steps; step++) {
        bw_parallel_for(job->pool, count, 4, relax_range, job);
        bw_distance_take(job, wanted_bits);
    }
    bw_parallel_for(job->pool, count, 32, end_range, job);
}
