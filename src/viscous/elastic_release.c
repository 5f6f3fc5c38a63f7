// Cells beside the sides of the box, side by side, tile by tile.
#include "viscous/elastic_release.h"

#include "domain/measure.h"
#include "domain/sides.h"
#include "operate/wall_release.h"
#include "particle/strain.h"

typedef struct Job {
    const BwElastic *elastic;
    const BwDomain *domain;
    const BwWideField *x;
    BwMask *released;
    float k; // m/s, of a strain of 1
} Job;

// What pulls at the wall, m/s: the impulse of the strain along its normal, less that of the pressure.
static double pull_of(const Job *job, int32_t slot, int axis, int cell)
{
    int sample = bw_padded_of_cell(job->domain->grid, cell);
    float strain = bw_padded_values(&job->elastic->strain, slot, axis)[sample],
          known = bw_padded_values(&job->elastic->rate, slot, BW_STRAIN_WEIGHT)[sample];
    return (double)(known * job->k * strain) - bw_wide_field_tile(job->x, slot)[cell];
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
            for (int side = 0; side < 2 * grid->dimension; side++) {
                if (!bw_wall_lets_go(job->domain, side))
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
