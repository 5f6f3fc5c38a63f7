// What sources give to a height field and sinks take from it. Inside of the liquid they push it by a
// divergence, which raises the column above; what comes out into the air falls on the column below at once.
#include "solvers/height.h"

#include "operate/liquid_sources.h"

// Part p of a spout: whether what comes out there falls through air.
static bool falls(const BwHeight *height, const BwSpout *spout, int64_t p)
{
    const BwDomain *domain = &height->bulk.flow.domain;
    BwVec3 cell = bw_mul(spout->direction, domain->grid->cell_size);
    return bw_liquid_kind_at(&height->bulk.phi, domain, bw_sub(spout->points[p], cell)) == BW_POINT_AIR;
}

static void add_stream(BwHeight *height, int n, bool falls_all)
{
    const BwSpout *spout = &height->bulk.sources.spouts[n];
    const BwSourceStep *step = &height->bulk.sources.steps[n];
    for (int64_t p = 0; p < spout->count; p++)
        if (falls_all || falls(height, spout, p))
            bw_columns_add_point(&height->columns, spout->points[p], step->flow / (double)spout->count);
}

void bw_height_add_sources(BwHeight *height)
{
    BwLiquidSources *sources = &height->bulk.sources;
    double room;
    bw_columns_clear_sources(&height->columns);
    if (!sources->has_divergence)
        return;
    if (sources->is_divergent)
        bw_columns_add_divergence(&height->columns, &height->bulk.flow.domain, &sources->divergence);
    for (int n = 0; n < height->bulk.scene->emitter_count; n++) {
        if (!sources->steps[n].is_on)
            continue;
        bool is_stream = bw_liquid_emission(&height->bulk.scene->emitters[n]) == BW_EMITS_STREAM;
        if (is_stream || bw_liquid_spring_is_dry(sources, n, &room))
            add_stream(height, n, !is_stream);
    }
}

static bool is_sealed(const BwHeight *height)
{
    const BwDomain *domain = &height->bulk.flow.domain;
    for (int side = 0; side < 2 * domain->grid->dimension; side++) {
        BwWallKind kind = domain->side[side].kind;
        bool lets_out =
            kind == BW_WALL_OPEN || kind == BW_WALL_OUTFLOW || height->bulk.sources.drawn[side] > 0.0;
        if (lets_out && domain->grid->period[side / 2] == 0)
            return false;
    }
    return true;
}

static void tell_full(BwHeight *height, double time)
{
    if (!height->has_told_full)
        bw_log(&height->log, BW_LOG_WARNING,
               "the box is full: from %.6g s on its sources give no more than it has room for below its lid; "
               "open its top, or let water out",
               time);
    height->has_told_full = true;
}

// What all sources give, or inflows let in, to the part that there is room for.
static void scale_sources(BwHeight *height, double part)
{
    BwLiquidSources *sources = &height->bulk.sources;
    bw_divergence_scale_given(&sources->divergence, &height->bulk.flow.domain, part);
    for (int n = 0; n < sources->count; n++)
        sources->steps[n].flow *= part;
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        if (sources->steps[height->bulk.scene->emitter_count + side].is_on)
            height->bulk.flow.domain.side[side].velocity =
                bw_mul(height->bulk.flow.domain.side[side].velocity, (float)part);
}

void bw_height_hold_back(BwHeight *height, double time, double dt)
{
    const BwLiquidSources *sources = &height->bulk.sources;
    if (!sources->has_divergence || !is_sealed(height))
        return;
    bw_height_add_sources(height);
    BwColumnPassing asked = bw_columns_asked(&height->columns);
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        if (sources->steps[height->bulk.scene->emitter_count + side].is_on)
            asked.given += sources->steps[height->bulk.scene->emitter_count + side].flow;
    double most = fmax(bw_columns_room_left(&height->columns), 0.0) / dt + asked.taken;
    if (!(asked.given > most))
        return;
    scale_sources(height, most / asked.given);
    tell_full(height, time);
}

// Rounding squeezes out nothing, m^3 by that of the box.
static const double squeezed_min = 1e-9;

void bw_height_squeeze_out(BwHeight *height, double time, BwStats *stats)
{
    double squeezed = is_sealed(height) ? bw_columns_squeeze_out(&height->columns) : 0.0;
    stats->removed[BW_REMOVED_SOLID] += squeezed;
    height->bulk.given -= squeezed;
    if (squeezed > squeezed_min * height->bulk.given && !height->has_told_squeezed) {
        bw_log(&height->log, BW_LOG_WARNING,
               "the box is full, and from %.6g s on solids take room that water has: what they press out is "
               "lost; open its top, or let water out",
               time);
        height->has_told_squeezed = true;
    }
}

void bw_height_account(BwHeight *height, BwColumnPassing passing, BwStats *stats)
{
    stats->emitted += passing.in + passing.given;
    stats->removed[BW_REMOVED_OPEN] += passing.out;
    stats->removed[BW_REMOVED_SINK] += passing.taken;
    height->bulk.given += passing.in + passing.given - passing.out - passing.taken;
}
