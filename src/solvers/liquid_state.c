// What is kept, shown and told of a liquid, and what may go wrong with it.
#include "solvers/liquid.h"

#include "domain/measure.h"
#include "particle/particle_frame.h"
#include "particle/particle_record.h"
#include "particle/particle_sums.h"
#include "particle/strain.h"

#include <math.h>

double bw_liquid_seeds(const BwLiquid *liquid)
{
    double core =
        liquid->has_core ? bw_core_volume(&liquid->core) / (double)bw_liquid_unit(liquid->scene) : 0.0;
    return bw_particles_volume(&liquid->particles) + core;
}

void bw_liquid_measure(void *solver, BwStats *stats)
{
    BwLiquid *liquid = solver;
    BwFlow *flow = &liquid->flow;
    double unit = (double)bw_liquid_unit(liquid->scene) * bw_cell_volume(flow->grid);
    bw_flow_measure(flow, stats);
    stats->divergence = liquid->divergence;
    stats->particles = liquid->particles.count;
    stats->kinetic_energy = flow->def.density * unit * bw_particles_kinetic_energy(&liquid->particles);
    if (liquid->has_core)
        stats->kinetic_energy += flow->def.density * bw_cell_volume(flow->grid) *
                                 bw_core_kinetic_energy(&liquid->core, &flow->velocity);
    if (bw_liquid_is_elastic(liquid->scene))
        stats->elastic_energy = flow->def.density * bw_flow_elastic_modulus(flow, liquid->last_dt) * unit *
                                bw_strain_energy(&liquid->particles);
    if (liquid->has_heat)
        stats->heat = bw_liquid_heat(liquid);
    stats->mass = bw_liquid_seeds(liquid) * bw_liquid_particle_volume(liquid);
    // Sinks that are open at the start have not taken anything yet.
    stats->volume = liquid->last_dt > 0.0
                        ? bw_liquid_surface_volume(&liquid->surface, &flow->domain, &liquid->particles,
                                                   bw_liquid_unit(liquid->scene))
                        : liquid->volume_start;
    stats->volume_drift = stats->mass > 0.0 ? stats->volume / stats->mass - 1.0 : 0.0;
}

// What particles carry, on the grid.
static int list_attributes(const BwLiquid *liquid, BwFrameSource *sources, int count)
{
    static const char *const names[BW_ATTRIBUTE_FIELDS][2] = {{"color_r", "1"},       {"color_g", "1"},
                                                              {"color_b", "1"},       {"temperature", "K"},
                                                              {"viscosity", "m^2/s"}, {"age", "s"}};
    for (int n = 0; n < BW_ATTRIBUTE_FIELDS; n++)
        if (bw_attribute_field_is_there(&liquid->attributes, (BwAttributeField)n))
            sources[count++] = (BwFrameSource){
                .name = names[n][0], .unit = names[n][1], .field = &liquid->attributes.field[n]};
    return count;
}

BwResult bw_liquid_frame(void *solver, const BwRecord *kept, BwFrame *frame, BwError *err)
{
    BwLiquid *liquid = solver;
    BwFrameSource sources[BW_FRAME_FIELDS_MAX] = {{"phi", "m", &liquid->surface.phi, NULL, false}};
    int count = bw_flow_frame_fields(&liquid->flow, sources, 1);
    count = bw_flow_frame_pressure(&liquid->flow, sources, count);
    count = list_attributes(liquid, sources, count);
    bw_attribute_fields_set(&liquid->attributes, &liquid->particles, ~0u, frame->time);
    BW_TRY(bw_flow_show(&liquid->flow, kept, sources, count, frame, err));
    BW_TRY(bw_particles_show(&liquid->particles, "water", (float)bw_liquid_particle_volume(liquid),
                             frame->time, &liquid->frame, err));
    frame->particles = &liquid->frame.set;
    frame->particle_set_count = 1;
    return BW_OK;
}

// What a step needs of the one before is in the particles, but for what the grid carries.
int bw_liquid_state_fields(void *solver, BwStateField list[BW_STATE_FIELDS_MAX])
{
    static const char *const names[] = {"carried_u", "carried_v", "carried_w"};
    BwLiquid *liquid = solver;
    int count = 0;
    for (int a = 0; a < liquid->flow.grid->dimension && liquid->is_carrying; a++)
        list[count++] = (BwStateField){names[a], &liquid->carried.u[a]};
    if (liquid->is_explicit)
        list[count++] = (BwStateField){"explicit_pressure", &liquid->scheme.pressure};
    if (liquid->has_core)
        list[count++] = (BwStateField){"core", &liquid->core.excess};
    return count;
}

BwResult bw_liquid_save(void *solver, BwRecord *record, BwError *err)
{
    BwLiquid *liquid = solver;
    BwStateField fields[BW_STATE_FIELDS_MAX];
    int count = bw_liquid_state_fields(liquid, fields);
    BW_TRY(bw_flow_save(&liquid->flow, fields, count, record, err));
    BW_TRY(bw_record_add_number(record, "last_dt", liquid->last_dt, err));
    if (liquid->has_core)
        BW_TRY(bw_record_add_number(record, "core_left_over", liquid->core.left_over, err));
    BW_TRY(bw_liquid_sources_save(&liquid->sources, record, err));
    return bw_particles_save(&liquid->particles, record, err);
}

BwResult bw_liquid_load(void *solver, const BwRecord *record, BwError *err)
{
    BwLiquid *liquid = solver;
    BwStateField fields[BW_STATE_FIELDS_MAX];
    int count = bw_liquid_state_fields(liquid, fields);
    BW_TRY(bw_flow_load(&liquid->flow, fields, count, record, err));
    BW_TRY(bw_record_find_number(record, "last_dt", &liquid->last_dt, err));
    BW_TRY(bw_particles_load(&liquid->particles, 0.0f, record, err));
    BW_TRY(bw_liquid_sources_load(&liquid->sources, record, err));
    if (liquid->has_core) {
        BW_TRY(bw_record_find_number(record, "core_left_over", &liquid->core.left_over, err));
        BW_TRY(bw_core_load(&liquid->core, err));
    }
    liquid->divergence = 0.0;
    liquid->has_carried = liquid->has_core || (liquid->is_carrying && liquid->last_dt > 0.0);
    liquid->must_measure_room = true;
    liquid->scheme.has_slip = false;
    return bw_liquid_refresh(liquid, err);
}

static BwResult agree_on_sources(const BwLiquid *liquid, BwError *err)
{
    const BwParticles *particles = &liquid->particles;
    int count = bw_source_count(liquid->scene);
    for (int64_t n = 0; n < particles->count && bw_particles_have(particles, BW_PARTICLE_SOURCE); n++) {
        int32_t source = bw_particle_sources(particles)[n];
        if (source < 1 || source > count)
            return bw_fail(err, BW_ERR_FORMAT, "\"particle_source\" of the state holds %d; they end at %d",
                           (int)source, count);
    }
    return BW_OK;
}

// There is no more liquid than was seeded and emitted.
static BwResult agree_on_particles(const BwLiquid *liquid, BwError *err)
{
    const BwParticles *particles = &liquid->particles;
    double volume = bw_liquid_seeds(liquid), rounding = 1e-4;
    double named = (double)liquid->seeded + liquid->sources.emitted,
           given = liquid->seeds + liquid->sources.emitted;
    if ((double)particles->next_id < named)
        return bw_fail(err, BW_ERR_FORMAT,
                       "\"particle_next_id\" of the state is %d; the scene has given %.9g particles",
                       (int)particles->next_id, named);
    if (fabs(liquid->core.left_over) > 1e-3 * given * (double)bw_liquid_unit(liquid->scene))
        return bw_fail(err, BW_ERR_FORMAT, "\"core_left_over\" of the state is %.9g cells",
                       liquid->core.left_over);
    if (volume > (1.0 + rounding) * given)
        return bw_fail(err, BW_ERR_FORMAT,
                       "\"particle_volume\" of the state is %.9g in all; %.9g is all that was given", volume,
                       given);
    BW_TRY(agree_on_sources(liquid, err));
    for (int64_t n = 0; n < particles->count; n++) {
        int32_t id = bw_particle_ids(particles)[n];
        if (id < 0 || id >= particles->next_id)
            return bw_fail(err, BW_ERR_FORMAT, "\"particle_id\" of the state holds %d; they end at %d",
                           (int)id, (int)particles->next_id - 1);
    }
    return BW_OK;
}

BwResult bw_liquid_agree(void *solver, const BwRecord *record, BwError *err)
{
    BwLiquid *liquid = solver;
    float found = bw_liquid_max_speed(liquid);
    double time;
    BW_TRY(bw_record_find_number(record, "time", &time, err));
    BW_TRY(bw_flow_agree(&liquid->flow, record, err));
    if (found != liquid->flow.max_speed)
        return bw_fail(err, BW_ERR_FORMAT,
                       "\"max_speed\" of the state is %.9g m/s; its particles reach %.9g m/s",
                       (double)liquid->flow.max_speed, (double)found);
    double last_dt = time > 0.0 ? (double)liquid->flow.solids_dt : 0.0;
    if ((float)liquid->last_dt != (float)last_dt)
        return bw_fail(err, BW_ERR_FORMAT, "\"last_dt\" of the state is %.9g s; its last step was of %.9g s",
                       liquid->last_dt, last_dt);
    return agree_on_particles(liquid, err);
}

BwResult bw_liquid_check(void *solver, double dt, BwError *err)
{
    BwLiquid *liquid = solver;
    int64_t bad = bw_particles_find_bad(&liquid->particles);
    if (bad >= 0)
        return bw_fail(err, BW_ERR_NUMERICS, "particle %d lost its place or its velocity",
                       (int)bw_particle_ids(&liquid->particles)[bad]);
    return bw_flow_check(&liquid->flow, NULL, 0, dt, err);
}
