// A layer reads only cells known before it and writes only others, so that the order of tiles does not
// matter.
#include "operate/redistance.h"

#include "base/extremes.h"

#include <math.h>

BwResult bw_redistance_create(BwRedistance *redistance, BwGrid *grid, BwError *err)
{
    *redistance = (BwRedistance){0};
    BW_TRY(bw_mask_create(&redistance->known, grid, err));
    return bw_mask_create(&redistance->front, grid, err);
}

void bw_redistance_destroy(BwRedistance *redistance)
{
    bw_mask_destroy(&redistance->known);
    bw_mask_destroy(&redistance->front);
}

typedef struct Job {
    BwRedistance *redistance;
    const BwGrid *grid;
    BwField *phi;
    const BwMask *valid;
    float near, far;
} Job;

static void begin_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        float *phi = bw_field_tile(job->phi, slot);
        for (int k = 0; k < job->grid->layers; k++) {
            uint64_t known = 0;
            for (int n = BW_TILE_LAYER * k; n < BW_TILE_LAYER * (k + 1); n++) {
                bool is_near = fabsf(phi[n]) < job->near;
                phi[n] = is_near ? phi[n] : copysignf(job->far, phi[n]);
                known |= (uint64_t)is_near << (n & 63);
            }
            bw_mask_tile(&job->redistance->known, slot)[k] = known & bw_mask_tile(job->valid, slot)[k];
        }
    }
}

// The distance of a cell from those of its nearest neighbours along each axis, the least first; h apart.
static float distance_from(float a, float b, float c, float h)
{
    float one = a + h;
    if (one <= b)
        return one;
    float two = 0.5f * (a + b + sqrtf(2.0f * h * h - (a - b) * (a - b)));
    if (two <= c)
        return two;
    float sum = a + b + c, rest = sum * sum - 3.0f * (a * a + b * b + c * c - h * h);
    return (sum + sqrtf(bw_larger(rest, 0.0f))) / 3.0f;
}

static void order(float *low, float *high)
{
    float least = bw_smaller(*low, *high);
    *high = bw_larger(*low, *high);
    *low = least;
}

static float solve_cell(const Job *job, int32_t slot, int cell, const uint64_t beside[6])
{
    float nearest[3] = {INFINITY, INFINITY, INFINITY};
    for (int side = 0; side < 2 * job->grid->dimension; side++)
        if (beside[side] >> (cell & 63) & 1)
            nearest[side / 2] =
                bw_smaller(nearest[side / 2], fabsf(bw_value_beside(job->phi, slot, cell, side)));
    order(&nearest[0], &nearest[1]);
    order(&nearest[1], &nearest[2]);
    order(&nearest[0], &nearest[1]);
    return distance_from(nearest[0], nearest[1], nearest[2], job->grid->cell_size);
}

static void extend_layer(const Job *job, int32_t slot, int k)
{
    const BwGrid *grid = job->grid;
    const BwMask *known = &job->redistance->known;
    uint64_t wanted = bw_mask_tile(job->valid, slot)[k] & ~bw_mask_tile(known, slot)[k], beside[6] = {0},
             reached = 0;
    for (int side = 0; side < 2 * grid->dimension && wanted != 0; side++)
        reached |= beside[side] = bw_bits_beside(grid, known, slot, side, k);
    bw_mask_tile(&job->redistance->front, slot)[k] = wanted & reached;
    for (uint64_t bits = wanted & reached; bits != 0; bits &= bits - 1) {
        int cell = BW_TILE_LAYER * k + __builtin_ctzll(bits);
        float *phi = &bw_field_tile(job->phi, slot)[cell];
        *phi = copysignf(bw_smaller(solve_cell(job, slot, cell, beside), job->far), *phi);
    }
}

static void extend_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < job->grid->layers; k++)
            extend_layer(job, job->grid->order[m], k);
}

void bw_redistance(BwRedistance *redistance, BwField *phi, const BwMask *valid, BwPool *pool, float near,
                   int layers, float far)
{
    Job job = {redistance, phi->store.grid, phi, valid, near, far};
    int32_t count = job.grid->tile_count;
    bw_parallel_for(pool, count, 32, begin_range, &job);
    for (int n = 0; n < layers; n++) {
        bw_parallel_for(pool, count, 32, extend_range, &job);
        bw_mask_join(&redistance->known, &redistance->front);
    }
}
