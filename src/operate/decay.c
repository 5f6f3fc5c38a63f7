// Loops over the cells that lose something.
#include "operate/decay.h"

#include "domain/measure.h"
#include <math.h>

typedef struct Decay {
    const BwDomain *domain;
    const BwDecayFields *fields;
    float lost, cooled; // density taken away; factor on the heat
} Decay;

static void scale_others(const BwDecayFields *fields, int32_t slot, int cell, float left)
{
    for (int n = 0; n < fields->other_count; n++)
        bw_field_tile(fields->others[n], slot)[cell] *= left;
}

static double decay_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Decay *job = context;
    const BwDecayFields *fields = job->fields;
    const BwGrid *grid = job->domain->grid;
    bool has_others = fields->other_count > 0 && job->lost > 0.0f;
    double removed = 0.0;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        float *density = bw_field_tile(fields->density, slot),
              *heat = bw_field_tile(fields->temperature, slot);
        for (int c = 0; c < grid->tile_cells; c++) {
            float left = density[c] > job->lost ? density[c] - job->lost : 0.0f;
            removed += (double)density[c] - (double)left;
            if (has_others && density[c] > 0.0f)
                scale_others(fields, slot, c, left / density[c]);
            density[c] = left;
            heat[c] = fields->ambient + job->cooled * (heat[c] - fields->ambient);
        }
    }
    return removed;
}

double bw_decay(const BwDomain *domain, const BwDecayFields *fields, float dissipation, float cooling,
                float dt)
{
    if (dissipation == 0.0f && cooling == 0.0f)
        return 0.0;
    Decay job = {domain, fields, dissipation * dt, expf(-cooling * dt)};
    double removed = bw_parallel_sum(domain->pool, domain->grid->tile_count, 32, decay_range, &job);
    return removed * bw_cell_volume(domain->grid);
}

static void clear_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Decay *job = context;
    const BwDomain *domain = job->domain;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = domain->grid->order[n];
        float *density = bw_field_tile(job->fields->density, slot),
              *heat = bw_field_tile(job->fields->temperature, slot);
        const uint64_t *solid = bw_mask_tile(&domain->solid, slot);
        const uint64_t *was_solid = bw_mask_tile(&domain->was_solid, slot);
        for (int k = 0; k < domain->grid->layers; k++)
            for (uint64_t bits = solid[k] | was_solid[k]; bits != 0; bits &= bits - 1) {
                int c = BW_TILE_LAYER * k + __builtin_ctzll(bits);
                density[c] = 0.0f;
                heat[c] = job->fields->ambient;
                scale_others(job->fields, slot, c, 0.0f);
            }
    }
}

void bw_clear_solids(const BwDomain *domain, const BwDecayFields *fields)
{
    Decay job = {.domain = domain, .fields = fields};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, clear_range, &job);
}
