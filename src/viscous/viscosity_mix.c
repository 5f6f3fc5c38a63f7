// Cell by cell, in all awake tiles.
#include "viscous/viscosity_mix.h"

typedef struct Job {
    const BwGrid *grid;
    const BwMixture *mixture;
    BwField *viscosities;
} Job;

static void mix_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwMixture *mixture = job->mixture;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        const float *own = mixture->own != NULL ? bw_field_tile(mixture->own, slot) : NULL,
                    *heat = mixture->temperature != NULL ? bw_field_tile(mixture->temperature, slot) : NULL;
        float *to = bw_field_tile(job->viscosities, slot);
        for (int n = 0; n < job->grid->tile_cells; n++) {
            float liquid = own != NULL ? own[n] : mixture->constant;
            to[n] = heat != NULL ? bw_ramp_viscosity(&mixture->ramp, liquid, heat[n]) : liquid;
        }
    }
}

void bw_viscosity_mix(const BwDomain *domain, const BwMixture *mixture, BwField *viscosities)
{
    Job job = {domain->grid, mixture, viscosities};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, mix_range, &job);
}
