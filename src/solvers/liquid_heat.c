// Heat in a liquid: conduction between its particles by way of their cells, from walls and obstacles that
// have a temperature, to the air through the free surface, and what melting takes up on the way.
#include "solvers/liquid.h"

#include "scene/carried.h"

#include <math.h>

// Rounds of the solve, each with the heat capacity on the way that the one before found; without latent heat
// the first is exact.
enum { LATENT_ROUNDS = 4 };

// Squared: a wave as long as two cells in one that lets no heat out, which is the slowest.
static const double slowest_wave = 9.8696;

BwResult bw_liquid_create_heat(BwLiquid *liquid, BwError *err)
{
    const BwLiquidDef *def = &liquid->scene->liquid;
    liquid->has_heat = bw_scene_conducts_in_liquid(liquid->scene);
    if (!liquid->has_heat)
        return BW_OK;
    BwHeatLaw law = {def->melt.solid, def->melt.liquid, def->melt.latent_heat / def->heat_capacity};
    BW_TRY(
        bw_cell_heat_create(&liquid->cell_heat, liquid->flow.grid, law, liquid->scene->smoke.ambient, err));
    return bw_liquid_heat_create(&liquid->heat, liquid->flow.grid, def->melt.heat_transfer > 0.0f, err);
}

void bw_liquid_destroy_heat(BwLiquid *liquid)
{
    bw_cell_heat_destroy(&liquid->cell_heat);
    bw_liquid_heat_destroy(&liquid->heat);
}

BwResult bw_liquid_conduct(BwLiquid *liquid, double dt, BwStats *stats, BwError *err)
{
    const BwLiquidDef *def = &liquid->scene->liquid;
    BwFlow *flow = &liquid->flow;
    BwCellHeat *cells = &liquid->cell_heat;
    double h = (double)flow->grid->cell_size, per_volume = (double)def->density * (double)def->heat_capacity,
           exchange = (double)def->melt.heat_transfer * dt / (per_volume * h),
           alike = 1.0 - exp(-slowest_wave * (double)flow->def.conductivity * dt / (h * h));
    BwDiffuseTerms terms = {.cells = &cells->cells,
                            .share = &cells->share,
                            .capacity = &liquid->heat.capacity,
                            .loss = liquid->heat.loses ? &liquid->heat.loss : NULL,
                            .outside = liquid->scene->smoke.ambient};
    bw_cell_heat_collect(cells, &liquid->particles, bw_liquid_unit(liquid->scene));
    bw_liquid_heat_begin(&liquid->heat, &flow->domain, cells, (float)exchange);
    for (int round = 0; round < (cells->law.latent > 0.0f ? LATENT_ROUNDS : 1); round++) {
        BW_TRY(bw_flow_conduct(flow, &cells->temperature, &terms, stats, err));
        bw_liquid_heat_end_round(&liquid->heat, &flow->domain, cells);
    }
    bw_cell_heat_give(cells, &liquid->heat.gain, (float)alike, &liquid->particles);
    return BW_OK;
}

double bw_liquid_heat(const BwLiquid *liquid)
{
    double volume = bw_liquid_particle_volume(liquid);
    return liquid->flow.def.density * liquid->flow.def.heat_capacity * volume *
           bw_particles_heat(&liquid->particles, &liquid->cell_heat.law, liquid->scene->smoke.ambient);
}
