// The force of an elastic liquid on its velocity.
#include "flow/flow_parts.h"
#include "operate/wall_release.h"
#include "viscous/elastic_release.h"

#include <math.h>

// Shear waves cross no more cells in a step than this. What is stiffer moves no other way, but the rounding
// of its strain, times its modulus, would throw it about.
static const double cells_crossed_max = 100.0;

double bw_flow_elastic_modulus(const BwFlow *flow, double seconds)
{
    if (!(seconds > 0.0))
        return flow->def.elastic;
    double fastest = cells_crossed_max * (double)flow->grid->cell_size / seconds;
    return fmin(flow->def.elastic, fastest * fastest);
}

void bw_flow_elastic_push(BwFlow *flow, const BwMask passable[3], double dt, double seconds, double last_dt)
{
    BwViscosityDef def = bw_flow_viscosity_def(flow, passable, dt);
    BwElasticForce force = {.def = &def,
                            .viscosity = &flow->viscosity,
                            .modulus = bw_flow_elastic_modulus(flow, seconds),
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

void bw_flow_elastic_begin(BwFlow *flow)
{
    flow->elastic.has_released = false;
}

bool bw_flow_elastic_let_go(BwFlow *flow, const BwMask passable[3], double seconds, BwMask *liquid)
{
    BwViscosityDef def = bw_flow_viscosity_def(flow, passable, seconds);
    BwElasticForce force = {
        .def = &def, .modulus = bw_flow_elastic_modulus(flow, seconds), .seconds = seconds};
    if (bw_elastic_find_pulling(&flow->elastic, &force, &flow->projection.system.x) == 0)
        return false;
    bw_walls_take_off(&flow->domain, &flow->elastic.released, liquid);
    bw_flow_relabel(flow);
    return true;
}

bool bw_flow_elastic_take_hold(BwFlow *flow, BwMask *liquid)
{
    if (bw_walls_put_back(&flow->domain, &flow->velocity, (BwVec3){0}, &flow->elastic.released, liquid) == 0)
        return false;
    bw_flow_relabel(flow);
    return true;
}
