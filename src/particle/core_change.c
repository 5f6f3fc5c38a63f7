// Every tile sees to the cells of its own core: first it counts, then, when each knows where its particles
// begin among those added, it adds them. So tiles work side by side, and the result is the same whoever does.
#include "particle/core_job.h"

#include "base/extremes.h"
#include "grid/bits.h"
#include "particle/sort.h"

#include <stdint.h>

// A cell is given particles of its own if it holds at least this much.
static const float content_min = 0.25f;

// Cells that the liquid moves along an axis through a face.
static float way_through(const BwCoreJob *job, int32_t slot, int cell, int side)
{
    const BwVelocity *of[2] = {job->motion->velocity, job->motion->shift};
    float speed = 0.0f;
    for (int n = 0; n < 2; n++)
        if (of[n] != NULL) {
            const BwField *u = &of[n]->u[side / 2];
            speed += side % 2 == 0 ? bw_field_tile(u, slot)[cell] : bw_value_beside(u, slot, cell, side);
        }
    return job->scale * speed;
}

static BwCoreOutflow outflow_of(const BwCoreJob *job, int32_t slot, int cell, const uint64_t ends[6])
{
    BwCoreOutflow out = {{0}, 0.0f};
    for (int side = 0; side < 2 * job->grid->dimension; side++) {
        if (!(ends[side] >> (cell & 63) & 1))
            continue;
        float way = way_through(job, slot, cell, side);
        out.through[side] = bw_larger(side % 2 == 0 ? -way : way, 0.0f);
        out.sum += out.through[side];
    }
    return out;
}

// The sides of a layer's cells at which the core ends.
static uint64_t find_ends(const BwCoreJob *job, int32_t slot, int k, uint64_t ends[6])
{
    uint64_t full = bw_mask_tile(&job->core->stays, slot)[k], any = 0;
    for (int side = 0; side < 2 * job->grid->dimension; side++) {
        ends[side] = full & ~bw_bits_beside(job->grid, &job->core->stays, slot, side, k) &
                     bw_bits_beside(job->grid, NULL, slot, side, k);
        any |= ends[side];
    }
    return any;
}

// Adds what comes from one cell of the core to the next: what one gets the other gives, so that all of them
// together keep what they have. And their parts of what was left over.
static void pass_on(const BwCoreJob *job, int32_t slot, int k)
{
    float *excess = bw_field_tile(&job->core->excess, slot) + BW_TILE_LAYER * k;
    uint64_t full = bw_mask_tile(&job->core->stays, slot)[k];
    for (uint64_t bits = job->more != 0.0f ? full : 0; bits != 0; bits &= bits - 1)
        excess[__builtin_ctzll(bits)] += job->more;
    for (int side = 0; side < 2 * job->grid->dimension; side++)
        for (uint64_t bits = full & bw_bits_beside(job->grid, &job->core->stays, slot, side, k); bits != 0;
             bits &= bits - 1) {
            int n = __builtin_ctzll(bits);
            float way = way_through(job, slot, BW_TILE_LAYER * k + n, side);
            excess[n] += side % 2 == 0 ? way : -way;
        }
}

static void pass_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwCoreJob *job = context;
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < job->grid->layers; k++)
            pass_on(job, job->grid->order[m], k);
}

// Whether a cell that is core no more holds too little to be filled with particles.
static bool is_spent(float excess)
{
    return 1.0f + excess < 0.5f * content_min;
}

// The account of a cell of the core beside one, or NULL.
static float *account_beside(const BwCoreJob *job, int32_t slot, int cell)
{
    for (int side = 0; side < 2 * job->grid->dimension; side++) {
        if (!(bw_bits_beside(job->grid, &job->core->full, slot, side, cell >> 6) >> (cell & 63) & 1))
            continue;
        int next = cell;
        int32_t beside = bw_cell_beside(job->grid, slot, &next, side);
        return &bw_field_tile(&job->core->excess, beside)[next];
    }
    return NULL;
}

// A cell that is core no more and holds hardly anything, or less than nothing, leaves that to one beside it,
// or to all cells.
static void hand_over(const BwCoreJob *job, int32_t slot, int cell)
{
    float *excess = &bw_field_tile(&job->core->excess, slot)[cell], content = 1.0f + *excess;
    if (content >= content_min)
        return;
    float *beside = account_beside(job, slot, cell);
    if (beside != NULL)
        *beside += content;
    else
        job->core->left_over += (double)content;
    *excess = -1.0f;
}

// The cells of a layer that are core no more.
static uint64_t leavers(const BwCoreJob *job, int32_t slot, int k)
{
    return bw_mask_tile(&job->core->full, slot)[k] & ~bw_mask_tile(&job->core->next, slot)[k];
}

// Whether a cell that is core no more is to be filled with particles; what it lacks is left over if not.
static bool is_to_fill(const BwCoreJob *job, int32_t slot, int cell)
{
    float *excess = &bw_field_tile(&job->core->excess, slot)[cell];
    if (!is_spent(*excess))
        return true;
    job->core->left_over += 1.0 + (double)*excess;
    *excess = -1.0f;
    return false;
}

// Sees to what cells leave that are core no more; gives how many cells there are to share what is left over:
// those that are to be filled with particles, and those that stay.
static int64_t settle_leavers(const BwCoreJob *job)
{
    int64_t count = 0;
    for (int32_t m = 0; m < job->grid->tile_count; m++)
        for (int k = 0; k < job->grid->layers; k++)
            for (uint64_t bits = leavers(job, job->grid->order[m], k); bits != 0; bits &= bits - 1)
                hand_over(job, job->grid->order[m], BW_TILE_LAYER * k + __builtin_ctzll(bits));
    for (int32_t m = 0; m < job->grid->tile_count; m++)
        for (int k = 0; k < job->grid->layers; k++) {
            int32_t slot = job->grid->order[m];
            count += __builtin_popcountll(bw_mask_tile(&job->core->stays, slot)[k]);
            for (uint64_t bits = leavers(job, slot, k); bits != 0; bits &= bits - 1)
                count += is_to_fill(job, slot, BW_TILE_LAYER * k + __builtin_ctzll(bits));
        }
    return count;
}

// What each of so many cells gets of what was left over: a little.
static float share_left_over(BwCore *core, int64_t count)
{
    if (count == 0)
        return 0.0f;
    float each = (float)(core->left_over / (double)count);
    each = bw_smaller(bw_larger(each, -0.25f * content_min), 0.25f * content_min);
    core->left_over -= (double)count * (double)each;
    return each;
}

// Gives how many particles the cells of a layer set free.
static int count_layer(const BwCoreJob *job, int32_t slot, int k)
{
    float *excess = bw_field_tile(&job->core->excess, slot);
    uint64_t leaves = leavers(job, slot, k), ends[6];
    int count = 0;
    for (uint64_t bits = find_ends(job, slot, k, ends); bits != 0; bits &= bits - 1) {
        int cell = BW_TILE_LAYER * k + __builtin_ctzll(bits);
        count += bw_core_emitted(job, excess[cell], outflow_of(job, slot, cell, ends).sum);
    }
    for (uint64_t bits = leaves; bits != 0; bits &= bits - 1)
        count += is_spent(excess[BW_TILE_LAYER * k + __builtin_ctzll(bits)]) ? 0 : job->parts;
    return count;
}

static void count_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwCoreJob *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        uint64_t count = 0;
        for (int k = 0; k < job->grid->layers; k++)
            count += (uint64_t)count_layer(job, slot, k);
        *bw_note(&job->core->count, slot) = count;
    }
}

static int64_t change_leaver(const BwCoreJob *job, const BwCollider *collider, int32_t slot, int cell,
                             int64_t number)
{
    float *excess = &bw_field_tile(&job->core->excess, slot)[cell];
    if (!is_spent(*excess))
        number = bw_core_fill_cell(job, collider, slot, cell, number);
    *excess = BW_NOT_CORE;
    return number;
}

static int64_t change_layer(const BwCoreJob *job, const BwCollider *collider, int32_t slot, int k,
                            int64_t number)
{
    uint64_t full = bw_mask_tile(&job->core->full, slot)[k], next = bw_mask_tile(&job->core->next, slot)[k],
             ends[6];
    for (uint64_t bits = find_ends(job, slot, k, ends); bits != 0; bits &= bits - 1) {
        int cell = BW_TILE_LAYER * k + __builtin_ctzll(bits);
        BwCoreOutflow out = outflow_of(job, slot, cell, ends);
        number = bw_core_emit(job, collider, slot, cell, &out, number);
    }
    for (uint64_t bits = full & ~next; bits != 0; bits &= bits - 1)
        number = change_leaver(job, collider, slot, BW_TILE_LAYER * k + __builtin_ctzll(bits), number);
    for (uint64_t bits = next & ~full; bits != 0; bits &= bits - 1)
        bw_field_tile(&job->core->excess, slot)[BW_TILE_LAYER * k + __builtin_ctzll(bits)] = -1.0f;
    return number;
}

static void change_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwCoreJob *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        int64_t number = (int64_t)*bw_note(&job->core->count, slot);
        BwCollider collider;
        bw_collider_begin(&collider, job->motion->collision, job->grid, slot);
        for (int k = 0; k < job->grid->layers; k++)
            number = change_layer(job, &collider, slot, k, number);
    }
}

static void turn_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwCoreJob *job = context;
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < job->grid->layers; k++)
            bw_mask_tile(&job->core->full, job->grid->order[m])[k] =
                bw_mask_tile(&job->core->next, job->grid->order[m])[k];
}

static void stay_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwCoreJob *job = context;
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < job->grid->layers; k++)
            bw_mask_tile(&job->core->stays, job->grid->order[m])[k] =
                bw_mask_tile(&job->core->full, job->grid->order[m])[k] &
                bw_mask_tile(&job->core->next, job->grid->order[m])[k];
}

// From counts to where each tile's particles begin; gives the number of all.
static int64_t add_up(BwCore *core, const BwGrid *grid)
{
    int64_t sum = 0;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        uint64_t *count = bw_note(&core->count, grid->order[m]), here = *count;
        *count = (uint64_t)sum;
        sum += (int64_t)here;
    }
    return sum;
}

static int parts_of(const BwGrid *grid, int per_axis)
{
    return per_axis * per_axis * (grid->dimension == 3 ? per_axis : 1);
}

BwResult bw_core_change(BwCore *core, BwParticles *particles, const BwCoreMotion *motion, BwError *err)
{
    const BwGrid *grid = particles->grid;
    BwCoreJob job = {.core = core,
                     .particles = particles,
                     .grid = grid,
                     .motion = motion,
                     .scale = motion->dt / grid->cell_size,
                     .parts = parts_of(grid, motion->per_axis)};
    bw_parallel_for(particles->pool, grid->tile_count, 64, stay_range, &job);
    job.more = share_left_over(core, settle_leavers(&job));
    bw_parallel_for(particles->pool, grid->tile_count, 16, pass_range, &job);
    bw_parallel_for(particles->pool, grid->tile_count, 16, count_range, &job);
    int64_t added = add_up(core, grid);
    BW_TRY(bw_particles_add_room(particles, added, err));
    bw_parallel_for(particles->pool, grid->tile_count, 8, change_range, &job);
    bw_parallel_for(particles->pool, grid->tile_count, 64, turn_range, &job);
    particles->far_count = added;
    particles->next_id += (int32_t)added;
    return BW_OK;
}
