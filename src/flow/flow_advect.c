// Advection of a flow's velocity, alone or with the scalars of its recipe.
#include "advect/reflect.h"
#include "advect/skew.h"
#include "flow/flow_parts.h"
#include "operate/field_math.h"

BwScheme bw_flow_scheme(const BwFlow *flow)
{
    BwAdvection advection = flow->def.advection;
    return advection == BW_ADVECT_SEMI_LAGRANGIAN ? BW_SCHEME_LINEAR
           : advection == BW_ADVECT_CUBIC         ? BW_SCHEME_CUBIC
                                                  : BW_SCHEME_MACCORMACK;
}

BwResult bw_flow_create_advection(BwFlow *flow, BwVec3 air, BwError *err)
{
    if (bw_flow_reflects(flow))
        BW_TRY(bw_velocity_create(&flow->reflected, flow->grid, air, err));
    BwPressureSystem *system = &flow->projection.system;
    BwField *next = flow->next_velocity.u;
    BwLentFields lent = {.paths = system->face,
                         .low = {&next[0], &next[1]},
                         .high = {&system->right, flow->grid->dimension == 3 ? &next[2] : NULL},
                         .has_solids = flow->scene->obstacle_count > 0};
    return bw_advector_create(&flow->advector, flow->grid, flow->pool, bw_flow_scheme(flow), lent, err);
}

static BwAdvectSet component(const BwFlow *flow, const BwAdvectField *field, int axis)
{
    const float wind[3] = {flow->wind.x, flow->wind.y, flow->wind.z};
    return (BwAdvectSet){.fields = field,
                         .count = 1,
                         .valid = &flow->domain.face[axis],
                         .entry = BW_ENTERS_FROM_REST,
                         .air = wind[axis]};
}

static BwPathSolids solids_of(const BwFlow *flow)
{
    return (BwPathSolids){.list = flow->solids.poses, .count = flow->scene->obstacle_count};
}

// `from` along `along`, and scalars if any.
static void advect_along(BwFlow *flow, const BwVelocity *along, const BwVelocity *from, BwVelocity *to,
                         const BwAdvectSet *scalars, const BwNotes *wanted, double dt)
{
    BwAdvectSet sets[BW_ADVECT_SETS];
    BwAdvectField fields[3];
    int count = 0;
    if (scalars != NULL)
        sets[count++] = *scalars;
    for (int a = 0; a < flow->grid->dimension; a++) {
        fields[a] = (BwAdvectField){&from->u[a], &to->u[a]};
        sets[count++] = component(flow, &fields[a], a);
    }
    bw_advect_where(flow->advector, &flow->domain, along, solids_of(flow), sets, count, wanted, (float)dt);
}

static void advect_velocity(BwFlow *flow, const BwVelocity *from, const BwAdvectSet *scalars, double dt)
{
    advect_along(flow, &flow->velocity, from, &flow->next_velocity, scalars, NULL, dt);
}

void bw_flow_advect_other(BwFlow *flow, const BwVelocity *from, BwVelocity *to, const BwNotes *wanted,
                          double dt)
{
    advect_along(flow, from, from, to, NULL, wanted, dt);
}

static void take_over_velocity(BwFlow *flow)
{
    bw_velocity_swap(&flow->velocity, &flow->next_velocity);
    bw_keep_dead_faces(&flow->domain, &flow->next_velocity, &flow->velocity);
}

void bw_flow_advect(BwFlow *flow, const BwAdvectSet *scalars, double dt)
{
    advect_velocity(flow, &flow->velocity, scalars, dt);
    take_over_velocity(flow);
}

// What flows on the known faces; masks are only read.
static BwDomain domain_of_known(const BwFlow *flow, const BwMask known[3])
{
    BwDomain around = flow->domain;
    for (int a = 0; a < flow->grid->dimension; a++)
        around.face[a] = known[a];
    return around;
}

void bw_flow_advect_scalars_known(BwFlow *flow, const BwMask known[3], const BwVelocity *along,
                                  const BwAdvectSet *scalars, double dt)
{
    BwDomain around = domain_of_known(flow, known);
    bw_advect(flow->advector, &around, along, solids_of(flow), scalars, 1, (float)dt);
}

void bw_flow_advect_known(BwFlow *flow, const BwMask known[3], const BwVelocity *along, BwVelocity *to,
                          double dt)
{
    BwDomain around = domain_of_known(flow, known);
    BwAdvectSet sets[3];
    BwAdvectField fields[3];
    int axes = flow->grid->dimension;
    for (int a = 0; a < axes; a++) {
        fields[a] = (BwAdvectField){&flow->velocity.u[a], &to->u[a]};
        sets[a] = (BwAdvectSet){
            .fields = &fields[a], .count = 1, .valid = &around.face[a], .entry = BW_ENTERS_AS_THERE};
    }
    bw_advect(flow->advector, &around, along, solids_of(flow), sets, axes, (float)dt);
}

// Reflection loses no energy in its projections, so advection must not add any: the update is made
// skew-symmetric. `reflected` is free at these moments and serves as scratch.
static void make_skew(BwFlow *flow, double dt)
{
    bw_make_skew(&flow->domain, &flow->velocity, &flow->next_velocity, &flow->reflected,
                 flow->projection.system.face, (float)dt);
    bw_velocity_swap(&flow->next_velocity, &flow->reflected);
}

void bw_flow_advect_first_half(BwFlow *flow, const BwAdvectSet *scalars, double dt)
{
    advect_velocity(flow, &flow->velocity, scalars, 0.5 * dt);
    make_skew(flow, 0.5 * dt);
    take_over_velocity(flow);
    bw_keep_closed_faces(&flow->domain, &flow->next_velocity, &flow->velocity);
}

void bw_flow_advect_scalars(BwFlow *flow, const BwAdvectSet *scalars, double dt)
{
    bw_advect(flow->advector, &flow->domain, &flow->velocity, solids_of(flow), scalars, 1, (float)dt);
}

void bw_flow_advect_second_half(BwFlow *flow, double dt)
{
    advect_velocity(flow, &flow->reflected, NULL, 0.5 * dt);
    make_skew(flow, 0.5 * dt);
    take_over_velocity(flow);
}

void bw_flow_begin_reflection(BwFlow *flow)
{
    bw_velocity_copy(&flow->domain, &flow->velocity, &flow->reflected);
}

void bw_flow_reflect(BwFlow *flow)
{
    bw_reflect_velocity(&flow->domain, &flow->velocity, &flow->reflected);
    bw_projection_mirror(&flow->projection);
}
