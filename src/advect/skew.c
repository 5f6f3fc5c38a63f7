// In steps that are not long MacCormack's scheme comes down to central differences with the speed V where the
// sample is, V_i (f_i+1 - f_i-1) / 2 along each axis. Differences with the speeds half way between the
// samples, (V_i+1/2 f_i+1 - V_i-1/2 f_i-1) / 2, are skew-symmetric where those speeds are free of divergence
// (Piacsek and Williams 1970, Conservation properties of convection difference schemes): they neither make
// nor destroy any of the sum of f^2. Here V_i is the mean of the speeds half way, so that the second less the
// first is
//
//     s / 4 (f_i+1 - 2 f_i + f_i-1),    s = V_i+1/2 - V_i-1/2,
//
// taken away: along axes that the flow stretches (s > 0) samples are sharpened, along those that it
// compresses they are smoothed. Without it, turbulence feeds on the error: gradients are steepest where the
// flow compresses them. What is uniform stays so.
#include "advect/skew.h"

#include "grid/bits.h"
#include "grid/rows.h"

typedef int32_t Lanes __attribute__((vector_size(64)));

typedef struct Job {
    const BwDomain *domain;
    const BwVelocity *velocity, *advected;
    BwVelocity *to;
    BwField *stretch;
    float cells_per_speed;
} Job;

// In one step, in cells a cell; beyond it the step is too long for differences.
static const float stretch_max = 0.5f;

static inline BwRows choose(Lanes condition, BwRows a, BwRows b)
{
    return (BwRows)(((Lanes)a & condition) | ((Lanes)b & ~condition));
}

// The bits of a pair of rows.
static inline Lanes lanes_of(uint64_t layer, int row)
{
    const Lanes bit = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    return (((Lanes){0} + (int32_t)(layer >> BW_TILE * row & 0xffff)) & bit) != 0;
}

static inline BwRows rows_low(const BwStar *star, BwRows center, int axis, int at)
{
    return axis == 0   ? bw_rows_x_low(star, center, at)
           : axis == 1 ? bw_rows_y_low(star, center, at)
                       : bw_rows_z_low(star, at);
}

static inline BwRows rows_high(const BwStar *star, BwRows center, int axis, int at)
{
    return axis == 0   ? bw_rows_x_high(star, center, at)
           : axis == 1 ? bw_rows_y_high(star, center, at)
                       : bw_rows_z_high(star, at);
}

// Of cells, along an axis; 0 where the flow does not pass both of a cell's faces.
static inline void find_stretch(const Job *job, int32_t slot, int axis)
{
    const BwGrid *grid = job->domain->grid;
    const BwMask *flow = &job->domain->flow[axis];
    BwStar star = bw_star(&job->velocity->u[axis], slot);
    float *to = bw_field_tile(&job->stretch[axis], slot);
    BwRows most = (BwRows){0} + stretch_max;
    for (int k = 0; k < grid->layers; k++) {
        uint64_t both = bw_mask_tile(flow, slot)[k] & bw_bits_beside(grid, flow, slot, 2 * axis + 1, k);
        for (int j = 0; j < BW_TILE; j += 2) {
            int at = BW_TILE_LAYER * k + BW_TILE * j;
            BwRows low = bw_rows_load(star.center + at);
            BwRows change = job->cells_per_speed * (rows_high(&star, low, axis, at) - low);
            change = choose(change < most, change, most);
            change = choose(change > -most, change, -most);
            bw_rows_store(to + at, choose(lanes_of(both, j), change, (BwRows){0}));
        }
    }
}

static void stretch_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = job->domain->grid->order[n];
        find_stretch(job, slot, 0);
        find_stretch(job, slot, 1);
        if (job->domain->grid->dimension == 3)
            find_stretch(job, slot, 2);
    }
}

// s / 4 times the second difference along an axis, of a pair of rows of faces along `normal`. What a face has
// of the stretch is the mean of the cells beside it. Faces that do not exist are taken for the one in the
// centre.
static inline BwRows deficit_along(const BwStar *star, const BwStar *stretch, Lanes has_low, Lanes has_high,
                                   int axis, int normal, int at)
{
    BwRows center = bw_rows_load(star->center + at), own = bw_rows_load(stretch->center + at);
    BwRows low = choose(has_low, rows_low(star, center, axis, at), center);
    BwRows high = choose(has_high, rows_high(star, center, axis, at), center);
    return 0.125f * (own + rows_low(stretch, own, normal, at)) * ((high - center) - (center - low));
}

static inline void mend_along(const Job *job, int32_t slot, int normal, int axis)
{
    const BwGrid *grid = job->domain->grid;
    const BwMask *face = &job->domain->face[normal];
    BwStar star = bw_star(&job->advected->u[normal], slot), stretch = bw_star(&job->stretch[axis], slot);
    float *to = bw_field_tile(&job->to->u[normal], slot);
    for (int k = 0; k < grid->layers; k++) {
        uint64_t low = bw_bits_beside(grid, face, slot, 2 * axis, k),
                 high = bw_bits_beside(grid, face, slot, 2 * axis + 1, k),
                 flow = bw_mask_tile(&job->domain->flow[normal], slot)[k];
        for (int j = 0; j < BW_TILE; j += 2) {
            int at = BW_TILE_LAYER * k + BW_TILE * j;
            BwRows deficit =
                deficit_along(&star, &stretch, lanes_of(low, j), lanes_of(high, j), axis, normal, at);
            BwRows before = bw_rows_load((axis == 0 ? star.center : to) + at);
            bw_rows_store(to + at, choose(lanes_of(flow, j), before - deficit, before));
        }
    }
}

static void mend_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    int dimension = job->domain->grid->dimension;
    for (int64_t n = begin; n < end; n++)
        for (int normal = 0; normal < dimension; normal++) {
            int32_t slot = job->domain->grid->order[n];
            mend_along(job, slot, normal, 0);
            mend_along(job, slot, normal, 1);
            if (dimension == 3)
                mend_along(job, slot, normal, 2);
        }
}

void bw_make_skew(const BwDomain *domain, const BwVelocity *velocity, const BwVelocity *advected,
                  BwVelocity *to, BwField *stretch, float dt)
{
    Job job = {domain, velocity, advected, to, stretch, dt / domain->grid->cell_size};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, stretch_range, &job);
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, mend_range, &job);
}
