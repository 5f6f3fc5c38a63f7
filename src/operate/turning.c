// A tile at a time in padded blocks. Differences are taken to the faces beside that are among those told of:
// central ones between two, to one side at the rim.
#include "operate/turning.h"

#include "base/extremes.h"
#include "grid/block.h"
#include "grid/straightness.h"

#include <string.h>

// What flows at fixed places is known so far ahead: sums of squares of the way, cells, where it is whole and
// none.
static const float ways_whole = 4.0f, ways_none = 16.0f;

// A tile and what is around it.
typedef struct Around {
    _Alignas(BW_ALIGN) float u[3][BW_BLOCK_CELLS];
    float known[3][BW_BLOCK_CELLS]; // 1 on faces that are told of, else 0
} Around;

// To the next sample of a block along each axis.
static const int stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};

static bool has_faces(const BwTurning *turning, int32_t slot)
{
    const BwGrid *grid = turning->domain->grid;
    uint64_t any = 0;
    for (int a = 0; a < grid->dimension; a++)
        for (int k = 0; k < grid->layers; k++)
            any |= bw_mask_tile(&turning->faces[a], slot)[k];
    return any != 0;
}

static void look_around(const BwTurning *turning, int32_t slot, Around *around)
{
    const BwGrid *grid = turning->domain->grid;
    for (int a = 0; a < grid->dimension; a++) {
        const BwField *u = &turning->velocity->u[a];
        bw_block_gather(u, slot, around->u[a]);
        if (bw_block_gather_weight(grid, &turning->faces[a], u->location, slot, around->known[a]))
            for (int n = 0; n < BW_BLOCK_CELLS; n++)
                around->known[a][n] = 1.0f;
    }
}

// How component `a` changes along axis `b`, a cell.
static inline float slope_at(const Around *around, int a, int b, int at)
{
    const float *u = around->u[a] + at, *known = around->known[a] + at;
    float low = known[-stride[b]], high = known[stride[b]];
    float sum = high * (u[stride[b]] - u[0]) + low * (u[0] - u[-stride[b]]);
    return sum / bw_larger(low + high, 1.0f);
}

// Component `b` at a face of component `a`.
static inline float speed_at(const Around *around, int a, int b, int at)
{
    if (a == b)
        return around->u[a][at];
    const float *u = around->u[b] + at, *known = around->known[b] + at;
    int far = stride[b], back = -stride[a];
    float sum =
        known[0] * u[0] + known[far] * u[far] + known[back] * u[back] + known[far + back] * u[far + back];
    return sum / bw_larger(known[0] + known[far] + known[back] + known[far + back], 1.0f);
}

// Along the flow, in half a step.
static inline float change_at(const Around *around, int a, int axes, int at, float scale)
{
    float sum = 0.0f, differences = 0.0f, ways = 0.0f;
    for (int b = 0; b < axes; b++) {
        float slope = scale * slope_at(around, a, b, at), way = scale * speed_at(around, a, b, at);
        sum += way * slope;
        differences += slope * slope;
        ways += way * way;
    }
    float near = (ways_none - ways) * (1.0f / (ways_none - ways_whole));
    float part = bw_larger(bw_smaller(bw_straightness(differences), near), 0.0f);
    return 0.5f * around->known[a][at] * part * sum / scale;
}

// How component `a` changes along axis `b` in the middle of a cell, a cell; 0 where a face is not known.
static inline float slope_in_cell(const Around *around, int a, int b, int at)
{
    const float *u = around->u[a] + at, *known = around->known[a] + at;
    float slope = a == b ? u[stride[a]] - u[0]
                         : 0.5f * (slope_at(around, a, b, at) + slope_at(around, a, b, at + stride[a]));
    return known[0] * known[stride[a]] * slope;
}

// Of a step, cells. What carried particles have of divergence is not theirs any longer after the projection.
static inline float divergence_at(const Around *around, int axes, int at, float scale)
{
    float slope[3][3], mean = 0.0f, trace = 0.0f, differences = 0.0f;
    for (int a = 0; a < axes; a++) {
        for (int b = 0; b < axes; b++)
            slope[a][b] = scale * slope_in_cell(around, a, b, at);
        mean += slope[a][a] / (float)axes;
    }
    for (int a = 0; a < axes; a++)
        slope[a][a] -= mean;
    for (int a = 0; a < axes; a++)
        for (int b = 0; b < axes; b++) {
            trace += slope[a][b] * slope[b][a];
            differences += slope[a][b] * slope[a][b];
        }
    return 0.5f * bw_straightness(differences) * trace;
}

// The value at a sample of a component, or in a cell for component -1.
static inline __attribute__((always_inline)) void fill_tile(const BwTurning *turning, const Around *around,
                                                            int axes, int component, float *values)
{
    const BwGrid *grid = turning->domain->grid;
    int origin = bw_block_origin(grid);
    float scale = turning->dt / grid->cell_size;
    for (int row = 0; row < grid->tile_cells / BW_TILE; row++) {
        int first = origin + BW_BLOCK * (row % BW_TILE) + BW_BLOCK_LAYER * (row / BW_TILE);
        for (int at = first; at < first + BW_TILE; at++)
            *values++ = component < 0
                            ? divergence_at(around, axes, at, scale) / turning->dt
                            : around->u[component][at] - change_at(around, component, axes, at, scale);
    }
}

typedef struct Job {
    const BwTurning *turning;
    BwField *divergence;
    BwVelocity *midway;
} Job;

static void divergence_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->turning->domain->grid;
    Around around;
    for (int64_t m = begin; m < end; m++) {
        float *values = bw_field_tile(job->divergence, grid->order[m]);
        if (!has_faces(job->turning, grid->order[m])) {
            memset(values, 0, (size_t)grid->tile_cells * sizeof *values);
            continue;
        }
        look_around(job->turning, grid->order[m], &around);
        if (grid->dimension == 3)
            fill_tile(job->turning, &around, 3, -1, values);
        else
            fill_tile(job->turning, &around, 2, -1, values);
    }
}

void bw_find_turning_divergence(const BwTurning *turning, BwField *divergence)
{
    Job job = {.turning = turning, .divergence = divergence};
    bw_parallel_for(turning->domain->pool, turning->domain->grid->tile_count, 16, divergence_range, &job);
}

static void midway_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->turning->domain->grid;
    Around around;
    for (int64_t m = begin; m < end; m++) {
        look_around(job->turning, grid->order[m], &around);
        for (int a = 0; a < grid->dimension; a++) {
            float *values = bw_field_tile(&job->midway->u[a], grid->order[m]);
            if (grid->dimension == 3)
                fill_tile(job->turning, &around, 3, a, values);
            else
                fill_tile(job->turning, &around, 2, a, values);
        }
    }
}

void bw_find_midway_velocity(const BwTurning *turning, BwVelocity *midway)
{
    Job job = {.turning = turning, .midway = midway};
    bw_parallel_for(turning->domain->pool, turning->domain->grid->tile_count, 16, midway_range, &job);
}
