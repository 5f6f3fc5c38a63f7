// Dye: a passive tracer in a given flow, and the smallest whole fluid there is. docs/architecture.md walks
// through it.
//
// The velocity is what the scene's `initial` says, made free of divergence once, and never changes; fills and
// emitters put dye in, sinks take it out, and advection moves it.
#include "dye.h"

#include "domain/measure.h"
#include "flow/flow.h"
#include "flow/scene_surfaces.h"
#include "flow/stage_clock.h"

typedef struct Dye {
    const BwSceneDef *scene;
    BwAllocator allocator;
    BwFlow flow;
    BwField density, next_density; // 1; the second is where advection writes
} Dye;

static BwSourceFields source_fields(Dye *dye)
{
    BwFlow *flow = &dye->flow;
    return (BwSourceFields){.domain = &flow->domain,
                            .velocity = &flow->velocity,
                            .flow = {&flow->domain.flow[0], &flow->domain.flow[1], &flow->domain.flow[2]},
                            .density = &dye->density,
                            .solids = flow->solids.poses,
                            .coverage = flow->coverage};
}

static BwResult start(Dye *dye, BwWatch watch, BwError *err)
{
    BwFlow *flow = &dye->flow;
    BwStats stats = {0};
    BW_TRY(bw_field_create(&dye->density, flow->grid, BW_AT_CELL, 0.0f, err));
    BW_TRY(bw_field_create(&dye->next_density, flow->grid, BW_AT_CELL, 0.0f, err));
    BW_TRY(bw_flow_wake(flow, err));
    BwSourceFields fields = source_fields(dye);
    BW_TRY(bw_scene_fill(dye->scene, &fields, watch, err));
    bw_flow_start(flow);
    return bw_flow_project_last(flow, 0.0, 1.0, &stats, err); // of no step: any dt will do
}

static void dye_destroy(void *solver)
{
    Dye *dye = solver;
    BwAllocator allocator = dye->allocator;
    bw_field_destroy(&dye->density);
    bw_field_destroy(&dye->next_density);
    bw_flow_destroy(&dye->flow);
    bw_free(&allocator, dye, sizeof *dye, BW_ALIGN);
}

static BwResult dye_create(void **out, const BwSolverSetup *setup, BwError *err)
{
    Dye *dye = *out = bw_alloc_zeroed(&setup->allocator, sizeof *dye, BW_ALIGN);
    if (dye == NULL)
        return bw_fail_memory(err);
    dye->scene = setup->scene;
    dye->allocator = setup->allocator;
    BwFlowDef def = {.scene = setup->scene,
                     .allocator = setup->allocator,
                     .pool = setup->pool,
                     .advection = BW_ADVECT_MACCORMACK,
                     .density = 1000.0};
    BwResult result = BW_OK;
    if (!bw_scene_is_whole_box(dye->scene) || bw_scene_prescribes(dye->scene))
        result =
            bw_fail(err, BW_ERR_SCENE, "dye needs a box without an envelope, and sources without a velocity");
    if (result == BW_OK)
        result = bw_flow_create(&dye->flow, &def, err);
    if (result == BW_OK)
        result = start(dye, setup->watch, err);
    if (result != BW_OK) {
        dye_destroy(dye);
        *out = NULL;
    }
    return result;
}

static BwResult dye_step_limit(void *solver, double time, double *limit, BwError *err)
{
    const Dye *dye = solver;
    float speed = 0.0f, acceleration = 0.0f;
    BW_TRY(bw_flow_add_limits(&dye->flow, time, &speed, &acceleration, err));
    return bw_flow_step_limit(&dye->flow, time, speed, 0.0f, limit, err); // no force moves this flow
}

static BwResult dye_step(void *solver, double time, double dt, BwStats *stats, BwError *err)
{
    Dye *dye = solver;
    BwStageClock clock = bw_stage_clock(stats, dye->flow.pool);
    BwAdvectField field = {&dye->density, &dye->next_density};
    BwAdvectSet set = {.fields = &field,
                       .count = 1,
                       .valid = &dye->flow.domain.scalar,
                       .keeps_total = true,
                       .entry = BW_ENTERS_BACKGROUND};
    bw_stage(&clock, "advect");
    BW_TRY(bw_flow_move_solids(&dye->flow, time, dt, err));
    bw_flow_advect_scalars(&dye->flow, &set, dt);
    bw_field_swap(&dye->density, &dye->next_density);
    BW_TRY(bw_flow_set_walls(&dye->flow, time + dt, err));
    bw_flow_label(&dye->flow);
    bw_stage(&clock, "sources");
    BwSourceFields fields = source_fields(dye);
    BW_TRY(bw_scene_run_sources(dye->scene, &fields, time, dt, stats, err));
    bw_stage(&clock, NULL);
    return BW_OK;
}

static void dye_measure(void *solver, BwStats *stats)
{
    Dye *dye = solver;
    bw_flow_measure(&dye->flow, stats);
    stats->mass = bw_field_total(&dye->flow.domain, &dye->density, &dye->flow.domain.open, 0.0f);
}

static BwResult dye_frame(void *solver, const BwRecord *kept, BwFrame *frame, BwError *err)
{
    Dye *dye = solver;
    BwFrameSource sources[BW_FRAME_FIELDS_MAX] = {{"density", "1", &dye->density, NULL, false}};
    int count = bw_flow_frame_fields(&dye->flow, sources, 1);
    return bw_flow_show(&dye->flow, kept, sources, count, frame, err);
}

static int dye_state_fields(void *solver, BwStateField list[BW_STATE_FIELDS_MAX])
{
    Dye *dye = solver;
    list[0] = (BwStateField){"density", &dye->density};
    return bw_flow_state_fields(&dye->flow, list, 1);
}

static BwFlow *dye_flow(void *solver)
{
    return &((Dye *)solver)->flow;
}

const BwSolverType dye_solver = {
    .create = dye_create,
    .destroy = dye_destroy,
    .step_limit = dye_step_limit,
    .step = dye_step,
    .measure = dye_measure,
    .frame = dye_frame,
    .flow = dye_flow,
    .state_fields = dye_state_fields,
};
