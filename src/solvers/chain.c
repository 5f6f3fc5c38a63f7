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

#include <math.h>

// Layers of velocity around the liquid, beyond what it may cross in a step.
enum { LAYERS_MIN = 3 };

// Of a cell that chains may cross before they are spaced and joined again.
static const double part_cells = 0.5;

static BwResult create_parts(BwChain *chain, const BwSolverSetup *setup, BwError *err)
{
    BwBulkDef def = {setup->scene, setup->allocator, setup->pool, setup->stop, BW_CHAIN_BAND};
    BW_TRY(bw_bulk_create(&chain->bulk, &def, err));
    BW_TRY(bw_mask_create(&chain->gaps, chain->bulk.flow.grid, err));
    chain->bulk.scheme.gaps = &chain->gaps;
    return bw_chains_create(&chain->chains, &chain->bulk.allocator, chain->bulk.flow.grid, err);
}

// Solids and sides of the box, then the chains, then what they make of cells and faces.
void bw_chain_label(BwChain *chain)
{
    BwBulk *bulk = &chain->bulk;
    BwChainLabels labels = {&bulk->phi, &bulk->liquid, &chain->gaps, bulk->is_explicit};
    bw_chains_find_room(&chain->chains, &bulk->flow.domain, bw_bulk_begin_labels(bulk));
    bw_chains_find_distance(&chain->chains, (double)bulk->band);
    bw_chains_grow(&chain->chains);
    bw_chains_label(&chain->chains, &labels, bulk->flow.pool);
    bw_bulk_end_labels(bulk);
}

// The scene's fills: the chains around them, and their velocity.
static BwResult fill(BwChain *chain, BwError *err)
{
    const BwSceneDef *scene = chain->bulk.scene;
    const BwShape **shapes;
    BwShape *own;
    BW_TRY(bw_fills_beyond_walls(scene, BW_CHAIN_BAND * scene->cell, &chain->bulk.allocator, &own, &shapes,
                                 err));
    for (int n = 0; n < scene->fill_count; n++) {
        BwLevelStamp stamp = {.shape = shapes[n], .has_velocity = true, .velocity = scene->fills[n].velocity};
        bw_level_add(&chain->bulk.phi, &chain->bulk.flow.velocity, &chain->bulk.flow.domain, &stamp,
                     chain->bulk.band);
    }
    BwResult result = bw_chains_trace(&chain->chains, shapes, scene->fill_count, err);
    bw_fills_free(scene, &chain->bulk.allocator, own, shapes);
    return result;
}

static BwResult start(BwChain *chain, BwWatch watch, BwError *err)
{
    BwFlow *flow = &chain->bulk.flow;
    BW_TRY(bw_bulk_wake(&chain->bulk, err));
    bw_chain_label(chain);
    BW_TRY(fill(chain, err));
    BW_TRY(bw_chains_join(&chain->chains, err));
    BW_TRY(bw_bulk_fill_velocity(&chain->bulk, watch, err));
    bw_chain_label(chain);
    chain->bulk.given = bw_chains_area(&chain->chains);
    if (bw_flow_is_given(flow))
        BW_TRY(bw_given_flow_find(flow, 0.0, err));
    flow->max_speed = bw_velocity_max(&flow->domain, &flow->velocity);
    return bw_liquid_sources_start(&chain->bulk.sources, err);
}

static void chain_destroy(void *solver)
{
    BwChain *chain = solver;
    if (chain == NULL)
        return;
    BwAllocator allocator = chain->bulk.allocator;
    bw_chain_frame_free(&chain->frame, &allocator);
    bw_chains_destroy(&chain->chains);
    bw_mask_destroy(&chain->gaps);
    bw_bulk_destroy(&chain->bulk);
    bw_free(&allocator, chain, sizeof *chain, BW_ALIGN);
}

static BwResult chain_create(void **out, const BwSolverSetup *setup, BwError *err)
{
    *out = NULL;
    BwChain *chain = bw_alloc_zeroed(&setup->allocator, sizeof *chain, BW_ALIGN);
    if (chain == NULL)
        return bw_fail_memory(err);
    chain->bulk.allocator = setup->allocator; // by which it is destroyed
    BwResult result = create_parts(chain, setup, err);
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
    if (!chain->bulk.is_explicit)
        return bw_liquid_step_limit(&chain->bulk.sources, time, limit, err);
    BW_TRY(bw_explicit_step_limit(&chain->bulk.sources, time, limit, err));
    return bw_liquid_limit_waves(&chain->bulk.sources, time, limit, err);
}

// The grid at the start of a step: solids with their speed, walls, labels, and velocity around the liquid.
static BwResult prepare(BwChain *chain, double time, double dt, BwError *err)
{
    BW_TRY(bw_bulk_aim(&chain->bulk, time, dt, err));
    bw_chain_label(chain);
    bw_find_passable_faces(&chain->bulk.faces, &chain->bulk.flow.domain);
    return BW_OK;
}

static BwResult find_velocity(BwChain *chain, const BwLiquidForces *forces, BwStats *stats, BwError *err)
{
    BwBulk *bulk = &chain->bulk;
    if (bulk->is_explicit) {
        bw_chains_hold(&chain->chains, forces->gravity);
        bw_chains_find_head(&chain->chains, forces->gravity, &bulk->head, bulk->flow.pool);
    }
    return bw_bulk_find_velocity(bulk, forces, stats, err);
}

// What has left the box by a side that is not closed is not lost but gone.
static void account(BwChain *chain, double before, BwStats *stats)
{
    double gone = before - bw_chains_area(&chain->chains);
    stats->removed[BW_REMOVED_OPEN] += gone;
    chain->bulk.given -= gone;
}

// Nearer than this to a side that is not closed liquid may leave, cells; the outermost one is outside.
static const double leaving_cells = 2.0;

static bool may_leave_at(const BwChain *chain, const double place[2])
{
    for (int side = 0; side < 4; side++) {
        int axis = side / 2;
        double cell = place[axis] / (double)chain->chains.grid->cell_size - (double)chain->chains.low[axis],
               depth = side % 2 == 0 ? cell : (double)chain->chains.count[axis] - cell;
        if (depth < leaving_cells && chain->bulk.flow.domain.side[side].kind != BW_WALL_CLOSED)
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
    BwFlow *flow = &chain->bulk.flow;
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
    bw_chains_spread(chains, chain->bulk.given - bw_chains_area(chains));
    return bw_chains_give_back(chains, (double)chain->bulk.scene->liquid.volume_correction, err);
}

static BwResult settle(BwChain *chain, double time, double dt, BwStageClock *clock, BwError *err)
{
    bw_stage(clock, "surface");
    BW_TRY(bw_bulk_land_solids(&chain->bulk, time, dt, err));
    return move_surface(chain, dt, clock->stats, err);
}

// A step along a flow that the scene gives: only the chains move.
static BwResult given_step(BwChain *chain, double time, double dt, BwStats *stats, BwError *err)
{
    BwFlow *flow = &chain->bulk.flow;
    BwStageClock clock = bw_stage_clock(stats, flow->pool);
    bw_stage(&clock, "tiles");
    bw_flow_begin_measures(flow, time, dt, stats);
    BW_TRY(prepare(chain, time, dt, err));
    BW_TRY(bw_given_flow_find(flow, time + 0.5 * dt, err));
    chain->bulk.last_dt = dt;
    BW_TRY(settle(chain, time, dt, &clock, err));
    bw_chain_label(chain);
    bw_stage(&clock, NULL);
    return BW_OK;
}

static BwResult part_of_step(void *solver, double time, double dt, BwStats *stats, BwError *err)
{
    BwChain *chain = solver;
    BwFlow *flow = &chain->bulk.flow;
    BwStageClock clock = bw_stage_clock(stats, flow->pool);
    BwLiquidForces forces = {.time = time, .dt = dt};
    double last_dt = chain->bulk.is_explicit ? dt : chain->bulk.last_dt;
    int reach;
    bw_stage(&clock, "tiles");
    bw_flow_begin_measures(flow, time, dt, stats);
    BW_TRY(bw_liquid_find_pressure(&chain->bulk.sources, time, dt, last_dt, err));
    BW_TRY(bw_liquid_reach(&chain->bulk.sources, time, dt, &reach, err));
    BW_TRY(bw_liquid_sources_plan(&chain->bulk.sources, time, dt, err));
    BW_TRY(prepare(chain, time, dt, err));
    bw_bulk_extend_velocity(&chain->bulk, LAYERS_MIN);
    BW_TRY(bw_liquid_sources_act(&chain->bulk.sources, time, dt, err));
    BW_TRY(bw_liquid_look_up_forces(flow, last_dt, &forces, err));
    BW_TRY(bw_obey_stop(chain->bulk.stop, err));
    bw_stage(&clock, "pressure");
    BW_TRY(find_velocity(chain, &forces, stats, err));
    chain->bulk.last_dt = dt;
    BW_TRY(bw_obey_stop(chain->bulk.stop, err));
    bw_stage(&clock, "extrapolate");
    bw_bulk_extend_velocity(&chain->bulk, reach + LAYERS_MIN);
    bw_flow_move_bodies(flow, &chain->bulk.phi, &chain->bulk.liquid, forces.gravity, dt);
    BW_TRY(settle(chain, time, dt, &clock, err));
    bw_stage(&clock, "advection");
    bw_bulk_carry_velocity(&chain->bulk, dt);
    bw_stage(&clock, "tiles");
    bw_chain_label(chain);
    flow->max_speed = bw_velocity_max(&flow->domain, &flow->velocity);
    bw_stage(&clock, NULL);
    return BW_OK;
}

static BwResult part_limit(void *solver, double time, double *limit, BwError *err)
{
    const BwChain *chain = solver;
    return chain->bulk.is_explicit ? chain_step_limit(solver, time, limit, err)
                                   : bw_liquid_surface_limit(&chain->bulk.sources, time, limit, err);
}

// A step that a scene makes longer than is stable, or than one velocity may move the surface for, is taken in
// parts.
static BwResult chain_step(void *solver, double time, double dt, BwStats *stats, BwError *err)
{
    BwChain *chain = solver;
    if (bw_flow_is_given(&chain->bulk.flow))
        return given_step(chain, time, dt, stats, err);
    BwPartedStep step = {&chain->bulk.sources, solver, part_limit, part_of_step};
    return bw_explicit_step_in_parts(&step, time, dt, stats, err);
}

static BwResult chain_drive(void *solver, double time, BwDrive *drive, BwError *err)
{
    return bw_liquid_drive(&((BwChain *)solver)->bulk.sources, time, drive, err);
}

static BwFlow *chain_flow(void *solver)
{
    return &((BwChain *)solver)->bulk.flow;
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
