// What becomes of a liquid's particles in a step: they move, with what the grid carries for them, are sorted,
// added, removed, split and merged.
#include "solvers/liquid.h"

#include "flow/given_flow.h"
#include "operate/wall_release.h"
#include "particle/particle_sums.h"
#include "particle/resample.h"
#include "scene/carried.h"

#include <math.h>

BwCollision bw_liquid_collision(const BwFlow *flow, int reach)
{
    return (BwCollision){.solids = flow->solids.poses,
                         .solid_count = flow->scene->obstacle_count,
                         .sides = flow->domain.side,
                         .reach = (float)(reach + 1)};
}

// Whether friction or strain reach over a cell within a step. Particles that are loose on the lower side of
// the surface would else come off as specks.
bool bw_liquid_holds_together(const BwLiquid *liquid, double dt)
{
    const BwFlow *flow = &liquid->flow;
    double h = (double)flow->grid->cell_size, viscosity = (double)flow->def.viscosity;
    if (bw_scene_melts(liquid->scene))
        viscosity = fmax(viscosity, (double)bw_liquid_melt_ramp(liquid->scene).viscosity_solid);
    bool is_stiff = flow->def.elastic > 0.0 || flow->def.law.yield > 0.0f;
    return bw_flow_is_thick(flow) && (is_stiff || viscosity * dt > h * h);
}

// Sides that elastic liquid comes off: a bit each.
static unsigned sides_that_let_go(const BwLiquid *liquid)
{
    const BwDomain *domain = &liquid->flow.domain;
    unsigned sides = 0;
    for (int side = 0; side < 2 * domain->grid->dimension && bw_liquid_is_elastic(liquid->scene); side++)
        sides |= (unsigned)bw_wall_lets_go(domain, side) << side;
    return sides;
}

BwResult bw_liquid_move_particles(BwLiquid *liquid, const BwLiquidForces *forces, int reach, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    BW_TRY(bw_flow_land_solids(flow, forces->time, forces->dt, err));
    liquid->must_measure_room |= bw_scene_solids_have_moved(&flow->solids);
    bool is_thick = bw_liquid_holds_together(liquid, forces->dt), rounds = !is_thick && !liquid->is_explicit;
    BwAdvance advance = {.velocity = &flow->velocity,
                         .path = &liquid->midway,
                         .before = liquid->has_before ? &liquid->before : NULL,
                         .flip = liquid->scene->liquid.flip_ratio,
                         .shift = bw_liquid_corrects_spacing(liquid) ? &liquid->shift : NULL,
                         .crammed = bw_liquid_corrects_spacing(liquid) ? &liquid->surface.crammed : NULL,
                         .phi = liquid->is_explicit ? NULL : &liquid->surface.phi,
                         .share = rounds && liquid->particles.has_gradient ? &liquid->surface.share : NULL,
                         .fall = bw_mul(forces->gravity, forces->seconds),
                         .holds_together = is_thick,
                         .lets_go = sides_that_let_go(liquid),
                         .liquid = &flow->domain.fluid,
                         .is_curved = bw_flow_is_given(flow),
                         .dt = (float)forces->dt,
                         .collision = bw_liquid_collision(flow, reach)};
    bw_particles_advance(&liquid->particles, liquid->advancer, &advance);
    return BW_OK;
}

// Whether the grid carries any velocity in this step: that of markers, or of a core that is or comes to be.
static bool carries_any(const BwLiquid *liquid)
{
    return liquid->is_carrying &&
           (liquid->scene->liquid.method == BW_LIQUID_MARKERS || bw_core_is_there(&liquid->core));
}

void bw_liquid_carry_velocity(BwLiquid *liquid, double dt)
{
    if (!carries_any(liquid))
        return;
    bw_flow_advect_known(&liquid->flow, liquid->faces.known, &liquid->midway, &liquid->carried, dt);
    liquid->has_carried = true;
}

BwResult bw_liquid_sort_particles(BwLiquid *liquid, const BwVelocity *velocity, int reach, double time,
                                  double dt, BwStats *stats, BwError *err)
{
    const BwSceneDef *scene = liquid->scene;
    BwCollision collision = bw_liquid_collision(&liquid->flow, reach);
    BwCoreMotion motion = {.velocity = velocity,
                           .shift = bw_liquid_corrects_spacing(liquid) ? &liquid->shift : NULL,
                           .carried = &liquid->carried,
                           .collision = &collision,
                           .dt = (float)dt,
                           .per_axis = scene->liquid.particles_per_cell,
                           .seed = scene->seed};
    BwParticleSink sink = {&liquid->core, bw_liquid_unit(liquid->scene),
                           velocity != NULL ? (float)dt / liquid->flow.grid->cell_size : 0.0f};
    BwParticlesGone gone;
    if (liquid->has_core)
        BW_TRY(bw_core_change(&liquid->core, &liquid->particles, &motion, err));
    if (velocity != NULL)
        BW_TRY(bw_liquid_emit(liquid, &collision, time, dt, stats, err));
    BW_TRY(bw_particles_sort(&liquid->particles, liquid->has_core ? &sink : NULL, &gone, err));
    if (liquid->has_core)
        bw_core_diffuse(&liquid->core, liquid->flow.pool);
    stats->removed[BW_REMOVED_OPEN] += gone.volume * bw_liquid_particle_volume(liquid);
    return velocity != NULL ? bw_liquid_drain(liquid, &gone, dt, stats, err) : BW_OK;
}

float bw_liquid_max_speed(const BwLiquid *liquid)
{
    float particles = bw_particles_max_speed(&liquid->particles);
    return liquid->has_core ? fmaxf(particles, bw_core_max_speed(&liquid->core, &liquid->flow.velocity))
                            : particles;
}

BwResult bw_liquid_resample(BwLiquid *liquid, BwError *err)
{
    const BwLiquidSurface *surface = &liquid->surface;
    float seeded = 1.0f / bw_liquid_unit(liquid->scene);
    BwResampling resampling = {.phi = &surface->phi,
                               .open = &surface->open,
                               .whole = liquid->has_core ? &liquid->core.around : NULL,
                               .fewest = (int)(0.5f * seeded),
                               .most = (int)(2.0f * seeded)};
    BwParticlesGone gone;
    bool has_changed;
    BW_TRY(bw_particles_resample(&liquid->particles, &resampling, &has_changed, err));
    return has_changed ? bw_particles_sort(&liquid->particles, NULL, &gone, err) : BW_OK;
}
