// Advection on tiles, by three methods.
//
// Linear, that is semi-Lagrangian: take what was at the start of the path (Stam 1999, Stable Fluids). Never
// makes new extremes; smears. Cubic: the same with a limited cubic between the samples (Fedkiw, Stam and
// Jensen 2001). MacCormack: carry there and back, and take away half of what that changed (Selle, Fedkiw,
// Kim, Liu and Rossignac 2008, An Unconditionally Stable MacCormack Method). Second order; limited to the
// samples the path started from, so that it makes no new extremes either.
//
// All paths are traced first and kept, so a set of fields needs nothing but them, and sets go one by one.
#include "operate/advect.h"

#include "operate/held.h"
#include "operate/tile_budget.h"
#include <math.h>
#include <string.h>

// One worker's memory.
typedef struct Worker {
    BwTracer tracer;
    BwSamplerBlock block;
    BwSideFlow sides;
    bool knows_sides;               // what passes the sides of the tile can be told
    BwClipped clipped;              // paths of the tile, where it is near solids
    bool is_fed[BW_TILE_CELLS_MAX]; // by a source, where the tile is near one
    // Of the tile at work: what comes out, and its limits. In the fields themselves, where they may be, else
    // in the scratch.
    float *result, *low, *high;
    struct {
        float result[BW_TILE_CELLS_MAX], low[BW_TILE_CELLS_MAX], high[BW_TILE_CELLS_MAX];
    } scratch;
} Worker;

struct BwAdvector {
    BwGrid *grid;
    BwCarry carry;
    BwPaths paths;
    // Of the set at work, by MacCormack: what was carried, and the upper limit of what may come of it. The
    // lower one waits in the field that will hold the result.
    BwField carried[BW_ADVECT_FIELDS], *high[BW_ADVECT_FIELDS], own_high[BW_ADVECT_FIELDS];
    BwNotes before, around, between; // see below
    BwTileBudget budget;             // of the set at work
    int worker_count;
    Worker *workers;
};

// What is noted about a tile before anything is carried. For each mask of samples whether it fills the tile,
// then whether it does so all around, which leaves blocks without weights; for each field at cells whether
// the tile holds anything but the background (that also of what was carried); whether its paths may meet
// solids, and whether sources hold any of its cells.
enum { NOTE_FILLS = 0, NOTE_FULL = 8, NOTE_HOLDS = 16, NOTE_SOLIDS = 24, NOTE_HELD = 25 };

enum { MASKS = 3 + BW_ADVECT_SETS }; // of the faces, and of each set

// Sets at faces share the mask of those.
static int mask_of_set(const BwDomain *domain, const BwAdvectSet *sets, int s)
{
    for (int a = 0; a < domain->grid->dimension; a++)
        if (sets[s].valid == &domain->face[a])
            return a;
    return 3 + s;
}

static uint64_t holds_bit(int s, int f)
{
    return (uint64_t)1 << (NOTE_HOLDS + BW_ADVECT_FIELDS * s + f);
}

BwResult bw_advector_create(BwAdvector **out, BwGrid *grid, BwPool *pool, BwCarry carry, BwLentFields lent,
                            BwError *err)
{
    *out = NULL;
    const BwAllocator *allocator = &grid->allocator;
    BwAdvector *advector = bw_alloc_zeroed(allocator, sizeof *advector, BW_ALIGN);
    if (advector == NULL)
        return bw_fail_memory(err);
    advector->grid = grid;
    advector->carry = carry;
    advector->worker_count = bw_pool_worker_count(pool);
    advector->workers = bw_alloc_zeroed(allocator, (size_t)advector->worker_count * sizeof(Worker), BW_ALIGN);
    bool is_maccormack = carry == BW_CARRY_MACCORMACK;
    BwResult result = advector->workers != NULL ? BW_OK : bw_fail_memory(err);
    if (result == BW_OK)
        result = bw_paths_create(&advector->paths, grid, is_maccormack, lent.paths, err);
    if (result == BW_OK)
        result = bw_notes_create(&advector->before, grid, err);
    if (result == BW_OK)
        result = bw_notes_create(&advector->around, grid, err);
    if (result == BW_OK && is_maccormack)
        result = bw_notes_create(&advector->between, grid, err);
    if (result == BW_OK)
        result = bw_tile_budget_create(&advector->budget, grid, err);
    for (int f = 0; f < BW_ADVECT_FIELDS && result == BW_OK && is_maccormack; f++) {
        result = bw_field_create(&advector->carried[f], grid, BW_AT_CELL, 0.0f, err);
        bool is_lent = f == 0 && lent.limit != NULL;
        if (result == BW_OK && !is_lent)
            result = bw_field_create(&advector->own_high[f], grid, BW_AT_CELL, 0.0f, err);
        advector->high[f] = is_lent ? lent.limit : &advector->own_high[f];
    }
    if (result != BW_OK)
        bw_advector_destroy(advector);
    else
        *out = advector;
    return result;
}

void bw_advector_destroy(BwAdvector *advector)
{
    if (advector == NULL)
        return;
    const BwAllocator *allocator = &advector->grid->allocator;
    bw_paths_destroy(&advector->paths);
    bw_notes_destroy(&advector->before);
    bw_notes_destroy(&advector->around);
    bw_notes_destroy(&advector->between);
    bw_tile_budget_destroy(&advector->budget);
    for (int f = 0; f < BW_ADVECT_FIELDS; f++) {
        bw_field_destroy(&advector->carried[f]);
        bw_field_destroy(&advector->own_high[f]);
    }
    bw_free(allocator, advector->workers, (size_t)advector->worker_count * sizeof(Worker), BW_ALIGN);
    bw_free(allocator, advector, sizeof *advector, BW_ALIGN);
}

typedef struct Advection {
    BwAdvector *advector;
    const BwDomain *domain;
    const BwVelocity *velocity;
    BwPathSolids solids;
    const BwAdvectSet *sets;
    int set_count;
    int s; // the set at work
    BwTraceOptions trace;
    BwSamples samples[MASKS]; // .valid is NULL where there is no such mask
} Advection;

static bool holds_anything(const float *restrict values, int count, float background)
{
    for (int begin = 0; begin < count; begin += BW_TILE_LAYER) {
        int differ = 0;
        for (int n = begin; n < begin + BW_TILE_LAYER; n++)
            differ |= values[n] != background;
        if (differ)
            return true;
    }
    return false;
}

static bool has_bits(const uint64_t *words, int count)
{
    uint64_t all = 0;
    for (int k = 0; k < count; k++)
        all |= words[k];
    return all != 0;
}

// A tile whose paths start in the background of it and its neighbours ends there.
static bool is_empty_around(const BwGrid *grid, const BwNotes *notes, uint64_t bit, int32_t slot)
{
    for (int n = 0; n < 27; n++)
        if (*bw_note(notes, grid->tiles[slot].neighbour[n]) & bit)
            return false;
    return true;
}

static void note_tile(const Advection *job, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    uint64_t note = 0;
    for (int m = 0; m < MASKS; m++)
        if (job->samples[m].valid != NULL && bw_samples_fill_tile(&job->samples[m], grid, slot))
            note |= (uint64_t)1 << (NOTE_FILLS + m);
    for (int s = 0; s < job->set_count; s++) {
        const BwAdvectSet *set = &job->sets[s];
        if (set->held != NULL && has_bits(bw_mask_tile(set->held, slot), grid->layers))
            note |= (uint64_t)1 << NOTE_HELD;
        for (int f = 0; f < set->count && set->from[f]->location == BW_AT_CELL; f++)
            if (holds_anything(bw_field_tile(set->from[f], slot), grid->tile_cells,
                               bw_field_background(set->from[f])))
                note |= holds_bit(s, f);
    }
    *bw_note(&job->advector->before, slot) = note;
}

static void note_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Advection *job = context;
    for (int64_t n = begin; n < end; n++)
        note_tile(job, job->domain->grid->order[n]);
}

// The masks, as bits, that a missing tile leaves no gap in.
static uint64_t fills_beyond(const Advection *job, BwTileCoord coord)
{
    uint64_t note = 0;
    for (int m = 0; m < MASKS; m++)
        if (job->samples[m].valid != NULL &&
            bw_samples_fill_beyond(&job->samples[m], job->domain->grid, coord))
            note |= (uint64_t)1 << (NOTE_FILLS + m);
    return note;
}

static uint64_t full_bit(int mask)
{
    return (uint64_t)1 << (NOTE_FULL + mask);
}

// The masks, as bits, that fill a tile and all its neighbours.
static uint64_t full_around(const Advection *job, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    uint64_t fills = full_bit(MASKS) - full_bit(0);
    fills >>= NOTE_FULL - NOTE_FILLS;
    for (int n = 0; n < 27; n++) {
        int32_t other = grid->tiles[slot].neighbour[n];
        fills &= other != 0 ? *bw_note(&job->advector->before, other)
                            : fills_beyond(job, bw_tile_beside(grid, slot, n));
    }
    return fills << (NOTE_FULL - NOTE_FILLS);
}

// Of the tile's cells; those at faces are means of these and of the next tile's.
static float longest_path(const Advection *job, int32_t slot)
{
    float longest = 0.0f;
    for (int a = 0; a < job->domain->grid->dimension && job->solids.count > 0; a++) {
        const float *restrict way = bw_field_tile(&job->advector->paths.back[a], slot);
        for (int n = 0; n < job->domain->grid->tile_cells; n++)
            longest = fmaxf(longest, fabsf(way[n]));
    }
    return 2.0f * longest;
}

static bool is_near_solids(const Advection *job, int32_t slot)
{
    return *bw_note(&job->advector->around, slot) >> NOTE_SOLIDS & 1;
}

static bool is_near_source(const Advection *job, int32_t slot)
{
    return job->sets[job->s].held != NULL &&
           !is_empty_around(job->domain->grid, &job->advector->before, (uint64_t)1 << NOTE_HELD, slot);
}

static void trace_range(int64_t begin, int64_t end, int worker, void *context)
{
    const Advection *job = context;
    BwAdvector *advector = job->advector;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = job->domain->grid->order[n];
        uint64_t note = full_around(job, slot);
        const bool is_full[3] = {note & full_bit(0), note & full_bit(1), note & full_bit(2)};
        bw_paths_trace(&advector->paths, &advector->workers[worker].tracer, job->domain, job->velocity,
                       is_full, slot, &job->trace);
        float reach = longest_path(job, slot);
        if (bw_solids_may_cut(job->solids, job->domain->grid, slot, reach))
            note |= (uint64_t)1 << NOTE_SOLIDS;
        *bw_note(&advector->around, slot) = note;
    }
}

static bool is_all_live(const BwGrid *grid, int32_t slot)
{
    for (int k = 0; k < grid->layers; k++)
        if (grid->tiles[slot].live[k] != ~(uint64_t)0)
            return false;
    return true;
}

// Where to put what a field is to hold in a tile: right there, but where cells are dead, which keep what they
// have, into the scratch first.
static float *begin_store(BwField *field, int32_t slot, float *scratch)
{
    return is_all_live(field->store.grid, slot) ? bw_field_tile(field, slot) : scratch;
}

static void end_store(BwField *field, int32_t slot, const float *result)
{
    const BwGrid *grid = field->store.grid;
    const uint64_t *live = grid->tiles[slot].live;
    float *to = bw_field_tile(field, slot);
    for (int n = 0; n < grid->tile_cells && result != to; n++)
        to[n] = bw_bit(live, n) ? result[n] : to[n];
}

static void store(BwField *field, int32_t slot, const float *result)
{
    const BwGrid *grid = field->store.grid;
    if (is_all_live(grid, slot))
        memcpy(bw_field_tile(field, slot), result, (size_t)grid->tile_cells * sizeof *result);
    else
        end_store(field, slot, result);
}

static void store_background(BwField *field, int32_t slot, float *scratch)
{
    float background = bw_field_background(field), *result = begin_store(field, slot, scratch);
    for (int n = 0; n < field->store.grid->tile_cells; n++)
        result[n] = background;
    end_store(field, slot, result);
}

static void use_scratch(Worker *worker)
{
    worker->result = worker->scratch.result;
    worker->low = worker->scratch.low;
    worker->high = worker->scratch.high;
}

static BwStencil stencil_of(const Advection *job)
{
    return job->advector->carry == BW_CARRY_CUBIC ? BW_STENCIL_CUBIC : BW_STENCIL_LINEAR;
}

// Of the set at work.
static const BwSamples *samples_of(const Advection *job)
{
    return &job->samples[mask_of_set(job->domain, job->sets, job->s)];
}

// Paths to samples of the set at work, and where their ends lie in a block.
static void find_ends(Worker *worker, const Advection *job, const BwField paths[3], int32_t slot)
{
    BwTracer *tracer = &worker->tracer;
    BwLocation location = job->sets[job->s].from[0]->location;
    float *const at[3] = {tracer->at[0], tracer->at[1], tracer->at[2]};
    bw_path_ends(tracer, paths, location, slot);
    if (is_near_solids(job, slot)) {
        bw_path_starts(tracer, job->domain->grid, location);
        bw_clip_paths(&worker->clipped, tracer, job->solids, job->domain->grid, location, slot,
                      paths == job->advector->paths.back);
    }
    bw_places_find(&tracer->places, job->domain->grid, samples_of(job), slot, at, stencil_of(job), 0);
    if (paths == job->advector->paths.back && tracer->places.is_near && is_near_source(job, slot))
        bw_find_fed(worker->is_fed, job->domain->grid, job->sets[job->s].held, &tracer->places, slot);
}

static void sample_far(Worker *worker, const Advection *job, const BwField *field, int32_t slot,
                       const float *fallback)
{
    const BwTracer *tracer = &worker->tracer;
    for (int n = 0; n < job->domain->grid->tile_cells; n++) {
        const float at[3] = {tracer->at[0][n], tracer->at[1][n], tracer->at[2][n]};
        worker->result[n] = fallback[n];
        bw_sample_local(field, job->sets[job->s].valid, slot, at, &worker->result[n]);
    }
}

static void gather(Worker *worker, const Advection *job, const BwField *field, int32_t slot, int reach)
{
    int mask = mask_of_set(job->domain, job->sets, job->s);
    bool is_full = *bw_note(&job->advector->around, slot) & full_bit(mask);
    bw_sampler_gather(&worker->block, field, &job->samples[mask], is_full, slot, reach);
}

// Samples that solids hide from the end of a path do not count either. Where none is left, nothing of the
// field came here: the background; but a velocity stays.
static float sample_in_sight(const Worker *worker, const BwGrid *grid, int n, float fallback)
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

static void sample_cut(Worker *worker, const Advection *job, const BwField *field, const float *fallback)
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
static void sample_fed(Worker *worker, const Advection *job, const float *fallback)
{
    const BwGrid *grid = job->domain->grid;
    float *linear = worker->scratch.low;
    bw_sampler_linear(&worker->block, grid, &worker->tracer.places, fallback, linear);
    for (int n = 0; n < grid->tile_cells; n++)
        worker->result[n] = worker->is_fed[n] ? linear[n] : worker->result[n];
}

static void drop_all_limits(Worker *worker, int count)
{
    for (int n = 0; n < count; n++)
        worker->low[n] = INFINITY;
}

// What a field is at the ends of the present paths; where asked, with the limits of what was around them.
static void sample_ends(Worker *worker, const Advection *job, const BwField *field, int32_t slot,
                        const float *fallback, bool with_limits)
{
    const BwGrid *grid = job->domain->grid;
    const BwPlaces *places = &worker->tracer.places;
    BwSamplerBlock *block = &worker->block;
    if (places->is_near)
        gather(worker, job, field, slot, places->reach);
    if (!places->is_near) {
        sample_far(worker, job, field, slot, fallback);
        drop_all_limits(worker, with_limits ? grid->tile_cells : 0);
    } else if (job->advector->carry == BW_CARRY_CUBIC) {
        bw_sampler_cubic(block, grid, places, fallback, worker->result);
        if (is_near_source(job, slot))
            sample_fed(worker, job, fallback);
    } else if (with_limits) {
        bw_sampler_linear_and_range(block, grid, places, fallback, worker->result, worker->low, worker->high);
    } else {
        bw_sampler_linear(block, grid, places, fallback, worker->result);
    }
    if (is_near_solids(job, slot))
        sample_cut(worker, job, field, fallback);
}

// Samples whose fluid came in from outside take the background.
static void let_air_enter(Worker *worker, const BwDomain *domain, float background)
{
    for (int n = 0; n < domain->grid->tile_cells; n++)
        if (bw_path_is_outside(&worker->tracer, domain, n))
            worker->result[n] = background;
}

// Solid and dead cells are nobody's: what the limiter does to them is no gain that others should give back.
static void drop_limits_of_missing(Worker *worker, const BwMask *valid, int32_t slot)
{
    const uint64_t *bits = bw_mask_tile(valid, slot);
    for (int k = 0; k < valid->store.grid->layers; k++)
        for (int n = 0; n < BW_TILE_LAYER && bits[k] != ~(uint64_t)0; n++)
            if (!(bits[k] >> n & 1))
                worker->low[BW_TILE_LAYER * k + n] = INFINITY;
}

// What solids cut off is carried, but not corrected: there and back would not be the same way.
static void drop_limits_of_cut(Worker *worker, int count)
{
    for (int n = 0; n < count; n++)
        worker->low[n] = worker->clipped.is_cut[n] ? INFINITY : worker->low[n];
}

// Nor is what comes out of a source.
static void drop_limits_of_fed(Worker *worker, int count)
{
    for (int n = 0; n < count; n++)
        worker->low[n] = worker->is_fed[n] ? INFINITY : worker->low[n];
}

// Fluid from outside has no limits.
static void drop_limits_of_entered(Worker *worker, const BwDomain *domain)
{
    for (int n = 0; n < domain->grid->tile_cells; n++)
        if (bw_path_is_outside(&worker->tracer, domain, n))
            worker->low[n] = INFINITY;
}

// Of the limits that were found around the starts of the paths, drops those of samples without any.
static void drop_limits(Worker *worker, const Advection *job, int32_t slot)
{
    const BwAdvectSet *set = &job->sets[job->s];
    if (set->keeps_total)
        drop_limits_of_missing(worker, set->valid, slot);
    if (is_near_solids(job, slot))
        drop_limits_of_cut(worker, job->domain->grid->tile_cells);
    if (worker->tracer.places.is_near && is_near_source(job, slot))
        drop_limits_of_fed(worker, job->domain->grid->tile_cells);
    if (set->air_enters && bw_path_meets_open_side(&worker->tracer, job->domain))
        drop_limits_of_entered(worker, job->domain);
}

// Where what passes the sides of a tile comes from. Nobody knows beside solids, which take their share of the
// sides, nor where paths are long.
static bool find_side_flow(Worker *worker, const Advection *job, int32_t slot)
{
    if (!worker->tracer.places.is_near || is_near_solids(job, slot))
        return false;
    const BwSideFlowOptions options = {.held = job->sets[job->s].held,
                                       .samples = samples_of(job),
                                       .stencil = stencil_of(job),
                                       .cells_per_speed = job->trace.cells_per_speed};
    bw_side_flow_find(&worker->sides, &worker->tracer, &job->advector->paths, job->domain, job->velocity,
                      slot, &options);
    return worker->sides.places.is_near;
}

// What of a field passes through the sides of a tile. The block still holds the field around it.
static void note_budget(Worker *worker, const Advection *job, int f, int32_t slot)
{
    BwTileBudget *budget = &job->advector->budget;
    const BwSideFlow *sides = &worker->sides;
    if (!worker->knows_sides) {
        bw_tile_budget_note_none(budget, job->domain->grid, f, slot, false);
        return;
    }
    if (sides->places.reach > worker->block.reach)
        gather(worker, job, job->sets[job->s].from[f], slot, sides->places.reach);
    bw_tile_budget_note(budget, &worker->sides, &worker->block, job->domain->grid, stencil_of(job), f, slot);
}

// A scalar of the background only, as far as paths reach: that is what is carried.
static void carry_background(Worker *worker, const Advection *job, BwField *to, int f, int32_t slot)
{
    store_background(to, slot, worker->scratch.result);
    if (job->sets[job->s].keeps_total)
        bw_tile_budget_note_none(&job->advector->budget, job->domain->grid, f, slot, true);
}

static void carry_field(Worker *worker, const Advection *job, BwField *to, int f, int32_t slot)
{
    const BwAdvectSet *set = &job->sets[job->s];
    const BwField *from = set->from[f];
    BwField *low = set->to[f], *high = job->advector->high[f];
    bool has_limits = job->advector->carry == BW_CARRY_MACCORMACK;
    worker->result = begin_store(to, slot, worker->scratch.result);
    if (has_limits) {
        worker->low = begin_store(low, slot, worker->scratch.low);
        worker->high = begin_store(high, slot, worker->scratch.high);
    }
    sample_ends(worker, job, from, slot, bw_field_tile(from, slot), has_limits);
    if (set->keeps_total)
        note_budget(worker, job, f, slot);
    if (set->air_enters && bw_path_meets_open_side(&worker->tracer, job->domain))
        let_air_enter(worker, job->domain, bw_field_background(from));
    end_store(to, slot, worker->result);
    if (!has_limits)
        return;
    drop_limits(worker, job, slot);
    end_store(low, slot, worker->low);
    end_store(high, slot, worker->high);
}

static void carry_tile(Worker *worker, const Advection *job, int32_t slot)
{
    const BwAdvectSet *set = &job->sets[job->s];
    BwAdvector *advector = job->advector;
    bool is_last = advector->carry != BW_CARRY_MACCORMACK;
    uint64_t note = 0;
    find_ends(worker, job, advector->paths.back, slot);
    for (int f = 0; f < set->count; f++) {
        bool is_empty = set->from[f]->location == BW_AT_CELL && worker->tracer.places.is_near &&
                        is_empty_around(job->domain->grid, &advector->before, holds_bit(job->s, f), slot);
        note |= is_empty ? 0 : holds_bit(job->s, f);
    }
    if (set->keeps_total && note != 0)
        worker->knows_sides = find_side_flow(worker, job, slot);
    for (int f = 0; f < set->count; f++) {
        BwField *to = is_last ? set->to[f] : &advector->carried[f];
        if (note & holds_bit(job->s, f))
            carry_field(worker, job, to, f, slot);
        else
            carry_background(worker, job, to, f, slot);
    }
    if (!is_last)
        *bw_note(&advector->between, slot) = note;
}

// Adds so much to the tile. Every sample takes part in proportion to its distance from the limit on that
// side, so that none passes it.
static void add_within_limits(float *restrict result, const float *restrict low, const float *restrict high,
                              int count, float amount)
{
    const float *restrict limit = amount < 0.0f ? low : high;
    float room = 0.0f;
    for (int n = 0; n < count; n++)
        room += low[n] <= high[n] ? fabsf(limit[n] - result[n]) : 0.0f;
    float part = room > fabsf(amount) ? fabsf(amount) / room : room > 0.0f ? 1.0f : 0.0f;
    for (int n = 0; n < count; n++)
        result[n] += low[n] <= high[n] ? part * (limit[n] - result[n]) : 0.0f;
}

// What a tile lacks of what it had and what came in.
static double lack_of_tile(const Advection *job, int f, int32_t slot, const float *result)
{
    const float *old = bw_field_tile(job->sets[job->s].from[f], slot);
    const uint64_t *live = job->domain->grid->tiles[slot].live;
    double sum = bw_tile_budget_gain(&job->advector->budget, job->domain, job->sets[job->s].from[f], f, slot);
    for (int n = 0; n < job->domain->grid->tile_cells; n++)
        sum += bw_bit(live, n) ? (double)(old[n] - result[n]) : 0.0;
    return sum;
}

// Carried forward again, the carried value should be the old one; half of the difference is its error.
// Without limits the carried value stands. Returns what the limits added.
static float correct_samples(float *restrict result, const float *restrict old, const float *restrict carried,
                             const float *restrict low, const float *restrict high, int count)
{
    float clipped = 0.0f;
    for (int n = 0; n < count; n++) {
        float wanted = carried[n] + 0.5f * (old[n] - result[n]);
        float value = wanted > low[n] ? wanted : low[n];
        value = value < high[n] ? value : high[n];
        bool has_limits = low[n] <= high[n];
        result[n] = has_limits ? value : carried[n];
        clipped += has_limits ? value - wanted : 0.0f;
    }
    return clipped;
}

// The limits that wait in the fields. Those of dead cells were not kept.
static void recall_limits(Worker *worker, const Advection *job, int f, int32_t slot)
{
    const BwAdvectSet *set = &job->sets[job->s];
    const BwGrid *grid = job->domain->grid;
    worker->low = bw_field_tile(set->to[f], slot);
    worker->high = bw_field_tile(job->advector->high[f], slot);
    if (!is_all_live(grid, slot)) {
        worker->low =
            memcpy(worker->scratch.low, worker->low, (size_t)grid->tile_cells * sizeof *worker->low);
        drop_limits_of_missing(worker, set->valid, slot);
    }
    if (is_near_solids(job, slot))
        drop_limits_of_cut(worker, grid->tile_cells);
}

static void correct_field(Worker *worker, const Advection *job, int f, int32_t slot)
{
    const BwAdvectSet *set = &job->sets[job->s];
    const BwField *carried = &job->advector->carried[f];
    const float *old = bw_field_tile(set->from[f], slot);
    int count = job->domain->grid->tile_cells;
    worker->result = worker->scratch.result;
    recall_limits(worker, job, f, slot);
    sample_ends(worker, job, carried, slot, old, false);
    float clipped =
        correct_samples(worker->result, old, bw_field_tile(carried, slot), worker->low, worker->high, count);
    if (!set->keeps_total)
        return;
    // Where the sides of a tile are not known, at least what the limiter did is undone: where it cut off
    // undershoots it added smoke, where it cut off overshoots it took some away.
    double lack = lack_of_tile(job, f, slot, worker->result);
    add_within_limits(worker->result, worker->low, worker->high, count, isnan(lack) ? -clipped : (float)lack);
}

static void correct_tile(Worker *worker, const Advection *job, int32_t slot)
{
    const BwAdvectSet *set = &job->sets[job->s];
    BwAdvector *advector = job->advector;
    uint64_t note = *bw_note(&advector->between, slot);
    find_ends(worker, job, advector->paths.ahead, slot);
    for (int f = 0; f < set->count; f++) {
        if (!(note & holds_bit(job->s, f))) {
            store_background(set->to[f], slot, worker->scratch.result);
        } else if (worker->tracer.places.is_near) {
            correct_field(worker, job, f, slot);
            store(set->to[f], slot, worker->result);
        } else {
            store(set->to[f], slot, bw_field_tile(&advector->carried[f], slot));
        }
    }
}

// What linear or cubic interpolation carried, held to what passed through the sides of the tile and to the
// limits of what was around the starts of the paths.
static void settle_tile(Worker *worker, const Advection *job, int32_t slot)
{
    const BwAdvectSet *set = &job->sets[job->s];
    const BwGrid *grid = job->domain->grid;
    use_scratch(worker);
    find_ends(worker, job, job->advector->paths.back, slot);
    for (int f = 0; f < set->count && worker->tracer.places.is_near; f++) {
        if (is_empty_around(grid, &job->advector->before, holds_bit(job->s, f), slot))
            continue;
        gather(worker, job, set->from[f], slot, worker->tracer.places.reach);
        bw_sampler_range(&worker->block, grid, &worker->tracer.places, worker->low, worker->high);
        drop_limits(worker, job, slot);
        memcpy(worker->result, bw_field_tile(set->to[f], slot),
               sizeof worker->result[0] * (size_t)grid->tile_cells);
        double lack = lack_of_tile(job, f, slot, worker->result);
        if (isnan(lack))
            continue;
        add_within_limits(worker->result, worker->low, worker->high, grid->tile_cells, (float)lack);
        store(set->to[f], slot, worker->result);
    }
}

static void carry_range(int64_t begin, int64_t end, int worker, void *context)
{
    const Advection *job = context;
    for (int64_t n = begin; n < end; n++)
        carry_tile(&job->advector->workers[worker], job, job->domain->grid->order[n]);
}

static void correct_range(int64_t begin, int64_t end, int worker, void *context)
{
    const Advection *job = context;
    for (int64_t n = begin; n < end; n++)
        correct_tile(&job->advector->workers[worker], job, job->domain->grid->order[n]);
}

static void settle_range(int64_t begin, int64_t end, int worker, void *context)
{
    const Advection *job = context;
    for (int64_t n = begin; n < end; n++)
        settle_tile(&job->advector->workers[worker], job, job->domain->grid->order[n]);
}

// The copies of a set have its fields' own location and background.
static void prepare_copies(BwAdvector *advector, const BwAdvectSet *set)
{
    for (int f = 0; f < set->count; f++) {
        advector->carried[f].location = set->from[f]->location;
        bw_field_set_background(&advector->carried[f], bw_field_background(set->from[f]));
    }
}

// Cubics are so exact that at Courant numbers of 4 and more paths of second order are what errs; the other
// schemes gain nothing from better ones.
static BwTraceOptions trace_options(const Advection *job, float dt)
{
    BwTraceOptions options = {.cells_per_speed = dt / job->domain->grid->cell_size,
                              .is_third_order = job->advector->carry == BW_CARRY_CUBIC};
    for (int a = 0; a < job->domain->grid->dimension; a++)
        options.face[a] = job->samples[a];
    return options;
}

static void find_samples(Advection *job)
{
    const BwDomain *domain = job->domain;
    for (int a = 0; a < domain->grid->dimension; a++)
        job->samples[a] =
            bw_samples_find(domain->grid, &domain->face[a], job->velocity->u[a].location, stencil_of(job));
    for (int s = 0; s < job->set_count; s++)
        if (mask_of_set(domain, job->sets, s) >= 3)
            job->samples[3 + s] = bw_samples_find(domain->grid, job->sets[s].valid,
                                                  job->sets[s].from[0]->location, stencil_of(job));
}

void bw_advect(BwAdvector *advector, const BwDomain *domain, const BwVelocity *velocity, BwPathSolids solids,
               const BwAdvectSet *sets, int set_count, float dt)
{
    BW_ASSERT(set_count > 0 && set_count <= BW_ADVECT_SETS);
    Advection job = {.advector = advector,
                     .domain = domain,
                     .velocity = velocity,
                     .solids = solids,
                     .sets = sets,
                     .set_count = set_count};
    find_samples(&job);
    job.trace = trace_options(&job, dt);
    int64_t count = domain->grid->tile_count;
    bw_parallel_for(domain->pool, count, 32, note_range, &job);
    bw_parallel_for(domain->pool, count, 8, trace_range, &job);
    for (job.s = 0; job.s < set_count; job.s++) {
        if (advector->carry == BW_CARRY_MACCORMACK)
            prepare_copies(advector, &sets[job.s]);
        bw_parallel_for(domain->pool, count, 8, carry_range, &job);
        if (advector->carry == BW_CARRY_MACCORMACK)
            bw_parallel_for(domain->pool, count, 8, correct_range, &job);
        else if (sets[job.s].keeps_total)
            bw_parallel_for(domain->pool, count, 8, settle_range, &job);
    }
}
