// Blocks hold pairs of momentum and weight for each face, so that the two faces beside a particle along x are
// one vector of four. What particles add is found for a group of them at a time (particle/transfer_lanes.h).
#include "particle/transfer.h"

#include "particle/core_weight.h"
#include "particle/transfer_lanes.h"

#include <string.h>

enum {
    SIDE = BW_TRANSFER_SIDE,
    LAYER = BW_TRANSFER_LAYER,
    SAMPLES = SIDE * LAYER,
    PAIRS = 2 * SAMPLES,            // floats of one velocity component
    BLOCK_3D = 3 * PAIRS + SAMPLES, // and of the share
    BLOCK_2D = 2 * 2 * LAYER + LAYER,
};

// Less weight than this tells nothing.
static const float weight_min = 1e-6f;

BwResult bw_transfer_create(BwTransfer *transfer, const BwAllocator *allocator, BwGrid *grid, BwError *err)
{
    *transfer = (BwTransfer){.allocator = *allocator};
    return bw_notes_create(&transfer->block_of, grid, err);
}

void bw_transfer_destroy(BwTransfer *transfer)
{
    bw_free(&transfer->allocator, transfer->blocks,
            (size_t)transfer->block_capacity * sizeof *transfer->blocks, BW_ALIGN);
    bw_notes_destroy(&transfer->block_of);
    *transfer = (BwTransfer){0};
}

typedef struct Job {
    const BwTransfer *transfer;
    const BwParticles *particles;
    const BwGrid *grid;
    BwVelocity *velocity, *weight;
    BwMask *known;
    BwField *share;
    BwGridCarried carried;
    float unit;
    int64_t block_size, pairs; // floats
} Job;

static float *block_of(const Job *job, int32_t slot)
{
    uint64_t place = *bw_note(&job->transfer->block_of, slot);
    return place == 0 ? NULL : job->transfer->blocks + (int64_t)(place - 1) * job->block_size;
}

typedef float Two __attribute__((vector_size(8)));
typedef float Four __attribute__((vector_size(16)));

static inline void add_two(float *at, const float *more)
{
    Two sum, addend;
    memcpy(&sum, at, sizeof sum);
    memcpy(&addend, more, sizeof addend);
    sum += addend;
    memcpy(at, &sum, sizeof sum);
}

static inline void add_four(float *at, const float *more)
{
    Four sum, addend;
    memcpy(&sum, at, sizeof sum);
    memcpy(&addend, more, sizeof addend);
    sum += addend;
    memcpy(at, &sum, sizeof sum);
}

// What follows is compiled once for space and once for the plane, with `axes` as a constant.
#define FOR_AXES static inline __attribute__((always_inline))

FOR_AXES void add_component(float *restrict pairs, const BwAddends *addends, int axes, int count)
{
    for (int lane = 0; lane < count; lane++) {
        float *first = pairs + 2 * addends->first[lane];
        for (int row = 0; row < (axes == 3 ? 4 : 2); row++)
            add_four(first + 2 * (SIDE * (row & 1) + LAYER * (row >> 1)),
                     addends->row[row] + bw_addend_of(lane));
    }
}

FOR_AXES void add_share(float *restrict shares, const BwAddends *addends, int axes, int count)
{
    for (int lane = 0; lane < count; lane++) {
        float *first = shares + addends->first[lane];
        for (int row = 0; row < (axes == 3 ? 4 : 2); row++)
            add_two(first + SIDE * (row & 1) + LAYER * (row >> 1),
                    addends->row[row >> 1] + bw_addend_of(lane) + 2 * (row & 1));
    }
}

// Adds particles that stand side by side in the columns, a vector of them at most.
FOR_AXES void add_group(const Job *job, float *restrict block, int axes, int64_t first, int count)
{
    float *const *column = job->particles->column;
    BwTransferLanes lanes = {.volume = bw_lanes_load_some(column[BW_PARTICLE_VOLUME] + first, count)};
    BwAddends addends;
    for (int a = 0; a < axes; a++)
        lanes.place[a] = bw_lanes_load_some(column[BW_PARTICLE_X + a] + first, count);
    for (int a = 0; a < axes; a++) {
        lanes.speed = bw_lanes_load_some(column[BW_PARTICLE_U + a] + first, count);
        for (int b = 0; b < axes && job->particles->has_gradient; b++)
            lanes.slope[b] = bw_lanes_load_some(column[BW_PARTICLE_UX + 3 * a + b] + first, count);
        bw_transfer_component(&lanes, a, axes, &addends);
        add_component(block + a * job->pairs, &addends, axes, count);
    }
    bw_transfer_share(&lanes, axes, &addends);
    add_share(block + axes * job->pairs, &addends, axes, count);
}

FOR_AXES void add_particles(const Job *job, float *restrict block, int axes, BwParticleRange range)
{
    int rest = (int)((range.end - range.begin) % BW_LANES);
    for (int64_t n = range.begin; n < range.end - rest; n += BW_LANES)
        add_group(job, block, axes, n, BW_LANES);
    if (rest > 0)
        add_group(job, block, axes, range.end - rest, rest);
}

static void scatter(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        float *block = block_of(job, slot);
        if (block == NULL)
            continue;
        memset(block, 0, (size_t)job->block_size * sizeof *block);
        if (job->grid->dimension == 3)
            add_particles(job, block, 3, bw_particle_range(job->particles, slot));
        else
            add_particles(job, block, 2, bw_particle_range(job->particles, slot));
    }
}

// Along an axis: which samples of a tile a block `step` tiles away reaches, and where they lie in it.
typedef struct Overlap {
    int begin, end, shift;
} Overlap;

static Overlap overlap(int step)
{
    return step < 0   ? (Overlap){0, 1, BW_TILE + 1}
           : step > 0 ? (Overlap){BW_TILE - 1, BW_TILE, 1 - BW_TILE}
                      : (Overlap){0, BW_TILE, 1};
}

// Adds what one block says of a tile's samples: `width` numbers a sample.
static void collect(const float *restrict block, int width, int layers, const int step[3],
                    float *restrict sums)
{
    Overlap x = overlap(step[0]), y = overlap(step[1]),
            z = layers > 1 ? overlap(step[2]) : (Overlap){0, 1, 0};
    for (int k = z.begin; k < z.end; k++)
        for (int j = y.begin; j < y.end; j++) {
            const float *from =
                block + width * (x.begin + x.shift + SIDE * (j + y.shift) + LAYER * (k + z.shift));
            float *to = sums + width * (x.begin + BW_TILE * j + BW_TILE_LAYER * k);
            for (int n = 0; n < width * (x.end - x.begin); n++)
                to[n] += from[n];
        }
}

// The sums of a tile's samples over all blocks around; gives whether there are any.
static bool collect_tile(const Job *job, int32_t slot, int64_t offset, int width, float *restrict sums)
{
    int first = bw_first_beside(job->grid);
    bool has_any = false;
    memset(sums, 0, (size_t)(width * job->grid->tile_cells) * sizeof *sums);
    for (int c = first; c < 27 - first; c++) {
        int32_t beside = job->grid->tiles[slot].neighbour[c];
        const float *block = beside != 0 ? block_of(job, beside) : NULL;
        if (block == NULL)
            continue;
        const int step[3] = {c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1};
        collect(block + offset, width, job->grid->layers, step, sums);
        has_any = true;
    }
    return has_any;
}

// Momentum over weight, where there is any.
static void take_velocity(const Job *job, int32_t slot, int axis, const float *sums)
{
    float *u = bw_field_tile(&job->velocity->u[axis], slot),
          *weight = bw_field_tile(&job->weight->u[axis], slot);
    uint64_t *known = bw_mask_tile(&job->known[axis], slot);
    for (int k = 0; k < job->grid->layers; k++) {
        uint64_t bits = 0;
        for (int n = 0; n < BW_TILE_LAYER; n++) {
            int c = BW_TILE_LAYER * k + n;
            bool is_known = sums[2 * c + 1] > weight_min;
            u[c] = is_known ? sums[2 * c] / sums[2 * c + 1] : 0.0f;
            weight[c] = is_known ? sums[2 * c + 1] : 0.0f;
            bits |= (uint64_t)is_known << n;
        }
        known[k] = bits & job->grid->tiles[slot].live[k];
    }
}

// The velocity that the grid carries, by the core's weight.
static void add_carried(const Job *job, int32_t slot, int axis, BwCoreFill fill, float *sums)
{
    const float *carried = bw_field_tile(&job->carried.velocity->u[axis], slot);
    float weight[BW_TILE_CELLS_MAX], all = 1.0f / job->unit;
    if (fill == BW_CORE_PART)
        bw_core_face_weights(job->grid, job->carried.core, slot, axis, weight);
    for (int n = 0; n < job->grid->tile_cells; n++) {
        float more = fill == BW_CORE_PART ? all * weight[n] : all;
        sums[2 * n] += more * carried[n];
        sums[2 * n + 1] += more;
    }
}

// Particles tell where there is liquid, and nothing of its velocity.
static void replace_velocity(const Job *job, int32_t slot, int axis, float *sums)
{
    const float *carried = bw_field_tile(&job->carried.velocity->u[axis], slot);
    for (int n = 0; n < job->grid->tile_cells; n++)
        sums[2 * n] = sums[2 * n + 1] * carried[n];
}

static void clear_tile(const Job *job, int32_t slot)
{
    size_t values = (size_t)job->grid->tile_cells * sizeof(float),
           words = (size_t)job->grid->layers * sizeof(uint64_t);
    for (int a = 0; a < job->grid->dimension; a++) {
        memset(bw_field_tile(&job->velocity->u[a], slot), 0, values);
        memset(bw_field_tile(&job->weight->u[a], slot), 0, values);
        memset(bw_mask_tile(&job->known[a], slot), 0, words);
    }
    memset(bw_field_tile(job->share, slot), 0, values);
}

static void take_share(const Job *job, int32_t slot, BwCoreFill fill, const float *sums)
{
    float *share = bw_field_tile(job->share, slot), more[BW_TILE_CELLS_MAX];
    for (int n = 0; n < job->grid->tile_cells; n++)
        share[n] = job->unit * sums[n];
    if (fill == BW_CORE_NONE)
        return;
    bw_core_shares(job->grid, job->carried.core, slot, more);
    for (int n = 0; n < job->grid->tile_cells; n++)
        share[n] += more[n];
}

static void gather_tile(const Job *job, int32_t slot, float *sums)
{
    int axes = job->grid->dimension;
    BwCoreFill fill =
        job->carried.core != NULL ? bw_core_fill(job->grid, job->carried.core, slot) : BW_CORE_NONE;
    bool has_any = collect_tile(job, slot, axes * job->pairs, 1, sums);
    if (!has_any && fill == BW_CORE_NONE) {
        clear_tile(job, slot);
        return;
    }
    take_share(job, slot, fill, sums);
    for (int a = 0; a < axes; a++) {
        collect_tile(job, slot, a * job->pairs, 2, sums);
        if (fill != BW_CORE_NONE)
            add_carried(job, slot, a, fill, sums);
        if (job->carried.is_all)
            replace_velocity(job, slot, a, sums);
        take_velocity(job, slot, a, sums);
    }
}

static void gather(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    float sums[2 * BW_TILE_CELLS_MAX];
    for (int64_t m = begin; m < end; m++)
        gather_tile(job, job->grid->order[m], sums);
}

// Gives each tile that holds particles a block.
static BwResult hand_out_blocks(BwTransfer *transfer, const BwParticles *particles, int64_t block_size,
                                BwError *err)
{
    const BwGrid *grid = particles->grid;
    int64_t count = 0;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        BwParticleRange range = bw_particle_range(particles, grid->order[m]);
        *bw_note(&transfer->block_of, grid->order[m]) = range.end > range.begin ? (uint64_t)++count : 0;
    }
    return bw_reserve(&transfer->allocator, (void **)&transfer->blocks, &transfer->block_capacity,
                      count * block_size, sizeof *transfer->blocks, err);
}

BwResult bw_transfer_to_grid(BwTransfer *transfer, const BwParticles *particles, float unit,
                             const BwGridCarried *carried, const BwTransferred *to, BwError *err)
{
    bool is_flat = particles->grid->layers == 1;
    Job job = {.transfer = transfer,
               .particles = particles,
               .grid = particles->grid,
               .velocity = to->velocity,
               .weight = to->weight,
               .known = to->known,
               .share = to->share,
               .carried = carried != NULL ? *carried : (BwGridCarried){0},
               .unit = unit,
               .block_size = is_flat ? BLOCK_2D : BLOCK_3D,
               .pairs = is_flat ? 2 * LAYER : PAIRS};
    BW_TRY(hand_out_blocks(transfer, particles, job.block_size, err));
    bw_parallel_for(particles->pool, job.grid->tile_count, 4, scatter, &job);
    bw_parallel_for(particles->pool, job.grid->tile_count, 16, gather, &job);
    return BW_OK;
}
