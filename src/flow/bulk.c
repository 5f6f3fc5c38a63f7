// Life and stages, in the order of the header.
#include "flow/bulk.h"

#include "domain/measure.h"
#include "flow/state_agree.h"
#include "operate/field_math.h"
#include "operate/liquid_surface.h"
#include "operate/place_fill.h"
#include "scene/carried.h"

#include <math.h>

static BwFlowDef flow_def(const BwBulkDef *def)
{
    const BwLiquidDef *liquid = &def->scene->liquid;
    bool is_explicit = liquid->scheme == BW_SCHEME_EXPLICIT;
    return (BwFlowDef){.scene = def->scene,
                       .allocator = def->allocator,
                       .pool = def->pool,
                       .advection = BW_ADVECT_MACCORMACK,
                       .is_explicit = is_explicit,
                       .is_viscous = !is_explicit && bw_scene_is_viscous(def->scene),
                       .law = bw_liquid_viscosity_law(def->scene),
                       .couples_stress = liquid->viscosity_scheme == BW_VISCOSITY_COUPLED,
                       .confinement = liquid->confinement,
                       .density = (double)liquid->density};
}

static BwResult create_scheme(BwBulk *bulk, BwError *err)
{
    BwGrid *grid = bulk->flow.grid;
    BwVec3 none = {0};
    bulk->is_explicit = bulk->scene->liquid.scheme == BW_SCHEME_EXPLICIT;
    if (bulk->is_explicit) {
        BW_TRY(bw_explicit_create(&bulk->scheme, &bulk->flow, err));
        BW_TRY(bw_field_create(&bulk->head, grid, BW_AT_CELL, 0.0f, err));
        bulk->scheme.head = &bulk->head;
        return BW_OK;
    }
    BW_TRY(bw_field_create(&bulk->open, grid, BW_AT_CELL, 1.0f, err));
    BW_TRY(bw_notes_create(&bulk->open_measured, grid, err));
    return bw_velocity_create(&bulk->carried, grid, none, err);
}

BwResult bw_bulk_create(BwBulk *bulk, const BwBulkDef *def, BwError *err)
{
    BwFlowDef flow = flow_def(def);
    *bulk = (BwBulk){.scene = def->scene, .allocator = def->allocator, .stop = def->stop};
    BW_TRY(bw_flow_create(&bulk->flow, &flow, err));
    bulk->band = (float)def->band * bulk->flow.grid->cell_size;
    BW_TRY(bw_field_create(&bulk->phi, bulk->flow.grid, BW_AT_CELL, bulk->band, err));
    BW_TRY(bw_mask_create(&bulk->liquid, bulk->flow.grid, err));
    BW_TRY(create_scheme(bulk, err));
    BW_TRY(bw_face_masks_create(&bulk->faces, bulk->flow.grid, err));
    bulk->terms = (BwFluidTerms){.liquid = &bulk->liquid, .phi = &bulk->phi};
    bulk->flow.domain.terms = &bulk->terms;
    BwLiquidSourcesDef sources = {.flow = &bulk->flow,
                                  .phi = &bulk->phi,
                                  .liquid = &bulk->liquid,
                                  .terms = &bulk->terms,
                                  .in_liquid_alone = true};
    return bw_liquid_sources_create(&bulk->sources, &sources, err);
}

void bw_bulk_destroy(BwBulk *bulk)
{
    bw_face_masks_destroy(&bulk->faces);
    bw_field_destroy(&bulk->phi);
    bw_mask_destroy(&bulk->liquid);
    bw_field_destroy(&bulk->open);
    bw_notes_destroy(&bulk->open_measured);
    bw_velocity_destroy(&bulk->carried);
    bw_explicit_destroy(&bulk->scheme);
    bw_field_destroy(&bulk->head);
    bw_liquid_sources_destroy(&bulk->sources);
    bw_flow_destroy(&bulk->flow);
}

BwResult bw_bulk_wake(BwBulk *bulk, BwError *err)
{
    BW_TRY(bw_flow_wake(&bulk->flow, err));
    bulk->flow.plan.wake_count = 0; // all of the box is awake for good
    bulk->must_measure_solids = true;
    return BW_OK;
}

BwResult bw_bulk_fill_velocity(BwBulk *bulk, BwWatch watch, BwError *err)
{
    const BwPlaceCurve *velocity = &bulk->scene->initial.velocity;
    BwTask task = bw_task(watch, "filling initial.velocity");
    for (int a = 0; a < bulk->scene->dimension && velocity->function != NULL; a++)
        BW_TRY(bw_fill_from_place(velocity, &bulk->flow.velocity.u[a], a, &task, err));
    return BW_OK;
}

const BwField *bw_bulk_begin_labels(BwBulk *bulk)
{
    BwFlow *flow = &bulk->flow;
    bulk->scheme.has_slip &= !flow->must_measure_solids;
    bw_flow_label(flow);
    if (!bulk->is_explicit)
        bw_measure_open(&bulk->open, &bulk->open_measured, &flow->domain, flow->solids.poses,
                        flow->scene->obstacle_count, bulk->must_measure_solids);
    bulk->must_measure_solids = false;
    return bulk->is_explicit ? NULL : &bulk->open;
}

void bw_bulk_end_labels(BwBulk *bulk)
{
    bulk->flow.must_measure_solids = false;
    bw_flow_label(&bulk->flow);
}

BwResult bw_bulk_aim(BwBulk *bulk, double time, double dt, BwError *err)
{
    BW_TRY(bw_flow_aim_solids(&bulk->flow, time, dt, err));
    return bw_flow_set_walls(&bulk->flow, time + dt, err);
}

void bw_bulk_extend_velocity(BwBulk *bulk, int layers)
{
    bw_extrapolate(&bulk->faces, &bulk->flow.domain,
                   (BwExtrapolation){BW_FROM_FLUID, layers, bulk->band, bulk->is_explicit},
                   &bulk->flow.velocity);
}

BwResult bw_bulk_find_velocity(BwBulk *bulk, const BwLiquidForces *forces, BwStats *stats, BwError *err)
{
    BwFlow *flow = &bulk->flow;
    if (!bulk->is_explicit) {
        BW_TRY(bw_liquid_force(&bulk->sources, &bulk->faces, forces, stats, err));
        return bw_liquid_project(&bulk->sources, &bulk->faces, NULL, forces, &bulk->divergence, stats, err);
    }
    BW_TRY(bw_explicit_find_velocity(&bulk->scheme, &bulk->sources, &bulk->faces, forces, stats, err));
    if (flow->measures.is_due)
        bulk->divergence = bw_full_divergence_max(&bulk->scheme.cells, &flow->domain, &flow->velocity);
    return BW_OK;
}

BwResult bw_bulk_land_solids(BwBulk *bulk, double time, double dt, BwError *err)
{
    BW_TRY(bw_flow_land_solids(&bulk->flow, time, dt, err));
    bulk->must_measure_solids |= bw_scene_solids_have_moved(&bulk->flow.solids);
    return BW_OK;
}

void bw_bulk_carry_velocity(BwBulk *bulk, double dt)
{
    BwFlow *flow = &bulk->flow;
    if (bulk->is_explicit)
        return;
    bw_flow_advect_known(flow, bulk->faces.known, &flow->velocity, &bulk->carried, dt);
    bw_velocity_swap(&flow->velocity, &bulk->carried);
}

int bw_bulk_state_fields(BwBulk *bulk, BwStateField list[BW_STATE_FIELDS_MAX])
{
    int count = 0;
    if (bulk->is_explicit)
        list[count++] = (BwStateField){"explicit_pressure", &bulk->scheme.pressure};
    return bw_flow_state_fields(&bulk->flow, list, count);
}

BwResult bw_bulk_save(BwBulk *bulk, BwRecord *record, BwError *err)
{
    BwStateField fields[BW_STATE_FIELDS_MAX];
    int count = bw_bulk_state_fields(bulk, fields);
    BW_TRY(bw_flow_save(&bulk->flow, fields, count, record, err));
    BW_TRY(bw_record_add_number(record, "last_dt", bulk->last_dt, err));
    BW_TRY(bw_record_add_number(record, "given_volume", bulk->given, err));
    return bw_liquid_sources_save(&bulk->sources, record, err);
}

BwResult bw_bulk_load(BwBulk *bulk, const BwRecord *record, BwError *err)
{
    BwStateField fields[BW_STATE_FIELDS_MAX];
    int count = bw_bulk_state_fields(bulk, fields);
    BW_TRY(bw_flow_load(&bulk->flow, fields, count, record, err));
    BW_TRY(bw_record_find_number(record, "last_dt", &bulk->last_dt, err));
    BW_TRY(bw_record_find_number(record, "given_volume", &bulk->given, err));
    BW_TRY(bw_liquid_sources_load(&bulk->sources, record, err));
    bulk->divergence = 0.0;
    bulk->must_measure_solids = true;
    bulk->flow.must_measure_solids = true;
    return BW_OK;
}

BwResult bw_bulk_agree(BwBulk *bulk, const BwRecord *record, BwError *err)
{
    double time;
    BW_TRY(bw_record_find_number(record, "time", &time, err));
    BW_TRY(bw_flow_agree(&bulk->flow, record, err));
    double last_dt = time > 0.0 ? (double)bulk->flow.solids_dt : 0.0;
    if ((float)bulk->last_dt != (float)last_dt)
        return bw_fail(err, BW_ERR_FORMAT, "\"last_dt\" of the state is %.9g s; its last step was of %.9g s",
                       bulk->last_dt, last_dt);
    if (!isfinite(bulk->given))
        return bw_fail(err, BW_ERR_FORMAT, "\"given_volume\" of the state is %g m^3", bulk->given);
    return BW_OK;
}

BwResult bw_bulk_check(BwBulk *bulk, double dt, BwError *err)
{
    BwStateField fields[BW_STATE_FIELDS_MAX];
    int count = bw_bulk_state_fields(bulk, fields);
    return bw_flow_check(&bulk->flow, fields, count, fmin(dt, bulk->last_dt), err); // of its last part
}

void bw_bulk_measure(BwBulk *bulk, double volume, BwStats *stats)
{
    bw_flow_measure(&bulk->flow, stats);
    stats->divergence = bulk->divergence;
    stats->volume = volume;
    stats->mass = fmax(bulk->given, 0.0); // all may have left but a rounding
    stats->volume_drift = stats->mass > 0.0 ? stats->volume / stats->mass - 1.0 : 0.0;
}
