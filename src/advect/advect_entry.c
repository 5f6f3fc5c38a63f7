// What a path brings that begins outside: beyond an open side of the box, or beyond the rim of sparse fluid.
// Nothing is known there, so samples are repeated from the last ones inside. `share` is how much of a value
// comes from such ghost samples: the weight that linear interpolation gives to them.
//
// Scalars. Ambient air comes in: the field's background.
//
// Velocity. Air outside has a velocity U of its own and the total pressure p0 of the open air. Along its
// streamline its pressure falls as it speeds up, to p0 - u (u - U) / 2 per unit of mass where it comes in
// with u along the normal. The pressure solve has p0 there, so the missing force is applied to what enters:
// a layer of thickness u dt that brings (u + U) / 2 instead of u has the same momentum. The energy of that
// motion then enters at the rate u^2 U / 2 and leaves as u^3 / 2, so that an inflow cannot feed itself; an
// even stream, u = U, is not changed. Components along the side are treated alike. The idea of a total
// pressure at the inflow is that of Dong, Karniadakis and Chryssostomidis 2014; U and the layer are ours.
// Because the share counts the layer's true thickness, the force does not depend on dt.
#include "advect/advect_job.h"

#include "domain/sides.h"
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

// Where the samples inside the box begin and end along an axis, as places of the tile; infinitely far where
// the side there lets no air in. The outermost layer of cells along such a side belongs to the outside: what
// lies across it has its last sample on the layer's inner face, what lies along it half a cell further in.
typedef struct Extent {
    float low, high;
} Extent;

static Extent extent_inside(const BwAdvectWorker *worker, const BwAdvectJob *job, int axis)
{
    const BwBoxSide *side = &job->domain->side[2 * axis];
    float layer = 1.0f + bw_location_shift(job->sets[job->s].from[0]->location, axis);
    return (Extent){bw_side_lets_air_in(&side[0]) ? worker->tracer.low[axis] + layer : -INFINITY,
                    bw_side_lets_air_in(&side[1]) ? worker->tracer.high[axis] - layer : INFINITY};
}

// Whether a path ends in a cell of the outside; ends beyond the box count as in the layer along its side.
static bool ends_in_air(const BwAdvectWorker *worker, const BwAdvectJob *job, int32_t slot, int axis, int n)
{
    const BwTracer *tracer = &worker->tracer;
    const BwGrid *grid = job->domain->grid;
    int32_t cell[3] = {0}, first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < grid->dimension; a++) {
        float at = tracer->at[a][n], low = tracer->low[a] + 0.5f, high = tracer->high[a] - 0.5f;
        if (a == axis) // the nearer side's layer
            at = at - low < high - at ? low : high;
        at = at > low ? at : low;
        cell[a] = first[a] + (int32_t)floorf(at < high ? at : high);
    }
    BwTileCoord coord = {cell[0] >> 3, cell[1] >> 3, grid->layers == 1 ? 0 : cell[2] >> 3};
    int32_t tile = bw_grid_find(grid, coord);
    int index =
        (cell[0] & 7) + BW_TILE * (cell[1] & 7) + (grid->layers == 1 ? 0 : BW_TILE_LAYER * (cell[2] & 7));
    return tile == 0 || (bw_bit(bw_mask_tile(&job->domain->open, tile), index) &&
                         !bw_bit(bw_mask_tile(&job->domain->fluid, tile), index) &&
                         !bw_bit(bw_mask_tile(&job->domain->inflow, tile), index));
}

// Where a part of a side lets air in, the rest of it is a wall.
static bool is_open_in_part(const BwAdvectJob *job, int axis)
{
    const BwBoxSide *side = &job->domain->side[2 * axis];
    return side[0].part != NULL || side[1].part != NULL;
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

static void count_beyond_part(BwAdvectWorker *worker, const BwAdvectJob *job, Extent extent, int axis,
                              int32_t slot)
{
    const float *at = worker->tracer.at[axis];
    for (int n = 0; n < job->domain->grid->tile_cells; n++)
        if ((at[n] < extent.low || at[n] > extent.high) && ends_in_air(worker, job, slot, axis, n))
            count_beyond(&worker->entered[n], &at[n], extent, 1);
}

// The weight of what is beyond the samples inside.
static bool find_shares_beyond(BwAdvectWorker *worker, const BwAdvectJob *job, int32_t slot)
{
    const BwTracer *tracer = &worker->tracer;
    int count = job->domain->grid->tile_cells;
    bool is_any = false;
    memset(worker->entered, 0, (size_t)count * sizeof *worker->entered);
    for (int a = 0; a < job->domain->grid->dimension; a++) {
        Extent extent = extent_inside(worker, job, a);
        if (tracer->places.low[a] >= extent.low && tracer->places.high[a] <= extent.high)
            continue;
        is_any = true;
        if (is_open_in_part(job, a))
            count_beyond_part(worker, job, extent, a, slot);
        else
            count_beyond(worker->entered, tracer->at[a], extent, count);
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

// The weight of samples that are missing, where that is more: beyond the box, blocks repeat samples that
// exist. The block was sampled before and has the sum of the weights at each place.
static void add_shares_missing(BwAdvectWorker *worker, const BwAdvectJob *job, int32_t slot)
{
    const float *restrict sum = worker->block.sum;
    float *restrict share = worker->entered;
    bool is_near = worker->tracer.places.is_near;
    for (int n = 0; n < job->domain->grid->tile_cells; n++) {
        float missing = is_near ? 1.0f - sum[n] : share_missing_far(worker, job, slot, n);
        missing = missing > rounding ? missing : 0.0f;
        share[n] = missing > share[n] ? missing : share[n];
    }
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
    bool is_any = find_shares_beyond(worker, job, slot);
    bool is_whole = worker->tracer.places.is_near && worker->block.is_full; // then it has no sums either
    if (has_gaps(job, slot) && !is_whole) {
        add_shares_missing(worker, job, slot);
        is_any = true;
    }
    return is_any;
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
