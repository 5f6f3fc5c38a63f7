// Advection on tiles, by three methods.
//
// Semi-Lagrangian: take what was at the start of the path (Stam 1999, Stable Fluids). Never makes new
// extremes; smears. Cubic: the same with a monotone cubic between the samples (Fedkiw, Stam and Jensen 2001).
// MacCormack: carry there and back, and take away half of what that changed (Selle, Fedkiw,
// Kim, Liu and Rossignac 2008, An Unconditionally Stable MacCormack Method). Second order; limited to the
// samples the path started from, so that it makes no new extremes either.
#include "operate/advect.h"

#include "operate/trace.h"
#include <math.h>
#include <string.h>

// One worker's memory.
typedef struct Worker {
    BwTracer tracer;
    BwTraceBlock block;
    float result[BW_TILE_CELLS_MAX];
    float low[BW_TILE_CELLS_MAX], high[BW_TILE_CELLS_MAX];
} Worker;

struct BwAdvectScratch {
    BwAllocator allocator;
    int worker_count;
    Worker *workers;
};

BwResult bw_advect_scratch_create(BwAdvectScratch **out, const BwAllocator *allocator, BwPool *pool,
                                  BwError *err)
{
    *out = NULL;
    int count = bw_pool_worker_count(pool);
    BwAdvectScratch *scratch = bw_alloc(allocator, sizeof *scratch, BW_ALIGN);
    if (scratch == NULL)
        return bw_fail_memory(err);
    *scratch = (BwAdvectScratch){.allocator = *allocator, .worker_count = count};
    scratch->workers = bw_alloc(allocator, (size_t)count * sizeof(Worker), BW_ALIGN);
    if (scratch->workers == NULL) {
        bw_advect_scratch_destroy(scratch);
        return bw_fail_memory(err);
    }
    *out = scratch;
    return BW_OK;
}

void bw_advect_scratch_destroy(BwAdvectScratch *scratch)
{
    if (scratch == NULL)
        return;
    BwAllocator allocator = scratch->allocator;
    bw_free(&allocator, scratch->workers, (size_t)scratch->worker_count * sizeof(Worker), BW_ALIGN);
    bw_free(&allocator, scratch, sizeof *scratch, BW_ALIGN);
}

typedef struct Advection {
    BwAdvectScratch *scratch;
    const BwVelocity *velocity;
    const BwAdvectSet *sets;
    int set_count;
    BwTracePass pass[BW_ADVECT_SETS];
} Advection;

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

// The padded copy of a field around the tile. That of a velocity component is there already.
static const BwTraceBlock *block_of(Worker *worker, const Advection *job, const BwField *field,
                                    const BwMask *valid, int32_t slot)
{
    for (int a = 0; a < field->store.grid->dimension; a++)
        if (field == &job->velocity->u[a])
            return &worker->tracer.velocity[a];
    bw_trace_gather(&worker->block, field, valid, slot);
    return &worker->block;
}

// What a field is at the ends of the present paths.
static void sample_ends(Worker *worker, const Advection *job, int s, const BwField *field, int32_t slot,
                        const float *fallback)
{
    const BwMask *valid = job->sets[s].valid;
    if (!worker->tracer.is_near) {
        bw_trace_sample_far(&worker->tracer, field, valid, slot, fallback, worker->result);
        return;
    }
    const BwTraceBlock *block = block_of(worker, job, field, valid, slot);
    bw_trace_sample(&worker->tracer, &job->pass[s], block, fallback, worker->result);
}

// Samples whose fluid came in from outside take the background.
static void let_air_enter(Worker *worker, const BwDomain *domain, float background)
{
    for (int n = 0; n < domain->grid->tile_cells; n++)
        if (bw_trace_is_outside(&worker->tracer, domain, n))
            worker->result[n] = background;
}

static void carry_set(Worker *worker, const Advection *job, int s, int32_t slot)
{
    const BwAdvectSet *set = &job->sets[s];
    const BwDomain *domain = job->pass[s].domain;
    bw_trace(&worker->tracer, &job->pass[s], slot, -1.0f);
    bool may_enter = set->air_enters && bw_trace_meets_open_side(&worker->tracer, domain);
    for (int f = 0; f < set->count; f++) {
        sample_ends(worker, job, s, set->from[f], slot, bw_field_tile(set->from[f], slot));
        if (may_enter)
            let_air_enter(worker, domain, bw_field_background(set->from[f]));
        store(set->carried[f] != NULL ? set->carried[f] : set->to[f], slot, worker->result);
    }
    if (set->corners != NULL)
        bw_trace_corners(&worker->tracer, &job->pass[s], set->air_enters,
                         bw_corners_tile(set->corners, slot));
}

// Where the limiter cut off undershoots it added smoke, where it cut off overshoots it took some away. Undone
// within the tile: every sample gives in proportion to its distance from the limit on that side, so that none
// passes it.
static void give_back(Worker *worker, int count, float clipped)
{
    const float *restrict limit = clipped > 0.0f ? worker->low : worker->high;
    float *restrict result = worker->result, room = 0.0f;
    for (int n = 0; n < count; n++)
        room += worker->low[n] <= worker->high[n] ? fabsf(limit[n] - result[n]) : 0.0f;
    float part = room > fabsf(clipped) ? fabsf(clipped) / room : room > 0.0f ? 1.0f : 0.0f;
    for (int n = 0; n < count; n++)
        result[n] += worker->low[n] <= worker->high[n] ? part * (limit[n] - result[n]) : 0.0f;
}

// Solid and dead cells are nobody's: what the limiter does to them is no gain that others should give back.
static void drop_limits_of_missing(Worker *worker, const BwMask *valid, int32_t slot)
{
    const uint64_t *bits = bw_mask_tile(valid, slot);
    for (int n = 0; n < valid->store.grid->tile_cells; n++)
        worker->low[n] = bw_bit(bits, n) ? worker->low[n] : INFINITY;
}

// Carried forward again, the carried value should be the old one; half of the difference is its error.
// Without limits (a path that left its block, or fluid from outside) the carried value stands.
static void correct_field(Worker *worker, const Advection *job, int s, int f, int32_t slot)
{
    const BwAdvectSet *set = &job->sets[s];
    const float *restrict old = bw_field_tile(set->from[f], slot), *restrict carried =
                                                                       bw_field_tile(set->carried[f], slot);
    const BwTraceBlock *block = block_of(worker, job, set->from[f], set->valid, slot);
    bw_trace_range(&job->pass[s], block, bw_corners_tile(set->corners, slot), worker->low, worker->high);
    if (set->keeps_total)
        drop_limits_of_missing(worker, set->valid, slot);
    sample_ends(worker, job, s, set->carried[f], slot, old);
    const float *restrict low = worker->low, *restrict high = worker->high;
    float *restrict result = worker->result;
    float clipped = 0.0f;
    for (int n = 0; n < job->pass[s].domain->grid->tile_cells; n++) {
        float wanted = carried[n] + 0.5f * (old[n] - result[n]);
        float value = wanted > low[n] ? wanted : low[n];
        value = value < high[n] ? value : high[n];
        bool has_limits = low[n] <= high[n];
        result[n] = has_limits ? value : carried[n];
        clipped += has_limits ? value - wanted : 0.0f;
    }
    if (set->keeps_total)
        give_back(worker, job->pass[s].domain->grid->tile_cells, clipped);
}

static void correct_set(Worker *worker, const Advection *job, int s, int32_t slot)
{
    const BwAdvectSet *set = &job->sets[s];
    bw_trace(&worker->tracer, &job->pass[s], slot, 1.0f);
    for (int f = 0; f < set->count; f++) {
        if (worker->tracer.is_near)
            correct_field(worker, job, s, f, slot);
        store(set->to[f], slot,
              worker->tracer.is_near ? worker->result : bw_field_tile(set->carried[f], slot));
    }
}

static void carry_range(int64_t begin, int64_t end, int worker_index, void *context)
{
    const Advection *job = context;
    Worker *worker = &job->scratch->workers[worker_index];
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = job->pass[0].domain->grid->order[n];
        bw_trace_tile(&worker->tracer, &job->pass[0], slot);
        for (int s = 0; s < job->set_count; s++)
            carry_set(worker, job, s, slot);
    }
}

static void correct_range(int64_t begin, int64_t end, int worker_index, void *context)
{
    const Advection *job = context;
    Worker *worker = &job->scratch->workers[worker_index];
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = job->pass[0].domain->grid->order[n];
        bw_trace_tile(&worker->tracer, &job->pass[0], slot);
        for (int s = 0; s < job->set_count; s++)
            correct_set(worker, job, s, slot);
    }
}

void bw_advect(BwAdvectScratch *scratch, const BwDomain *domain, const BwVelocity *velocity,
               const BwAdvectSet *sets, int set_count, float dt)
{
    BW_ASSERT(set_count > 0 && set_count <= BW_ADVECT_SETS);
    Advection job = {.scratch = scratch, .velocity = velocity, .sets = sets, .set_count = set_count};
    for (int s = 0; s < set_count; s++)
        bw_trace_pass(&job.pass[s], domain, velocity, sets[s].from[0]->location, sets[s].is_cubic, dt);
    bw_parallel_for(domain->pool, domain->grid->tile_count, 8, carry_range, &job);
    if (sets[0].corners != NULL)
        bw_parallel_for(domain->pool, domain->grid->tile_count, 8, correct_range, &job);
}
