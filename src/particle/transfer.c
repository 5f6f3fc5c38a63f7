// Blocks hold pairs of momentum and weight for each face, so that the two faces beside a particle along x are
// one vector of four.
#include "particle/transfer.h"

#include "particle/core_weight.h"

#include <string.h>

enum {
    SIDE = BW_TILE + 2, // of a block, in samples
    LAYER = SIDE * SIDE,
    SAMPLES = SIDE * LAYER,
    PAIRS = 2 * SAMPLES,            // floats of one velocity component
    BLOCK_3D = 3 * PAIRS + SAMPLES, // and of the share
    BLOCK_2D = 2 * 2 * LAYER + LAYER,
};

// Less weight than this tells nothing.
static const float weight_min = 1e-6f;

typedef float Four __attribute__((vector_size(16)));

static inline void add_four(float *at, Four more)
{
    Four sum;
    memcpy(&sum, at, sizeof sum);
    sum += more;
    memcpy(at, &sum, sizeof sum);
}

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
    BwVelocity *velocity;
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

// Where a particle is among the samples of a location: the low one in the block, and how far past it, for an
// axis.
typedef struct Between {
    int low;
    float part;
} Between;

static inline Between between(float place, float shift)
{
    float at = place - shift + 1.0f; // never below 0
    int low = (int)at;
    return (Between){low, at - (float)low};
}

// Adds the velocity component of one particle to the faces around it in space.
static inline void add_component(float *restrict pairs, const float place[3], int axis, float volume,
                                 float speed, const float slope[3])
{
    Between x = between(place[0], axis == 0 ? 0.0f : 0.5f), y = between(place[1], axis == 1 ? 0.0f : 0.5f),
            z = between(place[2], axis == 2 ? 0.0f : 0.5f);
    float *first = pairs + 2 * (x.low + SIDE * y.low + LAYER * z.low);
    float left = 1.0f - x.part;
    const Four weight_x = {left, left, x.part, x.part};
    const Four along_x = {-x.part * slope[0], 1.0f, left * slope[0], 1.0f};
    const Four ones = {1.0f, 0.0f, 1.0f, 0.0f};
    for (int k = 0; k < 2; k++) {
        float weight_z = volume * (k == 0 ? 1.0f - z.part : z.part);
        float speed_z = speed + slope[2] * ((float)k - z.part);
        for (int j = 0; j < 2; j++) {
            float weight = weight_z * (j == 0 ? 1.0f - y.part : y.part);
            float base = speed_z + slope[1] * ((float)j - y.part);
            add_four(first + 2 * (SIDE * j + LAYER * k), weight * weight_x * (along_x + base * ones));
        }
    }
}

static inline void add_component_flat(float *restrict pairs, const float place[2], int axis, float volume,
                                      float speed, const float slope[2])
{
    Between x = between(place[0], axis == 0 ? 0.0f : 0.5f), y = between(place[1], axis == 1 ? 0.0f : 0.5f);
    float *first = pairs + 2 * (x.low + SIDE * y.low);
    float left = 1.0f - x.part;
    const Four weight_x = {left, left, x.part, x.part};
    const Four along_x = {-x.part * slope[0], 1.0f, left * slope[0], 1.0f};
    const Four ones = {1.0f, 0.0f, 1.0f, 0.0f};
    for (int j = 0; j < 2; j++) {
        float weight = volume * (j == 0 ? 1.0f - y.part : y.part);
        float base = speed + slope[1] * ((float)j - y.part);
        add_four(first + 2 * SIDE * j, weight * weight_x * (along_x + base * ones));
    }
}

static inline void add_share(float *restrict shares, const float place[3], int layers, float volume)
{
    Between x = between(place[0], 0.5f), y = between(place[1], 0.5f);
    Between z = layers > 1 ? between(place[2], 0.5f) : (Between){0, 0.0f};
    float *first = shares + x.low + SIDE * y.low + LAYER * z.low;
    for (int k = 0; k < (layers > 1 ? 2 : 1); k++)
        for (int j = 0; j < 2; j++) {
            float weight = volume * (k == 0 ? 1.0f - z.part : z.part) * (j == 0 ? 1.0f - y.part : y.part);
            float *row = first + SIDE * j + LAYER * k;
            row[0] += weight * (1.0f - x.part);
            row[1] += weight * x.part;
        }
}

static void add_particle(const Job *job, float *restrict block, int64_t n)
{
    float *const *column = job->particles->column;
    int axes = job->grid->dimension;
    float place[3] = {0};
    float volume = column[BW_PARTICLE_VOLUME][n];
    for (int a = 0; a < axes; a++)
        place[a] = column[BW_PARTICLE_X + a][n];
    for (int a = 0; a < axes; a++) {
        float slope[3] = {0};
        for (int b = 0; b < axes && job->particles->has_gradient; b++)
            slope[b] = column[BW_PARTICLE_UX + 3 * a + b][n];
        if (axes == 3)
            add_component(block + a * job->pairs, place, a, volume, column[BW_PARTICLE_U + a][n], slope);
        else
            add_component_flat(block + a * job->pairs, place, a, volume, column[BW_PARTICLE_U + a][n], slope);
    }
    add_share(block + axes * job->pairs, place, job->grid->layers, volume);
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
        BwParticleRange range = bw_particle_range(job->particles, slot);
        for (int64_t n = range.begin; n < range.end; n++)
            add_particle(job, block, n);
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
    float *u = bw_field_tile(&job->velocity->u[axis], slot);
    uint64_t *known = bw_mask_tile(&job->known[axis], slot);
    for (int k = 0; k < job->grid->layers; k++) {
        uint64_t bits = 0;
        for (int n = 0; n < BW_TILE_LAYER; n++) {
            int c = BW_TILE_LAYER * k + n;
            bool is_known = sums[2 * c + 1] > weight_min;
            u[c] = is_known ? sums[2 * c] / sums[2 * c + 1] : 0.0f;
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
                             const BwGridCarried *carried, BwVelocity *velocity, BwMask known[3],
                             BwField *share, BwError *err)
{
    bool is_flat = particles->grid->layers == 1;
    Job job = {.transfer = transfer,
               .particles = particles,
               .grid = particles->grid,
               .velocity = velocity,
               .known = known,
               .share = share,
               .carried = carried != NULL ? *carried : (BwGridCarried){0},
               .unit = unit,
               .block_size = is_flat ? BLOCK_2D : BLOCK_3D,
               .pairs = is_flat ? 2 * LAYER : PAIRS};
    BW_TRY(hand_out_blocks(transfer, particles, job.block_size, err));
    bw_parallel_for(particles->pool, job.grid->tile_count, 4, scatter, &job);
    bw_parallel_for(particles->pool, job.grid->tile_count, 16, gather, &job);
    return BW_OK;
}
