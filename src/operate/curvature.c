// A tile at a time; lengths are in cells.
#include "operate/curvature.h"

#include "base/extremes.h"
#include "operate/surface_block.h"
#include "operate/surface_fit.h"

#include <math.h>
#include <string.h>

// A point so near to a wall tells where the surface meets it, if that is no farther along the surface, and
// the surface is not so flat to the wall.
static const float contact_reach = 1.0f, contact_way = 2.0f, contact_slant = 0.2f;

// Of the direction at a wall, against that of a point.
static const float contact_weight = 4.0f;

// The direction that the fit is told turns the surface by this at most: the cosine of it.
static const float contact_turn = 0.5f;

// Of the change of all ripples, what counts of short ones alone.
static const float short_damped = 0.5f;

BwResult bw_curvature_create(BwCurvature *curvature, BwGrid *grid, BwPool *pool, BwError *err)
{
    *curvature = (BwCurvature){.block_count = bw_pool_worker_count(pool), .allocator = grid->allocator};
    curvature->blocks =
        bw_alloc(&grid->allocator, (size_t)curvature->block_count * sizeof *curvature->blocks, BW_ALIGN);
    if (curvature->blocks == NULL)
        return bw_fail_memory(err);
    BW_TRY(bw_field_create(&curvature->value, grid, BW_AT_CELL, 0.0f, err));
    BW_TRY(bw_field_create(&curvature->change, grid, BW_AT_CELL, 0.0f, err));
    return bw_field_create(&curvature->average, grid, BW_AT_CELL, 0.0f, err);
}

void bw_curvature_destroy(BwCurvature *curvature)
{
    if (curvature->blocks != NULL)
        bw_free(&curvature->allocator, curvature->blocks,
                (size_t)curvature->block_count * sizeof *curvature->blocks, BW_ALIGN);
    bw_field_destroy(&curvature->value);
    bw_field_destroy(&curvature->change);
    bw_field_destroy(&curvature->average);
}

typedef struct Job {
    BwCurvature *curvature;
    const BwCurvatureDef *def;
    const BwGrid *grid;
} Job;

// The direction that the surface is to have at a wall with the normal `up`, out of it: that of the contact
// angle, but not too far from the one it has, `along`.
static BwVec3 contact_direction(const BwCurvatureDef *def, BwVec3 normal, BwVec3 up, BwVec3 along)
{
    float sine = (float)sin((double)def->contact_angle), cosine = (float)cos((double)def->contact_angle);
    BwVec3 over = bw_normalize(bw_sub(normal, bw_mul(up, bw_dot(normal, up))));
    BwVec3 wanted = bw_sub(bw_mul(up, sine), bw_mul(over, cosine));
    if (bw_dot(wanted, along) >= contact_turn)
        return wanted;
    float side = sqrtf(1.0f - contact_turn * contact_turn);
    return bw_add(bw_mul(along, contact_turn), bw_mul(normal, bw_dot(wanted, normal) < 0.0f ? -side : side));
}

// Tells the fit of the direction at the wall beside a point.
static void add_contact(const Job *job, const BwSurfaceBlock *block, const BwSurfaceFoot *foot,
                        const BwSurfacePoint *point, BwSurfaceFit *fit)
{
    float part = point->part, slope[3] = {0};
    float distance = (1.0f - part) * block->wall[point->low] + part * block->wall[point->at];
    if (distance > contact_reach)
        return;
    for (int a = 0; a < job->grid->dimension; a++) {
        int step = bw_block_stride[a], c = bw_block_coordinate(point->at, a);
        if (c > 0 && c + 1 < BW_BLOCK)
            slope[a] = part * (block->wall[point->at + step] - block->wall[point->at - step]);
        c = bw_block_coordinate(point->low, a);
        if (c > 0 && c + 1 < BW_BLOCK)
            slope[a] += (1.0f - part) * (block->wall[point->low + step] - block->wall[point->low - step]);
    }
    BwVec3 up = bw_normalize(bw_vec3(slope[0], slope[1], slope[2]));
    BwVec3 along = bw_sub(up, bw_mul(point->normal, bw_dot(up, point->normal)));
    float slant = bw_length(along);
    if (slant < contact_slant || distance > contact_way * slant)
        return;
    BwVec3 contact = bw_sub(point->place, bw_mul(along, distance / (slant * slant)));
    BwVec3 direction = contact_direction(job->def, point->normal, up, bw_mul(along, 1.0f / slant));
    float weight = contact_weight * bw_surface_weight(foot, contact, point->normal);
    if (weight > 0.0f)
        bw_surface_fit_add_direction(fit, contact, direction, weight);
}

// The velocity around a tile, as what it moves by in the time that counts.
static void look_at_motion(const Job *job, int32_t slot, BwSurfaceBlock *block)
{
    const BwGrid *grid = job->grid;
    int count = BW_BLOCK_LAYER * bw_block_layers(grid);
    for (int a = 0; a < grid->dimension && job->def->velocity != NULL; a++) {
        bw_block_gather(&job->def->velocity->u[a], slot, block->motion[a]);
        for (int at = 0; at < count; at++)
            block->motion[a][at] *= job->def->damping / grid->cell_size;
    }
}

// What a cell's centre moves by.
static BwVec3 motion_at(const Job *job, const BwSurfaceBlock *block, int at)
{
    float motion[3] = {0};
    for (int a = 0; a < job->grid->dimension && job->def->velocity != NULL; a++) {
        const float *low = &block->motion[a][at];
        motion[a] =
            bw_block_coordinate(at, a) + 1 == BW_BLOCK ? *low : 0.5f * (low[0] + low[bw_block_stride[a]]);
    }
    return bw_vec3(motion[0], motion[1], motion[2]);
}

// How much farther than its foot the surface at a point moves, along the normal of the foot.
static float motion_of(const Job *job, const BwSurfaceBlock *block, const BwSurfaceFoot *foot,
                       const BwSurfacePoint *point)
{
    BwVec3 low = motion_at(job, block, point->low), own = motion_at(job, block, point->at);
    BwVec3 motion = bw_sub(bw_add(bw_mul(low, 1.0f - point->part), bw_mul(own, point->part)), foot->motion);
    float slant = bw_larger(bw_dot(point->normal, foot->normal), 0.2f);
    return bw_dot(motion, point->normal) / slant;
}

static void add_point(const Job *job, const BwSurfaceBlock *block, const BwSurfaceFoot *foot,
                      const BwSurfacePoint *point, BwSurfaceFit *fit)
{
    float weight = bw_surface_point_weight(foot, point);
    if (weight > 0.0f)
        bw_surface_fit_add_point(fit, point->place, motion_of(job, block, foot, point), weight);
    if (block->has_walls)
        add_contact(job, block, foot, point, fit);
}

// The points of the cells of a row around a foot.
typedef struct Points {
    const BwSurfacePoint *begin, *end;
} Points;

static Points points_of_row(const BwSurfaceBlock *block, const BwSurfaceFoot *foot, int j, int k)
{
    int row = BW_BLOCK * j + BW_BLOCK_LAYER * k;
    return (Points){block->points + block->first[row + foot->low[0]],
                    block->points + block->first[row + foot->high[0] + 1]};
}

// Nothing bends more than a cell's own size lets it.
static float within_cell(double curvature, int dimension)
{
    double most = dimension - 1;
    return (float)fmin(fmax(curvature, -most), most);
}

// What the cells beside one alone tell: the divergence of grad phi. It is rough, but right for what is as
// small as a cell.
static float rough_curvature(const Job *job, const BwSurfaceBlock *block, int at)
{
    float sum = 0.0f;
    for (int a = 0; a < job->grid->dimension; a++)
        sum += bw_surface_bend(block, at, a);
    return within_cell((double)sum, job->grid->dimension);
}

// The curvature at a cell, and its change.
static void fit_cell(const Job *job, const BwSurfaceBlock *block, int at, float *curvature, float *change)
{
    BwSurfaceFoot foot = bw_surface_foot(block, at, job->grid->dimension);
    BwSurfaceFit fit;
    double soon;
    foot.motion = motion_at(job, block, at);
    bw_surface_fit_begin(&fit, job->grid->dimension, foot.place, foot.normal,
                         rough_curvature(job, block, at));
    for (int k = foot.low[2]; k <= foot.high[2]; k++)
        for (int j = foot.low[1]; j <= foot.high[1]; j++) {
            Points points = points_of_row(block, &foot, j, k);
            for (const BwSurfacePoint *point = points.begin; point < points.end; point++)
                add_point(job, block, &foot, point, &fit);
        }
    *curvature = within_cell(bw_surface_fit_curvature(&fit, &soon), job->grid->dimension);
    *change = within_cell(soon, job->grid->dimension);
}

// The mean of what was found around a cell; its own where there are no points.
static float average_cell(const Job *job, const BwSurfaceBlock *block, int at)
{
    BwSurfaceFoot foot = bw_surface_foot(block, at, job->grid->dimension);
    float sum = 0.0f, weights = 0.0f;
    for (int k = foot.low[2]; k <= foot.high[2]; k++)
        for (int j = foot.low[1]; j <= foot.high[1]; j++) {
            Points points = points_of_row(block, &foot, j, k);
            for (const BwSurfacePoint *point = points.begin; point < points.end; point++) {
                float weight = bw_surface_point_weight(&foot, point), low = block->kappa[point->low];
                sum += weight * (low + point->part * (block->kappa[point->at] - low));
                weights += weight;
            }
        }
    return weights > 0.0f ? sum / weights : block->kappa[at];
}

// The cells of a tile's layer that the surface passes beside.
static uint64_t surface_bits(const Job *job, int32_t slot, int k)
{
    const BwGrid *grid = job->grid;
    const BwMask *liquid = job->def->liquid;
    uint64_t own = bw_mask_tile(liquid, slot)[k], bits = 0;
    for (int side = 0; side < 2 * grid->dimension; side++)
        bits |=
            (own ^ bw_bits_beside(grid, liquid, slot, side, k)) & bw_bits_beside(grid, NULL, slot, side, k);
    return bits & grid->tiles[slot].live[k];
}

static bool has_surface(const Job *job, int32_t slot)
{
    for (int k = 0; k < job->grid->layers; k++)
        if (surface_bits(job, slot, k) != 0)
            return true;
    return false;
}

// The place in the block of a cell of the tile.
static int place_in_block(const BwGrid *grid, int cell)
{
    return bw_block_origin(grid) + (cell & 7) + BW_BLOCK * (cell >> 3 & 7) + BW_BLOCK_LAYER * (cell >> 6);
}

static void fit_tile(const Job *job, int32_t slot, const BwSurfaceBlock *block)
{
    const BwGrid *grid = job->grid;
    for (int k = 0; k < grid->layers; k++)
        for (uint64_t bits = surface_bits(job, slot, k); bits != 0; bits &= bits - 1) {
            int cell = BW_TILE_LAYER * k + __builtin_ctzll(bits);
            float curvature, change;
            fit_cell(job, block, place_in_block(grid, cell), &curvature, &change);
            bw_field_tile(&job->curvature->value, slot)[cell] = curvature / grid->cell_size;
            bw_field_tile(&job->curvature->change, slot)[cell] = change / grid->cell_size;
        }
}

static void clear_tile(const BwField *field, int32_t slot)
{
    memset(bw_field_tile(field, slot), 0, (size_t)field->store.grid->tile_cells * sizeof(float));
}

static void fit_range(int64_t begin, int64_t end, int worker, void *context)
{
    const Job *job = context;
    const BwGrid *grid = job->grid;
    BwSurfaceBlock *block = &job->curvature->blocks[worker];
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        clear_tile(&job->curvature->value, slot);
        clear_tile(&job->curvature->change, slot);
        if (!has_surface(job, slot))
            continue;
        bw_surface_block_gather(block, job->def, slot);
        bw_surface_block_find_walls(block, job->def, slot);
        look_at_motion(job, slot, block);
        fit_tile(job, slot, block);
    }
}

// What is averaged around a tile: the curvature where it is noisy, less the change of long ripples.
static void look_at_found(const Job *job, int32_t slot, BwSurfaceBlock *block)
{
    const BwGrid *grid = job->grid;
    float *change = block->motion[0];
    int count = BW_BLOCK_LAYER * bw_block_layers(grid);
    bw_block_gather(&job->curvature->value, slot, block->kappa);
    bw_block_gather(&job->curvature->change, slot, change);
    for (int at = 0; at < count; at++) {
        float noisy = job->def->is_noisy ? block->kappa[at] : 0.0f;
        block->kappa[at] = grid->cell_size * (noisy - short_damped * change[at]);
    }
}

// The average, and what is not averaged: the change, and a curvature that is smooth.
static void average_tile(const Job *job, int32_t slot, const BwSurfaceBlock *block)
{
    const BwGrid *grid = job->grid;
    const float *value = bw_field_tile(&job->curvature->value, slot),
                *change = bw_field_tile(&job->curvature->change, slot);
    float *average = bw_field_tile(&job->curvature->average, slot);
    for (int k = 0; k < grid->layers; k++)
        for (uint64_t bits = surface_bits(job, slot, k); bits != 0; bits &= bits - 1) {
            int cell = BW_TILE_LAYER * k + __builtin_ctzll(bits);
            float kept = change[cell] + (job->def->is_noisy ? 0.0f : value[cell]);
            average[cell] = kept + average_cell(job, block, place_in_block(grid, cell)) / grid->cell_size;
        }
}

static void average_range(int64_t begin, int64_t end, int worker, void *context)
{
    const Job *job = context;
    const BwGrid *grid = job->grid;
    BwSurfaceBlock *block = &job->curvature->blocks[worker];
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        clear_tile(&job->curvature->average, slot);
        if (!has_surface(job, slot))
            continue;
        bw_surface_block_gather(block, job->def, slot);
        look_at_found(job, slot, block);
        average_tile(job, slot, block);
    }
}

void bw_curvature_find(BwCurvature *curvature, const BwCurvatureDef *def)
{
    Job job = {curvature, def, def->domain->grid};
    bw_parallel_for(def->domain->pool, job.grid->tile_count, 4, fit_range, &job);
    if (!def->is_noisy && def->velocity == NULL)
        return;
    bw_parallel_for(def->domain->pool, job.grid->tile_count, 4, average_range, &job);
    bw_field_swap(&curvature->value, &curvature->average);
}
