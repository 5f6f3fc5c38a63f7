// Loops over cells of fuel and products. Most cells are air and are passed over.
#include "operate/flame_products.h"

#include "base/extremes.h"
#include "domain/measure.h"
#include "operate/cooling.h"
#include "operate/flame_extinction.h"

typedef struct Cells {
    const BwDomain *domain;
    const BwField *phi, *from;
    BwField *to;
    const BwFlameLaw *law;
    const BwProducts *products;
    float dt;
} Cells;

static void in_tiles(const Cells *job, BwRangeFn *loop)
{
    bw_parallel_for(job->domain->pool, job->domain->grid->tile_count, 32, loop, (void *)job);
}

// The time that products take from there to the front, in times of the rise. Where all of the rise is hardly
// a cell, what was before it cannot be told either.
static inline float lead_at(const BwFlameLaw *law, float phi)
{
    return bw_smaller(-phi / (law->speed * law->ratio * law->rise), 1.0f);
}

static void ghost_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Cells *job = context;
    const BwFlameLaw *law = job->law;
    float span = law->temperature_max - law->ignition;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->domain->grid->order[m];
        const float *phi = bw_field_tile(job->phi, slot);
        float *reaction = bw_field_tile(job->products->reaction, slot),
              *heat = bw_field_tile(job->products->temperature, slot),
              *smoke = bw_field_tile(job->products->density, slot);
        const float *lit = job->from != NULL ? bw_field_tile(job->from, slot) : NULL;
        for (int n = 0; n < job->domain->grid->tile_cells; n++) {
            if (!(phi[n] < 0.0f))
                continue;
            if (lit != NULL && !(bw_is_lit(lit[n]) > 0.0f)) {
                reaction[n] = smoke[n] = 0.0f;
                heat[n] = law->ambient;
                continue;
            }
            float lead = lead_at(law, phi[n]);
            reaction[n] = 1.0f + lead;
            heat[n] = law->ignition - span * lead;
            smoke[n] = -law->soot * lead;
        }
    }
}

void bw_products_ghost(const BwDomain *domain, const BwField *phi, const BwField *lit, const BwFlameLaw *law,
                       const BwProducts *products)
{
    in_tiles(&(Cells){.domain = domain, .phi = phi, .from = lit, .law = law, .products = products},
             ghost_range);
}

static void clear_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Cells *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->domain->grid->order[m];
        const float *phi = bw_field_tile(job->phi, slot);
        float *reaction = bw_field_tile(job->products->reaction, slot),
              *heat = bw_field_tile(job->products->temperature, slot),
              *smoke = bw_field_tile(job->products->density, slot);
        for (int n = 0; n < job->domain->grid->tile_cells; n++)
            if (phi[n] < 0.0f) {
                reaction[n] = 1.0f;
                heat[n] = job->law->ambient;
                smoke[n] = 0.0f;
            }
    }
}

void bw_products_clear(const BwDomain *domain, const BwField *phi, const BwFlameLaw *law,
                       const BwProducts *products)
{
    in_tiles(&(Cells){.domain = domain, .phi = phi, .law = law, .products = products}, clear_range);
}

typedef struct Parcel {
    float reaction, temperature, density;
} Parcel;

// A parcel that should have been in the fuel still begins at the front. What stands for products in the fuel
// may be as cold as it likes; gas that has mixed with it on its way is not colder than the air.
static inline Parcel react(const BwFlameLaw *law, Parcel p, float dt)
{
    float reaction = bw_smaller(bw_larger(p.reaction - dt / law->rise, 0.0f), 1.0f);
    float burnt = p.reaction > 0.0f ? p.reaction - reaction : 0.0f;
    float heated = p.temperature + (law->temperature_max - law->ignition) * burnt;
    heated = p.reaction > 0.0f ? bw_larger(heated, law->ambient) : heated;
    float after = dt - burnt * law->rise; // once the clock has run down
    heated = bw_smaller(heated, bw_larger(p.temperature, law->temperature_max));
    return (Parcel){reaction,
                    after > 0.0f ? bw_radiate(heated, law->ambient, law->temperature_max, law->cooling, after)
                                 : heated,
                    bw_larger(p.density + law->soot * burnt, 0.0f)};
}

static double react_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Cells *job = context;
    const BwDomain *domain = job->domain;
    const BwFlameLaw *law = job->law;
    double made = 0.0;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = domain->grid->order[m];
        const float *phi = bw_field_tile(job->phi, slot);
        float *reaction = bw_field_tile(job->products->reaction, slot),
              *heat = bw_field_tile(job->products->temperature, slot),
              *smoke = bw_field_tile(job->products->density, slot);
        const uint64_t *open = bw_mask_tile(&domain->open, slot);
        for (int n = 0; n < domain->grid->tile_cells; n++) {
            if (!bw_bit(open, n) || phi[n] < 0.0f || (reaction[n] == 0.0f && heat[n] <= law->ambient))
                continue;
            Parcel before = {reaction[n], heat[n], smoke[n]}, now = react(law, before, job->dt);
            made += (double)(now.density - before.density);
            reaction[n] = now.reaction;
            heat[n] = now.temperature;
            smoke[n] = now.density;
        }
    }
    return made;
}

double bw_products_react(const BwDomain *domain, const BwField *phi, const BwFlameLaw *law,
                         const BwProducts *products, float dt)
{
    Cells job = {.domain = domain, .phi = phi, .law = law, .products = products, .dt = dt};
    return bw_cell_volume(domain->grid) *
           bw_parallel_sum(domain->pool, domain->grid->tile_count, 32, react_range, &job);
}

static void glow_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Cells *job = context;
    const BwFlameLaw *law = job->law;
    float scale = 1.0f / (law->temperature_max - law->ignition);
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->domain->grid->order[m];
        const float *phi = bw_field_tile(job->phi, slot), *heat = bw_field_tile(job->from, slot);
        float *glow = bw_field_tile(job->to, slot);
        for (int n = 0; n < job->domain->grid->tile_cells; n++)
            glow[n] =
                phi[n] < 0.0f ? 0.0f : bw_smaller(bw_larger(scale * (heat[n] - law->ignition), 0.0f), 1.0f);
    }
}

void bw_products_glow(const BwDomain *domain, const BwField *phi, const BwFlameLaw *law,
                      const BwField *temperature, BwField *glow)
{
    in_tiles(&(Cells){.domain = domain, .phi = phi, .law = law, .from = temperature, .to = glow}, glow_range);
}
