// What sources give to a height field and sinks take from it. Inside of the liquid they push it by a
// divergence, which raises the column above; what comes out into the air falls on the column below at once.
#include "solvers/height.h"

#include "operate/liquid_sources.h"

// Part p of a spout: whether what comes out there falls through air.
static bool falls(const BwHeight *height, const BwSpout *spout, int64_t p)
{
    const BwDomain *domain = &height->flow.domain;
    BwVec3 cell = bw_mul(spout->direction, domain->grid->cell_size);
    return bw_liquid_kind_at(&height->phi, domain, bw_sub(spout->points[p], cell)) == BW_POINT_AIR;
}

static void add_stream(BwHeight *height, int n, bool falls_all)
{
    const BwSpout *spout = &height->sources.spouts[n];
    const BwSourceStep *step = &height->sources.steps[n];
    for (int64_t p = 0; p < spout->count; p++)
        if (falls_all || falls(height, spout, p))
            bw_columns_add_point(&height->columns, spout->points[p], step->flow / (double)spout->count);
}

void bw_height_add_sources(BwHeight *height)
{
    BwLiquidSources *sources = &height->sources;
    double room;
    bw_columns_clear_sources(&height->columns);
    if (!sources->has_divergence)
        return;
    if (sources->is_divergent)
        bw_columns_add_divergence(&height->columns, &height->flow.domain, &sources->divergence);
    for (int n = 0; n < height->scene->emitter_count; n++) {
        if (!sources->steps[n].is_on)
            continue;
        bool is_stream = bw_liquid_emission(&height->scene->emitters[n]) == BW_EMITS_STREAM;
        if (is_stream || bw_liquid_spring_is_dry(sources, n, &room))
            add_stream(height, n, !is_stream);
    }
}

void bw_height_account(BwHeight *height, BwColumnPassing passing, BwStats *stats)
{
    stats->emitted += passing.in + passing.given;
    stats->removed[BW_REMOVED_OPEN] += passing.out;
    stats->removed[BW_REMOVED_SINK] += passing.taken;
    height->given += passing.in + passing.given - passing.out - passing.taken;
}
