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

typedef struct Job {
    const BwDomain *domain;
    const BwVelocity *velocity, *advected;
    BwVelocity *to;
    BwField *stretch;
    float cells_per_speed;
} Job;

// In one step, in cells a cell; beyond it the step is too long for differences.
static const float stretch_max = 0.5f;

static inline BwLanes lanes_low(const BwStar *star, BwLanes center, int axis, int at)
{
    return axis == 0   ? bw_lanes_x_low(star, center, at)
           : axis == 1 ? bw_lanes_y_low(star, center, at)
                       : bw_lanes_z_low(star, at);
}

static inline BwLanes lanes_high(const BwStar *star, BwLanes center, int axis, int at)
{
    return axis == 0   ? bw_lanes_x_high(star, center, at)
           : axis == 1 ? bw_lanes_y_high(star, center, at)
                       : bw_lanes_z_high(star, at);
}

// Of cells, along an axis; 0 where the flow does not pass both of a cell's faces.
static inline void find_stretch(const Job *job, int32_t slot, int axis)
{
    const BwGrid *grid = job->domain->grid;
    const BwMask *flow = &job->domain->flow[axis];
    BwStar star = bw_star(&job->velocity->u[axis], slot);
    float *to = bw_field_tile(&job->stretch[axis], slot);
    BwLanes most = bw_lanes_of(stretch_max);
    for (int k = 0; k < grid->layers; k++) {
        uint64_t both = bw_mask_tile(flow, slot)[k] & bw_bits_beside(grid, flow, slot, 2 * axis + 1, k);
        for (int n = 0; n < BW_TILE_LAYER; n += BW_LANES) {
            int at = BW_TILE_LAYER * k + n;
            BwLanes low = bw_lanes_load(star.center + at);
            BwLanes change = job->cells_per_speed * (lanes_high(&star, low, axis, at) - low);
            change = bw_lanes_choose(change < most, change, most);
            change = bw_lanes_choose(change > -most, change, -most);
            bw_lanes_store(to + at, bw_lanes_choose(bw_lane_bits(both >> n), change, (BwLanes){0}));
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

// s / 4 times the second difference along an axis, of faces along `normal`. What a face has
// of the stretch is the mean of the cells beside it. Faces that do not exist are taken for the one in the
// centre.
static inline BwLanes deficit_along(const BwStar *star, const BwStar *stretch, BwLaneBits has_low,
                                    BwLaneBits has_high, int axis, int normal, int at)
{
    BwLanes center = bw_lanes_load(star->center + at), own = bw_lanes_load(stretch->center + at);
    BwLanes low = bw_lanes_choose(has_low, lanes_low(star, center, axis, at), center);
    BwLanes high = bw_lanes_choose(has_high, lanes_high(star, center, axis, at), center);
    return 0.125f * (own + lanes_low(stretch, own, normal, at)) * ((high - center) - (center - low));
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
        for (int n = 0; n < BW_TILE_LAYER; n += BW_LANES) {
            int at = BW_TILE_LAYER * k + n;
            BwLanes deficit = deficit_along(&star, &stretch, bw_lane_bits(low >> n), bw_lane_bits(high >> n),
                                            axis, normal, at);
            BwLanes before = bw_lanes_load((axis == 0 ? star.center : to) + at);
            bw_lanes_store(to + at, bw_lanes_choose(bw_lane_bits(flow >> n), before - deficit, before));
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
