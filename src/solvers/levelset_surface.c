// How the surface of a level-set liquid moves, and stays a distance that its particles agree with.
#include "solvers/levelset.h"

#include "domain/measure.h"
#include "flow/given_flow.h"
#include "operate/field_math.h"
#include "operate/level_extend.h"
#include "operate/level_film.h"
#include "operate/level_grow.h"
#include "operate/level_volume.h"
#include "operate/liquid_surface.h"

#include <math.h>

// Steps from one seeding to the next (Enright et al. 2002).
enum { SEEDING_STEPS = 20 };

// Cells inside of solids that stencils of phi look into.
enum { LAYERS_IN_SOLIDS = 3 };

// Cells that the surface grows or shrinks by in a step at most to make up for lost volume.
static const double growth_max = 0.05;

// Films that fall below the grid are kept where the liquid lacks more than this part of its volume: less is
// given back unseen.
static const double lack_max = 0.05;

static BwLevelScheme level_scheme(const BwSceneDef *scene)
{
    return scene->liquid.advection == BW_SURFACE_UPWIND ? BW_LEVEL_UPWIND
           : scene->liquid.advection == BW_SURFACE_ENO  ? BW_LEVEL_ENO
                                                        : BW_LEVEL_WENO;
}

// phi along paths, in one step of any length.
static void trace_phi(BwLevelset *level, const BwVelocity *velocity, double dt)
{
    BwAdvectField field = {&level->phi, &level->next_phi};
    BwAdvectSet set = {.fields = &field, .count = 1, .valid = &level->flow.domain.scalar};
    bw_flow_advect_scalars_known(&level->flow, level->faces.known, velocity, &set, dt);
    bw_field_swap(&level->phi, &level->next_phi);
}

// phi by differences.
static void advect_phi(BwLevelset *level, const BwVelocity *velocity, double dt)
{
    float speed = fmaxf(bw_velocity_max(&level->flow.domain, velocity),
                        bw_liquid_controls_air_speed(&level->sources.controls));
    if (bw_flow_is_given(&level->flow)) // it is as fast beside the liquid as it likes
        speed = fmaxf(speed, level->flow.max_speed);
    BwLevelMotion motion = {velocity, level_scheme(level->scene), bw_levelset_band(level), (float)dt};
    bw_level_advect_far(&level->advector, &level->phi, level->flow.pool, &motion,
                        sqrtf((float)level->flow.grid->dimension) * speed);
}

// Gives back a share of what each region of the liquid has lost: as much as its surface can grow by unseen.
static BwResult give_back(BwLevelset *level, BwVelocity *velocity, double dt, BwError *err)
{
    const BwDomain *domain = &level->flow.domain;
    BwLevelGrowth growth = {.share = (double)level->scene->liquid.volume_correction,
                            .most = growth_max * (double)domain->grid->cell_size,
                            .dt = dt,
                            .band = bw_levelset_band(level)};
    if (!level->has_regions)
        return BW_OK;
    return bw_level_grow(velocity, &level->phi, domain, &level->regions, &growth, err);
}

BwResult bw_levelset_find_regions(BwLevelset *level, double dt, BwError *err)
{
    const BwLevelLiquid liquid = {&level->phi, &level->open, &level->flow.domain};
    if (!level->has_regions)
        return BW_OK;
    return dt > 0.0 ? bw_level_regions_follow(&level->regions, &liquid, &level->flow.velocity, dt,
                                              level->given, err)
                    : bw_level_regions_start(&level->regions, &liquid, level->given, err);
}

// Films on walls that have become too thin to be seen are kept, as far as the liquid lacks their volume.
static BwResult keep_films(BwLevelset *level, BwStats *stats, BwError *err)
{
    const BwDomain *domain = &level->flow.domain;
    double volume = bw_level_volume(&level->phi, &level->open, domain);
    bool is_enough = volume >= (1.0 - lack_max) * level->given;
    if (is_enough || !(level->scene->liquid.volume_correction > 0.0f) ||
        !bw_level_keep_films(&level->phi, &level->next_phi, &level->open, domain, level->given))
        return BW_OK;
    bw_field_swap(&level->phi, &level->next_phi);
    stats->films_kept += bw_level_volume(&level->phi, &level->open, domain) - volume;
    if (!level->has_particles)
        return BW_OK;
    return bw_level_particles_forget(&level->particles, &level->next_phi, &level->phi, err);
}

// Where a given flow leads liquid away from a wall, and how far it does in the step.
static BwResult find_fronts(BwLevelset *level, double time, double dt, BwError *err)
{
    BwLevelFronts *fronts = &level->fronts;
    int64_t kept = 0;
    BW_TRY(bw_level_fronts_find(fronts, &level->phi, &level->flow.domain, err));
    for (int64_t n = 0; n < fronts->count; n++) {
        BwLevelFront front = fronts->list[n];
        BwVec3 velocity;
        BW_TRY(bw_given_flow_at(&level->flow, front.place, time + 0.5 * dt, &velocity, err));
        float away = bw_component(velocity, front.side / 2) * (front.side % 2 == 0 ? 1.0f : -1.0f);
        front.way += away * (float)dt;
        if (away > 0.0f)
            fronts->list[kept++] = front;
    }
    fronts->count = kept;
    return BW_OK;
}

BwResult bw_levelset_let_air_in(BwLevelset *level, double time, double dt, BwError *err)
{
    const BwDomain *domain = &level->flow.domain;
    bool is_given = bw_flow_is_given(&level->flow);
    if (level->has_particles)
        bw_field_scale(domain, &level->phi, 1.0f, &level->next_phi);
    if (bw_level_open_sides(&level->phi, &level->flow.velocity, domain, is_given) && level->has_particles)
        BW_TRY(bw_level_particles_forget(&level->particles, &level->next_phi, &level->phi, err));
    return is_given ? find_fronts(level, time, dt, err) : BW_OK;
}

BwResult bw_levelset_move_surface(BwLevelset *level, double dt, BwStats *stats, BwError *err)
{
    BwVelocity *velocity = &level->carried; // whose time comes when the surface has moved
    bw_velocity_copy(&level->flow.domain, &level->flow.velocity, velocity);
    BW_TRY(give_back(level, velocity, dt, err));
    if (level->traces)
        trace_phi(level, velocity, dt);
    else
        advect_phi(level, velocity, dt);
    if (level->has_particles) {
        BW_TRY(bw_level_particles_move(&level->particles, velocity, (float)dt, err));
        if (!bw_flow_is_given(&level->flow)) // whose air is where its particles are, as everything else
            BW_TRY(bw_level_particles_release(&level->particles, &level->phi, err));
        bw_level_particles_correct(&level->particles, &level->phi);
    }
    bw_level_fronts_draw(&level->fronts, &level->flow.domain, &level->phi);
    return keep_films(level, stats, err);
}

static BwDistanceMethod distance_method(const BwSceneDef *scene)
{
    return scene->liquid.redistance == BW_REDISTANCE_MARCHING   ? BW_DISTANCE_MARCH
           : scene->liquid.redistance == BW_REDISTANCE_SWEEPING ? BW_DISTANCE_SWEEP
                                                                : BW_DISTANCE_PDE;
}

// phi goes on into solids as it is beside them.
static void extend_into_solids(BwLevelset *level)
{
    const BwDomain *domain = &level->flow.domain;
    if (domain->cut == NULL)
        return;
    bw_mask_clear(domain, &level->known);
    bw_mask_join(&level->known, &domain->open);
    bw_level_extend(&level->phi, &level->known, &level->front, domain, LAYERS_IN_SOLIDS);
}

void bw_levelset_settle_surface(BwLevelset *level)
{
    const BwDomain *domain = &level->flow.domain;
    BwRedistance how = {.method = distance_method(level->scene),
                        .valid = domain->cut != NULL ? &domain->open : NULL,
                        .band = bw_levelset_band(level),
                        .given = level->has_tension ? &level->next_phi : NULL};
    if (level->has_tension) // else nothing holds the surface at an angle to walls
        bw_field_scale(domain, &level->phi, 1.0f, &level->next_phi);
    extend_into_solids(level);
    bw_redistance(&level->distance, &level->phi, level->flow.pool, &how);
    if (level->has_particles) {
        bw_level_particles_correct(&level->particles, &level->phi);
        bw_level_particles_set_radii(&level->particles, &level->phi);
    }
    bw_level_fronts_draw(&level->fronts, domain,
                         &level->phi); // of which less than half a cell is no crossing
    extend_into_solids(level);
}

BwResult bw_levelset_seed(BwLevelset *level, BwError *err)
{
    const BwLiquidDef *def = &level->scene->liquid;
    BwLevelSeeding seeding = {.per_axis = def->surface_particles,
                              .inside_only = def->correction_side == BW_CORRECTION_INSIDE,
                              .valid = &level->flow.domain.open,
                              .seed = level->scene->seed + (uint64_t)level->steps + 1};
    if (!level->has_particles || level->steps % SEEDING_STEPS != 0)
        return BW_OK;
    return bw_level_particles_seed(&level->particles, &level->phi, &seeding, err);
}

void bw_levelset_label(BwLevelset *level)
{
    BwFlow *flow = &level->flow;
    bw_mark_liquid(&level->liquid, &level->phi, flow->pool);
    bw_flow_label(flow);
    bw_measure_open(&level->open, &level->open_measured, &flow->domain, flow->solids.poses,
                    flow->scene->obstacle_count, level->must_measure_solids);
    if (level->has_tension)
        bw_surface_tension_measure_solids(&level->tension, &flow->domain, flow->solids.poses,
                                          flow->scene->obstacle_count, level->must_measure_solids);
    level->must_measure_solids = false;
}
