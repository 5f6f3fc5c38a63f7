// Cells beside the sides of the box, side by side, tile by tile.
#include "operate/wall_release.h"

#include "base/extremes.h"
#include "domain/measure.h"
#include "domain/sides.h"

// What comes off a wall gets at least so much of what gravity adds in the step. In a tank that is full there
// is nowhere to go, and the pressure is only known but for a constant.
static const float falling_part = 0.25f;

typedef struct Job {
    const BwDomain *domain;
    const BwWideField *x;
    const BwVelocity *velocity;
    BwVec3 fall;
    BwMask *released, *liquid;
} Job;

bool bw_wall_lets_go(const BwDomain *domain, int side)
{
    const BwBoxSide *def = &domain->side[side];
    return domain->grid->has_bounds && domain->grid->period[side / 2] == 0 && def->kind == BW_WALL_CLOSED &&
           def->slip > 0.0f;
}

// What gravity adds away from a side, m/s.
static float fall_away(const Job *job, int side)
{
    float along = bw_component(job->fall, side / 2);
    return side % 2 == 0 ? along : -along;
}

// Speed of the cell's far face away from the wall.
static float speed_away(const Job *job, int32_t slot, int side, int cell)
{
    const BwField *u = &job->velocity->u[side / 2];
    return side % 2 == 0 ? bw_value_beside(u, slot, cell, side + 1) : -bw_field_tile(u, slot)[cell];
}

static uint64_t pulling_cells(const Job *job, int32_t slot, int side, int k)
{
    float fall = fall_away(job, side);
    uint64_t pulling = 0;
    uint64_t bits =
        bw_side_cells(job->domain, slot, side, k).closed & bw_mask_tile(&job->domain->fluid, slot)[k];
    for (; bits != 0; bits &= bits - 1) {
        int index = __builtin_ctzll(bits);
        double at_wall = bw_wide_field_tile(job->x, slot)[BW_TILE_LAYER * k + index] - 0.5 * (double)fall;
        pulling |= (uint64_t)(at_wall < 0.0) << index;
    }
    return pulling;
}

static double pulling_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    int64_t count = 0;
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < grid->layers; k++) {
            int32_t slot = grid->order[m];
            uint64_t *released = &bw_mask_tile(job->released, slot)[k];
            *released = 0;
            for (int side = 0; side < 2 * grid->dimension; side++)
                if (bw_wall_lets_go(job->domain, side) && fall_away(job, side) > 0.0f)
                    *released |= pulling_cells(job, slot, side, k);
            count += __builtin_popcountll(*released);
        }
    return (double)count;
}

int64_t bw_lids_find_pulling(const BwDomain *domain, const BwWideField *x, BwVec3 fall, BwMask *released)
{
    Job job = {.domain = domain, .x = x, .fall = fall, .released = released};
    return (int64_t)bw_parallel_sum(domain->pool, domain->grid->tile_count, 8, pulling_range, &job);
}

static void take_off_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < grid->layers; k++)
            bw_mask_tile(job->liquid, grid->order[m])[k] &= ~bw_mask_tile(job->released, grid->order[m])[k];
}

void bw_walls_take_off(const BwDomain *domain, const BwMask *released, BwMask *liquid)
{
    Job job = {.domain = domain, .released = (BwMask *)released, .liquid = liquid};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 64, take_off_range, &job);
}

static int put_back_in_layer(const Job *job, int32_t slot, int side, int k)
{
    uint64_t *released = &bw_mask_tile(job->released, slot)[k], back = 0;
    float slowest = falling_part * bw_larger(fall_away(job, side), 0.0f);
    for (uint64_t bits = bw_side_cells(job->domain, slot, side, k).closed & *released; bits != 0;
         bits &= bits - 1) {
        int index = __builtin_ctzll(bits);
        back |= (uint64_t)(speed_away(job, slot, side, BW_TILE_LAYER * k + index) < slowest) << index;
    }
    *released &= ~back;
    bw_mask_tile(job->liquid, slot)[k] |= back;
    return __builtin_popcountll(back);
}

static double put_back_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    int64_t count = 0;
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < grid->layers; k++)
            for (int side = 0; side < 2 * grid->dimension; side++)
                if (bw_wall_lets_go(job->domain, side) && bw_mask_tile(job->released, grid->order[m])[k] != 0)
                    count += put_back_in_layer(job, grid->order[m], side, k);
    return (double)count;
}

int64_t bw_walls_put_back(const BwDomain *domain, const BwVelocity *velocity, BwVec3 fall, BwMask *released,
                          BwMask *liquid)
{
    Job job = {.domain = domain, .velocity = velocity, .fall = fall, .released = released, .liquid = liquid};
    return (int64_t)bw_parallel_sum(domain->pool, domain->grid->tile_count, 8, put_back_range, &job);
}
