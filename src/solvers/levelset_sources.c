// What sources put into a level set and sinks take out of it, with the account of both.
//
// A stream that comes out into the air is drawn into phi: what its mouth lets through in the step, where it
// has got to by the end. Where the mouth is in the liquid or in front of a solid the pressure pushes the
// liquid on by as much (flow/liquid_sources.h), and it is enough that the mouth is wet. What should be there
// is counted by what was drawn and pushed.
#include "solvers/levelset.h"

#include "domain/measure.h"
#include "operate/field_math.h"
#include "operate/level_emit.h"
#include "operate/level_volume.h"
#include "operate/liquid_sources.h"

#include <math.h>

// Cells by which a stream is drawn on into what came out before, so that no seam is left between the two.
static const float overlap_cells = 1.5f;

// Whether an emitter is a stream that most of has air behind its mouth.
static bool is_air_stream(const BwLevelset *level, int n)
{
    const BwDomain *domain = &level->flow.domain;
    const BwSpout *spout = &level->sources.spouts[n];
    if (!level->sources.steps[n].is_on || bw_liquid_emission(&level->scene->emitters[n]) != BW_EMITS_STREAM)
        return false;
    BwVec3 cell = bw_mul(spout->direction, domain->grid->cell_size);
    int64_t air = 0;
    for (int64_t p = 0; p < spout->count; p++)
        air += bw_liquid_kind_at(&level->phi, domain, bw_sub(spout->points[p], cell)) == BW_POINT_AIR;
    return 2 * air > spout->count;
}

// How far a stream has come since it began, m; its clock tells.
static float length_of_stream(const BwLevelset *level, int n)
{
    const BwLiquidSources *sources = &level->sources;
    double area = sources->spouts[n].area;
    return area > 0.0 ? (float)(sources->clock[n] * sources->seed_volume / area) : 0.0f;
}

// A stream into the air. What is counted is what its mouth lets through: what is drawn also mends the edges
// of what came out before.
static void add_stream(BwLevelset *level, int n, BwStats *stats)
{
    BwFlow *flow = &level->flow;
    const BwSourceStep *step = &level->sources.steps[n];
    BwLevelStamp stamp = {.shape = &level->scene->emitters[n].shape,
                          .way = bw_mul(step->velocity, (float)step->seconds),
                          .overlap = fminf(overlap_cells * flow->grid->cell_size, length_of_stream(level, n)),
                          .has_velocity = true,
                          .velocity = step->velocity};
    bw_level_add(&level->phi, &flow->velocity, &flow->domain, &stamp, bw_levelset_band(level));
    stats->emitted += step->flow * step->seconds;
    level->given += step->flow * step->seconds;
}

// Where the stream is pushed, its mouth is kept wet.
static void wet_mouth(BwLevelset *level, int n)
{
    BwFlow *flow = &level->flow;
    const BwSourceStep *step = &level->sources.steps[n];
    BwLevelStamp stamp = {.shape = &level->scene->emitters[n].shape,
                          .way = bw_mul(bw_normalize(step->velocity), flow->grid->cell_size),
                          .has_velocity = true,
                          .velocity = step->velocity};
    bw_level_add(&level->phi, &flow->velocity, &flow->domain, &stamp, bw_levelset_band(level));
}

// A spring pushes the liquid that it is in. Where it is dry, what it gives is kept back until that fills its
// shape, and then comes with the velocity that the scene gives it, or at rest: in the air there is no liquid
// that it could move with.
static void add_spring(BwLevelset *level, int n)
{
    BwLiquidSources *sources = &level->sources;
    BwFlow *flow = &level->flow;
    const BwSourceStep *step = &sources->steps[n];
    BwLevelStamp stamp = {
        .shape = &level->scene->emitters[n].shape, .has_velocity = true, .velocity = step->velocity};
    double room;
    if (!bw_liquid_spring_is_dry(sources, n, &room))
        return;
    sources->clock[n] += step->particles;
    if (sources->clock[n] * sources->seed_volume < room)
        return;
    sources->clock[n] -= room / sources->seed_volume;
    bw_level_add(&level->phi, &flow->velocity, &flow->domain, &stamp, bw_levelset_band(level));
}

static void add_blob(BwLevelset *level, int n)
{
    BwFlow *flow = &level->flow;
    BwLevelStamp stamp = {.shape = &level->scene->emitters[n].shape,
                          .has_velocity = true,
                          .velocity = level->sources.steps[n].velocity};
    bw_level_add(&level->phi, &flow->velocity, &flow->domain, &stamp, bw_levelset_band(level));
    level->sources.clock[n] += 1.0;
}

// All that is drawn where it stands, and counted as it is drawn.
static void add_standing(BwLevelset *level, int n, bool is_stream)
{
    BwLiquidEmission emission = bw_liquid_emission(&level->scene->emitters[n]);
    if (emission == BW_EMITS_VOLUME)
        add_spring(level, n);
    else if (emission == BW_EMITS_BLOB)
        add_blob(level, n);
    else if (!is_stream)
        wet_mouth(level, n);
}

static double volume_of(const BwLevelset *level)
{
    return bw_level_volume(&level->phi, &level->open, &level->flow.domain);
}

BwResult bw_levelset_exchange(BwLevelset *level, BwStats *stats, BwError *err)
{
    BwLiquidSources *sources = &level->sources;
    BwFlow *flow = &level->flow;
    if (!sources->has_divergence)
        return BW_OK;
    bw_field_scale(&flow->domain, &level->phi, 1.0f, &level->next_phi);
    for (int n = 0; n < level->scene->emitter_count; n++)
        if (is_air_stream(level, n))
            add_stream(level, n, stats);
    bw_level_close_inflow(&level->phi, &flow->domain);
    double before = volume_of(level);
    for (int n = 0; n < level->scene->emitter_count; n++)
        if (sources->steps[n].is_on)
            add_standing(level, n, is_air_stream(level, n));
    bw_level_fill_inflow(&level->phi, &flow->domain);
    double filled = volume_of(level);
    for (int n = 0; n < level->scene->emitter_count; n++)
        if (is_air_stream(level, n))
            sources->clock[n] += sources->steps[n].particles;
    bw_liquid_sources_carve(sources);
    double drained = volume_of(level);
    stats->emitted += filled - before;
    stats->removed[BW_REMOVED_SINK] += filled - drained;
    level->given += drained - before;
    if (!level->has_particles)
        return BW_OK;
    return bw_level_particles_forget(&level->particles, &level->next_phi, &level->phi, err);
}

// What fills put into the cells outside is there until these hold less. What passes into them has left.
void bw_levelset_account_outside(BwLevelset *level, BwStats *stats)
{
    double holds =
        level->outside > 0.0 ? bw_level_volume_outside(&level->phi, &level->open, &level->flow.domain) : 0.0;
    double left = fmin(holds, level->outside);
    stats->removed[BW_REMOVED_OPEN] += level->outside - left;
    level->outside = left;
}

void bw_levelset_account(BwLevelset *level, double dt, BwStats *stats)
{
    const BwDomain *domain = &level->flow.domain;
    BwLevelPassing passing = bw_level_passing(&level->phi, &level->flow.velocity, domain, dt);
    BwLevelMade made = {0};
    if (level->sources.is_divergent)
        made = bw_level_made(&level->sources.divergence, domain, dt);
    stats->emitted += made.made + passing.in;
    stats->removed[BW_REMOVED_SINK] += made.taken;
    stats->removed[BW_REMOVED_OPEN] += passing.out;
    level->given += made.made - made.taken + passing.in - passing.out;
}
