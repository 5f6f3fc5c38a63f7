// What a field is at the ends of paths: a sample of the scheme's kind, but for paths that go far, that solids
// cut off, or that come out of a source.
#include "operate/advect_job.h"

#include "operate/held.h"
#include <math.h>

// Where the ends of the present paths lie in a block, and what of those back comes out of sources.
static void place_ends(BwAdvectWorker *worker, const BwAdvectJob *job, bool is_back, int32_t slot)
{
    BwTracer *tracer = &worker->tracer;
    const BwGrid *grid = job->domain->grid;
    float *const at[3] = {tracer->at[0], tracer->at[1], tracer->at[2]};
    bw_places_find(&tracer->places, grid, bw_samples_of_set(job), slot, at, bw_stencil_of(job), 0);
    if (is_back && tracer->places.is_near && bw_is_near_source(job, slot))
        bw_find_fed(worker->is_fed, grid, job->sets[job->s].held, &tracer->places, slot);
}

void bw_find_ends(BwAdvectWorker *worker, const BwAdvectJob *job, const BwField paths[3], int32_t slot)
{
    BwAdvector *advector = job->advector;
    BwTracer *tracer = &worker->tracer;
    BwLocation location = job->sets[job->s].from[0]->location;
    bool is_back = paths == advector->paths.back, is_near = bw_is_near_solids(job, slot);
    bw_path_ends(tracer, paths, location, slot);
    if (is_near)
        bw_path_starts(tracer, job->domain->grid, location);
    if (is_near && is_back)
        bw_clip_paths(&worker->clipped, tracer, &advector->marks, job->solids, location, slot);
    else if (is_near)
        bw_clip_paths_ahead(&worker->clipped, tracer, &advector->marks, location, slot);
    place_ends(worker, job, is_back, slot);
}

void bw_find_ends_again(BwAdvectWorker *worker, const BwAdvectJob *job, int32_t slot)
{
    BwLocation location = job->sets[job->s].from[0]->location;
    bw_path_ends(&worker->tracer, job->advector->paths.back, location, slot);
    if (bw_is_near_solids(job, slot)) {
        bw_path_starts(&worker->tracer, job->domain->grid, location);
        bw_clip_paths_again(&worker->clipped, &worker->tracer, &job->advector->marks, slot);
    }
    place_ends(worker, job, true, slot);
}

static void sample_far(BwAdvectWorker *worker, const BwAdvectJob *job, const BwField *field, int32_t slot,
                       const float *fallback)
{
    const BwTracer *tracer = &worker->tracer;
    for (int n = 0; n < job->domain->grid->tile_cells; n++) {
        const float at[3] = {tracer->at[0][n], tracer->at[1][n], tracer->at[2][n]};
        worker->result[n] = fallback[n];
        bw_sample_local(field, job->sets[job->s].valid, slot, at, &worker->result[n]);
    }
}

void bw_gather_set(BwAdvectWorker *worker, const BwAdvectJob *job, const BwField *field, int32_t slot,
                   int reach)
{
    int mask = bw_mask_of_set(job->domain, job->sets, job->s);
    // Near solids a repeated sample could be taken for one that is in sight.
    bool is_full =
        (*bw_note(&job->advector->around, slot) & bw_full_bit(mask)) != 0 && !bw_is_near_solids(job, slot);
    bw_sampler_gather(&worker->block, field, &job->samples[mask], is_full, slot, reach);
}

// Samples that solids hide from the end of a path do not count either. Where none is left, nothing of the
// field came here: the background; but a velocity stays.
static float sample_in_sight(const BwAdvectWorker *worker, const BwGrid *grid, int n, float fallback)
{
    const BwSamplerBlock *block = &worker->block;
    const BwPlaces *places = &worker->tracer.places;
    BwBlockShape shape = bw_block_shape(places->reach);
    const int stride[3] = {1, shape.row, shape.layer};
    float sum = 0.0f, share = 0.0f;
    for (int corner = 0; corner < 1 << grid->dimension; corner++) {
        int at = places->corner[n];
        float weight = 1e-4f; // so that a sample that is in sight counts, if it is all there is
        for (int a = 0; a < grid->dimension; a++) {
            bool is_high = corner >> a & 1;
            at += is_high ? stride[a] : 0;
            weight *= is_high ? places->part[a][n] : 1.0f - places->part[a][n];
        }
        weight = (weight + 1e-10f) * (block->is_full ? 1.0f : block->weight[at]);
        if (worker->clipped.hidden[n] >> corner & 1)
            continue;
        sum += weight * block->value[at];
        share += weight;
    }
    return share > 0.0f ? sum / share : fallback;
}

static void sample_cut(BwAdvectWorker *worker, const BwAdvectJob *job, const BwField *field,
                       const float *fallback)
{
    const BwGrid *grid = job->domain->grid;
    bool is_scalar = field->location == BW_AT_CELL;
    if (!worker->tracer.places.is_near)
        return;
    for (int n = 0; n < grid->tile_cells; n++)
        if (worker->clipped.is_cut[n])
            worker->result[n] =
                sample_in_sight(worker, grid, n, is_scalar ? bw_field_background(field) : fallback[n]);
}

// Out of sources comes what linear interpolation carries, whatever the scheme.
static void sample_fed(BwAdvectWorker *worker, const BwAdvectJob *job, const float *fallback)
{
    const BwGrid *grid = job->domain->grid;
    float *linear = worker->scratch.low;
    bw_sampler_linear(&worker->block, grid, &worker->tracer.places, fallback, linear);
    for (int n = 0; n < grid->tile_cells; n++)
        worker->result[n] = worker->is_fed[n] ? linear[n] : worker->result[n];
}

static void drop_all_limits(BwAdvectWorker *worker, int count)
{
    for (int n = 0; n < count; n++)
        worker->low[n] = INFINITY;
}

void bw_sample_ends(BwAdvectWorker *worker, const BwAdvectJob *job, const BwField *field, int32_t slot,
                    const float *fallback, bool with_limits)
{
    const BwGrid *grid = job->domain->grid;
    const BwPlaces *places = &worker->tracer.places;
    BwSamplerBlock *block = &worker->block;
    if (places->is_near)
        bw_gather_set(worker, job, field, slot, places->reach);
    if (!places->is_near) {
        sample_far(worker, job, field, slot, fallback);
        drop_all_limits(worker, with_limits ? grid->tile_cells : 0);
    } else if (job->advector->carry == BW_CARRY_CUBIC) {
        bw_sampler_cubic(block, grid, places, fallback, worker->result);
        if (bw_is_near_source(job, slot))
            sample_fed(worker, job, fallback);
    } else if (with_limits) {
        bw_sampler_linear_and_range(block, grid, places, fallback, worker->result, worker->low, worker->high);
    } else {
        bw_sampler_linear(block, grid, places, fallback, worker->result);
    }
    if (bw_is_near_solids(job, slot))
        sample_cut(worker, job, field, fallback);
}
