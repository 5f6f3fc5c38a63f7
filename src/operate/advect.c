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
    BwClipped clipped;              // paths of the tile, where it is near solids
    bool is_fed[BW_TILE_CELLS_MAX]; // by a source, where the tile is near one
    float result[BW_TILE_CELLS_MAX];
    float low[BW_ADVECT_FIELDS][BW_TILE_CELLS_MAX], high[BW_ADVECT_FIELDS][BW_TILE_CELLS_MAX]; // of results
} Worker;

struct BwAdvector {
    BwGrid *grid;
    BwCarry carry;
    BwPaths paths;
    BwField carried[BW_ADVECT_FIELDS]; // of the set at work, by MacCormack
    BwNotes before, between;           // see below
    BwPathMarks marks;                 // where solids are near
    BwTileBudget budget;               // of the set at work
    int worker_count;
    Worker *workers;
};

// What is noted about a tile before anything is carried: for each mask whether blocks need no weights, for
// each field at cells whether the tile holds anything but the background (that also of what was carried),
// whether its paths may meet solids, and whether sources hold any of its cells.
enum { NOTE_FACE_FULL = 0, NOTE_SET_FULL = 3, NOTE_HOLDS = 8, NOTE_SOLIDS = 16, NOTE_HELD = 17 };

static uint64_t full_bit(const BwDomain *domain, const BwAdvectSet *sets, int s)
{
    for (int a = 0; a < domain->grid->dimension; a++)
        if (sets[s].valid == &domain->face[a])
            return (uint64_t)1 << (NOTE_FACE_FULL + a);
    return (uint64_t)1 << (NOTE_SET_FULL + s);
}

static uint64_t holds_bit(int s, int f)
{
    return (uint64_t)1 << (NOTE_HOLDS + BW_ADVECT_FIELDS * s + f);
}

BwResult bw_advector_create(BwAdvector **out, BwGrid *grid, BwPool *pool, BwCarry carry, BwField *lent,
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
        result = bw_paths_create(&advector->paths, grid, is_maccormack, lent, err);
    if (result == BW_OK)
        result = bw_notes_create(&advector->before, grid, err);
    if (result == BW_OK && is_maccormack)
        result = bw_notes_create(&advector->between, grid, err);
    if (result == BW_OK)
        result = bw_path_marks_create(&advector->marks, grid, err);
    if (result == BW_OK)
        result = bw_tile_budget_create(&advector->budget, grid, err);
    for (int f = 0; f < BW_ADVECT_FIELDS && result == BW_OK && is_maccormack; f++)
        result = bw_field_create(&advector->carried[f], grid, BW_AT_CELL, 0.0f, err);
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
    bw_notes_destroy(&advector->between);
    bw_path_marks_destroy(&advector->marks);
    bw_tile_budget_destroy(&advector->budget);
    for (int f = 0; f < BW_ADVECT_FIELDS; f++)
        bw_field_destroy(&advector->carried[f]);
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
    const BwDomain *domain = job->domain;
    uint64_t note = 0;
    for (int a = 0; a < domain->grid->dimension; a++)
        if (bw_sampler_is_full(domain->grid, &domain->face[a], slot))
            note |= (uint64_t)1 << (NOTE_FACE_FULL + a);
    for (int s = 0; s < job->set_count; s++) {
        const BwAdvectSet *set = &job->sets[s];
        uint64_t bit = full_bit(domain, job->sets, s);
        if (bit >= (uint64_t)1 << NOTE_SET_FULL && bw_sampler_is_full(domain->grid, set->valid, slot))
            note |= bit;
        if (set->held != NULL && has_bits(bw_mask_tile(set->held, slot), domain->grid->layers))
            note |= (uint64_t)1 << NOTE_HELD;
        for (int f = 0; f < set->count && set->from[f]->location == BW_AT_CELL; f++)
            if (holds_anything(bw_field_tile(set->from[f], slot), domain->grid->tile_cells,
                               bw_field_background(set->from[f])))
                note |= holds_bit(s, f);
    }
    *bw_note(&job->advector->before, slot) = note;
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
    return *bw_note(&job->advector->before, slot) >> NOTE_SOLIDS & 1;
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
        note_tile(job, slot);
        uint64_t note = *bw_note(&advector->before, slot);
        const bool is_full[3] = {note >> NOTE_FACE_FULL & 1, note >> (NOTE_FACE_FULL + 1) & 1,
                                 note >> (NOTE_FACE_FULL + 2) & 1};
        bw_paths_trace(&advector->paths, &advector->workers[worker].tracer, job->domain, job->velocity,
                       is_full, slot, job->trace);
        float reach = longest_path(job, slot);
        if (bw_solids_may_cut(job->solids, job->domain->grid, slot, reach))
            *bw_note(&advector->before, slot) = note | (uint64_t)1 << NOTE_SOLIDS;
    }
}

static void mark_range(int64_t begin, int64_t end, int worker, void *context)
{
    const Advection *job = context;
    BwAdvector *advector = job->advector;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = job->domain->grid->order[n];
        if (is_near_solids(job, slot))
            bw_paths_mark(&advector->marks, &advector->paths, &advector->workers[worker].tracer, job->solids,
                          slot);
        else
            bw_paths_mark_none(&advector->marks, slot);
    }
}

// Dead cells keep what they have.
static void store(BwField *field, int32_t slot, const float *result)
{
    const BwGrid *grid = field->store.grid;
    const uint64_t *live = grid->tiles[slot].live;
    float *to = bw_field_tile(field, slot);
    for (int k = 0; k < grid->layers; k++, to += BW_TILE_LAYER, result += BW_TILE_LAYER) {
        if (live[k] == ~(uint64_t)0)
            memcpy(to, result, BW_TILE_LAYER * sizeof *to);
        for (int n = 0; n < BW_TILE_LAYER && live[k] != ~(uint64_t)0; n++)
            to[n] = live[k] >> n & 1 ? result[n] : to[n];
    }
}

static void store_background(BwField *field, int32_t slot, float *result)
{
    float background = bw_field_background(field);
    for (int n = 0; n < field->store.grid->tile_cells; n++)
        result[n] = background;
    store(field, slot, result);
}

// Where the ends of the present paths lie in a block, and what of those back comes out of sources.
static void place_ends(Worker *worker, const Advection *job, bool is_back, int32_t slot)
{
    BwTracer *tracer = &worker->tracer;
    const BwAdvectSet *set = &job->sets[job->s];
    float *const at[3] = {tracer->at[0], tracer->at[1], tracer->at[2]};
    bw_places_find(&tracer->places, job->domain->grid, set->from[0]->location, at);
    if (is_back && tracer->places.is_near && is_near_source(job, slot))
        bw_find_fed(worker->is_fed, job->domain->grid, set->held, &tracer->places, slot);
    if (job->advector->carry == BW_CARRY_CUBIC && tracer->places.reach == BW_REACH_MAX)
        tracer->places.is_near = false;
}

// Paths to samples of the set at work, cut where they meet solids.
static void find_ends(Worker *worker, const Advection *job, const BwField paths[3], int32_t slot)
{
    BwAdvector *advector = job->advector;
    BwLocation location = job->sets[job->s].from[0]->location;
    bool is_back = paths == advector->paths.back, is_near = is_near_solids(job, slot);
    bw_path_ends(&worker->tracer, paths, location, slot);
    if (is_near && is_back)
        bw_clip_paths(&worker->clipped, &worker->tracer, &advector->marks, job->solids, location, slot);
    else if (is_near)
        bw_clip_paths_ahead(&worker->clipped, &worker->tracer, &advector->marks, location, slot);
    place_ends(worker, job, is_back, slot);
}

// The paths back once more. Nothing is read at the ends of those that solids cut.
static void find_ends_again(Worker *worker, const Advection *job, int32_t slot)
{
    bw_path_ends(&worker->tracer, job->advector->paths.back, job->sets[job->s].from[0]->location, slot);
    if (is_near_solids(job, slot))
        bw_clip_paths_again(&worker->clipped, &worker->tracer, &job->advector->marks, slot);
    place_ends(worker, job, true, slot);
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
    bool is_full = *bw_note(&job->advector->before, slot) & full_bit(job->domain, job->sets, job->s);
    bw_sampler_gather(&worker->block, field, job->sets[job->s].valid, is_full, slot, reach);
}

// Samples that solids hide from the end of a path do not count either. Where none is left, nothing of the
// field came here: the background; but a velocity stays.
static float sample_in_sight(const Worker *worker, const BwGrid *grid, int n, float fallback)
{
    static const int stride[3] = {1, BW_SAMPLER_ROW, BW_SAMPLER_LAYER};
    const BwSamplerBlock *block = &worker->block;
    const BwPlaces *places = &worker->tracer.places;
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

// Out of sources comes what linear interpolation carries, whatever the scheme. The limits are not known yet:
// their memory is free.
static void sample_fed(Worker *worker, const Advection *job, const float *fallback)
{
    const BwGrid *grid = job->domain->grid;
    float *linear = worker->low[0];
    bw_sampler_linear(&worker->block, grid, &worker->tracer.places, fallback, linear);
    for (int n = 0; n < grid->tile_cells; n++)
        worker->result[n] = worker->is_fed[n] ? linear[n] : worker->result[n];
}

// What a field is at the ends of the present paths.
static void sample_ends(Worker *worker, const Advection *job, const BwField *field, int32_t slot,
                        const float *fallback)
{
    const BwGrid *grid = job->domain->grid;
    const BwPlaces *places = &worker->tracer.places;
    if (!places->is_near) {
        sample_far(worker, job, field, slot, fallback);
    } else if (job->advector->carry == BW_CARRY_CUBIC) {
        gather(worker, job, field, slot, places->reach + 1);
        bw_sampler_cubic(&worker->block, grid, places, fallback, worker->result);
        if (is_near_source(job, slot))
            sample_fed(worker, job, fallback);
    } else {
        gather(worker, job, field, slot, places->reach);
        bw_sampler_linear(&worker->block, grid, places, fallback, worker->result);
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

// What of a field passes through the sides of a tile. The block still holds the field around it. Nobody knows
// beside solids, which take their share of the sides.
static void note_budget(Worker *worker, const Advection *job, int f, int32_t slot)
{
    const BwAdvectSet *set = &job->sets[job->s];
    BwTileBudget *budget = &job->advector->budget;
    bool is_cubic = job->advector->carry == BW_CARRY_CUBIC;
    int reach = worker->sides.places.reach + is_cubic;
    if (!worker->tracer.places.is_near || !worker->sides.places.is_near || reach > BW_REACH_MAX ||
        is_near_solids(job, slot)) {
        bw_tile_budget_note_none(budget, job->domain->grid, f, slot, false);
        return;
    }
    if (reach > worker->block.reach)
        gather(worker, job, set->from[f], slot, reach);
    bw_tile_budget_note(budget, &worker->sides, &worker->block, job->domain->grid, is_cubic, f, slot);
}

static void carry_tile(Worker *worker, const Advection *job, int32_t slot)
{
    const BwAdvectSet *set = &job->sets[job->s];
    BwAdvector *advector = job->advector;
    const BwGrid *grid = job->domain->grid;
    bool is_last = advector->carry != BW_CARRY_MACCORMACK;
    uint64_t note = 0;
    find_ends(worker, job, advector->paths.back, slot);
    bool may_enter = set->air_enters && bw_path_meets_open_side(&worker->tracer, job->domain);
    bool has_budget = set->keeps_total;
    if (has_budget)
        bw_side_flow_find(&worker->sides, &worker->tracer, &advector->paths, job->domain, job->velocity,
                          set->held, slot, job->trace.cells_per_speed);
    for (int f = 0; f < set->count; f++) {
        BwField *to = is_last ? set->to[f] : &advector->carried[f];
        bool is_scalar = to->location == BW_AT_CELL;
        if (is_scalar && worker->tracer.places.is_near &&
            is_empty_around(grid, &advector->before, holds_bit(job->s, f), slot)) {
            store_background(to, slot, worker->result);
            if (has_budget)
                bw_tile_budget_note_none(&advector->budget, grid, f, slot, true);
            continue;
        }
        sample_ends(worker, job, set->from[f], slot, bw_field_tile(set->from[f], slot));
        if (has_budget)
            note_budget(worker, job, f, slot);
        if (may_enter)
            let_air_enter(worker, job->domain, bw_field_background(set->from[f]));
        store(to, slot, worker->result);
        note |= holds_bit(job->s, f);
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

// Solid and dead cells are nobody's: what the limiter does to them is no gain that others should give back.
static void drop_limits_of_missing(Worker *worker, const BwMask *valid, int f, int32_t slot)
{
    const uint64_t *bits = bw_mask_tile(valid, slot);
    for (int n = 0; n < valid->store.grid->tile_cells; n++)
        worker->low[f][n] = bw_bit(bits, n) ? worker->low[f][n] : INFINITY;
}

// What solids cut off is carried, but not corrected: there and back would not be the same way.
static void drop_limits_of_cut(Worker *worker, int f, int count)
{
    for (int n = 0; n < count; n++)
        worker->low[f][n] = worker->clipped.is_cut[n] ? INFINITY : worker->low[f][n];
}

// Nor is what comes out of a source.
static void drop_limits_of_fed(Worker *worker, int f, int count)
{
    for (int n = 0; n < count; n++)
        worker->low[f][n] = worker->is_fed[n] ? INFINITY : worker->low[f][n];
}

// The limits of each sample: what was around the start of its path. Fluid from outside has none.
static void find_limits(Worker *worker, const Advection *job, int f, int32_t slot)
{
    const BwDomain *domain = job->domain;
    float *low = worker->low[f], *high = worker->high[f];
    gather(worker, job, job->sets[job->s].from[f], slot, worker->tracer.places.reach);
    bw_sampler_range(&worker->block, domain->grid, &worker->tracer.places, low, high);
    if (job->sets[job->s].keeps_total)
        drop_limits_of_missing(worker, job->sets[job->s].valid, f, slot);
    if (is_near_solids(job, slot))
        drop_limits_of_cut(worker, f, domain->grid->tile_cells);
    if (is_near_source(job, slot))
        drop_limits_of_fed(worker, f, domain->grid->tile_cells);
    if (!job->sets[job->s].air_enters || !bw_path_meets_open_side(&worker->tracer, domain))
        return;
    for (int n = 0; n < domain->grid->tile_cells; n++)
        if (bw_path_is_outside(&worker->tracer, domain, n)) {
            low[n] = 1.0f;
            high[n] = 0.0f;
        }
}

// Carried forward again, the carried value should be the old one; half of the difference is its error.
// Without limits the carried value stands.
static void correct_field(Worker *worker, const Advection *job, int f, int32_t slot)
{
    const BwAdvectSet *set = &job->sets[job->s];
    int count = job->domain->grid->tile_cells;
    const float *restrict old = bw_field_tile(set->from[f], slot), *restrict carried = bw_field_tile(
                                                                       &job->advector->carried[f], slot);
    const float *restrict low = worker->low[f], *restrict high = worker->high[f];
    float *restrict result = worker->result;
    float clipped = 0.0f;
    for (int n = 0; n < count; n++) {
        float wanted = carried[n] + 0.5f * (old[n] - result[n]);
        float value = wanted > low[n] ? wanted : low[n];
        value = value < high[n] ? value : high[n];
        bool has_limits = low[n] <= high[n];
        result[n] = has_limits ? value : carried[n];
        clipped += has_limits ? value - wanted : 0.0f;
    }
    if (!set->keeps_total)
        return;
    // Where the sides of a tile are not known, at least what the limiter did is undone: where it cut off
    // undershoots it added smoke, where it cut off overshoots it took some away.
    double lack = lack_of_tile(job, f, slot, result);
    add_within_limits(result, low, high, count, isnan(lack) ? -clipped : (float)lack);
}

static void correct_tile(Worker *worker, const Advection *job, int32_t slot)
{
    const BwAdvectSet *set = &job->sets[job->s];
    BwAdvector *advector = job->advector;
    const BwGrid *grid = job->domain->grid;
    bool is_empty[BW_ADVECT_FIELDS];
    for (int f = 0; f < set->count; f++) {
        uint64_t bit = holds_bit(job->s, f);
        is_empty[f] = set->to[f]->location == BW_AT_CELL &&
                      is_empty_around(grid, &advector->before, bit, slot) &&
                      is_empty_around(grid, &advector->between, bit, slot);
    }
    find_ends_again(worker, job, slot);
    bool is_near = worker->tracer.places.is_near;
    for (int f = 0; f < set->count; f++)
        if (is_near && !is_empty[f])
            find_limits(worker, job, f, slot);
    find_ends(worker, job, advector->paths.ahead, slot);
    is_near = is_near && worker->tracer.places.is_near;
    for (int f = 0; f < set->count && is_near_solids(job, slot); f++)
        drop_limits_of_cut(worker, f, grid->tile_cells);
    for (int f = 0; f < set->count; f++) {
        if (is_empty[f]) {
            store_background(set->to[f], slot, worker->result);
            continue;
        }
        const float *carried = bw_field_tile(&advector->carried[f], slot);
        if (is_near) {
            sample_ends(worker, job, &advector->carried[f], slot, bw_field_tile(set->from[f], slot));
            correct_field(worker, job, f, slot);
        }
        store(set->to[f], slot, is_near ? worker->result : carried);
    }
}

// What linear or cubic interpolation carried, held to what passed through the sides of the tile.
static void settle_tile(Worker *worker, const Advection *job, int32_t slot)
{
    const BwAdvectSet *set = &job->sets[job->s];
    const BwGrid *grid = job->domain->grid;
    find_ends_again(worker, job, slot);
    for (int f = 0; f < set->count && worker->tracer.places.is_near; f++) {
        if (is_empty_around(grid, &job->advector->before, holds_bit(job->s, f), slot))
            continue;
        find_limits(worker, job, f, slot);
        memcpy(worker->result, bw_field_tile(set->to[f], slot),
               sizeof worker->result[0] * (size_t)grid->tile_cells);
        double lack = lack_of_tile(job, f, slot, worker->result);
        if (isnan(lack))
            continue;
        add_within_limits(worker->result, worker->low[f], worker->high[f], grid->tile_cells, (float)lack);
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

void bw_advect(BwAdvector *advector, const BwDomain *domain, const BwVelocity *velocity, BwPathSolids solids,
               const BwAdvectSet *sets, int set_count, float dt)
{
    BW_ASSERT(set_count > 0 && set_count <= BW_ADVECT_SETS);
    // Cubics are so exact that at Courant numbers of 4 and more paths of second order are what errs; the
    // other schemes gain nothing from better ones.
    BwTraceOptions trace = {.cells_per_speed = dt / domain->grid->cell_size,
                            .is_third_order = advector->carry == BW_CARRY_CUBIC};
    Advection job = {.advector = advector,
                     .domain = domain,
                     .velocity = velocity,
                     .solids = solids,
                     .sets = sets,
                     .set_count = set_count,
                     .trace = trace};
    int64_t count = domain->grid->tile_count;
    bw_parallel_for(domain->pool, count, 8, trace_range, &job);
    if (solids.count > 0)
        bw_parallel_for(domain->pool, count, 4, mark_range, &job);
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
