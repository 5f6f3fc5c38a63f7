// Cells beside the sides of the box, side by side, tile by tile.
#include "viscous/elastic_release.h"

#include "domain/measure.h"
#include "domain/sides.h"
#include "particle/strain.h"

typedef struct Job {
    const BwElastic *elastic;
    const BwDomain *domain;
    const BwWideField *x;
    const BwVelocity *velocity;
    BwMask *released, *liquid;
    float k; // m/s, of a strain of 1
} Job;

// A wall that the liquid sticks to holds it.
static bool lets_go(const BwBoxSide *side)
{
    return side->kind == BW_WALL_CLOSED && side->slip > 0.0f;
}

// What pulls at the wall, m/s: the impulse of the strain along its normal, less that of the pressure.
static double pull_of(const Job *job, int32_t slot, int axis, int cell)
{
    int sample = bw_padded_of_cell(job->domain->grid, cell);
    float strain = bw_padded_values(&job->elastic->strain, slot, axis)[sample],
          known = bw_padded_values(&job->elastic->rate, slot, BW_STRAIN_WEIGHT)[sample];
    return (double)(known * job->k * strain) - bw_wide_field_tile(job->x, slot)[cell];
}

// Speed of the cell's far face away from the wall.
static float speed_away(const Job *job, int32_t slot, int side, int cell)
{
    const BwField *u = &job->velocity->u[side / 2];
    return side % 2 == 0 ? bw_value_beside(u, slot, cell, side + 1) : -bw_field_tile(u, slot)[cell];
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
            for (int side = 0; side < 2 * grid->dimension && grid->has_bounds; side++) {
                if (!lets_go(&job->domain->side[side]) || grid->period[side / 2] > 0)
                    continue;
                uint64_t bits = bw_side_cells(job->domain, slot, side, k).closed &
                                bw_mask_tile(&job->domain->fluid, slot)[k];
                for (; bits != 0; bits &= bits - 1) {
                    int index = __builtin_ctzll(bits);
                    if (pull_of(job, slot, side / 2, BW_TILE_LAYER * k + index) > 0.0)
                        *released |= (uint64_t)1 << index;
                }
            }
            count += __builtin_popcountll(*released);
        }
    return (double)count;
}

int64_t bw_elastic_find_pulling(BwElastic *elastic, const BwElasticForce *force, const BwWideField *x)
{
    const BwDomain *domain = force->def->domain;
    Job job = {.elastic = elastic, .domain = domain, .x = x, .released = &elastic->released};
    job.k = (float)(2.0 * force->modulus * force->seconds / (double)domain->grid->cell_size);
    int64_t count = (int64_t)bw_parallel_sum(domain->pool, domain->grid->tile_count, 8, pulling_range, &job);
    elastic->has_released = count > 0;
    return count;
}

static double pressing_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    int64_t count = 0;
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < grid->layers; k++) {
            int32_t slot = grid->order[m];
            uint64_t *released = &bw_mask_tile(job->released, slot)[k];
            for (int side = 0; side < 2 * grid->dimension && *released != 0; side++) {
                if (!lets_go(&job->domain->side[side]) || grid->period[side / 2] > 0)
                    continue;
                uint64_t bits = bw_side_cells(job->domain, slot, side, k).closed & *released;
                for (; bits != 0; bits &= bits - 1) {
                    int index = __builtin_ctzll(bits);
                    if (speed_away(job, slot, side, BW_TILE_LAYER * k + index) >= 0.0f)
                        continue;
                    *released &= ~((uint64_t)1 << index);
                    bw_mask_tile(job->liquid, slot)[k] |= (uint64_t)1 << index;
                    count++;
                }
            }
        }
    return (double)count;
}

int64_t bw_elastic_put_back(BwElastic *elastic, const BwElasticForce *force, const BwVelocity *velocity,
                            BwMask *liquid)
{
    const BwDomain *domain = force->def->domain;
    Job job = {.domain = domain, .velocity = velocity, .released = &elastic->released, .liquid = liquid};
    return (int64_t)bw_parallel_sum(domain->pool, domain->grid->tile_count, 8, pressing_range, &job);
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

void bw_elastic_take_off(BwElastic *elastic, const BwElasticForce *force, BwMask *liquid)
{
    const BwDomain *domain = force->def->domain;
    Job job = {.domain = domain, .released = &elastic->released, .liquid = liquid};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 64, take_off_range, &job);
}
