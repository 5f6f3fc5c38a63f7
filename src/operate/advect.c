// Semi-Lagrangian advection on tiles. Each tile gathers padded blocks of the velocity and of what is carried,
// so that paths read plain memory; a tile whose paths leave its block takes the slow way, sample by sample.
//
// Stam 1999, Stable Fluids; the interpolation with missing cells is that of Carlson's "Fluid Flow for the
// Rest of Us", fig 5.
#include "operate/advect.h"

#include "grid/block.h"
#include <string.h>

enum { TILE_CELLS_MAX = BW_TILE * BW_TILE_LAYER };

// A padded copy, with weights where samples are missing.
typedef struct Block {
    _Alignas(BW_ALIGN) float value[BW_BLOCK_CELLS];
    float weight[BW_BLOCK_CELLS];
    bool is_full; // no sample is missing, the weights are not set
    float shift[3];
    float background;
} Block;

// One worker's memory. Positions are in cells from the tile's first cell.
typedef struct Worker {
    Block velocity[3], carried;
    float start[3][TILE_CELLS_MAX];
    float path[3][TILE_CELLS_MAX];
    float speed[3][TILE_CELLS_MAX]; // cells per step
    float result[TILE_CELLS_MAX];
    float sum[TILE_CELLS_MAX];
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
    *scratch =
        (BwAdvectScratch){*allocator, count, bw_alloc(allocator, (size_t)count * sizeof(Worker), BW_ALIGN)};
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
    const BwDomain *domain;
    const BwVelocity *velocity;
    const BwAdvectSet *set;
    float steps_per_cell; // dt / h
} Advection;

static void gather(Block *block, const BwGrid *grid, const BwField *field, const BwMask *valid, int32_t slot)
{
    bw_block_gather(field, slot, block->value);
    block->is_full = bw_block_gather_weight(grid, valid, field->location, slot, block->weight);
    block->background = bw_field_background(field);
    for (int a = 0; a < 3; a++)
        block->shift[a] = bw_location_shift(field->location, a);
    if (!block->is_full)
        for (int n = 0; n < BW_BLOCK_LAYER * bw_block_layers(grid); n++)
            block->value[n] *= block->weight[n];
}

// Trilinear samples of a block at many places. In 2-D `layer` is 0: both layers are the same one.
static void sample_many(const float *restrict block, const float shift[3], const float *restrict x,
                        const float *restrict y, const float *restrict z, int layer, int count,
                        float *restrict out)
{
    float dx = BW_HALO - shift[0], dy = BW_HALO - shift[1], dz = layer == 0 ? 0.0f : BW_HALO - shift[2];
    for (int n = 0; n < count; n++) {
        float px = x[n] + dx, py = y[n] + dy, pz = layer == 0 ? 0.0f : z[n] + dz;
        int i = (int)px, j = (int)py, k = (int)pz; // never negative: the block begins at 0
        float fx = px - (float)i, fy = py - (float)j, fz = pz - (float)k;
        const float *c = block + i + BW_BLOCK * j + layer * k;
        float low = (1.0f - fy) * ((1.0f - fx) * c[0] + fx * c[1]) +
                    fy * ((1.0f - fx) * c[BW_BLOCK] + fx * c[BW_BLOCK + 1]);
        c += layer;
        float high = (1.0f - fy) * ((1.0f - fx) * c[0] + fx * c[1]) +
                     fy * ((1.0f - fx) * c[BW_BLOCK] + fx * c[BW_BLOCK + 1]);
        out[n] = (1.0f - fz) * low + fz * high;
    }
}

// Below this share of valid samples a place counts as having none: float cannot divide by less with sense.
static const float least_weight = 1e-5f;

// Samples by A3's rule. Where none is around, `fallback` stays.
static void sample_block(Worker *worker, const Block *block, float *const at[3], int layer, int count,
                         const float *fallback, float *out)
{
    sample_many(block->value, block->shift, at[0], at[1], at[2], layer, count, out);
    if (block->is_full)
        return;
    sample_many(block->weight, block->shift, at[0], at[1], at[2], layer, count, worker->sum);
    for (int n = 0; n < count; n++)
        out[n] = worker->sum[n] > least_weight ? out[n] / worker->sum[n]
                 : fallback != NULL            ? fallback[n]
                                               : block->background;
}

static void speeds_at(Worker *worker, float *const at[3], int dimension, int layer, int count, float scale)
{
    for (int a = 0; a < dimension; a++) {
        sample_block(worker, &worker->velocity[a], at, layer, count, NULL, worker->speed[a]);
        for (int n = 0; n < count; n++)
            worker->speed[a][n] *= scale;
    }
}

// Part of the box, in cells from the tile's first cell. Beyond it along an open side is fresh air.
typedef struct Box {
    float low[3], high[3];
} Box;

static Box box_around(const BwGrid *grid, int32_t slot)
{
    Box box;
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < 3; a++) {
        box.low[a] = (float)((int64_t)grid->bounds.low[a] - first[a]);
        box.high[a] = (float)((int64_t)grid->bounds.high[a] - first[a]);
    }
    return box;
}

// Moves places back along the speeds, and stops them at the box. Tells whether all ended inside the block.
static bool move_back(Worker *worker, const Box *box, int dimension, int count, float part)
{
    float nearest = 0.0f, farthest = 0.0f;
    for (int a = 0; a < dimension; a++) {
        const float *restrict start = worker->start[a], *restrict speed = worker->speed[a];
        float *restrict path = worker->path[a];
        float low = box->low[a], high = box->high[a];
        for (int n = 0; n < count; n++) {
            float place = start[n] - part * speed[n];
            place = place > low ? place : low; // written so that NaN stops too
            place = place < high ? place : high;
            path[n] = place;
            nearest = place < nearest ? place : nearest;
            farthest = place > farthest ? place : farthest;
        }
    }
    // Half a cell of shift and one sample more on the far side must stay inside the halo.
    return nearest >= 0.5f - BW_HALO && farthest <= (float)(BW_TILE + BW_HALO) - 1.5f;
}

static void set_start(Worker *worker, const BwGrid *grid, BwLocation location)
{
    for (int n = 0; n < grid->tile_cells; n++) {
        worker->start[0][n] = (float)(n & 7) + bw_location_shift(location, 0);
        worker->start[1][n] = (float)(n >> 3 & 7) + bw_location_shift(location, 1);
        worker->start[2][n] = grid->layers == 1 ? 0.0f : (float)(n >> 6) + bw_location_shift(location, 2);
        worker->path[2][n] = 0.0f;
    }
}

// Second order: the speed half way back carries the whole way. False when a path leaves the block.
static bool trace_in_block(Worker *worker, const BwGrid *grid, const Box *box, float scale)
{
    int layer = grid->layers == 1 ? 0 : BW_BLOCK_LAYER;
    float *const start[3] = {worker->start[0], worker->start[1], worker->start[2]};
    float *const path[3] = {worker->path[0], worker->path[1], worker->path[2]};
    speeds_at(worker, start, grid->dimension, layer, grid->tile_cells, scale);
    if (!move_back(worker, box, grid->dimension, grid->tile_cells, 0.5f))
        return false;
    speeds_at(worker, path, grid->dimension, layer, grid->tile_cells, scale);
    return move_back(worker, box, grid->dimension, grid->tile_cells, 1.0f);
}

static void trace_slowly(Worker *worker, const Advection *job, int32_t slot, const Box *box, int n)
{
    const BwGrid *grid = job->domain->grid;
    float at[3] = {worker->start[0][n], worker->start[1][n], worker->start[2][n]};
    for (int stage = 0; stage < 2; stage++) {
        float speed[3] = {0};
        for (int a = 0; a < grid->dimension; a++) {
            const BwField *u = &job->velocity->u[a];
            speed[a] = bw_field_background(u);
            bw_sample_local(u, &job->domain->face[a], slot, at, &speed[a]);
        }
        for (int a = 0; a < grid->dimension; a++) {
            float place = worker->start[a][n] - (stage == 0 ? 0.5f : 1.0f) * job->steps_per_cell * speed[a];
            at[a] = !(place > box->low[a]) ? box->low[a] : place > box->high[a] ? box->high[a] : place;
        }
    }
    for (int a = 0; a < 3; a++)
        worker->path[a][n] = at[a];
}

// Paths that ended on an open side of the box came from outside.
static bool came_from_outside(const Worker *worker, const BwDomain *domain, const Box *box, int n)
{
    for (int a = 0; a < domain->grid->dimension; a++) {
        if (!domain->is_closed[2 * a] && worker->path[a][n] <= box->low[a])
            return true;
        if (!domain->is_closed[2 * a + 1] && worker->path[a][n] >= box->high[a])
            return true;
    }
    return false;
}

static bool touches_open_side(const BwDomain *domain, const Box *box)
{
    for (int side = 0; side < 2 * domain->grid->dimension; side++) {
        float at = side % 2 == 0 ? box->low[side / 2] : box->high[side / 2];
        if (!domain->is_closed[side] && at > -2.0f * BW_BLOCK && at < 2.0f * BW_BLOCK)
            return true;
    }
    return false;
}

static void store_wanted(const BwAdvectSet *set, int field, const BwGrid *grid, int32_t slot,
                         const float *result)
{
    const uint64_t *wanted = bw_words(grid, set->wanted, slot);
    float *to = bw_field_tile(set->to[field], slot);
    for (int k = 0; k < grid->layers; k++)
        for (int n = 0; n < BW_TILE_LAYER; n++)
            if (wanted[k] >> n & 1)
                to[BW_TILE_LAYER * k + n] = result[BW_TILE_LAYER * k + n];
}

static void carry_in_block(Worker *worker, const Advection *job, int32_t slot, int field, const float *old)
{
    const BwGrid *grid = job->domain->grid;
    float *const path[3] = {worker->path[0], worker->path[1], worker->path[2]};
    gather(&worker->carried, grid, job->set->from[field], job->set->valid, slot);
    sample_block(worker, &worker->carried, path, grid->layers == 1 ? 0 : BW_BLOCK_LAYER, grid->tile_cells,
                 old, worker->result);
}

static void carry_slowly(Worker *worker, const Advection *job, int32_t slot, int field, const float *old)
{
    for (int n = 0; n < job->domain->grid->tile_cells; n++) {
        float at[3] = {worker->path[0][n], worker->path[1][n], worker->path[2][n]};
        worker->result[n] = old[n];
        bw_sample_local(job->set->from[field], job->set->valid, slot, at, &worker->result[n]);
    }
}

static void advect_tile(Worker *worker, const Advection *job, int32_t slot)
{
    const BwDomain *domain = job->domain;
    const BwGrid *grid = domain->grid;
    const BwAdvectSet *set = job->set;
    Box box = box_around(grid, slot);
    set_start(worker, grid, set->from[0]->location);
    for (int a = 0; a < grid->dimension; a++)
        gather(&worker->velocity[a], grid, &job->velocity->u[a], &domain->face[a], slot);
    bool is_near = trace_in_block(worker, grid, &box, job->steps_per_cell);
    for (int n = 0; n < grid->tile_cells && !is_near; n++)
        trace_slowly(worker, job, slot, &box, n);
    bool may_enter = set->air_enters && touches_open_side(domain, &box);
    for (int f = 0; f < set->count; f++) {
        const float *old = bw_field_tile(set->from[f], slot);
        (is_near ? carry_in_block : carry_slowly)(worker, job, slot, f, old);
        for (int n = 0; n < grid->tile_cells && may_enter; n++)
            if (came_from_outside(worker, domain, &box, n))
                worker->result[n] = bw_field_background(set->from[f]);
        store_wanted(set, f, grid, slot, worker->result);
    }
}

static void advect_range(int64_t begin, int64_t end, int worker, void *context)
{
    const Advection *job = context;
    for (int64_t n = begin; n < end; n++)
        advect_tile(&job->scratch->workers[worker], job, job->domain->grid->order[n]);
}

void bw_advect(BwAdvectScratch *scratch, const BwDomain *domain, const BwVelocity *velocity,
               const BwAdvectSet *set, float dt)
{
    BW_ASSERT(set->count > 0 && set->count <= BW_ADVECT_MAX);
    Advection job = {scratch, domain, velocity, set, dt / domain->grid->cell_size};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 8, advect_range, &job);
}
