// Every tile sees to the cells of its own core: first it counts, then, when each knows where its particles
// begin among those added, it adds them. So tiles work side by side, and the result is the same whoever does.
#include "particle/core.h"

#include "base/extremes.h"
#include "grid/bits.h"
#include "grid/sample.h"
#include "particle/random_place.h"
#include "particle/sort.h"

#include <math.h>
#include <string.h>

// Where a particle is set free whose own place is none: so far outside the face that it left by, in cells.
static const float beside_face = 0.1f;

// Cells that one cell sets free at once, at most: more than that only a run that is lost anyway asks for.
static const float freed_max = 64.0f;

// Rounds in which cells even out what they hold, and the part of a difference that one gives the other.
enum { EVENING_ROUNDS = 6 };
static const float evening = 0.15f;

// A cell is given particles of its own if it holds at least this much.
static const float content_min = 0.25f;

BwResult bw_core_create(BwCore *core, BwGrid *grid, BwError *err)
{
    *core = (BwCore){0};
    BW_TRY(bw_field_create(&core->owed, grid, BW_AT_CELL, BW_NOT_CORE, err));
    BW_TRY(bw_field_create(&core->even, grid, BW_AT_CELL, BW_NOT_CORE, err));
    BW_TRY(bw_mask_create(&core->full, grid, err));
    BW_TRY(bw_mask_create(&core->next, grid, err));
    BW_TRY(bw_mask_create(&core->around, grid, err));
    BW_TRY(bw_mask_create(&core->stays, grid, err));
    BW_TRY(bw_mask_create(&core->scratch, grid, err));
    return bw_notes_create(&core->count, grid, err);
}

void bw_core_destroy(BwCore *core)
{
    bw_field_destroy(&core->owed);
    bw_field_destroy(&core->even);
    bw_mask_destroy(&core->full);
    bw_mask_destroy(&core->next);
    bw_mask_destroy(&core->around);
    bw_mask_destroy(&core->stays);
    bw_mask_destroy(&core->scratch);
    bw_notes_destroy(&core->count);
}

int64_t bw_core_begin(BwCore *core)
{
    const BwGrid *grid = core->owed.store.grid;
    int64_t count = 0;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        float *owed = bw_field_tile(&core->owed, grid->order[m]);
        uint64_t *full = bw_mask_tile(&core->full, grid->order[m]);
        for (int k = 0; k < grid->layers; k++) {
            full[k] = bw_mask_tile(&core->next, grid->order[m])[k];
            count += __builtin_popcountll(full[k]);
        }
        for (int n = 0; n < grid->tile_cells; n++)
            owed[n] = full[n >> 6] >> (n & 63) & 1 ? 0.0f : BW_NOT_CORE;
    }
    return count;
}

BwResult bw_core_load(BwCore *core, BwError *err)
{
    const BwGrid *grid = core->owed.store.grid;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        const float *owed = bw_field_tile(&core->owed, grid->order[m]);
        uint64_t *full = bw_mask_tile(&core->full, grid->order[m]);
        for (int k = 0; k < grid->layers; k++)
            full[k] = 0;
        for (int n = 0; n < grid->tile_cells; n++) {
            if (owed[n] != BW_NOT_CORE && !(fabsf(owed[n]) < freed_max))
                return bw_fail(err, BW_ERR_FORMAT, "\"core\" of the state holds %.9g", (double)owed[n]);
            full[n >> 6] |= (uint64_t)(owed[n] != BW_NOT_CORE) << (n & 63);
        }
    }
    return BW_OK;
}

typedef struct Job {
    BwCore *core;
    BwParticles *particles;
    const BwGrid *grid;
    const BwCoreMotion *motion;
    float scale; // dt / h
    int parts;   // particles of a full cell
    float more;  // cells, that each cell gets which is filled with particles
} Job;

// Cells that the liquid moves along an axis through a face, or at a place.
static float way_through(const Job *job, int32_t slot, int cell, int side)
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

static float way_at(const Job *job, int32_t slot, const float place[3], int axis)
{
    const BwVelocity *of[2] = {job->motion->velocity, job->motion->shift};
    float sum = 0.0f;
    for (int n = 0; n < 2; n++) {
        float speed = 0.0f;
        if (of[n] != NULL && bw_sample_local(&of[n]->u[axis], NULL, slot, place, &speed))
            sum += speed;
    }
    return job->scale * sum;
}

// What leaves a cell of the core through the faces where that ends, in cells.
typedef struct Outflow {
    float through[6], sum;
} Outflow;

static Outflow outflow_of(const Job *job, int32_t slot, int cell, const uint64_t ends[6])
{
    Outflow out = {{0}, 0.0f};
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
static uint64_t find_ends(const Job *job, int32_t slot, int k, uint64_t ends[6])
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
// together keep what they have.
static void pass_on(const Job *job, int32_t slot, int k)
{
    float *owed = bw_field_tile(&job->core->owed, slot) + BW_TILE_LAYER * k;
    uint64_t full = bw_mask_tile(&job->core->stays, slot)[k];
    for (int side = 0; side < 2 * job->grid->dimension; side++)
        for (uint64_t bits = full & bw_bits_beside(job->grid, &job->core->stays, slot, side, k); bits != 0;
             bits &= bits - 1) {
            int n = __builtin_ctzll(bits);
            float way = way_through(job, slot, BW_TILE_LAYER * k + n, side);
            owed[n] += side % 2 == 0 ? way : -way;
        }
}

// How many particles a cell has to set free.
static int freed(const Job *job, float owed, float leaves)
{
    float wanted = bw_smaller(owed, freed_max) * (float)job->parts;
    return leaves > 0.0f && wanted > 0.5f ? (int)(wanted + 0.5f) : 0;
}

static void pass_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < job->grid->layers; k++)
            pass_on(job, job->grid->order[m], k);
}

// What cells hold of particles is uncertain by one or two; evened out between neighbours, who give as much as
// they take, it tells more of the liquid.
static void even_out(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwField *owed = &job->core->owed;
    int sides = 2 * job->grid->dimension;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        const float *from = bw_field_tile(owed, slot);
        float *to = bw_field_tile(&job->core->even, slot);
        memcpy(to, from, (size_t)job->grid->tile_cells * sizeof *to);
        for (int side = 0; side < sides; side++)
            for (int k = 0; k < job->grid->layers; k++) {
                uint64_t bits = bw_mask_tile(&job->core->full, slot)[k] &
                                bw_bits_beside(job->grid, &job->core->full, slot, side, k);
                for (; bits != 0; bits &= bits - 1) {
                    int cell = BW_TILE_LAYER * k + __builtin_ctzll(bits);
                    to[cell] += evening * (bw_value_beside(owed, slot, cell, side) - from[cell]);
                }
            }
    }
}

// Whether a cell that is core no more holds too little to be filled with particles.
static bool is_spent(float owed)
{
    return 1.0f + owed < 0.5f * content_min;
}

// The account of a cell of the core beside one, or NULL.
static float *account_beside(const Job *job, int32_t slot, int cell)
{
    for (int side = 0; side < 2 * job->grid->dimension; side++) {
        if (!(bw_bits_beside(job->grid, &job->core->full, slot, side, cell >> 6) >> (cell & 63) & 1))
            continue;
        int next = cell;
        int32_t beside = bw_cell_beside(job->grid, slot, &next, side);
        return &bw_field_tile(&job->core->owed, beside)[next];
    }
    return NULL;
}

// A cell that is core no more and holds hardly anything, or less than nothing, leaves that to one beside it,
// or to all that are core no more.
static void hand_over(const Job *job, int32_t slot, int cell)
{
    float *owed = &bw_field_tile(&job->core->owed, slot)[cell], content = 1.0f + *owed;
    if (content >= content_min)
        return;
    float *beside = account_beside(job, slot, cell);
    if (beside != NULL)
        *beside += content;
    else
        job->core->left_over += (double)content;
    *owed = -1.0f;
}

// The cells of a layer that are core no more.
static uint64_t leavers(const Job *job, int32_t slot, int k)
{
    return bw_mask_tile(&job->core->full, slot)[k] & ~bw_mask_tile(&job->core->next, slot)[k];
}

// Whether a cell that is core no more is to be filled with particles; what it lacks is left over if not.
static bool is_to_fill(const Job *job, int32_t slot, int cell)
{
    float *owed = &bw_field_tile(&job->core->owed, slot)[cell];
    if (!is_spent(*owed))
        return true;
    job->core->left_over += 1.0 + (double)*owed;
    *owed = -1.0f;
    return false;
}

// Sees to what cells leave that are core no more; gives how many of them are to be filled with particles.
static int64_t settle_leavers(const Job *job)
{
    int64_t count = 0;
    for (int32_t m = 0; m < job->grid->tile_count; m++)
        for (int k = 0; k < job->grid->layers; k++)
            for (uint64_t bits = leavers(job, job->grid->order[m], k); bits != 0; bits &= bits - 1)
                hand_over(job, job->grid->order[m], BW_TILE_LAYER * k + __builtin_ctzll(bits));
    for (int32_t m = 0; m < job->grid->tile_count; m++)
        for (int k = 0; k < job->grid->layers; k++)
            for (uint64_t bits = leavers(job, job->grid->order[m], k); bits != 0; bits &= bits - 1)
                count += is_to_fill(job, job->grid->order[m], BW_TILE_LAYER * k + __builtin_ctzll(bits));
    return count;
}

// What was left over goes to the cells that are filled with particles, a little to each.
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
static int count_layer(const Job *job, int32_t slot, int k)
{
    float *owed = bw_field_tile(&job->core->owed, slot);
    uint64_t leaves = leavers(job, slot, k), ends[6];
    int count = 0;
    for (uint64_t bits = find_ends(job, slot, k, ends); bits != 0; bits &= bits - 1) {
        int cell = BW_TILE_LAYER * k + __builtin_ctzll(bits);
        count += freed(job, owed[cell], outflow_of(job, slot, cell, ends).sum);
    }
    for (uint64_t bits = leaves; bits != 0; bits &= bits - 1)
        count += is_spent(owed[BW_TILE_LAYER * k + __builtin_ctzll(bits)]) ? 0 : job->parts;
    return count;
}

static void count_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        uint64_t count = 0;
        for (int k = 0; k < job->grid->layers; k++)
            count += (uint64_t)count_layer(job, slot, k);
        *bw_note(&job->core->count, slot) = count;
    }
}

// A sample of a tile or of those around it.
static float value_around(const BwField *field, int32_t slot, const int at[3])
{
    const BwGrid *grid = field->store.grid;
    int32_t tile = grid->tiles[slot].neighbour[bw_neighbour(at[0] >> 3, at[1] >> 3, at[2] >> 3)];
    return bw_field_tile(field, tile)[(at[0] & 7) + 8 * (at[1] & 7) + 64 * (at[2] & 7)];
}

// The component of a velocity at a place of a tile, and how it changes along each axis, a cell.
static float value_and_slopes(const BwField *u, int axis, int axes, int32_t slot, const float place[3],
                              float slope[3])
{
    int low[3] = {0};
    float part[3] = {0}, value = 0.0f;
    slope[0] = slope[1] = slope[2] = 0.0f;
    for (int b = 0; b < axes; b++) {
        float at = place[b] - (b == axis ? 0.0f : 0.5f);
        low[b] = (int)floorf(at);
        part[b] = at - (float)low[b];
    }
    for (int corner = 0; corner < 1 << axes; corner++) {
        int at[3] = {low[0] + (corner & 1), low[1] + (corner >> 1 & 1), low[2] + (corner >> 2 & 1)};
        float here = value_around(u, slot, at), weight[3] = {1.0f, 1.0f, 1.0f};
        for (int b = 0; b < axes; b++)
            weight[b] = corner >> b & 1 ? part[b] : 1.0f - part[b];
        value += weight[0] * weight[1] * weight[2] * here;
        for (int b = 0; b < axes; b++)
            slope[b] += (corner >> b & 1 ? here : -here) * weight[(b + 1) % 3] * weight[(b + 2) % 3];
    }
    return value;
}

// The velocity that the grid has carried there, with its gradient where particles have one.
static void give_velocity(const Job *job, int32_t slot, int64_t n, const float place[3])
{
    BwParticles *particles = job->particles;
    int axes = job->grid->dimension;
    for (int a = 0; a < axes; a++) {
        float slope[3];
        particles->column[BW_PARTICLE_U + a][n] =
            value_and_slopes(&job->motion->carried->u[a], a, axes, slot, place, slope);
        for (int b = 0; b < axes && particles->has_gradient; b++)
            particles->column[BW_PARTICLE_UX + 3 * a + b][n] = slope[b];
    }
}

// Adds a particle in a tile, `number` of those that are added.
static void add(const Job *job, int32_t slot, const float place[3], float volume, int64_t number)
{
    BwParticles *particles = job->particles;
    int64_t n = particles->count + number;
    for (int a = 0; a < job->grid->dimension; a++)
        particles->column[BW_PARTICLE_X + a][n] = place[a];
    particles->column[BW_PARTICLE_VOLUME][n] = volume;
    bw_particle_ids(particles)[n] = particles->next_id + (int32_t)number;
    give_velocity(job, slot, n, place);
    particles->cell[n] = (uint16_t)bw_particle_cell_at(job->grid, place);
    particles->far[number] = (BwFarMove){slot, (int32_t)n};
}

// A cell as the grid counts them.
static void cell_in_grid(const BwGrid *grid, int32_t slot, int cell, int32_t at[3])
{
    bw_tile_first_cell(grid, grid->tiles[slot].coord, at);
    for (int a = 0; a < 3; a++)
        at[a] += cell >> (3 * a) & 7;
}

static uint64_t seed_of(const Job *job)
{
    return job->motion->seed + (uint64_t)job->particles->next_id;
}

// Where what starts at a place has got to after a part of the step, and its tile; 0: nowhere that is awake
// and in the box.
static int32_t place_after_way(const Job *job, int32_t slot, const float start[3], float part, float place[3])
{
    for (int a = 0; a < job->grid->dimension; a++)
        place[a] = start[a] + part * way_at(job, slot, start, a);
    int32_t found = bw_particle_settle(job->grid, slot, place);
    bool is_live = found != 0 && bw_bit(job->grid->tiles[found].live, bw_particle_cell_at(job->grid, place));
    return is_live ? found : 0;
}

// Where a particle is that left through a point of a face and has come a part of the way that the liquid
// takes there in the step. Gives its tile.
static int32_t freed_place(const Job *job, int32_t slot, int cell, int side, const float random[3],
                           float place[3])
{
    int axis = side / 2, across = 0, axes = job->grid->dimension;
    float start[3] = {0};
    for (int a = 0; a < axes; a++)
        start[a] = (float)(cell >> (3 * a) & 7) + (a == axis ? (float)(side % 2) : random[across++]);
    int32_t found = place_after_way(job, slot, start, random[2], place);
    if (found != 0)
        return found;
    for (int a = 0; a < axes; a++)
        place[a] = start[a];
    place[axis] += side % 2 == 0 ? -beside_face : beside_face;
    return bw_particle_settle(job->grid, slot, place);
}

static float fraction(float value)
{
    return value - floorf(value);
}

// The n-th of `count` points, from 0 to 1 along three axes, evenly spread from a first one on: by the powers
// of the plastic number across the face (Roberts 2018), one after the other along the way.
static void spread_out(const float first[3], int n, int count, float point[3])
{
    point[0] = fraction(first[0] + 0.7548777f * (float)n);
    point[1] = fraction(first[1] + 0.5698403f * (float)n);
    point[2] = ((float)n + first[2]) / (float)count;
}

// The faces share what a cell sets free by what leaves through each.
static int64_t free_from_cell(const Job *job, int32_t slot, int cell, const Outflow *out, int64_t number)
{
    float *owed = &bw_field_tile(&job->core->owed, slot)[cell], sum = 0.0f;
    int count = freed(job, *owed, out->sum), done = 0;
    int32_t at[3];
    if (count == 0)
        return number;
    cell_in_grid(job->grid, slot, cell, at);
    for (int side = 0; side < 2 * job->grid->dimension; side++) {
        float first[3], point[3], place[3] = {0};
        sum += out->through[side];
        int begin = done;
        done = (int)((float)count * (sum / out->sum) + 0.5f);
        done = done > count ? count : done;
        bw_random_place(seed_of(job), at, side, first);
        for (int n = begin; n < done; n++) {
            spread_out(first, n - begin, done - begin, point);
            int32_t found = freed_place(job, slot, cell, side, point, place);
            add(job, found, place, 1.0f, number++);
        }
    }
    *owed -= (float)count / (float)job->parts;
    return number;
}

// Fills a cell that is core no more with particles, and takes them along for the step.
static int64_t fill_cell(const Job *job, int32_t slot, int cell, int64_t number)
{
    float *owed = &bw_field_tile(&job->core->owed, slot)[cell];
    int per_axis = job->motion->per_axis;
    int32_t at[3];
    cell_in_grid(job->grid, slot, cell, at);
    for (int part = 0; part < job->parts && !is_spent(*owed); part++) {
        float random[3], start[3] = {0}, place[3] = {0};
        int parts[3] = {part % per_axis, part / per_axis % per_axis, part / per_axis / per_axis};
        bw_random_place(seed_of(job), at, part, random);
        for (int a = 0; a < job->grid->dimension; a++)
            start[a] = (float)(cell >> (3 * a) & 7) + ((float)parts[a] + random[a]) / (float)per_axis;
        int32_t found = place_after_way(job, slot, start, 1.0f, place);
        add(job, found != 0 ? found : slot, found != 0 ? place : start, 1.0f + *owed + job->more, number++);
    }
    *owed = BW_NOT_CORE;
    return number;
}

static int64_t change_layer(const Job *job, int32_t slot, int k, int64_t number)
{
    uint64_t full = bw_mask_tile(&job->core->full, slot)[k], next = bw_mask_tile(&job->core->next, slot)[k],
             ends[6];
    for (uint64_t bits = find_ends(job, slot, k, ends); bits != 0; bits &= bits - 1) {
        int cell = BW_TILE_LAYER * k + __builtin_ctzll(bits);
        Outflow out = outflow_of(job, slot, cell, ends);
        number = free_from_cell(job, slot, cell, &out, number);
    }
    for (uint64_t bits = full & ~next; bits != 0; bits &= bits - 1)
        number = fill_cell(job, slot, BW_TILE_LAYER * k + __builtin_ctzll(bits), number);
    for (uint64_t bits = next & ~full; bits != 0; bits &= bits - 1)
        bw_field_tile(&job->core->owed, slot)[BW_TILE_LAYER * k + __builtin_ctzll(bits)] = -1.0f;
    return number;
}

static void change_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        int64_t number = (int64_t)*bw_note(&job->core->count, slot);
        for (int k = 0; k < job->grid->layers; k++)
            number = change_layer(job, slot, k, number);
    }
}

static void turn_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < job->grid->layers; k++)
            bw_mask_tile(&job->core->full, job->grid->order[m])[k] =
                bw_mask_tile(&job->core->next, job->grid->order[m])[k];
}

static void stay_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
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
    Job job = {.core = core,
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
    BW_TRY(bw_particles_reserve(particles, particles->count + added, err));
    BW_TRY(bw_reserve(&particles->allocator, (void **)&particles->far, &particles->far_capacity, added,
                      sizeof *particles->far, err));
    bw_parallel_for(particles->pool, grid->tile_count, 8, change_range, &job);
    bw_parallel_for(particles->pool, grid->tile_count, 64, turn_range, &job);
    particles->far_count = added;
    particles->next_id += (int32_t)added;
    return BW_OK;
}

void bw_core_even_out(BwCore *core, BwPool *pool)
{
    Job job = {.core = core, .grid = core->owed.store.grid};
    for (int n = 0; n < EVENING_ROUNDS; n++) {
        bw_parallel_for(pool, job.grid->tile_count, 16, even_out, &job);
        bw_field_swap(&core->owed, &core->even);
    }
}

void bw_core_widen_spans(const BwCore *core, BwTileSpan *spans)
{
    const BwGrid *grid = core->owed.store.grid;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        const uint64_t *full = bw_mask_tile(&core->full, grid->order[m]);
        uint64_t any = 0;
        for (int k = 0; k < grid->layers; k++)
            any |= full[k];
        if (any != 0)
            spans[m] = (BwTileSpan){{0, 0, 0}, {BW_TILE, BW_TILE, (int8_t)grid->layers}};
    }
}

typedef struct Sum {
    const BwCore *core;
    const BwGrid *grid;
    const BwVelocity *velocity;
} Sum;

static float square_of(const Sum *sum, int32_t slot, int cell)
{
    float square = 0.0f;
    for (int a = 0; a < sum->grid->dimension; a++) {
        const BwField *u = &sum->velocity->u[a];
        float mean = 0.5f * (bw_field_tile(u, slot)[cell] + bw_value_beside(u, slot, cell, 2 * a + 1));
        square += mean * mean;
    }
    return square;
}

static double volume_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Sum *sum = context;
    double volume = 0.0;
    for (int64_t m = begin; m < end; m++) {
        const float *owed = bw_field_tile(&sum->core->owed, sum->grid->order[m]);
        for (int n = 0; n < sum->grid->tile_cells; n++)
            volume += owed[n] != BW_NOT_CORE ? 1.0 + (double)owed[n] : 0.0;
    }
    return volume;
}

static double energy_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Sum *sum = context;
    double energy = 0.0;
    for (int64_t m = begin; m < end; m++) {
        const float *owed = bw_field_tile(&sum->core->owed, sum->grid->order[m]);
        for (int n = 0; n < sum->grid->tile_cells; n++)
            if (owed[n] != BW_NOT_CORE)
                energy += 0.5 * (1.0 + (double)owed[n]) * (double)square_of(sum, sum->grid->order[m], n);
    }
    return energy;
}

static double speed_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Sum *sum = context;
    float square = 0.0f;
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < sum->grid->layers; k++)
            for (uint64_t bits = bw_mask_tile(&sum->core->full, sum->grid->order[m])[k]; bits != 0;
                 bits &= bits - 1)
                square = bw_larger(
                    square, square_of(sum, sum->grid->order[m], BW_TILE_LAYER * k + __builtin_ctzll(bits)));
    return (double)sqrtf(square);
}

double bw_core_volume(const BwCore *core)
{
    Sum sum = {core, core->owed.store.grid, NULL};
    return core->left_over + bw_parallel_sum(sum.grid->pool, sum.grid->tile_count, 64, volume_range, &sum);
}

double bw_core_kinetic_energy(const BwCore *core, const BwVelocity *velocity)
{
    Sum sum = {core, core->owed.store.grid, velocity};
    return bw_parallel_sum(sum.grid->pool, sum.grid->tile_count, 64, energy_range, &sum);
}

float bw_core_max_speed(const BwCore *core, const BwVelocity *velocity)
{
    Sum sum = {core, core->owed.store.grid, velocity};
    if (sum.grid->tile_count == 0)
        return 0.0f;
    return (float)bw_parallel_max(sum.grid->pool, sum.grid->tile_count, 64, speed_range, &sum);
}
