// What the files of a flow call of each other, and recipes do not.
#pragma once

#include "flow/flow.h"

// Parts that bw_flow_create makes once the fields are there, and bw_flow_destroy frees. `air` is the velocity
// of tiles that wake.
BwResult bw_flow_create_advection(BwFlow *flow, BwVec3 air, BwError *err);
BwResult bw_flow_create_diffusion(BwFlow *flow, BwError *err);
BwResult bw_flow_create_expansion(BwFlow *flow, BwError *err);
BwResult bw_flow_create_measures(BwFlow *flow, BwError *err);
void bw_flow_destroy_measures(BwFlow *flow);

// Whether frames hold the pressure, and states too.
static inline bool bw_flow_keeps_pressure(const BwFlow *flow)
{
    return flow->scene->output.pressure || flow->scene->output.record;
}

// What a viscous solve of a liquid is asked for.
BwViscosityDef bw_flow_viscosity_def(const BwFlow *flow, const BwMask passable[3], double dt);

// The wind that is given, which air that joins an unbounded flow has too.
void bw_flow_set_wind(BwFlow *flow, BwVec3 wind);

// Where a side lets air in and says nothing of its velocity, the air outside moves with the wind, or goes on
// as the fluid along that side began.
void bw_flow_set_air_outside(BwFlow *flow);

// Adds what a step asks the gas to gain to the stats; fails where it has nowhere to go.
BwResult bw_flow_count_expansion(const BwFlow *flow, double time, double dt, BwStats *stats, BwError *err);

// Labels once more, after the liquid has let go of walls; the pressure of a projection that is done again
// counts for nothing.
void bw_flow_relabel(BwFlow *flow);

// The velocity within solids, extended from the fluid beside them (solidflow/solid_flow.h).
void bw_flow_extend_into_solids(BwFlow *flow);
