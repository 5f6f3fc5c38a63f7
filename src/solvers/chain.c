// A flat liquid within chains of surface particles (Foster and Metaxas 1996, section 4.2): velocity and
// pressure are those of all of its area, by the explicit scheme or by a projection; what cells hold is told
// by regions that grow from the chains, which then move with the flow.
//
// As with height fields the velocity is found from the surface as it stands, and the surface then moves by
// the new velocity.
#include "solvers/chain.h"

#include "domain/measure.h"
#include "flow/fills.h"
#include "flow/given_flow.h"
#include "flow/stage_clock.h"
#include "operate/field_math.h"
#include "operate/level_emit.h"
#include "operate/liquid_surface.h"
#include "operate/place_fill.h"
#include "scene/carried.h"

#include <math.h>

// Layers of velocity around the liquid, beyond what it may cross in a step.
enum { LAYERS_MIN = 3 };

// Of a cell that chains may cross before they are spaced and joined again.
static const double part_cells = 0.5;

static BwFlowDef flow_def(const BwSolverSetup *setup)
{
    const BwLiquidDef *liquid = &setup->scene->liquid;
    bool is_explicit = liquid->scheme == BW_SCHEME_EXPLICIT;
    return (BwFlowDef){.scene = setup->scene,
                       .allocator = setup->allocator,
                       .pool = setup->pool,
                       .advection = BW_ADVECT_MACCORMACK,
                       .is_explicit = is_explicit,
                       .is_viscous = !is_explicit && bw_scene_is_viscous(setup->scene),
                       .law = bw_liquid_viscosity_law(setup->scene),
                       .couples_stress = liquid->viscosity_scheme == BW_VISCOSITY_COUPLED,
                       .confinement = liquid->confinement,
                       .density = (double)liquid->density};
}

static BwResult create_scheme(BwChain *chain, BwError *err)
{
    BwGrid *grid = chain->flow.grid;
    BwVec3 none = {0};
    chain->is_explicit = chain->scene->liquid.scheme == BW_SCHEME_EXPLICIT;
    if (chain->is_explicit) {
        BW_TRY(bw_explicit_create(&chain->scheme, &chain->flow, err));
        BW_TRY(bw_field_create(&chain->head, grid, BW_AT_CELL, 0.0f, err));
        chain->scheme.head = &chain->head;
        chain->scheme.gaps = &chain->gaps;
        return BW_OK;
    }
    BW_TRY(bw_field_create(&chain->open, grid, BW_AT_CELL, 1.0f, err));
    BW_TRY(bw_notes_create(&chain->open_measured, grid, err));
    return bw_velocity_create(&chain->carried, grid, none, err);
}

static BwResult create_parts(BwChain *chain, BwError *err)
{
    BwGrid *grid = chain->flow.grid;
    BW_TRY(bw_field_create(&chain->phi, grid, BW_AT_CELL, bw_chain_band(chain), err));
    BW_TRY(bw_mask_create(&chain->liquid, grid, err));
    BW_TRY(bw_mask_create(&chain->gaps, grid, err));
    BW_TRY(bw_chains_create(&chain->chains, &chain->allocator, grid, err));
    BW_TRY(create_scheme(chain, err));
    BW_TRY(bw_face_masks_create(&chain->faces, grid, err));
    chain->terms = (BwFluidTerms){.liquid = &chain->liquid, .phi = &chain->phi};
    chain->flow.domain.terms = &chain->terms;
    BwLiquidSourcesDef sources = {.flow = &chain->flow,
                                  .phi = &chain->phi,
                                  .liquid = &chain->liquid,
                                  .terms = &chain->terms,
                                  .in_liquid_alone = true};
    return bw_liquid_sources_create(&chain->sources, &sources, err);
}

// Solids and sides of the box, then the chains, then what they make of cells and faces.
void bw_chain_label(BwChain *chain)
{
    BwFlow *flow = &chain->flow;
    BwChainLabels labels = {&chain->phi, &chain->liquid, &chain->gaps, chain->is_explicit};
    chain->scheme.has_slip &= !flow->must_measure_solids;
    bw_flow_label(flow);
    if (!chain->is_explicit)
        bw_measure_open(&chain->open, &chain->open_measured, &flow->domain, flow->solids.poses,
                        flow->scene->obstacle_count, chain->must_measure_solids);
    chain->must_measure_solids = false;
    bw_chains_find_room(&chain->chains, &flow->domain, chain->is_explicit ? NULL : &chain->open);
    bw_chains_find_distance(&chain->chains, (double)bw_chain_band(chain));
    bw_chains_grow(&chain->chains);
    bw_chains_label(&chain->chains, &labels, flow->pool);
    flow->must_measure_solids = false;
    bw_flow_label(flow);
}

// The scene's fills: the chains around them, and their velocity.
static BwResult fill(BwChain *chain, BwError *err)
{
    const BwSceneDef *scene = chain->scene;
    const BwShape **shapes;
    BwShape *own;
    BW_TRY(bw_fills_beyond_walls(scene, BW_CHAIN_BAND * scene->cell, &chain->allocator, &own, &shapes, err));
    for (int n = 0; n < scene->fill_count; n++) {
        BwLevelStamp stamp = {.shape = shapes[n], .has_velocity = true, .velocity = scene->fills[n].velocity};
        bw_level_add(&chain->phi, &chain->flow.velocity, &chain->flow.domain, &stamp, bw_chain_band(chain));
    }
    BwResult result = bw_chains_trace(&chain->chains, shapes, scene->fill_count, err);
    bw_fills_free(scene, &chain->allocator, own, shapes);
    return result;
}

static BwResult start(BwChain *chain, BwWatch watch, BwError *err)
{
    const BwPlaceCurve *velocity = &chain->scene->initial.velocity;
    BwTask task = bw_task(watch, "filling initial.velocity");
    BwFlow *flow = &chain->flow;
    BW_TRY(bw_flow_wake(flow, err));
    flow->plan.wake_count = 0; // all of the box is awake for good
    chain->must_measure_solids = true;
    bw_chain_label(chain);
    BW_TRY(fill(chain, err));
    BW_TRY(bw_chains_join(&chain->chains, err));
    for (int a = 0; a < 2 && velocity->function != NULL; a++)
        BW_TRY(bw_fill_from_place(velocity, &flow->velocity.u[a], a, &task, err));
    bw_chain_label(chain);
    chain->given = bw_chains_area(&chain->chains);
    if (bw_flow_is_given(flow))
        BW_TRY(bw_given_flow_find(flow, 0.0, err));
    flow->max_speed = bw_velocity_max(&flow->domain, &flow->velocity);
    return bw_liquid_sources_start(&chain->sources, err);
}

static void chain_destroy(void *solver)
{
    BwChain *chain = solver;
    if (chain == NULL)
        return;
    BwAllocator allocator = chain->allocator;
    bw_chain_frame_free(&chain->frame, &allocator);
    bw_face_masks_destroy(&chain->faces);
    bw_chains_destroy(&chain->chains);
    bw_field_destroy(&chain->phi);
    bw_mask_destroy(&chain->liquid);
    bw_mask_destroy(&chain->gaps);
    bw_field_destroy(&chain->open);
    bw_notes_destroy(&chain->open_measured);
    bw_velocity_destroy(&chain->carried);
    bw_explicit_destroy(&chain->scheme);
    bw_field_destroy(&chain->head);
    bw_liquid_sources_destroy(&chain->sources);
    bw_flow_destroy(&chain->flow);
    bw_free(&allocator, chain, sizeof *chain, BW_ALIGN);
}

static BwResult chain_create(void **out, const BwSolverSetup *setup, BwError *err)
{
    *out = NULL;
    BwChain *chain = bw_alloc_zeroed(&setup->allocator, sizeof *chain, BW_ALIGN);
    if (chain == NULL)
        return bw_fail_memory(err);
    chain->scene = setup->scene;
    chain->allocator = setup->allocator;
    chain->stop = setup->stop;
    BwFlowDef def = flow_def(setup);
    BwResult result = bw_flow_create(&chain->flow, &def, err);
    if (result == BW_OK)
        result = create_parts(chain, err);
    if (result == BW_OK)
        result = start(chain, setup->watch, err);
    if (result != BW_OK)
        chain_destroy(chain);
    else
        *out = chain;
    return result;
}

static BwResult chain_step_limit(void *solver, double time, double *limit, BwError *err)
{
    const BwChain *chain = solver;
    if (!chain->is_explicit)
        return bw_liquid_step_limit(&chain->sources, time, limit, err);
    BW_TRY(bw_explicit_step_limit(&chain->sources, time, limit, err));
    return bw_liquid_limit_waves(&chain->sources, time, limit, err);
}

static void extend_velocity(BwChain *chain, int layers)
{
    bw_extrapolate(&chain->faces, &chain->flow.domain,
                   (BwExtrapolation){BW_FROM_FLUID, layers, bw_chain_band(chain)}, &chain->flow.velocity);
}

// The grid at the start of a step: solids with their speed, walls, labels, and velocity around the liquid.
static BwResult prepare(BwChain *chain, double time, double dt, BwError *err)
{
    BwFlow *flow = &chain->flow;
    BW_TRY(bw_flow_aim_solids(flow, time, dt, err));
    BW_TRY(bw_flow_set_walls(flow, time + dt, err));
    bw_chain_label(chain);
    bw_find_passable_faces(&chain->faces, &flow->domain);
    return BW_OK;
}

// By the explicit scheme.
static BwResult step_velocity(BwChain *chain, const BwLiquidForces *forces, BwStats *stats, BwError *err)
{
    BwFlow *flow = &chain->flow;
    bw_chains_hold(&chain->chains, forces->gravity);
    bw_chains_find_head(&chain->chains, forces->gravity, &chain->head, flow->pool);
    BW_TRY(bw_explicit_find_velocity(&chain->scheme, &chain->sources, &chain->faces, forces, stats, err));
    if (flow->measures.is_due)
        chain->divergence = bw_full_divergence_max(&chain->scheme.cells, &flow->domain, &flow->velocity);
    return BW_OK;
}

// What has left the box by a side that is not closed is not lost but gone.
static void account(BwChain *chain, double before, BwStats *stats)
{
    double gone = before - bw_chains_area(&chain->chains);
    stats->removed[BW_REMOVED_OPEN] += gone;
    chain->given -= gone;
}

// Nearer than this to a side that is not closed liquid may leave, cells; the outermost one is outside.
static const double leaving_cells = 2.0;

static bool may_leave_at(const BwChain *chain, const double place[2])
{
    for (int side = 0; side < 4; side++) {
        int axis = side / 2;
        double cell = place[axis] / (double)chain->chains.grid->cell_size - (double)chain->chains.low[axis],
               depth = side % 2 == 0 ? cell : (double)chain->chains.count[axis] - cell;
        if (depth < leaving_cells && chain->flow.domain.side[side].kind != BW_WALL_CLOSED)
            return true;
    }
    return false;
}

static bool may_leave(const BwChain *chain)
{
    for (int64_t p = 0; p < chain->chains.point_count; p++)
        if (may_leave_at(chain, chain->chains.points[p].place))
            return true;
    return false;
}

// The chains by the velocity, in parts; then they get back what their moves have cost. What touching and
// joining cost, all of the liquid lacks.
static BwResult move_surface(BwChain *chain, double dt, BwStats *stats, BwError *err)
{
    BwFlow *flow = &chain->flow;
    BwChains *chains = &chain->chains;
    double cells = (double)fmaxf(bw_velocity_max(&flow->domain, &flow->velocity),
                                 bw_flow_is_given(flow) ? flow->max_speed : 0.0f) *
                   dt / (double)flow->grid->cell_size;
    int parts = (int)fmax(ceil(fmin(cells, 64.0) / part_cells), 1.0);
    for (int n = 0; n < parts; n++) {
        double before = bw_chains_area(chains);
        BW_TRY(bw_chains_remember(chains, err));
        bw_chains_move(chains, &flow->velocity, dt / parts, flow->pool);
        if (may_leave(chain))
            account(chain, before, stats);
        else
            bw_chains_note_loss(chains);
        bw_chains_touch(chains);
        BW_TRY(bw_chains_smooth(chains, err));
        BW_TRY(bw_chains_space(chains, err));
        BW_TRY(bw_chains_join(chains, err));
    }
    bw_chains_spread(chains, chain->given - bw_chains_area(chains));
    return bw_chains_give_back(chains, (double)chain->scene->liquid.volume_correction, err);
}

static void carry_velocity(BwChain *chain, double dt)
{
    BwFlow *flow = &chain->flow;
    bw_flow_advect_known(flow, chain->faces.known, &flow->velocity, &chain->carried, dt);
    bw_velocity_swap(&flow->velocity, &chain->carried);
}

static BwResult settle(BwChain *chain, double time, double dt, BwStageClock *clock, BwError *err)
{
    BwFlow *flow = &chain->flow;
    bw_stage(clock, "surface");
    BW_TRY(bw_flow_land_solids(flow, time, dt, err));
    chain->must_measure_solids |= bw_scene_solids_have_moved(&flow->solids);
    return move_surface(chain, dt, clock->stats, err);
}

// A step along a flow that the scene gives: only the chains move.
static BwResult given_step(BwChain *chain, double time, double dt, BwStats *stats, BwError *err)
{
    BwFlow *flow = &chain->flow;
    BwStageClock clock = bw_stage_clock(stats, flow->pool);
    bw_stage(&clock, "tiles");
    bw_flow_begin_measures(flow, time, dt, stats);
    BW_TRY(prepare(chain, time, dt, err));
    BW_TRY(bw_given_flow_find(flow, time + 0.5 * dt, err));
    chain->last_dt = dt;
    BW_TRY(settle(chain, time, dt, &clock, err));
    bw_chain_label(chain);
    bw_stage(&clock, NULL);
    return BW_OK;
}

static BwResult part_of_step(void *solver, double time, double dt, BwStats *stats, BwError *err)
{
    BwChain *chain = solver;
    BwFlow *flow = &chain->flow;
    BwStageClock clock = bw_stage_clock(stats, flow->pool);
    BwLiquidForces forces = {.time = time, .dt = dt};
    double last_dt = chain->is_explicit ? dt : chain->last_dt;
    int reach;
    bw_stage(&clock, "tiles");
    bw_flow_begin_measures(flow, time, dt, stats);
    BW_TRY(bw_liquid_find_pressure(&chain->sources, time, dt, last_dt, err));
    BW_TRY(bw_liquid_reach(&chain->sources, time, dt, &reach, err));
    BW_TRY(bw_liquid_sources_plan(&chain->sources, time, dt, err));
    BW_TRY(prepare(chain, time, dt, err));
    extend_velocity(chain, LAYERS_MIN);
    BW_TRY(bw_liquid_sources_act(&chain->sources, time, dt, err));
    BW_TRY(bw_liquid_look_up_forces(flow, last_dt, &forces, err));
    BW_TRY(bw_obey_stop(chain->stop, err));
    bw_stage(&clock, "pressure");
    BW_TRY(chain->is_explicit ? step_velocity(chain, &forces, stats, err)
                              : bw_liquid_project(&chain->sources, &chain->faces, NULL, &forces,
                                                  &chain->divergence, stats, err));
    chain->last_dt = dt;
    BW_TRY(bw_obey_stop(chain->stop, err));
    bw_stage(&clock, "extrapolate");
    extend_velocity(chain, reach + LAYERS_MIN);
    bw_flow_move_bodies(flow, &chain->phi, &chain->liquid, forces.gravity, dt);
    BW_TRY(settle(chain, time, dt, &clock, err));
    bw_stage(&clock, "advection");
    if (!chain->is_explicit)
        carry_velocity(chain, dt);
    bw_stage(&clock, "tiles");
    bw_chain_label(chain);
    flow->max_speed = bw_velocity_max(&flow->domain, &flow->velocity);
    bw_stage(&clock, NULL);
    return BW_OK;
}

// A step that a scene makes longer than its limit is taken in stable parts.
static BwResult chain_step(void *solver, double time, double dt, BwStats *stats, BwError *err)
{
    BwChain *chain = solver;
    if (bw_flow_is_given(&chain->flow))
        return given_step(chain, time, dt, stats, err);
    if (!chain->is_explicit)
        return part_of_step(chain, time, dt, stats, err);
    BwPartedStep step = {&chain->sources, solver, chain_step_limit, part_of_step};
    return bw_explicit_step_in_parts(&step, time, dt, stats, err);
}

static BwResult chain_drive(void *solver, double time, BwDrive *drive, BwError *err)
{
    return bw_liquid_drive(&((BwChain *)solver)->sources, time, drive, err);
}

static BwFlow *chain_flow(void *solver)
{
    return &((BwChain *)solver)->flow;
}

static bool runs_chain(const BwSceneDef *scene)
{
    return scene->liquid.method == BW_LIQUID_CHAIN;
}

const BwSolverType bw_chain_solver = {
    .fluid = BW_FLUID_LIQUID,
    .runs = runs_chain,
    .create = chain_create,
    .destroy = chain_destroy,
    .step_limit = chain_step_limit,
    .step = chain_step,
    .measure = bw_chain_measure,
    .frame = bw_chain_frame,
    .flow = chain_flow,
    .state_fields = bw_chain_state_fields,
    .drive = chain_drive,
    .check = bw_chain_check,
    .save = bw_chain_save,
    .load = bw_chain_load,
    .agree = bw_chain_agree,
};
