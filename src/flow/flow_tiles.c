// The tiles of a flow: all of the box between walls, or those near the fluid. Invariant: where fluid or a
// source may be after a step, a tile is awake during it.
#include "flow/flow.h"
#include "flow/scene_box.h"
#include "scene/curve.h"
#include "solid/motion.h"

#include <math.h>

// Cells of air around the flow, at least.
enum { ENVELOPE_CELLS = 3 };

// Far enough for anything a scene means, near enough to count: what has no end is cut off there.
static const int32_t endless_cells = 512;

static BwCellBox join_boxes(BwCellBox a, BwCellBox b)
{
    for (int n = 0; n < 3; n++) {
        a.low[n] = a.low[n] < b.low[n] ? a.low[n] : b.low[n];
        a.high[n] = a.high[n] > b.high[n] ? a.high[n] : b.high[n];
    }
    return a;
}

// The cells that the surface of an obstacle may act on: around where it stands and where the step will take
// it.
static BwResult surface_box(const BwFlow *flow, int obstacle, double time, double dt, BwCellBox *box,
                            BwError *err)
{
    const BwSolidPose *solid = &flow->solids.poses[obstacle];
    BwPose after = solid->pose;
    const int shell = (int)BW_EMIT_SHELL + 1;
    BW_TRY(bw_motion_advance(&flow->scene->obstacles[obstacle].motion, &after, time, dt, err));
    *box = join_boxes(bw_shape_cells(flow->grid, solid->shape, solid->pose, endless_cells),
                      bw_shape_cells(flow->grid, solid->shape, after, endless_cells));
    for (int a = 0; a < flow->grid->dimension; a++) {
        box->low[a] -= shell;
        box->high[a] += shell;
    }
    return BW_OK;
}

// The cells that a source may write to, with its soft edge.
static BwCellBox shape_box(const BwFlow *flow, const BwShape *shape, float falloff)
{
    BwCellBox box = bw_shape_cells(flow->grid, shape, bw_pose_identity(), endless_cells);
    int edge = (int)fminf(ceilf(0.5f * falloff / flow->grid->cell_size), (float)endless_cells);
    for (int a = 0; a < flow->grid->dimension; a++) {
        box.low[a] -= edge;
        box.high[a] += edge;
    }
    return box;
}

// The cells that emitters, pumps, and the surfaces of obstacles that are hot or emit, may write to in this
// step, as boxes, and their number.
static BwResult source_boxes(BwFlow *flow, double time, double dt, int *box_count, BwError *err)
{
    int count = 0;
    for (int n = 0; n < flow->scene->emitter_count; n++) {
        const BwEmitterDef *emitter = &flow->scene->emitters[n];
        if (bw_is_on(emitter->start, emitter->stop, time))
            flow->boxes[count++] = shape_box(flow, &emitter->shape, emitter->falloff);
    }
    for (int n = 0; n < flow->scene->pump_count; n++) {
        const BwPumpDef *pump = &flow->scene->pumps[n];
        if (bw_is_on(pump->start, pump->stop, time))
            flow->boxes[count++] = shape_box(flow, &pump->shape, 0.0f);
    }
    for (int n = 0; n < flow->scene->charge_count; n++) {
        const BwChargeDef *charge = &flow->scene->charges[n];
        if (charge->start < time + dt && charge->stop > time)
            flow->boxes[count++] = shape_box(flow, &charge->shape, 0.0f);
    }
    for (int n = 0; n < flow->scene->obstacle_count; n++) {
        const BwEmitterDef *emit = flow->scene->obstacles[n].emit;
        bool emits = emit != NULL && bw_is_on(emit->start, emit->stop, time);
        bool burns = flow->scene->fluid == BW_FLUID_FIRE && flow->scene->obstacles[n].fuel != NULL;
        if (emits || burns || !isnan(flow->solids.poses[n].temperature))
            BW_TRY(surface_box(flow, n, time, dt, &flow->boxes[count++], err));
    }
    *box_count = count;
    return BW_OK;
}

// Cells to keep awake around the fluid: the envelope the scene asks for, and no less than a step's paths
// reach.
static int envelope_cells(const BwFlow *flow, double dt)
{
    float h = flow->grid->cell_size;
    float asked = ceilf(flow->def.envelope / h), reach = ceilf(flow->max_speed * (float)dt / h) + 2.0f;
    float cells = fmaxf(fmaxf(asked, fminf(reach, BW_FLOW_REACH_MAX)), ENVELOPE_CELLS);
    return cells < (float)endless_cells ? (int)cells : endless_cells;
}

// All tiles between the walls.
static BwResult wake_box(BwFlow *flow, BwError *err)
{
    BwGridDef def = bw_scene_grid_def(flow->scene, flow->allocator);
    BwCellBox box = bw_scene_cells(&def);
    BW_TRY(bw_follow_plan(&flow->plan, flow->grid, NULL, &box, 1, 0, err));
    return bw_follow_apply(&flow->plan, flow->grid, err);
}

static BwResult wake_near_fluid(BwFlow *flow, BwError *err)
{
    const BwSceneDef *scene = flow->scene;
    int count;
    BW_TRY(source_boxes(flow, 0.0, 0.0, &count, err));
    for (int n = 0; n < scene->fill_count; n++)
        flow->boxes[count++] =
            bw_shape_cells(flow->grid, &scene->fills[n].shape, bw_pose_identity(), endless_cells);
    BW_TRY(bw_follow_plan(&flow->plan, flow->grid, NULL, flow->boxes, count, envelope_cells(flow, 0.0), err));
    return bw_follow_apply(&flow->plan, flow->grid, err);
}

BwResult bw_flow_wake(BwFlow *flow, BwError *err)
{
    BW_TRY(flow->is_whole_box ? wake_box(flow, err) : wake_near_fluid(flow, err));
    bw_flow_label(flow);
    return BW_OK;
}

BwResult bw_flow_plan_tiles(BwFlow *flow, const BwPresence *presence, int presence_count, double time,
                            double dt, BwError *err)
{
    int boxes;
    BW_TRY(bw_reserve(&flow->allocator, (void **)&flow->spans, &flow->span_capacity, flow->grid->tile_count,
                      sizeof *flow->spans, err));
    bw_find_occupied(&flow->domain, presence, presence_count, flow->spans);
    BW_TRY(source_boxes(flow, time, dt, &boxes, err));
    return bw_follow_plan(&flow->plan, flow->grid, flow->spans, flow->boxes, boxes, envelope_cells(flow, dt),
                          err);
}
