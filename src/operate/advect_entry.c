// What a path brings that begins outside: beyond an open side of the box, or beyond the rim of sparse fluid.
// Nothing is known there, so samples are repeated from the last ones inside. `share` is how much of a value
// comes from such ghost samples: the weight that linear interpolation gives to them.
//
// Scalars. Ambient air comes in: the field's background.
//
// Velocity. Air outside has a velocity U of its own and the total pressure p0 of the open air. Along its
// streamline its pressure falls as it speeds up, to p0 - u (u - U) / 2 per unit of mass where it comes in
// with u along the normal. The pressure solve has p0 there, so the missing force is applied to what enters:
// a layer of thickness u dt that brings (u + U) / 2 instead of u has the same momentum. Energy then enters at
// the rate u^2 U / 2 and leaves as u^3 / 2, so that an inflow cannot feed itself; an even stream, u = U, is
// not changed. (Total pressure at an inflow: Dong, Karniadakis and Chryssostomidis 2014, eq. 6, with
// theta = 1.) Because the share counts the layer's true thickness, the force does not depend on dt.
#include "operate/advect_job.h"

#include "operate/sides.h"
#include <math.h>
#include <string.h>

// Sums of eight weights are off by so much.
static const float rounding = 1e-6f;

// Ends of paths this near to a side, in cells, came through it: the outermost samples along it lie there.
static const float side_layer = 1.5f;

// Whether samples are missing around the tile, other than beyond the box of them all.
static bool has_gaps(const BwAdvectJob *job, int32_t slot)
{
    int mask = bw_mask_of_set(job->domain, job->sets, job->s);
    return !(*bw_note(&job->advector->around, slot) & bw_full_bit(mask));
}

// Where the box of samples begins and ends along an axis, as places of the tile; infinitely far where the
// side there lets no air in.
typedef struct Extent {
    float low, high;
} Extent;

static Extent extent_of_samples(const BwAdvectJob *job, int32_t slot, int axis)
{
    const BwSamples *samples = bw_samples_of_set(job);
    const BwBoxSide *side = &job->domain->side[2 * axis];
    BwSampleSpan span = bw_samples_span(samples, job->domain->grid, slot, axis);
    float shift = bw_location_shift(samples->location, axis);
    return (Extent){bw_side_lets_air_in(&side[0]) ? (float)span.low + shift : -INFINITY,
                    bw_side_lets_air_in(&side[1]) ? (float)span.high + shift : INFINITY};
}

static void count_beyond(float *restrict share, const float *restrict at, Extent extent, int count)
{
    for (int n = 0; n < count; n++) {
        float below = extent.low - at[n], above = at[n] - extent.high;
        float beyond = below > above ? below : above;
        beyond = beyond > 0.0f ? beyond : 0.0f;
        beyond = beyond < 1.0f ? beyond : 1.0f;
        share[n] += (1.0f - share[n]) * beyond;
    }
}

// The weight of what is beyond the box of samples, which has no gaps.
static bool find_shares_beyond(BwAdvectWorker *worker, const BwAdvectJob *job, int32_t slot)
{
    const BwTracer *tracer = &worker->tracer;
    int count = job->domain->grid->tile_cells;
    bool is_any = false;
    for (int a = 0; a < job->domain->grid->dimension; a++) {
        Extent extent = extent_of_samples(job, slot, a);
        if (tracer->places.low[a] >= extent.low && tracer->places.high[a] <= extent.high)
            continue;
        if (!is_any)
            memset(worker->entered, 0, (size_t)count * sizeof *worker->entered);
        count_beyond(worker->entered, tracer->at[a], extent, count);
        is_any = true;
    }
    return is_any;
}

// The weight of the samples that are missing around the end of a path that no block reaches.
static float share_missing_far(const BwAdvectWorker *worker, const BwAdvectJob *job, int32_t slot, int n)
{
    const BwGrid *grid = job->domain->grid;
    const BwField *field = job->sets[job->s].from[0];
    int low[3] = {0};
    float part[3], value, missing = 0.0f;
    bw_end_corner(&worker->tracer, grid, field->location, n, low, part);
    for (int corner = 0; corner < 1 << grid->dimension; corner++) {
        const int at[3] = {low[0] + (corner & 1), low[1] + (corner >> 1 & 1), low[2] + (corner >> 2)};
        float weight = 1.0f;
        for (int a = 0; a < grid->dimension; a++)
            weight *= corner >> a & 1 ? part[a] : 1.0f - part[a];
        missing += bw_fetch_far(job, field, slot, at, &value) ? 0.0f : weight;
    }
    return missing;
}

// The block was sampled before and has the sum of the weights at each place.
static bool find_shares_missing(BwAdvectWorker *worker, const BwAdvectJob *job, int32_t slot)
{
    const float *restrict sum = worker->block.sum;
    float *restrict share = worker->entered, most = 0.0f;
    int count = job->domain->grid->tile_cells;
    if (!worker->tracer.places.is_near)
        for (int n = 0; n < count; n++)
            share[n] = share_missing_far(worker, job, slot, n);
    else
        for (int n = 0; n < count; n++)
            share[n] = 1.0f - sum[n];
    for (int n = 0; n < count; n++) {
        share[n] = share[n] > rounding ? share[n] : 0.0f;
        most = share[n] > most ? share[n] : most;
    }
    return most > 0.0f;
}

static bool find_outside(BwAdvectWorker *worker, const BwAdvectJob *job)
{
    if (!bw_path_meets_open_side(&worker->tracer, job->domain))
        return false;
    for (int n = 0; n < job->domain->grid->tile_cells; n++)
        worker->entered[n] = bw_path_is_outside(&worker->tracer, job->domain, n) ? 1.0f : 0.0f;
    return true;
}

bool bw_find_entered(BwAdvectWorker *worker, const BwAdvectJob *job, int32_t slot)
{
    BwEntry entry = job->sets[job->s].entry;
    if (entry != BW_ENTERS_FROM_REST)
        return entry == BW_ENTERS_BACKGROUND && find_outside(worker, job);
    return has_gaps(job, slot) ? find_shares_missing(worker, job, slot)
                               : find_shares_beyond(worker, job, slot);
}

// The velocity of the air outside where a path ends: that of the side it came through, or of the wind.
static float air_outside(const BwAdvectWorker *worker, const BwAdvectJob *job, int n)
{
    const BwTracer *tracer = &worker->tracer;
    int component = bw_location_normal(job->sets[job->s].from[0]->location);
    for (int a = 0; a < job->domain->grid->dimension; a++)
        for (int end = 0; end < 2; end++) {
            const BwBoxSide *side = &job->domain->side[2 * a + end];
            float depth = end == 0 ? tracer->at[a][n] - tracer->low[a] : tracer->high[a] - tracer->at[a][n];
            if (bw_side_lets_air_in(side) && depth <= side_layer)
                return bw_component(side->velocity, component);
        }
    return job->sets[job->s].air;
}

void bw_let_air_enter(BwAdvectWorker *worker, const BwAdvectJob *job, float background)
{
    bool is_scalar = job->sets[job->s].entry == BW_ENTERS_BACKGROUND;
    float *result = worker->result;
    for (int n = 0; n < job->domain->grid->tile_cells; n++) {
        float share = worker->entered[n];
        if (share > 0.0f)
            result[n] =
                is_scalar ? background : result[n] + 0.5f * share * (air_outside(worker, job, n) - result[n]);
    }
}

void bw_drop_limits_of_entered(BwAdvectWorker *worker, int count)
{
    for (int n = 0; n < count; n++)
        worker->low[n] = worker->entered[n] > 0.0f ? INFINITY : worker->low[n];
}
