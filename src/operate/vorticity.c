// Vorticity confinement, a tile at a time in padded blocks: the force on a tile's faces needs velocities up
// to three cells away, all inside the halo of four. Only cells whose neighbours are all fluid have a curl, so
// walls and the rim of the smoke make none.
#include "operate/vorticity.h"

#include "grid/block.h"
#include <math.h>
#include <string.h>

// One worker's memory, each a padded block.
typedef struct Worker {
    _Alignas(BW_ALIGN) float middle[3][BW_BLOCK_CELLS]; // velocity in the middle of cells
    float vector[3][BW_BLOCK_CELLS];                    // the curl, then the force
    float length[BW_BLOCK_CELLS];                       // of the curl
    float fluid[BW_BLOCK_CELLS];                        // 1 in fluid cells, else 0
} Worker;

struct BwVorticityScratch {
    BwAllocator allocator;
    int worker_count;
    Worker *workers;
};

BwResult bw_vorticity_scratch_create(BwVorticityScratch **out, const BwAllocator *allocator, BwPool *pool,
                                     BwError *err)
{
    *out = NULL;
    size_t count = (size_t)bw_pool_worker_count(pool);
    BwVorticityScratch *scratch = bw_alloc(allocator, sizeof *scratch, BW_ALIGN);
    if (scratch == NULL)
        return bw_fail_memory(err);
    *scratch = (BwVorticityScratch){.allocator = *allocator, .worker_count = (int)count};
    scratch->workers = bw_alloc_zeroed(allocator, count * sizeof(Worker), BW_ALIGN);
    if (scratch->workers == NULL) {
        bw_vorticity_scratch_destroy(scratch);
        return bw_fail_memory(err);
    }
    *out = scratch;
    return BW_OK;
}

void bw_vorticity_scratch_destroy(BwVorticityScratch *scratch)
{
    if (scratch == NULL)
        return;
    BwAllocator allocator = scratch->allocator;
    bw_free(&allocator, scratch->workers, (size_t)scratch->worker_count * sizeof(Worker), BW_ALIGN);
    bw_free(&allocator, scratch, sizeof *scratch, BW_ALIGN);
}

typedef struct Job {
    BwVorticityScratch *scratch;
    const BwDomain *domain;
    const BwVelocity *from;
    BwVelocity *to;
    float epsilon, dt;
} Job;

// Distances in a block between neighbours along each axis; 0 along z in 2-D, where differences then vanish.
typedef struct Strides {
    int x, y, z, first_layer, last_layer;
} Strides;

// The layers within `reach` cells of the tile.
static Strides strides_of(const BwGrid *grid, int reach)
{
    if (grid->layers == 1)
        return (Strides){1, BW_BLOCK, 0, 0, 0};
    return (Strides){1, BW_BLOCK, BW_BLOCK_LAYER, BW_HALO - reach, BW_HALO + BW_TILE - 1 + reach};
}

// Faces to middles, in place: each is the mean of its two faces. The last cell of the block has only one, and
// is not used.
static void gather_middles(Worker *worker, const Job *job, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    const int stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};
    int cells = BW_BLOCK_LAYER * bw_block_layers(grid);
    for (int a = 0; a < grid->dimension; a++) {
        float *restrict block = worker->middle[a];
        bw_block_gather(&job->from->u[a], slot, block);
        for (int n = 0; n + stride[a] < cells; n++)
            block[n] = 0.5f * (block[n] + block[n + stride[a]]);
    }
    if (bw_block_gather_weight(grid, &job->domain->fluid, BW_AT_CELL, slot, worker->fluid))
        for (int n = 0; n < cells; n++)
            worker->fluid[n] = 1.0f;
}

static void find_curl(Worker *worker, const BwGrid *grid)
{
    Strides s = strides_of(grid, 2);
    float scale = 0.5f / grid->cell_size;
    const float *restrict u = worker->middle[0], *restrict v = worker->middle[1],
                          *restrict w = worker->middle[2];
    const float *restrict fluid = worker->fluid;
    float *restrict x = worker->vector[0], *restrict y = worker->vector[1], *restrict z = worker->vector[2];
    float *restrict length = worker->length;
    for (int k = s.first_layer; k <= s.last_layer; k++)
        for (int j = BW_HALO - 2; j < BW_HALO + BW_TILE + 2; j++)
            for (int i = BW_HALO - 2; i < BW_HALO + BW_TILE + 2; i++) {
                int n = i + BW_BLOCK * j + BW_BLOCK_LAYER * k;
                float inner = scale * fluid[n] * fluid[n - 1] * fluid[n + 1] * fluid[n - s.y] *
                              fluid[n + s.y] * fluid[n - s.z] * fluid[n + s.z];
                x[n] = inner * ((w[n + s.y] - w[n - s.y]) - (v[n + s.z] - v[n - s.z]));
                y[n] = inner * ((u[n + s.z] - u[n - s.z]) - (w[n + 1] - w[n - 1]));
                z[n] = inner * ((v[n + 1] - v[n - 1]) - (u[n + s.y] - u[n - s.y]));
                length[n] = sqrtf(x[n] * x[n] + y[n] * y[n] + z[n] * z[n]);
            }
}

// The force takes the curl's place: it needs no other cell's curl, only the slope of its length.
static void find_force(Worker *worker, const BwGrid *grid, float strength)
{
    Strides s = strides_of(grid, 1);
    const float *restrict length = worker->length;
    float *restrict x = worker->vector[0], *restrict y = worker->vector[1], *restrict z = worker->vector[2];
    for (int k = s.first_layer; k <= s.last_layer; k++)
        for (int j = BW_HALO - 1; j < BW_HALO + BW_TILE + 1; j++)
            for (int i = BW_HALO - 1; i < BW_HALO + BW_TILE + 1; i++) {
                int n = i + BW_BLOCK * j + BW_BLOCK_LAYER * k;
                float dx = length[n + 1] - length[n - 1], dy = length[n + s.y] - length[n - s.y];
                float dz = length[n + s.z] - length[n - s.z], size = sqrtf(dx * dx + dy * dy + dz * dz);
                float scale = size > 0.0f ? strength / size : 0.0f;
                float wx = x[n], wy = y[n], wz = z[n];
                x[n] = scale * (dy * wz - dz * wy);
                y[n] = scale * (dz * wx - dx * wz);
                z[n] = scale * (dx * wy - dy * wx);
            }
}

static void add_force(const Worker *worker, const Job *job, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    const int stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};
    for (int a = 0; a < grid->dimension; a++) {
        const uint64_t *flow = bw_mask_tile(&job->domain->flow[a], slot);
        const float *u = bw_field_tile(&job->from->u[a], slot);
        float *to = bw_field_tile(&job->to->u[a], slot);
        for (int c = 0; c < grid->tile_cells; c++) {
            int n = bw_block_origin(grid) + (c & 7) + BW_BLOCK * (c >> 3 & 7) + BW_BLOCK_LAYER * (c >> 6);
            float force = 0.5f * (worker->vector[a][n] + worker->vector[a][n - stride[a]]);
            to[c] = bw_bit(flow, c) ? u[c] + job->dt * force : u[c];
        }
    }
}

static void confine_range(int64_t begin, int64_t end, int worker_index, void *context)
{
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    Worker *worker = &job->scratch->workers[worker_index];
    for (int64_t n = begin; n < end; n++) {
        gather_middles(worker, job, grid->order[n]);
        find_curl(worker, grid);
        find_force(worker, grid, job->epsilon * grid->cell_size);
        add_force(worker, job, grid->order[n]);
    }
}

void bw_confine_vorticity(BwVorticityScratch *scratch, const BwDomain *domain, const BwVelocity *from,
                          BwVelocity *to, float epsilon, float dt)
{
    Job job = {scratch, domain, from, to, epsilon, dt};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 8, confine_range, &job);
}
