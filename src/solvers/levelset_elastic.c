// The strain of an elastic liquid carried by a level set: on the grid, and advected there as the velocity is.
// Walls hold such a liquid along their normal, as they do all level sets.
#include "solvers/levelset.h"

#include "domain/measure.h"

#include <math.h>

static BwGridShares shares_of(const BwLevelset *level)
{
    return (BwGridShares){&level->phi, &level->open, &level->flow.domain};
}

void bw_levelset_push_elastically(BwLevelset *level, const BwLiquidForces *forces)
{
    BwFlow *flow = &level->flow;
    BwGridShares shares = shares_of(level);
    bw_flow_elastic_begin(flow);
    bw_flow_elastic_rate(flow, level->faces.passable, forces->dt);
    bw_grid_strain_give(&level->strain, &shares, &flow->elastic);
    bw_flow_elastic_push(flow, level->faces.passable, forces->dt, (double)forces->seconds, level->last_dt);
}

void bw_levelset_strain(BwLevelset *level, double dt)
{
    BwFlow *flow = &level->flow;
    const BwElasticDef *elastic = &level->scene->liquid.elastic;
    BwYield yield = {elastic->yield, (float)exp(-(double)elastic->flow * dt)};
    bw_flow_elastic_rate(flow, level->faces.passable, dt);
    bw_grid_strain_advance(&level->strain, &flow->domain, &flow->elastic, dt, yield);
}

// Two components at a time, as many as there are.
void bw_levelset_carry_strain(BwLevelset *level, double dt)
{
    BwFlow *flow = &level->flow;
    BwGridStrain *strain = &level->strain;
    BwField *list[BW_STRAIN_COMPONENTS];
    int count = 0;
    for (int c = 0; c < BW_STRAIN_COMPONENTS; c++)
        if (bw_grid_strain_has(flow->grid, c))
            list[count++] = &strain->value[c];
    for (int first = 0; first < count; first += 2) {
        int batch = count - first < 2 ? 1 : 2;
        BwAdvectField fields[2];
        for (int n = 0; n < batch; n++)
            fields[n] = (BwAdvectField){list[first + n], &strain->next[n]};
        BwAdvectSet set = {.fields = fields, .count = batch, .valid = &level->liquid};
        bw_flow_advect_scalars_known(flow, level->faces.known, &flow->velocity, &set, dt);
        for (int n = 0; n < batch; n++)
            bw_field_swap(list[first + n], &strain->next[n]);
    }
}

double bw_levelset_elastic_energy(const BwLevelset *level)
{
    const BwFlow *flow = &level->flow;
    BwGridShares shares = shares_of(level);
    double seconds = level->last_dt; // as far as steps can use it
    return flow->def.density * bw_flow_elastic_modulus(flow, seconds) * bw_cell_volume(flow->grid) *
           bw_grid_strain_energy(&level->strain, &shares);
}
