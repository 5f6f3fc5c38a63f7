// Gas that expands: the divergence that a step asks of the velocity. It is asked anew in every step, and what
// was asked in the last is a part of the state, for what is advected by it thins out.
#include "domain/measure.h"
#include "flow/flow_parts.h"
#include "operate/burn.h"
#include "operate/emit.h"
#include "operate/field_math.h"
#include "scene/curve.h"
#include "scene/room.h"
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

static bool is_in_room(const BwSceneDef *scene, const BwChargeDef *charge)
{
    BwBox box = bw_shape_bounds(&charge->shape);
    bool is_beside = scene->dimension == 2 && (box.low.z > 0.0f || box.high.z < 0.0f);
    return !is_beside && !bw_box_is_outside(scene, box);
}

bool bw_charge_acts(const BwSceneDef *scene, const BwChargeDef *charge, double from, double to)
{
    double near = BW_TIME_ROUNDING / scene->fps; // steps end where a charge begins, but for so much
    return charge->start <= to + near && charge->stop > from && is_in_room(scene, charge);
}

bool bw_charge_is_on(const BwSceneDef *scene, const BwChargeDef *charge, double time)
{
    return bw_charge_acts(scene, charge, time, time);
}

// The volume of the open cells that the shape covers is not known before it is stamped: a one is, and taken
// off again.
static double covered_by(const BwFlow *flow, BwField *field, BwStamp stamp)
{
    const BwDomain *domain = &flow->domain;
    stamp.value = 1.0f;
    double covered = bw_stamp(domain, field, &domain->open, &stamp);
    stamp.value = -1.0f;
    bw_stamp(domain, field, &domain->open, &stamp);
    return covered;
}

// A cell about the middle of a shape, which covers its share of each of the cells that hold it.
static BwShape cell_around(const BwShape *shape, float h)
{
    BwBox box = bw_shape_bounds(shape);
    BwVec3 middle = bw_mul(bw_add(box.low, box.high), 0.5f), half = bw_vec3(0.5f * h, 0.5f * h, 0.5f * h);
    if (!isfinite(middle.z)) // of flat scenes
        middle.z = 0.0f;
    return bw_box(bw_sub(middle, half), bw_add(middle, half));
}

// One that is so small that it covers nothing goes to the cells that hold it.
static BwResult add_charge(BwFlow *flow, const BwChargeDef *charge, double rate, double time, BwError *err)
{
    BwField *divergence = &flow->divergence;
    BwShape cell = cell_around(&charge->shape, flow->grid->cell_size);
    BwStamp stamp = {.shape = &charge->shape,
                     .pose = bw_pose_identity(),
                     .kind = BW_STAMP_ADD,
                     .plate = flow->grid->cell_size};
    double covered = covered_by(flow, divergence, stamp);
    if (!(covered > 0.0)) {
        stamp.shape = &cell;
        covered = covered_by(flow, divergence, stamp);
    }
    if (!(covered > 0.0))
        return bw_fail(err, BW_ERR_SCENE, "charge: at t = %.4g s all of its shape is in solids", time);
    stamp.value = (float)(rate / covered);
    bw_stamp(&flow->domain, divergence, &flow->domain.open, &stamp);
    return BW_OK;
}

BwResult bw_flow_add_charges(BwFlow *flow, double time, double dt, BwError *err)
{
    for (int n = 0; n < flow->scene->charge_count; n++) {
        const BwChargeDef *charge = &flow->scene->charges[n];
        double rate = charge_rate(charge, time, dt);
        if (rate > 0.0 && is_in_room(flow->scene, charge))
            BW_TRY(add_charge(flow, charge, rate, time, err));
    }
    return BW_OK;
}

// How fast gas comes out of the ball, or disc, that a charge's box would hold, m/s; no box is smaller than a
// cell.
float bw_charge_speed(const BwSceneDef *scene, const BwChargeDef *charge)
{
    BwBox box = bw_shape_bounds(&charge->shape);
    BwVec3 cell = bw_vec3(scene->cell, scene->cell, scene->cell),
           size = bw_max(bw_sub(box.high, box.low), cell);
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
