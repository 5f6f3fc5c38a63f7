// Gas that expands: the divergence that a step asks of the velocity. It is asked anew in every step, and what
// was asked in the last is a part of the state, for what is advected by it thins out.
#include "domain/measure.h"
#include "flow/flow_parts.h"
#include "operate/burn.h"
#include "operate/emit.h"
#include "operate/field_math.h"
#include <billow/shape.h>

#include <math.h>

BwResult bw_flow_create_expansion(BwFlow *flow, BwError *err)
{
    if (!flow->def.expands)
        return BW_OK;
    flow->terms.divergence = &flow->divergence;
    flow->domain.terms = &flow->terms;
    return bw_field_create(&flow->divergence, flow->grid, BW_AT_CELL, 0.0f, err);
}

void bw_flow_thin_out(BwFlow *flow, BwField *field, double dt)
{
    if (flow->def.expands)
        bw_thin_out(&flow->domain, &flow->divergence, field, (float)dt);
}

void bw_flow_begin_expansion(BwFlow *flow)
{
    if (flow->def.expands)
        bw_field_clear(&flow->domain, &flow->divergence);
}

// An ideal gas that takes up the energy E at the pressure p gains (gamma - 1) E / (gamma p).
double bw_charge_volume(const BwChargeDef *charge)
{
    const double gamma = 1.4, pressure = 101325.0;
    return charge->volume > 0.0f ? (double)charge->volume
                                 : (gamma - 1.0) * (double)charge->energy / (gamma * pressure);
}

// m^3/s, the mean over a step.
static double charge_rate(const BwChargeDef *charge, double time, double dt)
{
    double from = fmax(time, charge->start), to = fmin(time + dt, charge->stop);
    return to > from ? bw_charge_volume(charge) * (to - from) / ((charge->stop - charge->start) * dt) : 0.0;
}

// The volume of the open cells that the shape covers is not known before it is stamped: a one is, and taken
// off again.
static BwResult add_charge(BwFlow *flow, const BwChargeDef *charge, double rate, double time, BwError *err)
{
    const BwDomain *domain = &flow->domain;
    BwStamp stamp = {.shape = &charge->shape,
                     .pose = bw_pose_identity(),
                     .kind = BW_STAMP_ADD,
                     .value = 1.0f,
                     .plate = flow->grid->cell_size};
    double covered = bw_stamp(domain, &flow->divergence, &domain->open, &stamp);
    stamp.value = -1.0f;
    bw_stamp(domain, &flow->divergence, &domain->open, &stamp);
    if (!(covered > 0.0))
        return bw_fail(err, BW_ERR_SCENE,
                       "charge: at t = %.4g s all of its shape is in solids or outside of the walls", time);
    stamp.value = (float)(rate / covered);
    bw_stamp(domain, &flow->divergence, &domain->open, &stamp);
    return BW_OK;
}

BwResult bw_flow_add_charges(BwFlow *flow, double time, double dt, BwError *err)
{
    for (int n = 0; n < flow->scene->charge_count; n++) {
        double rate = charge_rate(&flow->scene->charges[n], time, dt);
        if (rate > 0.0)
            BW_TRY(add_charge(flow, &flow->scene->charges[n], rate, time, err));
    }
    return BW_OK;
}

// How fast gas comes out of the ball, or disc, that a charge's box would hold, m/s.
float bw_charge_speed(const BwSceneDef *scene, const BwChargeDef *charge)
{
    BwBox box = bw_shape_bounds(&charge->shape);
    BwVec3 size = bw_sub(box.high, box.low);
    double area = scene->dimension == 2
                      ? 0.785 * 2.0 * (double)(size.x + size.y)
                      : 0.524 * 2.0 * (double)(size.x * size.y + size.y * size.z + size.z * size.x);
    return (float)(bw_charge_volume(charge) / ((charge->stop - charge->start) * area));
}

BwResult bw_flow_count_expansion(const BwFlow *flow, double time, double dt, BwStats *stats, BwError *err)
{
    if (!flow->def.expands)
        return BW_OK;
    double rate = bw_field_total(&flow->domain, &flow->divergence, &flow->domain.fluid, 0.0f);
    stats->expanded += rate * dt;
    if (rate == 0.0 || !bw_flow_is_closed(flow))
        return BW_OK;
    return bw_fail(
        err, BW_ERR_SCENE,
        "walls: at t = %.4g s the gas is to gain %.4g m^3/s and the box is sealed; make a side, or "
        "a part of one, \"open\"",
        time, rate);
}
