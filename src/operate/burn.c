// Loops over the cells that burn, glow or expand. Most cells are air and are passed over.
#include "operate/burn.h"

#include "domain/measure.h"
#include "operate/cooling.h"
#include <math.h>

typedef struct Burning {
    const BwDomain *domain;
    const BwBurnFields *fields;
    const BwBurnLaw *law;
    float dt, share, faded; // of fuel that burns in the step; of soot that is left
} Burning;

// One cell's values, before and after.
typedef struct Reaction {
    float fuel, flame, temperature;
    float burnt;
} Reaction;

static inline Reaction react(const Burning *job, float fuel, float flame, float T)
{
    const BwBurnLaw *law = job->law;
    float burnt = T >= law->ignition ? job->share * fuel : 0.0f;
    float heated = fminf(T + (law->temperature_max - law->ambient) * burnt, fmaxf(T, law->temperature_max));
    return (Reaction){fuel - burnt, job->faded * flame + burnt,
                      bw_radiate(heated, law->ambient, law->temperature_max, law->cooling, job->dt), burnt};
}

static double burn_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Burning *job = context;
    const BwBurnLaw *law = job->law;
    const BwDomain *domain = job->domain;
    float per_second = law->expansion / job->dt;
    double made = 0.0;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = domain->grid->order[n];
        float *fuel = bw_field_tile(job->fields->fuel, slot),
              *flame = bw_field_tile(job->fields->flame, slot),
              *heat = bw_field_tile(job->fields->temperature, slot),
              *smoke = bw_field_tile(job->fields->density, slot),
              *divergence =
                  job->fields->divergence != NULL ? bw_field_tile(job->fields->divergence, slot) : NULL;
        const uint64_t *open = bw_mask_tile(&domain->open, slot),
                       *heated = bw_mask_tile(job->fields->heated, slot);
        for (int c = 0; c < domain->grid->tile_cells; c++) {
            if (!bw_bit(open, c) || (heat[c] <= law->ambient && flame[c] == 0.0f))
                continue;
            Reaction after = react(job, fuel[c], flame[c], heat[c]);
            float growth = logf(after.temperature / heat[c]);
            if (divergence != NULL && (growth > 0.0f || !bw_bit(heated, c)))
                divergence[c] += per_second * growth;
            made += (double)after.burnt;
            fuel[c] = after.fuel;
            flame[c] = after.flame;
            heat[c] = after.temperature;
            smoke[c] += law->soot * after.burnt;
        }
    }
    return made;
}

double bw_burn(const BwDomain *domain, const BwBurnFields *fields, const BwBurnLaw *law, float dt,
               double *burnt)
{
    Burning job = {.domain = domain,
                   .fields = fields,
                   .law = law,
                   .dt = dt,
                   .share = -expm1f(-law->rate * dt),
                   .faded = expf(-law->fade * dt)};
    double sum = bw_parallel_sum(domain->pool, domain->grid->tile_count, 32, burn_range, &job) *
                 bw_cell_volume(domain->grid);
    *burnt += sum;
    return (double)law->soot * sum;
}

typedef struct Thinning {
    const BwGrid *grid;
    const BwField *divergence;
    BwField *field;
    float dt;
} Thinning;

static void thin_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Thinning *job = context;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = job->grid->order[n];
        const float *divergence = bw_field_tile(job->divergence, slot);
        float *values = bw_field_tile(job->field, slot);
        for (int c = 0; c < job->grid->tile_cells; c++)
            if (divergence[c] != 0.0f)
                values[c] *= expf(-divergence[c] * job->dt);
    }
}

void bw_thin_out(const BwDomain *domain, const BwField *divergence, BwField *field, float dt)
{
    Thinning job = {domain->grid, divergence, field, dt};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, thin_range, &job);
}
