// A mask of whole cells of liquid that loses a layer at a time, along one axis after the other.
#include "operate/liquid_depth.h"

#include "base/extremes.h"
#include "domain/solid_faces.h"

#include <math.h>

// What is found first has so many more cells around it than what stays.
enum { MARGIN = 2 };

// Cells at the surface whose speed does not count.
enum { SURFACE_LAYERS = 2 };

// Cells that a step may cross, at most; with more than that around it nothing is deep.
static const float reach_max = 64.0f;

BwResult bw_depth_create(BwDepth *depth, BwGrid *grid, BwError *err)
{
    *depth = (BwDepth){0};
    BW_TRY(bw_mask_create_full(&depth->deep, grid, err));
    return bw_mask_create_full(&depth->eroded, grid, err);
}

void bw_depth_destroy(BwDepth *depth)
{
    bw_mask_destroy(&depth->deep);
    bw_mask_destroy(&depth->eroded);
}

// Copies a mask, or joins to it the bits beside along an axis.
typedef struct Dilation {
    const BwGrid *grid;
    const BwMask *from;
    BwMask *to;
    int axis; // -1: a copy
} Dilation;

static void dilate_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Dilation *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        for (int k = 0; k < job->grid->layers; k++) {
            uint64_t bits = bw_mask_tile(job->from, slot)[k];
            if (job->axis >= 0)
                bits |= bw_bits_beside(job->grid, job->from, slot, 2 * job->axis, k) |
                        bw_bits_beside(job->grid, job->from, slot, 2 * job->axis + 1, k);
            bw_mask_tile(job->to, slot)[k] = bits & job->grid->tiles[slot].live[k];
        }
    }
}

void bw_mask_dilate(const BwMask *cells, const BwDomain *domain, int layers, BwMask *dilated, BwMask *scratch)
{
    Dilation job = {domain->grid, cells, NULL, -1};
    int passes = layers * domain->grid->dimension;
    for (int pass = 0; pass <= passes; pass++) {
        job.to = (passes - pass) % 2 == 0 ? dilated : scratch;
        bw_parallel_for(domain->pool, domain->grid->tile_count, 64, dilate_range, &job);
        job.from = job.to;
        job.axis = pass % domain->grid->dimension;
    }
}

typedef struct Job {
    const BwLiquidSurface *surface;
    const BwDomain *domain;
    const BwGrid *grid;
    const BwMask *from, *before;
    BwMask *to;
    int axis;
    int cells; // to keep from open sides of the box
} Job;

static uint64_t whole_cells(const Job *job, int32_t slot, int k)
{
    if (job->domain->cut == NULL || !bw_solids_are_near(job->domain->cut, slot))
        return ~(uint64_t)0;
    const float *open = bw_field_tile(&job->surface->open, slot) + BW_TILE_LAYER * k;
    uint64_t bits = 0;
    for (int n = 0; n < BW_TILE_LAYER; n++)
        bits |= (uint64_t)(open[n] >= 1.0f) << n;
    return bits;
}

static void find_whole(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        for (int k = 0; k < job->grid->layers; k++)
            bw_mask_tile(job->to, slot)[k] =
                (bw_mask_tile(&job->surface->liquid, slot)[k] & whole_cells(job, slot, k)) |
                ~job->grid->tiles[slot].live[k];
    }
}

static void erode_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        for (int k = 0; k < job->grid->layers; k++)
            bw_mask_tile(job->to, slot)[k] = bw_mask_tile(job->from, slot)[k] &
                                             bw_bits_beside(job->grid, job->from, slot, 2 * job->axis, k) &
                                             bw_bits_beside(job->grid, job->from, slot, 2 * job->axis + 1, k);
    }
}

// Takes so many layers off `deep`; gives the mask that what is left stands in.
static BwMask *erode(BwDepth *depth, Job job, BwMask *deep, int layers)
{
    for (int n = 0; n < layers; n++)
        for (int a = 0; a < job.grid->dimension; a++) {
            job.from = deep;
            job.to = deep == &depth->deep ? &depth->eroded : &depth->deep;
            job.axis = a;
            bw_parallel_for(job.domain->pool, job.grid->tile_count, 64, erode_range, &job);
            deep = job.to;
        }
    return deep;
}

// The cells of a layer that are far enough from the sides of the box that are not closed.
static uint64_t far_from_open_sides(const Job *job, int32_t slot, int k)
{
    const BwGrid *grid = job->grid;
    uint64_t far = ~(uint64_t)0;
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int side = 0; side < 2 * grid->dimension && grid->has_bounds; side++) {
        int axis = side / 2;
        if (grid->period[axis] != 0 || job->domain->side[side].kind == BW_WALL_CLOSED)
            continue;
        for (int n = 0; n < BW_TILE_LAYER; n++) {
            int local[3] = {n & 7, n >> 3, k};
            int32_t cell = first[axis] + local[axis];
            int32_t away = side % 2 == 0 ? cell - grid->bounds.low[axis] : grid->bounds.high[axis] - 1 - cell;
            if (away < job->cells)
                far &= ~((uint64_t)1 << n);
        }
    }
    return far;
}

// What was found before, as far as it is deep.
static void keep_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        for (int k = 0; k < job->grid->layers; k++)
            bw_mask_tile(job->to, slot)[k] =
                bw_mask_tile(job->before, slot)[k] & bw_mask_tile(job->from, slot)[k];
    }
}

// And what is deeper still.
static void join_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        for (int k = 0; k < job->grid->layers; k++) {
            uint64_t *found = &bw_mask_tile(job->to, slot)[k];
            *found = (*found | bw_mask_tile(job->from, slot)[k]) & job->grid->tiles[slot].live[k] &
                     far_from_open_sides(job, slot, k);
        }
    }
}

// The largest speed along an axis in a tile's cells of a mask.
typedef struct Fastest {
    const BwGrid *grid;
    const BwMask *cells;
    const BwVelocity *velocity;
} Fastest;

static double fastest_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Fastest *job = context;
    float fastest = 0.0f;
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < job->grid->layers; k++) {
            int32_t slot = job->grid->order[m];
            uint64_t cells = bw_mask_tile(job->cells, slot)[k] & job->grid->tiles[slot].live[k];
            for (int a = 0; a < job->grid->dimension; a++) {
                const float *u = bw_field_tile(&job->velocity->u[a], slot) + BW_TILE_LAYER * k;
                for (uint64_t bits = cells; bits != 0; bits &= bits - 1)
                    fastest = bw_larger(fastest, fabsf(u[__builtin_ctzll(bits)]));
            }
        }
    return (double)fastest;
}

// Layers of spray and sheets say nothing of how the surface of the body moves: its speed is that of the cells
// below so many.
static int cells_wanted(const Job *job, const BwDepthWanted *wanted, const BwMask *below)
{
    Fastest fastest = {job->grid, below, wanted->velocity};
    float speed =
        (float)bw_parallel_max(job->domain->pool, job->grid->tile_count, 64, fastest_range, &fastest);
    speed = bw_larger(speed, wanted->imposed_speed) + wanted->faster;
    int reach = (int)ceilf(bw_smaller(wanted->cells_per_speed * speed, reach_max));
    return wanted->cells > 2 * reach + 2 ? wanted->cells : 2 * reach + 2;
}

void bw_liquid_find_deep(BwDepth *depth, const BwLiquidSurface *surface, const BwDomain *domain,
                         const BwDepthWanted *wanted, const BwMask *before, BwMask *found)
{
    Job job = {.surface = surface, .domain = domain, .grid = domain->grid, .before = before};
    job.to = &depth->deep;
    bw_parallel_for(domain->pool, job.grid->tile_count, 64, find_whole, &job);
    BwMask *deep = erode(depth, job, &depth->deep, SURFACE_LAYERS);
    job.cells = cells_wanted(&job, wanted, deep);
    deep = erode(depth, job, deep, job.cells - SURFACE_LAYERS);
    job.from = deep;
    job.to = found;
    bw_parallel_for(domain->pool, job.grid->tile_count, 64, keep_range, &job);
    job.from = erode(depth, job, deep, MARGIN);
    bw_parallel_for(domain->pool, job.grid->tile_count, 64, join_range, &job);
}
