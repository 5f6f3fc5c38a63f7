// What a field is at the ends of paths: a sample of the scheme's kind, but for paths that go far, that solids
// cut off, or that come out of a source.
#include "advect/advect_job.h"

#include "advect/source_cells.h"
#include <math.h>
#include <string.h>

// Where the ends of the present paths lie in a block, and what of those back comes out of sources.
static void place_ends(BwAdvectWorker *worker, const BwAdvectJob *job, bool is_back, int32_t slot)
{
    BwTracer *tracer = &worker->tracer;
    const BwGrid *grid = job->domain->grid;
    float *const at[3] = {tracer->at[0], tracer->at[1], tracer->at[2]};
    bw_block_points_find(&tracer->places, grid, bw_sample_box_of_set(job), slot, at, bw_stencil_of(job), 0);
    if (is_back && tracer->places.is_near && bw_is_near_source(job, slot))
        bw_find_from_source(worker->is_from_source, grid, job->sets[job->s].sources, &tracer->places, slot);
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
                   const BwBlockPoints *places)
{
    int mask = bw_mask_of_set(job->domain, job->sets, job->s);
    // Near solids a repeated sample could be taken for one that is in sight: there must be none.
    uint64_t full = bw_is_near_solids(job, slot) ? bw_whole_bit(mask) : bw_full_bit(mask);
    bool is_full = (*bw_note(&job->advector->around, slot) & full) != 0;
    bw_interpolation_gather_for(&worker->block, field, &job->samples[mask], is_full, slot, places);
}

// The low corner of the samples around the end of a path, counted from the tile's first and rounded as
// bw_block_points_find does, and how far beyond it the end lies.
void bw_end_corner(const BwTracer *tracer, const BwGrid *grid, BwLocation location, int n, int corner[3],
                   float part[3])
{
    for (int a = 0; a < grid->dimension; a++) {
        float place = tracer->at[a][n] + (BW_REACH_MAX - bw_location_shift(location, a));
        corner[a] = (int)floorf(place) - BW_REACH_MAX;
        part[a] = place - floorf(place);
    }
}

// Beyond the bounds, the last one inside.
bool bw_fetch_far(const BwAdvectJob *job, const BwField *field, int32_t slot, const int sample[3],
                  float *value)
{
    const BwGrid *grid = job->domain->grid;
    BwSampleBox samples = bw_sample_box_in_bounds(bw_sample_box_of_set(job), grid);
    int32_t cell[3] = {0}, first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < grid->dimension; a++) {
        BwSampleExtent inside = bw_sample_box_span(&samples, grid, slot, a);
        int64_t at = sample[a] < inside.low ? inside.low : sample[a] > inside.high ? inside.high : sample[a];
        cell[a] = (int32_t)(first[a] + at);
    }
    return bw_fetch(field, job->sets[job->s].valid, cell, value);
}

// The samples around the end of a path, which solids may hide, with their weights.
typedef struct Around {
    int low[3];
    float weight[8];
    uint8_t hidden;
} Around;

static void find_around(const BwAdvectWorker *worker, const BwAdvectJob *job, BwLocation location, int n,
                        Around *around)
{
    const float in_sight = 1e-4f, least = 1e-10f; // a sample in sight counts, if it is all there is
    float part[3] = {0};
    memset(around->low, 0, sizeof around->low);
    bw_end_corner(&worker->tracer, job->domain->grid, location, n, around->low, part);
    for (int corner = 0; corner < 8; corner++) {
        float weight = in_sight;
        for (int a = 0; a < 3; a++)
            weight *= corner >> a & 1 ? part[a] : 1.0f - part[a];
        around->weight[corner] = weight + least;
    }
    around->hidden = worker->clipped.hidden[n];
}

static float mean_in_block(const BwInterpolationBlock *block, const BwGrid *grid, const Around *around,
                           float fallback)
{
    BwBlockShape shape = bw_block_shape(block->reach);
    bool is_flat = grid->dimension == 2;
    int first = around->low[0] + shape.margin + shape.row * (around->low[1] + shape.margin) +
                (is_flat ? 0 : shape.layer * (around->low[2] + shape.margin));
    float sum = 0.0f, share = 0.0f;
    for (int corner = 0; corner < (is_flat ? 4 : 8); corner++) {
        int at = first + (corner & 1) + shape.row * (corner >> 1 & 1) + shape.layer * (corner >> 2);
        if ((around->hidden >> corner & 1) || !(block->is_full || block->weight[at] > 0.0f))
            continue;
        sum += around->weight[corner] * block->value[at];
        share += around->weight[corner];
    }
    return share > 0.0f ? sum / share : fallback;
}

static float mean_far(const BwAdvectJob *job, const BwField *field, int32_t slot, const Around *around,
                      float fallback)
{
    float sum = 0.0f, share = 0.0f;
    for (int corner = 0; corner < 1 << job->domain->grid->dimension; corner++) {
        const int sample[3] = {around->low[0] + (corner & 1), around->low[1] + (corner >> 1 & 1),
                               around->low[2] + (corner >> 2)};
        float value;
        if ((around->hidden >> corner & 1) || !bw_fetch_far(job, field, slot, sample, &value))
            continue;
        sum += around->weight[corner] * value;
        share += around->weight[corner];
    }
    return share > 0.0f ? sum / share : fallback;
}

// Samples that solids hide from the end of a path do not count either. Where none is left, nothing of the
// field came here: the background; but a velocity stays.
static void sample_in_sight(BwAdvectWorker *worker, const BwAdvectJob *job, const BwField *field,
                            int32_t slot, int n, const float *fallback)
{
    float otherwise = field->location == BW_AT_CELL ? bw_field_background(field) : fallback[n];
    Around around;
    find_around(worker, job, field->location, n, &around);
    worker->result[n] = worker->tracer.places.is_near
                            ? mean_in_block(&worker->block, job->domain->grid, &around, otherwise)
                            : mean_far(job, field, slot, &around, otherwise);
}

static void sample_cut(BwAdvectWorker *worker, const BwAdvectJob *job, const BwField *field, int32_t slot,
                       const float *fallback)
{
    for (int row = 0; row < job->domain->grid->tile_cells; row += BW_TILE) {
        uint64_t any; // few rows have a path that is cut
        memcpy(&any, worker->clipped.is_cut + row, sizeof any);
        for (int n = row; any != 0 && n < row + BW_TILE; n++)
            if (worker->clipped.is_cut[n])
                sample_in_sight(worker, job, field, slot, n, fallback);
    }
}

// Out of sources comes what linear interpolation advects, whatever the scheme.
static void sample_from_source(BwAdvectWorker *worker, const BwAdvectJob *job, const float *fallback)
{
    const BwGrid *grid = job->domain->grid;
    float *linear = worker->scratch.low;
    bw_interpolate_linear(&worker->block, grid, &worker->tracer.places, fallback, linear);
    for (int n = 0; n < grid->tile_cells; n++)
        worker->result[n] = worker->is_from_source[n] ? linear[n] : worker->result[n];
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
    const BwSchemeTraits *scheme = job->advector->scheme;
    const BwBlockPoints *places = &worker->tracer.places;
    BwInterpolationBlock *block = &worker->block;
    if (places->is_near)
        bw_gather_set(worker, job, field, slot, places);
    if (!places->is_near) {
        sample_far(worker, job, field, slot, fallback);
        drop_all_limits(worker, with_limits ? grid->tile_cells : 0);
    } else if (with_limits) {
        scheme->with_range(block, grid, places, fallback, worker->result, worker->low, worker->high);
    } else {
        scheme->sample(block, grid, places, fallback, worker->result);
        if (scheme->stencil != BW_STENCIL_LINEAR && bw_is_near_source(job, slot))
            sample_from_source(worker, job, fallback);
    }
    if (bw_is_near_solids(job, slot))
        sample_cut(worker, job, field, slot, fallback);
}
