// What is kept, shown and told of a liquid carried by a level set, and what may go wrong with it.
#include "solvers/levelset.h"

#include "flow/state_agree.h"
#include "operate/field_math.h"
#include "operate/level_volume.h"
#include "particle/particle_record.h"
#include "particle/particle_sums.h"

#include <math.h>

// The largest regions, in order.
static void measure_regions(const BwLevelRegions *regions, BwStats *stats)
{
    int told = 0;
    for (int32_t r = 0; r < regions->count; r++) {
        const BwLevelRegion *region = &regions->list[r];
        BwRegionStats own = {region->volume, region->target - region->volume, region->got};
        int at = told;
        for (; at > 0 && stats->regions[at - 1].volume < own.volume; at--)
            if (at < BW_REGIONS_TOLD)
                stats->regions[at] = stats->regions[at - 1];
        if (at < BW_REGIONS_TOLD)
            stats->regions[at] = own;
        told = told < BW_REGIONS_TOLD ? told + 1 : told;
    }
    stats->region_count = regions->count;
    stats->given_back = regions->given_back;
}

void bw_levelset_measure(void *solver, BwStats *stats)
{
    BwLevelset *level = solver;
    BwFlow *flow = &level->flow;
    bw_flow_measure(flow, stats);
    stats->divergence = level->divergence;
    stats->particles = level->particles.count;
    stats->volume = bw_level_volume(&level->phi, &level->open, &flow->domain) + level->outside;
    stats->mass = level->given + level->outside;
    // Where all should have left, what is still there is all too much.
    stats->volume_drift = stats->mass > 0.0     ? stats->volume / stats->mass - 1.0
                          : stats->volume > 0.0 ? 1.0
                                                : 0.0;
    if (level->has_regions)
        measure_regions(&level->regions, stats);
    if (bw_liquid_is_elastic(level->scene))
        stats->elastic_energy = bw_levelset_elastic_energy(level);
}

BwResult bw_levelset_frame(void *solver, const BwRecord *kept, BwFrame *frame, BwError *err)
{
    BwLevelset *level = solver;
    BwFrameSource sources[BW_FRAME_FIELDS_MAX] = {{"phi", "m", &level->phi, NULL, false}};
    int count = bw_flow_frame_fields(&level->flow, sources, 1);
    count = bw_flow_frame_pressure(&level->flow, sources, count);
    return bw_flow_show(&level->flow, kept, sources, count, frame, err);
}

int bw_levelset_state_fields(void *solver, BwStateField list[BW_STATE_FIELDS_MAX])
{
    BwLevelset *level = solver;
    static const char *const strains[BW_STRAIN_COMPONENTS] = {"strain_xx", "strain_yy", "strain_zz",
                                                              "strain_yz", "strain_xz", "strain_xy"};
    int count = 1;
    list[0] = (BwStateField){"phi", &level->phi};
    for (int c = 0; c < BW_STRAIN_COMPONENTS && bw_liquid_is_elastic(level->scene); c++)
        if (bw_grid_strain_has(level->flow.grid, c))
            list[count++] = (BwStateField){strains[c], &level->strain.value[c]};
    return bw_flow_state_fields(&level->flow, list, count);
}

// Where the regions are is where phi is; what they should hold is not.
static BwResult save_regions(const BwLevelset *level, BwRecord *record, BwError *err)
{
    const BwLevelRegions *regions = &level->regions;
    void *targets;
    if (!level->has_regions)
        return BW_OK;
    BW_TRY(bw_record_add(record, "region_volumes", BW_RECORD_DOUBLE, regions->count, 1, &targets, err));
    for (int32_t n = 0; n < regions->count; n++)
        ((double *)targets)[n] = regions->list[n].target;
    return BW_OK;
}

// A state of before there were regions has none: all lack their part.
static BwResult load_regions(BwLevelset *level, const BwRecord *record, BwError *err)
{
    BwLevelRegions *regions = &level->regions;
    BW_TRY(bw_levelset_find_regions(level, 0.0, err));
    if (!level->has_regions || !bw_record_has(record, "region_volumes"))
        return BW_OK;
    int64_t rows = regions->count;
    const void *targets;
    BW_TRY(bw_record_find(record, "region_volumes", BW_RECORD_DOUBLE, &rows, 1, &targets, err));
    for (int32_t n = 0; n < regions->count; n++) {
        regions->list[n].target = ((const double *)targets)[n];
        if (!(regions->list[n].target >= 0.0 && isfinite(regions->list[n].target)))
            return bw_fail(err, BW_ERR_FORMAT, "\"region_volumes\" of the state has %g m^3",
                           regions->list[n].target);
    }
    return BW_OK;
}

BwResult bw_levelset_save(void *solver, BwRecord *record, BwError *err)
{
    BwLevelset *level = solver;
    BwStateField fields[BW_STATE_FIELDS_MAX];
    int count = bw_levelset_state_fields(level, fields);
    BW_TRY(bw_flow_save(&level->flow, fields, count, record, err));
    BW_TRY(bw_record_add_number(record, "last_dt", level->last_dt, err));
    BW_TRY(bw_record_add_number(record, "level_steps", (double)level->steps, err));
    BW_TRY(bw_record_add_number(record, "given_volume", level->given, err));
    BW_TRY(bw_record_add_number(record, "outside_volume", level->outside, err));
    BW_TRY(save_regions(level, record, err));
    BW_TRY(bw_liquid_sources_save(&level->sources, record, err));
    return level->has_particles ? bw_particles_save(&level->particles, record, err) : BW_OK;
}

BwResult bw_levelset_load(void *solver, const BwRecord *record, BwError *err)
{
    BwLevelset *level = solver;
    BwStateField fields[BW_STATE_FIELDS_MAX];
    int count = bw_levelset_state_fields(level, fields);
    double steps;
    BW_TRY(bw_flow_load(&level->flow, fields, count, record, err));
    BW_TRY(bw_record_find_number(record, "last_dt", &level->last_dt, err));
    BW_TRY(bw_state_number(record, "level_steps", 0.0, 9e15, &steps, err));
    BW_TRY(bw_record_find_number(record, "given_volume", &level->given, err));
    level->outside = 0.0; // of a state of before it was counted
    if (bw_record_has(record, "outside_volume"))
        BW_TRY(bw_state_number(record, "outside_volume", 0.0, 1e30, &level->outside, err));
    BW_TRY(bw_liquid_sources_load(&level->sources, record, err));
    if (level->has_particles)
        BW_TRY(bw_particles_load(&level->particles, -1.0f, record, err));
    if (steps != floor(steps))
        return bw_fail(err, BW_ERR_FORMAT, "\"level_steps\" of the state is %.9g", steps);
    level->steps = (int64_t)steps;
    level->divergence = 0.0;
    level->must_measure_solids = true;
    bw_levelset_label(level);
    return load_regions(level, record, err);
}

// Radii are a tenth to half of a cell, and phi is within its band.
static BwResult agree_on_surface(const BwLevelset *level, BwError *err)
{
    const BwParticles *particles = &level->particles;
    float low, high, most = 1.0001f * bw_levelset_band(level);
    bw_field_range(&level->phi, &low, &high);
    if (!(low >= -most && high <= most))
        return bw_fail(err, BW_ERR_FORMAT, "\"phi\" of the state goes from %g to %g m; its band is %g m",
                       (double)low, (double)high, (double)bw_levelset_band(level));
    for (int64_t n = 0; n < particles->count && level->has_particles; n++) {
        float radius = fabsf(particles->column[BW_PARTICLE_VOLUME][n]);
        if (!(radius >= 0.0999f && radius <= 0.5001f))
            return bw_fail(err, BW_ERR_FORMAT,
                           "a particle of the state has a radius of %g cells; it is a "
                           "tenth to half of one",
                           (double)radius);
    }
    return BW_OK;
}

// What regions should hold is what all of the liquid should.
static BwResult agree_on_regions(const BwLevelset *level, BwError *err)
{
    double sum = level->has_regions ? bw_level_regions_target(&level->regions) : 0.0;
    if (!level->has_regions || level->regions.count == 0 || fabs(sum - level->given) <= 1e-9 * level->given)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT,
                   "\"region_volumes\" of the state are %.9g m^3, \"given_volume\" is %.9g", sum,
                   level->given);
}

// Cells outside hold what counts there, or more that has passed into them.
static BwResult agree_on_outside(const BwLevelset *level, BwError *err)
{
    double holds = bw_level_volume_outside(&level->phi, &level->open, &level->flow.domain);
    if (level->outside <= (1.0 + 1e-6) * holds)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT,
                   "\"outside_volume\" of the state is %.9g m^3; the cells outside hold %.9g", level->outside,
                   holds);
}

BwResult bw_levelset_agree(void *solver, const BwRecord *record, BwError *err)
{
    BwLevelset *level = solver;
    double time;
    BW_TRY(bw_record_find_number(record, "time", &time, err));
    BW_TRY(bw_flow_agree(&level->flow, record, err));
    double last_dt = time > 0.0 ? (double)level->flow.solids_dt : 0.0;
    if ((float)level->last_dt != (float)last_dt)
        return bw_fail(err, BW_ERR_FORMAT, "\"last_dt\" of the state is %.9g s; its last step was of %.9g s",
                       level->last_dt, last_dt);
    if (!isfinite(level->given))
        return bw_fail(err, BW_ERR_FORMAT, "\"given_volume\" of the state is %g m^3", level->given);
    BW_TRY(agree_on_regions(level, err));
    BW_TRY(agree_on_outside(level, err));
    return agree_on_surface(level, err);
}

BwResult bw_levelset_check(void *solver, double dt, BwError *err)
{
    BwLevelset *level = solver;
    BwStateField fields[BW_STATE_FIELDS_MAX];
    int count = bw_levelset_state_fields(level, fields);
    int64_t bad = level->has_particles ? bw_particles_find_bad(&level->particles) : -1;
    if (bad >= 0)
        return bw_fail(err, BW_ERR_NUMERICS, "particle %d of the surface lost its place",
                       (int)bw_particle_ids(&level->particles)[bad]);
    return bw_flow_check(&level->flow, fields, count, fmin(dt, level->last_dt), err); // of its last part
}
