// The force of an elastic liquid on its velocity.
#include "flow/flow_parts.h"

void bw_flow_elastic_push(BwFlow *flow, const BwMask passable[3], double dt, double seconds, double last_dt)
{
    BwViscosityDef def = bw_flow_viscosity_def(flow, passable, dt);
    BwElasticForce force = {.def = &def,
                            .viscosity = &flow->viscosity,
                            .modulus = flow->def.elastic,
                            .seconds = seconds,
                            .last_dt = last_dt};
    bw_elastic_push(&flow->elastic, &force, &flow->velocity);
}

void bw_flow_elastic_rate(BwFlow *flow, const BwMask passable[3], double dt)
{
    BwViscosityDef def = bw_flow_viscosity_def(flow, passable, dt);
    BwElasticForce force = {.def = &def, .viscosity = &flow->viscosity};
    bw_elastic_find_rate(&flow->elastic, &force, &flow->velocity);
}
