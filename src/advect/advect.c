// BwAdvectJob on tiles, by the schemes of advect/scheme.h.
//
// All paths are traced first and kept, so a set of fields needs nothing but them, and sets go one by one.
#include "advect/advect_job.h"
#include "advect/limiter.h"

#include "base/extremes.h"
#include "domain/sides.h"
#include <math.h>
#include <string.h>

// Along any axis, of the cells of a tile.
static float longest_path(const BwAdvectJob *job, int32_t slot)
{
    float longest = 0.0f;
    for (int a = 0; a < job->domain->grid->dimension; a++) {
        const float *restrict way = bw_field_tile(&job->advector->paths.back[a], slot);
        for (int n = 0; n < job->domain->grid->tile_cells; n++)
            longest = bw_larger(fabsf(way[n]), longest);
    }
    return longest;
}

static float *longest_of(const BwAdvector *advector, int32_t slot)
{
    return (float *)(void *)bw_note(&advector->longest, slot);
}

// What each stage needs of the tiles around those that the next one works on: one more ring of them.
enum { TRACED = 1, MARKED, ADVECTED, CORRECTED = BW_ADVECT_WANTED };

static bool is_wanted(const BwAdvectJob *job, int32_t slot, uint64_t ring)
{
    return job->wanted == NULL || *bw_note(job->wanted, slot) >= ring;
}

// Notes the tiles around those that are wanted, ring by ring.
static void note_rings(const BwGrid *grid, const BwNotes *wanted)
{
    for (uint64_t ring = CORRECTED - 1; ring >= TRACED; ring--)
        for (int32_t m = 0; m < grid->tile_count; m++) {
            uint64_t *own = bw_note(wanted, grid->order[m]);
            for (int n = 0; n < 27 && *own == 0; n++)
                if (*bw_note(wanted, grid->tiles[grid->order[m]].neighbour[n]) == ring + 1)
                    *own = ring;
        }
}

static void trace_range(int64_t begin, int64_t end, int worker, void *context)
{
    const BwAdvectJob *job = context;
    BwAdvector *advector = job->advector;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = job->domain->grid->order[n];
        if (!is_wanted(job, slot, TRACED))
            continue;
        uint64_t note = bw_full_around(job, slot);
        const bool is_full[3] = {note & bw_full_bit(0), note & bw_full_bit(1), note & bw_full_bit(2)};
        bw_paths_trace(&advector->paths, &advector->workers[worker].tracer, job->domain, job->velocity,
                       is_full, slot, &job->trace);
        *bw_note(&advector->around, slot) = note;
        if (job->solids.count > 0)
            *longest_of(advector, slot) = longest_path(job, slot);
    }
}

// No path of a sample of the tile is longer. Those of faces are means of the paths of two cells, of which one
// may be in the tile before; twice a mean along each axis is more than its length.
static float reach_of_paths(const BwAdvectJob *job, int32_t slot)
{
    const int32_t *neighbour = job->domain->grid->tiles[slot].neighbour;
    float own = *longest_of(job->advector, slot), longest = own;
    for (int a = 0; a < job->domain->grid->dimension; a++) {
        int32_t before = neighbour[bw_neighbour(-(a == 0), -(a == 1), -(a == 2))];
        longest = bw_larger(*longest_of(job->advector, before), longest);
    }
    return own + longest;
}

static uint64_t note_of_solids(const BwAdvectJob *job, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    float reach = reach_of_paths(job, slot);
    uint64_t note = 0;
    for (int s = 0; s < job->solids.count; s++) {
        const BwSolidPose *solid = &job->solids.list[s];
        bool has_moved = !bw_solid_is_at_rest(solid);
        uint64_t bits = (uint64_t)1 << BW_NOTE_SOLIDS | (uint64_t)has_moved << BW_NOTE_MOVING;
        if ((note & bits) != bits &&
            bw_solids_may_cut((BwPathSolids){.list = solid, .count = 1}, grid, slot, reach))
            note |= bits;
    }
    return note;
}

static void mark_range(int64_t begin, int64_t end, int worker, void *context)
{
    const BwAdvectJob *job = context;
    const BwGrid *grid = job->domain->grid;
    BwAdvector *advector = job->advector;
    BwTracer *tracer = &advector->workers[worker].tracer;
    bw_path_starts(tracer, grid, BW_AT_CELL);
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        if (!is_wanted(job, slot, MARKED))
            continue;
        uint64_t note = note_of_solids(job, slot);
        BwTileParts *parts = (BwTileParts *)(void *)bw_note(&advector->parts, slot);
        int part_count = note != 0 ? bw_tile_parts_find(parts, job->domain, slot) : 1;
        note |= (uint64_t)(part_count > 1) << BW_NOTE_PARTED;
        note |= note != 0 ? bw_whole_around(job, slot) : 0;
        bw_tile_budget_set_parts(&advector->budget, slot, part_count);
        *bw_note(&advector->around, slot) |= note;
        if (note != 0) {
            bw_paths_mark(&advector->marks, &advector->paths, tracer, &advector->workers[worker].clipped.ways,
                          job->solids, slot);
        } else {
            bw_paths_mark_none(&advector->marks, slot);
        }
    }
}

// Tiles beside solids that share nothing with those around them, once all parts are known.
static void wall_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwAdvectJob *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        if (!is_wanted(job, slot, ADVECTED) || !bw_is_near_solids(job, slot))
            continue;
        bool is_walled = bw_parts_of_tile(job, slot) != NULL ||
                         bw_tile_has_walls_around(job->domain, &job->advector->around,
                                                  (uint64_t)1 << BW_NOTE_PARTED, slot);
        *bw_note(&job->advector->walled, slot) = is_walled;
    }
}

// Where to put what a field is to hold in a tile: right there, but where cells are dead, which keep what they
// have, into the scratch first.
static float *begin_store(BwField *field, int32_t slot, float *scratch)
{
    return bw_tile_is_all_live(field->store.grid, slot) ? bw_field_tile(field, slot) : scratch;
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
    if (bw_tile_is_all_live(grid, slot))
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

// Where the lower limits of a field of the set at work wait. What settles its totals needs them beside the
// result.
static BwField *low_of(const BwAdvectJob *job, int f)
{
    const BwAdvectBatch *set = &job->sets[job->s];
    return set->keeps_total ? job->advector->low[f] : set->to[f];
}

// Solid and dead cells are nobody's: what the limiter does to them is no gain that others should give back.
static void drop_limits_of_missing(BwAdvectWorker *worker, const BwMask *valid, int32_t slot)
{
    const uint64_t *bits = bw_mask_tile(valid, slot);
    for (int k = 0; k < valid->store.grid->layers; k++)
        for (int n = 0; n < BW_TILE_LAYER && bits[k] != ~(uint64_t)0; n++)
            if (!(bits[k] >> n & 1))
                worker->low[BW_TILE_LAYER * k + n] = INFINITY;
}

// What solids cut off is advected, but not corrected: there and back would not be the same way.
static void drop_limits_of_cut(BwAdvectWorker *worker, int count)
{
    for (int n = 0; n < count; n++)
        worker->low[n] = worker->clipped.is_cut[n] ? INFINITY : worker->low[n];
}

// What a source holds is filled up after the step: no budget changes it.
static void drop_limits_of_source(BwAdvectWorker *worker, const BwAdvectJob *job, int32_t slot)
{
    const uint64_t *sources = bw_mask_tile(job->sets[job->s].sources, slot);
    for (int n = 0; n < job->domain->grid->tile_cells; n++)
        worker->low[n] = bw_bit(sources, n) ? INFINITY : worker->low[n];
}

// Of the limits that were found around the starts of the paths, drops those of samples without any.
static void drop_limits(BwAdvectWorker *worker, const BwAdvectJob *job, bool has_entered, int32_t slot)
{
    const BwAdvectBatch *set = &job->sets[job->s];
    if (set->keeps_total)
        drop_limits_of_missing(worker, set->valid, slot);
    if (bw_is_near_solids(job, slot))
        drop_limits_of_cut(worker, job->domain->grid->tile_cells);
    if (set->keeps_total && bw_is_near_source(job, slot))
        drop_limits_of_source(worker, job, slot);
    if (has_entered)
        bw_drop_limits_of_entered(worker, job->domain->grid->tile_cells);
}

// Where what passes the sides of a tile comes from. Nobody knows where paths are long.
static bool find_side_flow(BwAdvectWorker *worker, const BwAdvectJob *job, int32_t slot)
{
    if (!worker->tracer.places.is_near)
        return false;
    const BwSideFlowOptions options = {.sources = job->sets[job->s].sources,
                                       .samples = bw_sample_box_of_set(job),
                                       .stencil = bw_stencil_of(job),
                                       .cells_per_speed = job->trace.cells_per_speed};
    bw_side_flow_find(&worker->sides, &worker->tracer, &job->advector->paths, job->domain, job->velocity,
                      slot, &options);
    bw_block_points_join(&worker->tracer.places, &worker->sides.places); // one block serves both
    return worker->sides.places.is_near;
}

// The same by the parts that walls leave of the tile and of those below; `sides` is NULL where it is not
// known, or nothing passes, as `otherwise` says.
static void note_parts(const BwAdvectJob *job, const BwSideFlow *sides, int f, int32_t slot, float otherwise)
{
    const int32_t *neighbour = job->domain->grid->tiles[slot].neighbour;
    const BwTileParts *own = bw_parts_of_tile(job, slot),
                      *below[3] = {bw_parts_of_tile(job, neighbour[bw_neighbour(-1, 0, 0)]),
                                   bw_parts_of_tile(job, neighbour[bw_neighbour(0, -1, 0)]),
                                   bw_parts_of_tile(job, neighbour[bw_neighbour(0, 0, -1)])};
    if (own != NULL || below[0] != NULL || below[1] != NULL || below[2] != NULL)
        bw_tile_budget_note_parts(&job->advector->budget, sides,
                                  bw_field_background(job->sets[job->s].from[f]), own, below, f, slot,
                                  otherwise);
}

// What of a field passes through the sides of a tile. The block still holds the field around it.
static void note_budget(BwAdvectWorker *worker, const BwAdvectJob *job, int f, int32_t slot)
{
    BwTileBudget *budget = &job->advector->budget;
    const BwSideFlow *sides = &worker->sides;
    if (!worker->knows_sides) {
        bw_tile_budget_note_none(budget, job->domain->grid, f, slot, false);
        note_parts(job, NULL, f, slot, NAN);
        return;
    }
    if (!bw_interpolation_holds(&worker->block, &sides->places))
        bw_gather_set(worker, job, job->sets[job->s].from[f], slot, &sides->places);
    bw_tile_budget_note(budget, &worker->sides, &worker->block, job->domain->grid, bw_stencil_of(job), f,
                        slot);
    note_parts(job, sides, f, slot, 0.0f);
    if (bw_is_near_source(job, slot))
        bw_tile_budget_note_sources(budget, sides, job->domain, job->velocity, job->sets[job->s].sources,
                                    job->sets[job->s].from[f], f, slot);
}

// A scalar of the background only, as far as paths reach: that is what is advected.
static void advect_background(BwAdvectWorker *worker, const BwAdvectJob *job, BwField *to, int f,
                              int32_t slot)
{
    store_background(to, slot, worker->scratch.result);
    if (job->sets[job->s].keeps_total) {
        bw_tile_budget_note_none(&job->advector->budget, job->domain->grid, f, slot, true);
        note_parts(job, NULL, f, slot, 0.0f);
    }
}

static void advect_field(BwAdvectWorker *worker, const BwAdvectJob *job, BwField *to, int f, int32_t slot)
{
    const BwAdvectBatch *set = &job->sets[job->s];
    const BwField *from = set->from[f];
    BwField *low = low_of(job, f), *high = job->advector->high[f];
    bool has_limits = job->advector->scheme->with_range != NULL;
    worker->result = begin_store(to, slot, worker->scratch.result);
    if (has_limits) {
        worker->low = begin_store(low, slot, worker->scratch.low);
        worker->high = begin_store(high, slot, worker->scratch.high);
    }
    bw_sample_ends(worker, job, from, slot, bw_field_tile(from, slot), has_limits);
    if (set->keeps_total)
        note_budget(worker, job, f, slot);
    bool has_entered = bw_find_entered(worker, job, slot);
    if (has_entered)
        bw_let_air_enter(worker, job, bw_field_background(from));
    end_store(to, slot, worker->result);
    if (!has_limits)
        return;
    drop_limits(worker, job, has_entered, slot);
    end_store(low, slot, worker->low);
    end_store(high, slot, worker->high);
}

static void advect_tile(BwAdvectWorker *worker, const BwAdvectJob *job, int32_t slot)
{
    const BwAdvectBatch *set = &job->sets[job->s];
    BwAdvector *advector = job->advector;
    bool is_last = advector->scheme->passes == 1;
    uint64_t note = 0;
    bw_find_ends(worker, job, advector->paths.back, slot);
    for (int f = 0; f < set->count; f++) {
        bool is_empty =
            set->from[f]->location == BW_AT_CELL && worker->tracer.places.is_near &&
            bw_is_empty_around(job->domain->grid, &advector->before, bw_holds_bit(job->s, f), slot);
        note |= is_empty ? 0 : bw_holds_bit(job->s, f);
    }
    if (set->keeps_total && note != 0)
        worker->knows_sides = find_side_flow(worker, job, slot);
    for (int f = 0; f < set->count; f++) {
        BwField *to = is_last ? set->to[f] : &advector->advected[f];
        if (note & bw_holds_bit(job->s, f))
            advect_field(worker, job, to, f, slot);
        else
            advect_background(worker, job, to, f, slot);
    }
    if (!is_last)
        *bw_note(&advector->between, slot) = note;
}

// The limits that wait in the fields. Those of dead cells were not kept.
static void recall_limits(BwAdvectWorker *worker, const BwAdvectJob *job, int f, int32_t slot)
{
    const BwAdvectBatch *set = &job->sets[job->s];
    const BwGrid *grid = job->domain->grid;
    worker->low = bw_field_tile(low_of(job, f), slot);
    worker->high = bw_field_tile(job->advector->high[f], slot);
    if (!bw_tile_is_all_live(grid, slot)) {
        worker->low =
            memcpy(worker->scratch.low, worker->low, (size_t)grid->tile_cells * sizeof *worker->low);
        drop_limits_of_missing(worker, set->valid, slot);
    }
    if (bw_is_near_solids(job, slot))
        drop_limits_of_cut(worker, grid->tile_cells);
}

// What comes out of a source is advected, but not corrected.
static void leave_sources_alone(BwAdvectWorker *worker, const float *old, int count)
{
    for (int n = 0; n < count; n++)
        worker->result[n] = worker->is_from_source[n] ? old[n] : worker->result[n];
}

static void correct_field(BwAdvectWorker *worker, const BwAdvectJob *job, int f, int32_t slot)
{
    const BwAdvectBatch *set = &job->sets[job->s];
    const BwField *advected = &job->advector->advected[f];
    const float *old = bw_field_tile(set->from[f], slot);
    int count = job->domain->grid->tile_cells;
    worker->result = worker->scratch.result;
    recall_limits(worker, job, f, slot);
    bw_sample_ends(worker, job, advected, slot, old, false);
    if (bw_is_near_source(job, slot))
        leave_sources_alone(worker, old, count);
    float clipped = bw_correct_and_limit(worker->result, old, bw_field_tile(advected, slot), worker->low,
                                         worker->high, count);
    if (!set->keeps_total)
        return;
    // Where the sides of a tile are not known, at least what the limiter did is undone: where it cut off
    // undershoots it added smoke, where it cut off overshoots it took some away.
    bw_note_deficit(worker, job, f, slot, -(double)clipped);
    end_store(job->advector->low[f], slot, worker->low);
}

static void correct_tile(BwAdvectWorker *worker, const BwAdvectJob *job, int32_t slot)
{
    const BwAdvectBatch *set = &job->sets[job->s];
    BwAdvector *advector = job->advector;
    uint64_t note = *bw_note(&advector->between, slot);
    if (bw_is_near_source(job, slot))
        bw_find_ends_again(worker, job, slot); // of the paths back, for what comes out of sources
    bw_find_ends(worker, job, advector->paths.ahead, slot);
    for (int f = 0; f < set->count; f++) {
        if (!(note & bw_holds_bit(job->s, f))) {
            store_background(set->to[f], slot, worker->scratch.result);
        } else if (worker->tracer.places.is_near) {
            correct_field(worker, job, f, slot);
            store(set->to[f], slot, worker->result);
        } else {
            store(set->to[f], slot, bw_field_tile(&advector->advected[f], slot));
        }
        if (set->keeps_total && !(note & bw_holds_bit(job->s, f) && worker->tracer.places.is_near))
            bw_redistribution_note_none(&advector->redistribution, f, slot);
    }
}

// The tile of a field of the set at work, all advected, as the result, with the limits of what was around the
// starts of its paths. Where a path ahead is cut, the result may have had others.
static void take_up(BwAdvectWorker *worker, const BwAdvectJob *job, int f, int32_t slot)
{
    const BwAdvectBatch *set = &job->sets[job->s];
    const BwGrid *grid = job->domain->grid;
    bw_gather_set(worker, job, set->from[f], slot, &worker->tracer.places);
    bw_interpolate_range(&worker->block, grid, &worker->tracer.places, worker->low, worker->high);
    drop_limits(worker, job, bw_find_entered(worker, job, slot), slot);
    memcpy(worker->result, bw_field_tile(set->to[f], slot),
           sizeof worker->result[0] * (size_t)grid->tile_cells);
    for (int n = 0; n < grid->tile_cells; n++)
        if (worker->low[n] <= worker->high[n]) {
            worker->low[n] = bw_smaller(worker->result[n], worker->low[n]);
            worker->high[n] = bw_larger(worker->result[n], worker->high[n]);
        }
}

// What linear or cubic interpolation advected, to be held to what passed through the sides of the tile,
// within the limits of what was around the starts of the paths.
static void hold_tile(BwAdvectWorker *worker, const BwAdvectJob *job, int32_t slot)
{
    const BwAdvectBatch *set = &job->sets[job->s];
    BwAdvector *advector = job->advector;
    worker->result = worker->scratch.result;
    bw_find_ends_again(worker, job, slot);
    for (int f = 0; f < set->count; f++) {
        if (!worker->tracer.places.is_near ||
            bw_is_empty_around(job->domain->grid, &advector->before, bw_holds_bit(job->s, f), slot)) {
            bw_redistribution_note_none(&advector->redistribution, f, slot);
            continue;
        }
        worker->low = begin_store(advector->low[f], slot, worker->scratch.low);
        worker->high = begin_store(advector->high[f], slot, worker->scratch.high);
        take_up(worker, job, f, slot);
        bw_note_deficit(worker, job, f, slot, 0.0);
        end_store(advector->low[f], slot, worker->low);
        end_store(advector->high[f], slot, worker->high);
    }
}

static void advect_range(int64_t begin, int64_t end, int worker, void *context)
{
    const BwAdvectJob *job = context;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = job->domain->grid->order[job->first + n];
        if (is_wanted(job, slot, ADVECTED))
            advect_tile(&job->advector->workers[worker], job, slot);
    }
}

static void correct_range(int64_t begin, int64_t end, int worker, void *context)
{
    const BwAdvectJob *job = context;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = job->domain->grid->order[job->first + n];
        if (is_wanted(job, slot, CORRECTED))
            correct_tile(&job->advector->workers[worker], job, slot);
    }
}

static void hold_range(int64_t begin, int64_t end, int worker, void *context)
{
    const BwAdvectJob *job = context;
    for (int64_t n = begin; n < end; n++)
        hold_tile(&job->advector->workers[worker], job, job->domain->grid->order[job->first + n]);
}

// The copies of a set have its fields' own location and background.
static void prepare_copies(BwAdvector *advector, const BwAdvectBatch *set)
{
    for (int f = 0; f < set->count; f++) {
        advector->advected[f].location = set->from[f]->location;
        bw_field_set_background(&advector->advected[f], bw_field_background(set->from[f]));
    }
}

// Tiles of whole layers of the grid, as places in its order, high end excluded.
typedef struct Slab {
    int32_t begin, end;
} Slab;

// Small enough for what is advected to be in the caches when it is corrected, large enough to share out.
enum { SLAB_TILES = 192 };

// Tiles a block: a slab of a few hundred has to be shared out evenly among many threads.
enum { SLAB_GRAIN = 2 };

static Slab next_slab(const BwGrid *grid, int32_t begin)
{
    int32_t end = begin;
    while (end < grid->tile_count &&
           (end - begin < SLAB_TILES || grid->period[2] > 0 ||
            grid->tiles[grid->order[end]].coord.z == grid->tiles[grid->order[end - 1]].coord.z))
        end++;
    return (Slab){begin, end};
}

static void run_slab(BwAdvectJob *job, Slab slab, BwRangeFn *fn)
{
    job->first = slab.begin;
    bw_parallel_for(job->domain->pool, slab.end - slab.begin, SLAB_GRAIN, fn, job);
}

static const char limits_loan[] = "limits of advection", paths_loan[] = "paths of advection";

static bool needs_high(const BwAdvectJob *job)
{
    return job->sets[job->s].keeps_total || job->advector->scheme->with_range != NULL;
}

// Limits that wait in fields of others do so while a batch is at work; what it goes from and to is not among
// them.
static void borrow_limits(const BwAdvectJob *job)
{
    const BwAdvectBatch *set = &job->sets[job->s];
    for (int f = 0; f < set->count; f++) {
        if (set->keeps_total)
            bw_field_borrow(job->advector->low[f], limits_loan);
        if (needs_high(job))
            bw_field_borrow(job->advector->high[f], limits_loan);
    }
    for (int f = 0; f < set->count; f++)
        BW_ASSERT(!bw_field_is_lent(set->from[f]) && !bw_field_is_lent(set->to[f]));
}

static void return_limits(const BwAdvectJob *job)
{
    const BwAdvectBatch *set = &job->sets[job->s];
    for (int f = 0; f < set->count; f++) {
        if (set->keeps_total)
            bw_field_return(job->advector->low[f], limits_loan);
        if (needs_high(job))
            bw_field_return(job->advector->high[f], limits_loan);
    }
}

// Advects the batch at work slab by slab; what comes after reads its neighbours too, and so keeps a slab
// behind, and what settles totals another one.
static void advect_batch(BwAdvectJob *job)
{
    const BwAdvectBatch *set = &job->sets[job->s];
    bool has_two_passes = job->advector->scheme->passes == 2;
    BwRangeFn *const stages[] = {advect_range,
                                 has_two_passes     ? correct_range
                                 : set->keeps_total ? hold_range
                                                    : NULL,
                                 set->keeps_total ? bw_settle_range : NULL};
    enum { STAGES = sizeof stages / sizeof *stages };
    borrow_limits(job);
    if (has_two_passes)
        prepare_copies(job->advector, set);
    Slab slabs[STAGES] = {{0, 0}}; // that each stage is at
    while (slabs[STAGES - 1].end < job->domain->grid->tile_count) {
        for (int n = STAGES - 1; n > 0; n--)
            slabs[n] = slabs[n - 1];
        slabs[0] = next_slab(job->domain->grid, slabs[0].end);
        for (int n = 0; n < STAGES; n++)
            if (stages[n] != NULL)
                run_slab(job, slabs[n], stages[n]);
    }
    if (set->keeps_total)
        bw_parallel_for(job->domain->pool, job->domain->grid->tile_count, 32, bw_return_range, job);
    return_limits(job);
}

// The fields of a set from the first one on, as many as go at once.
static void begin_batch(BwAdvectBatch *batch, const BwAdvectSet *set, int first)
{
    int left = set->count - first;
    batch->count = left < BW_ADVECT_FIELDS ? left : BW_ADVECT_FIELDS;
    for (int f = 0; f < batch->count; f++) {
        batch->from[f] = set->fields[first + f].from;
        batch->to[f] = set->fields[first + f].to;
    }
}

static BwAdvectBatch first_batch(const BwAdvectSet *set)
{
    BwAdvectBatch batch = {.valid = set->valid,
                           .sources = set->sources,
                           .keeps_total = set->keeps_total,
                           .entry = set->entry,
                           .air = set->air};
    begin_batch(&batch, set, 0);
    return batch;
}

static void advect_set(BwAdvectJob *job, const BwAdvectSet *set)
{
    advect_batch(job);
    for (int first = BW_ADVECT_FIELDS; first < set->count; first += BW_ADVECT_FIELDS) {
        begin_batch(&job->sets[job->s], set, first);
        bw_parallel_for(job->domain->pool, job->domain->grid->tile_count, 32, bw_note_batch_range, job);
        advect_batch(job);
    }
}

static BwTraceOptions trace_options(const BwAdvectJob *job, float dt)
{
    BwTraceOptions options = {.cells_per_speed = dt / job->domain->grid->cell_size,
                              .is_third_order = job->advector->scheme->trace_order == 3};
    for (int a = 0; a < job->domain->grid->dimension; a++)
        options.face[a] = job->samples[a];
    return options;
}

static void find_samples(BwAdvectJob *job)
{
    const BwDomain *domain = job->domain;
    for (int a = 0; a < domain->grid->dimension; a++)
        job->samples[a] = bw_sample_box_find(domain->grid, &domain->face[a], job->velocity->u[a].location,
                                             bw_stencil_of(job));
    for (int s = 0; s < job->set_count; s++)
        if (bw_mask_of_set(domain, job->sets, s) >= 3)
            job->samples[3 + s] = bw_sample_box_find(domain->grid, job->sets[s].valid,
                                                     job->sets[s].from[0]->location, bw_stencil_of(job));
}

void bw_advect(BwAdvector *advector, const BwDomain *domain, const BwVelocity *velocity, BwPathSolids solids,
               const BwAdvectSet *sets, int set_count, float dt)
{
    bw_advect_where(advector, domain, velocity, solids, sets, set_count, NULL, dt);
}

void bw_advect_where(BwAdvector *advector, const BwDomain *domain, const BwVelocity *velocity,
                     BwPathSolids solids, const BwAdvectSet *sets, int set_count, const BwNotes *wanted,
                     float dt)
{
    BW_ASSERT(set_count > 0 && set_count <= BW_ADVECT_SETS);
    for (int s = 0; s < set_count; s++)
        BW_ASSERT(wanted == NULL || !sets[s].keeps_total); // totals are settled among all tiles
    if (wanted != NULL)
        note_rings(domain->grid, wanted);
    BwAdvectJob job = {.advector = advector,
                       .domain = domain,
                       .velocity = velocity,
                       .solids = solids,
                       .wanted = wanted,
                       .set_count = set_count};
    for (int s = 0; s < set_count; s++)
        job.sets[s] = first_batch(&sets[s]);
    bw_find_resting(&job.solids);
    find_samples(&job);
    job.trace = trace_options(&job, dt);
    for (int a = 0; a < domain->grid->dimension && advector->lent_paths != NULL; a++)
        bw_field_borrow(&advector->lent_paths[a], paths_loan);
    int64_t count = domain->grid->tile_count;
    bw_parallel_for(domain->pool, count, 32, bw_note_range, &job);
    bw_parallel_for(domain->pool, count, 8, trace_range, &job);
    if (solids.count > 0) {
        bw_parallel_for(domain->pool, count, 4, mark_range, &job);
        bw_parallel_for(domain->pool, count, 16, wall_range, &job);
    }
    for (job.s = 0; job.s < set_count; job.s++)
        advect_set(&job, &sets[job.s]);
    for (int a = 0; a < domain->grid->dimension && advector->lent_paths != NULL; a++)
        bw_field_return(&advector->lent_paths[a], paths_loan);
}
