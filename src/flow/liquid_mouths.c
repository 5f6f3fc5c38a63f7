// The mouths of spouts: where the velocity of what comes out is prescribed.
#include "flow/liquid_sources.h"

#include "operate/liquid_sources.h"

#include <math.h>

// Prescribes the velocity in the mouths of a spout that are not in the air, or opens those in front of
// solids.
static void visit_mouths(BwLiquidSources *sources, int n, bool is_before)
{
    BwFlow *flow = sources->flow;
    const BwSourceStep *step = &sources->steps[n];
    const BwSpout *spout = &sources->spouts[n];
    BwVec3 cell = bw_mul(spout->direction, flow->grid->cell_size);
    if (!step->is_on || bw_liquid_emission(&sources->scene->emitters[n]) != BW_EMITS_STREAM)
        return;
    for (int64_t p = 0; p < spout->count; p++) {
        BwVec3 mouth = bw_add(spout->points[p], bw_mul(cell, 0.5f));
        BwPointKind behind = bw_liquid_kind_at(sources->phi, &flow->domain, bw_sub(spout->points[p], cell));
        if (is_before && behind != BW_POINT_AIR)
            bw_mouth_prescribe(&flow->prescribed, &flow->domain, &flow->velocity, &sources->divergence, mouth,
                               step->velocity);
        if (!is_before && behind == BW_POINT_BLOCKED)
            bw_mouth_open(&flow->domain, &flow->velocity, mouth, step->velocity);
    }
}

// Whether gravity would draw a stream off its spout faster than it comes out, within its own width; thick
// liquids draw on what comes out themselves. A level set has its streams drawn with the velocity that they
// leave with (solvers/levelset_sources.c): held as well, what is thin would be lost below the mouth.
static bool holds_stream(const BwLiquidSources *sources, int n, BwVec3 gravity)
{
    const BwSpout *spout = &sources->spouts[n];
    const BwSourceStep *step = &sources->steps[n];
    float width = (float)(sources->scene->dimension == 3 ? sqrt(spout->area) : spout->area);
    float gained = 2.0f * bw_dot(gravity, spout->direction) * width;
    bool is_stream = bw_liquid_emission(&sources->scene->emitters[n]) == BW_EMITS_STREAM;
    bool falls_off = !sources->in_liquid_alone && gained > bw_dot(step->velocity, step->velocity);
    bool is_inflow = sources->flow->def.is_explicit; // whose markers carry no velocity out
    return step->is_on && is_stream && (bw_flow_is_thick(sources->flow) || falls_off || is_inflow);
}

// Mouths in the air: others have what comes out of them pushed out by its divergence.
static void hold_mouths(BwLiquidSources *sources, const BwMask passable[3], int n)
{
    BwFlow *flow = sources->flow;
    const BwSpout *spout = &sources->spouts[n];
    BwVec3 cell = bw_mul(spout->direction, flow->grid->cell_size), stream = sources->steps[n].velocity;
    for (int64_t p = 0; p < spout->count; p++) {
        BwVec3 point = spout->points[p], ahead = bw_add(point, bw_mul(cell, 0.5f));
        if (bw_liquid_kind_at(sources->phi, &flow->domain, bw_sub(point, cell)) != BW_POINT_AIR)
            continue;
        bw_mouth_hold(&flow->prescribed, passable, &flow->velocity, point, stream);
        bw_mouth_hold(&flow->prescribed, passable, &flow->velocity, ahead, stream);
    }
}

BwResult bw_liquid_sources_prescribe(BwLiquidSources *sources, double time, BwError *err)
{
    BwFlow *flow = sources->flow;
    BwSourceFields fields = {
        .domain = &flow->domain, .velocity = &flow->velocity, .coverage = flow->coverage};
    if (flow->domain.prescribed == NULL)
        return BW_OK;
    BW_TRY(bw_scene_prescribe_pumps(sources->scene, &fields, time, &flow->prescribed, err));
    for (int n = 0; n < sources->scene->emitter_count && sources->is_divergent; n++)
        visit_mouths(sources, n, true);
    return BW_OK;
}

void bw_liquid_sources_hold(BwLiquidSources *sources, BwVec3 gravity, const BwMask passable[3])
{
    for (int n = 0; n < sources->scene->emitter_count && sources->flow->domain.prescribed != NULL; n++) {
        sources->steps[n].is_held = holds_stream(sources, n, gravity);
        if (sources->steps[n].is_held)
            hold_mouths(sources, passable, n);
    }
}

void bw_liquid_sources_open_mouths(BwLiquidSources *sources)
{
    for (int n = 0; n < sources->scene->emitter_count && sources->is_divergent; n++)
        visit_mouths(sources, n, false);
}
