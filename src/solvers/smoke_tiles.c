// The tiles of smoke: all of the box between walls, or those near the smoke. Invariant: where smoke, heat or
// a source may be after a step, a tile is awake during it.
#include "solvers/smoke.h"

#include "domain/measure.h"
#include "solid/motion.h"
#include "solvers/scene_box.h"
#include <math.h>

// Air this near to the ambient temperature, K, is not what keeps a tile awake.
static const float still_heat = 1.0f;

// Cells of air around the smoke, at least (row A15).
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
static BwResult surface_box(const BwSmoke *smoke, int obstacle, double time, double dt, BwCellBox *box,
                            BwError *err)
{
    const BwSolidPose *solid = &smoke->solids.poses[obstacle];
    BwPose after = solid->pose;
    const int shell = (int)BW_EMIT_SHELL + 1;
    BW_TRY(bw_motion_advance(&smoke->scene->obstacles[obstacle].motion, &after, time, dt, err));
    *box = join_boxes(bw_shape_cells(smoke->grid, solid->shape, solid->pose, endless_cells),
                      bw_shape_cells(smoke->grid, solid->shape, after, endless_cells));
    for (int a = 0; a < smoke->grid->dimension; a++) {
        box->low[a] -= shell;
        box->high[a] += shell;
    }
    return BW_OK;
}

// The cells that a source may write to, with its soft edge.
static BwCellBox shape_box(const BwSmoke *smoke, const BwShape *shape, float falloff)
{
    BwCellBox box = bw_shape_cells(smoke->grid, shape, bw_pose_identity(), endless_cells);
    int edge = (int)fminf(ceilf(0.5f * falloff / smoke->grid->cell_size), (float)endless_cells);
    for (int a = 0; a < smoke->grid->dimension; a++) {
        box.low[a] -= edge;
        box.high[a] += edge;
    }
    return box;
}

// The cells that emitters, pumps, and the surfaces of obstacles that are hot or emit, may write to in this
// step, as boxes, and their number.
static BwResult source_boxes(BwSmoke *smoke, double time, double dt, int *box_count, BwError *err)
{
    int count = 0;
    for (int n = 0; n < smoke->scene->emitter_count; n++) {
        const BwEmitterDef *emitter = &smoke->scene->emitters[n];
        if (bw_is_on(emitter->start, emitter->stop, time))
            smoke->boxes[count++] = shape_box(smoke, &emitter->shape, emitter->falloff);
    }
    for (int n = 0; n < smoke->scene->pump_count; n++) {
        const BwPumpDef *pump = &smoke->scene->pumps[n];
        if (bw_is_on(pump->start, pump->stop, time))
            smoke->boxes[count++] = shape_box(smoke, &pump->shape, 0.0f);
    }
    for (int n = 0; n < smoke->scene->obstacle_count; n++) {
        const BwEmitterDef *emit = smoke->scene->obstacles[n].emit;
        bool emits = emit != NULL && bw_is_on(emit->start, emit->stop, time);
        if (emits || !isnan(smoke->solids.poses[n].temperature))
            BW_TRY(surface_box(smoke, n, time, dt, &smoke->boxes[count++], err));
    }
    *box_count = count;
    return BW_OK;
}

// Cells to keep awake around the smoke: the envelope the scene asks for, and no less than a step's paths
// reach.
static int envelope_cells(const BwSmoke *smoke, double dt)
{
    float h = smoke->grid->cell_size;
    float asked = ceilf(smoke->scene->smoke.envelope / h),
          reach = ceilf(smoke->max_speed * (float)dt / h) + 2.0f;
    float cells = fmaxf(fmaxf(asked, fminf(reach, BW_SMOKE_REACH_MAX)), ENVELOPE_CELLS);
    return cells < (float)endless_cells ? (int)cells : endless_cells;
}

// All tiles between the walls.
static BwResult wake_box(BwSmoke *smoke, BwError *err)
{
    BwGridDef def = bw_scene_grid_def(smoke->scene, smoke->allocator);
    BwCellBox box = bw_scene_cells(&def);
    BW_TRY(bw_follow_plan(&smoke->plan, smoke->grid, NULL, &box, 1, 0, err));
    return bw_follow_apply(&smoke->plan, smoke->grid, err);
}

static BwResult wake_near_smoke(BwSmoke *smoke, BwError *err)
{
    const BwSceneDef *scene = smoke->scene;
    int count;
    BW_TRY(source_boxes(smoke, 0.0, 0.0, &count, err));
    for (int n = 0; n < scene->fill_count; n++)
        smoke->boxes[count++] =
            bw_shape_cells(smoke->grid, &scene->fills[n].shape, bw_pose_identity(), endless_cells);
    BW_TRY(bw_follow_plan(&smoke->plan, smoke->grid, NULL, smoke->boxes, count, envelope_cells(smoke, 0.0),
                          err));
    return bw_follow_apply(&smoke->plan, smoke->grid, err);
}

BwResult bw_smoke_wake(BwSmoke *smoke, BwError *err)
{
    return smoke->is_whole_box ? wake_box(smoke, err) : wake_near_smoke(smoke, err);
}

typedef struct Spans {
    const BwSmoke *smoke;
    BwTileSpan *spans;
} Spans;

// The box of the cells that hold smoke or heat, from the bits of each layer.
static BwTileSpan span_of_bits(const uint64_t *bits, int layers)
{
    uint64_t all = 0;
    BwTileSpan span = {{8, 8, 8}, {0, 0, 0}};
    for (int k = 0; k < layers; k++) {
        if (bits[k] == 0)
            continue;
        all |= bits[k];
        span.low[2] = (int8_t)(span.low[2] < k ? span.low[2] : k);
        span.high[2] = (int8_t)(k + 1);
    }
    for (int n = 0; n < BW_TILE && all != 0; n++) {
        bool has_row = (all >> (8 * n) & BW_ROW) != 0, has_column = (all >> n & BW_COLUMN) != 0;
        span.low[1] = (int8_t)(has_row && n < span.low[1] ? n : span.low[1]);
        span.high[1] = (int8_t)(has_row ? n + 1 : span.high[1]);
        span.low[0] = (int8_t)(has_column && n < span.low[0] ? n : span.low[0]);
        span.high[0] = (int8_t)(has_column ? n + 1 : span.high[0]);
    }
    return span;
}

static void spans_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Spans *job = context;
    const BwSmoke *smoke = job->smoke;
    const BwGrid *grid = smoke->grid;
    float threshold = smoke->scene->smoke.threshold, ambient = smoke->scene->smoke.ambient;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        const float *density = bw_field_tile(&smoke->density, slot),
                    *heat = bw_field_tile(&smoke->temperature, slot);
        uint64_t bits[BW_TILE] = {0};
        for (int c = 0; c < grid->tile_cells; c++) {
            bool matters = density[c] > threshold || fabsf(heat[c] - ambient) > still_heat;
            bits[c >> 6] |= (uint64_t)matters << (c & 63);
        }
        job->spans[n] = span_of_bits(bits, grid->layers);
    }
}

static double slept_mass(const BwSmoke *smoke)
{
    double sum = 0.0;
    for (int64_t n = 0; n < smoke->plan.sleep_count; n++) {
        const float *density = bw_field_tile(&smoke->density, smoke->plan.sleep[n]);
        for (int c = 0; c < smoke->grid->tile_cells; c++)
            sum += (double)density[c];
    }
    return sum * bw_cell_volume(smoke->grid);
}

BwResult bw_smoke_follow(BwSmoke *smoke, double time, double dt, BwStats *stats, BwError *err)
{
    if (smoke->is_whole_box)
        return BW_OK;
    BW_TRY(bw_reserve(&smoke->allocator, (void **)&smoke->spans, &smoke->span_capacity,
                      smoke->grid->tile_count, sizeof *smoke->spans, err));
    Spans job = {smoke, smoke->spans};
    bw_parallel_for(smoke->pool, smoke->grid->tile_count, 32, spans_range, &job);
    int boxes;
    BW_TRY(source_boxes(smoke, time, dt, &boxes, err));
    BW_TRY(bw_follow_plan(&smoke->plan, smoke->grid, smoke->spans, smoke->boxes, boxes,
                          envelope_cells(smoke, dt), err));
    stats->removed[BW_REMOVED_SLEEP] += slept_mass(smoke);
    return bw_follow_apply(&smoke->plan, smoke->grid, err);
}
