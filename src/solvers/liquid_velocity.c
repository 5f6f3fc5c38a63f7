// The velocity of a liquid carried by particles in the middle of a step: what inner and outer forces, walls
// and pressure make of that of its particles.
#include "solvers/liquid.h"

#include "domain/measure.h"
#include "operate/field_math.h"
#include "operate/turning.h"
#include "particle/strain.h"
#include "scene/carried.h"
#include "viscous/viscosity_mix.h"

#include <math.h>

// Cells that a step leads over at most, however long it is.
enum { WAY_CELLS_MAX = 20 };

// The divergence that the velocity is to have.
static void find_divergence(BwLiquid *liquid, double dt)
{
    BwTurning turning = {&liquid->flow.domain, liquid->faces.held, &liquid->flow.velocity, (float)dt};
    bw_find_turning_divergence(&turning, &liquid->turning);
    bw_liquid_sources_add_divergence(&liquid->sources, &liquid->turning);
}

void bw_liquid_find_midway(BwLiquid *liquid, double dt)
{
    BwTurning turning = {&liquid->flow.domain, liquid->faces.known, &liquid->flow.velocity, (float)dt};
    bw_find_midway_velocity(&turning, &liquid->midway);
}

// The elastic force of the strain that particles have.
static void push_elastically(BwLiquid *liquid, const BwLiquidForces *forces)
{
    BwFlow *flow = &liquid->flow;
    bw_flow_elastic_rate(flow, liquid->faces.passable, forces->dt);
    bw_strain_to_grid(&liquid->particles, bw_liquid_unit(liquid->scene), &flow->elastic.rate,
                      &flow->elastic.sums, &flow->elastic.strain);
    bw_flow_elastic_push(flow, liquid->faces.passable, forces->dt, (double)forces->seconds, liquid->last_dt);
}

// Elastic force and pressure once more, after labels have changed.
static BwResult push_again(BwLiquid *liquid, const BwLiquidForces *forces, BwStats *stats, BwError *err)
{
    bw_velocity_copy(&liquid->flow.domain, &liquid->shift, &liquid->flow.velocity);
    push_elastically(liquid, forces);
    return bw_flow_project(&liquid->flow, stats, err);
}

// Walls do not pull: what would be held back by one comes off it, but for what would come back at once.
static BwResult let_go_of_walls(BwLiquid *liquid, const BwLiquidForces *forces, BwStats *stats, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    const BwMask *passable = liquid->faces.passable;
    if (!bw_flow_elastic_let_go(flow, passable, (double)forces->seconds, &liquid->surface.liquid))
        return BW_OK;
    BW_TRY(push_again(liquid, forces, stats, err));
    if (!bw_flow_elastic_take_hold(flow, &liquid->surface.liquid))
        return BW_OK;
    return push_again(liquid, forces, stats, err);
}

// The pressure once more, after labels have changed.
static BwResult press_again(BwLiquid *liquid, BwStats *stats, BwError *err)
{
    bw_velocity_copy(&liquid->flow.domain, &liquid->shift, &liquid->flow.velocity);
    return bw_flow_project(&liquid->flow, stats, err);
}

// The same of lids above a thin liquid: what would hang from one falls. A thick one hangs on.
static BwResult fall_off_lids(BwLiquid *liquid, const BwLiquidForces *forces, BwStats *stats, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    BwVec3 fall = bw_mul(forces->gravity, forces->seconds);
    BwMask *released = &liquid->surface.front, *water = &liquid->surface.liquid;
    if (bw_flow_is_thick(flow) || !bw_flow_lids_let_go(flow, fall, released, water))
        return BW_OK;
    BW_TRY(press_again(liquid, stats, err));
    return bw_flow_lids_take_hold(flow, fall, released, water) ? press_again(liquid, stats, err) : BW_OK;
}

void bw_liquid_strain_particles(BwLiquid *liquid, double dt)
{
    const BwElasticDef *elastic = &liquid->scene->liquid.elastic;
    BwYield yield = {elastic->yield, (float)exp(-(double)elastic->flow * dt)};
    bw_flow_elastic_rate(&liquid->flow, liquid->faces.passable, dt);
    bw_strain_advance(&liquid->particles, &liquid->flow.elastic.rate, (float)dt, yield);
}

// The viscosity at cells, by what particles carry.
static void find_viscosities(BwLiquid *liquid, double time)
{
    const BwAttributeFields *attributes = &liquid->attributes;
    unsigned wanted = BW_CARRIES_VISCOSITY | (bw_scene_melts(liquid->scene) ? BW_CARRIES_TEMPERATURE : 0u);
    bw_attribute_fields_set(&liquid->attributes, &liquid->particles, wanted, time);
    BwMixture mixture = {
        .constant = liquid->flow.def.viscosity,
        .ramp = bw_liquid_melt_ramp(liquid->scene),
        .own = (attributes->carried & BW_CARRIES_VISCOSITY) != 0 ? &attributes->field[BW_ATTRIBUTE_VISCOSITY]
                                                                 : NULL,
        .temperature = bw_scene_melts(liquid->scene) ? &attributes->field[BW_ATTRIBUTE_TEMPERATURE] : NULL};
    bw_viscosity_mix(&liquid->flow.domain, &mixture, &liquid->flow.viscosities);
}

// Forces inside the liquid give what flies freely no momentum. The pressure of the air may, where the scene
// gives it one.
static BwResult keep_momentum(BwLiquid *liquid, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    BwInnerChange inner = {liquid->faces.held, &liquid->midway, &liquid->shift};
    if (liquid->scene->surface_pressure_count > 0)
        return BW_OK;
    return bw_free_bodies_keep_momentum(&liquid->bodies, &flow->domain, &inner, &flow->velocity, err);
}

// What is loose rests on the liquid. A thick one takes it along, else it would come off as crumbs. Elastic
// ones keep the velocity that their particles have besides, which their strain goes with; and what melts is
// thin in places.
static void extend_change(BwLiquid *liquid, double dt)
{
    BwFlow *flow = &liquid->flow;
    bool is_bound = bw_liquid_holds_together(liquid, dt) && !bw_liquid_is_elastic(liquid->scene) &&
                    !bw_scene_melts(liquid->scene);
    bw_extrapolate_change(&liquid->faces, &flow->domain, &liquid->shift, &flow->velocity,
                          BW_LIQUID_LAYERS_RESTING, !is_bound);
    if (is_bound)
        bw_extrapolate_to_loose(&liquid->faces, &flow->domain, &flow->velocity, BW_LIQUID_LAYERS_RESTING);
}

BwResult bw_liquid_find_velocity(BwLiquid *liquid, const BwLiquidForces *forces, BwStats *stats, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    if (liquid->has_before)
        bw_velocity_copy(&flow->domain, &flow->velocity, &liquid->before);
    find_divergence(liquid, forces->dt);
    if (flow->def.confinement > 0.0f)
        bw_flow_confine(flow, (double)forces->seconds);
    BW_TRY(bw_liquid_add_forces(&liquid->sources, &liquid->faces, forces, stats, err));
    bw_velocity_copy(&flow->domain, &flow->velocity, &liquid->shift);
    bw_flow_elastic_begin(flow);
    if (bw_liquid_is_elastic(liquid->scene))
        push_elastically(liquid, forces);
    bw_liquid_press(&liquid->sources, &liquid->tension, forces->seconds);
    liquid->terms.divergence = &liquid->turning;
    BW_TRY(bw_flow_project(flow, stats, err));
    if (bw_liquid_is_elastic(liquid->scene))
        BW_TRY(let_go_of_walls(liquid, forces, stats, err));
    else
        BW_TRY(fall_off_lids(liquid, forces, stats, err));
    if (flow->def.varies_viscosity)
        find_viscosities(liquid, forces->time);
    if (bw_flow_is_thick(flow))
        BW_TRY(bw_liquid_thicken(&liquid->sources, &liquid->faces, forces->dt, stats, err));
    extend_change(liquid, forces->dt);
    BW_TRY(keep_momentum(liquid, err));
    if (flow->measures.is_due)
        liquid->divergence = bw_divergence_max(&flow->domain, &flow->velocity);
    bw_liquid_sources_pull(&liquid->sources);
    flow->pressure_dt = (double)forces->seconds;
    liquid->last_dt = forces->dt;
    return BW_OK;
}

void bw_liquid_limit_way(BwLiquid *liquid, double dt)
{
    BwFlow *flow = &liquid->flow;
    double speed = (double)bw_velocity_max(&flow->domain, &flow->velocity),
           most = WAY_CELLS_MAX * (double)flow->grid->cell_size / dt;
    for (int a = 0; a < flow->grid->dimension && speed > most; a++)
        bw_field_scale(&flow->domain, &flow->velocity.u[a], (float)(most / speed), &flow->velocity.u[a]);
}
