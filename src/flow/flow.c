// Life of a flow: its fields, its lists, and what is so at the start.
#include "flow/flow_parts.h"

#include "domain/measure.h"
#include "domain/sides.h"
#include "flow/scene_box.h"

static BwResult create_solids(BwFlow *flow, BwError *err)
{
    if (flow->scene->obstacle_count == 0)
        return BW_OK;
    BW_TRY(bw_solid_faces_create(&flow->solid_faces, flow->grid, err));
    BW_TRY(bw_solid_flow_create(&flow->solid_flow, flow->grid, err));
    flow->solid_faces.is_whole = flow->def.is_explicit;
    flow->solid_faces.closes_split = flow->def.is_carried;
    flow->domain.cut = &flow->solid_faces;
    return BW_OK;
}

static BwResult create_fields(BwFlow *flow, BwError *err)
{
    BwGrid *grid = flow->grid;
    // Behind a wall nothing moves; in the open, air that joins has the speed of the wind.
    BwVec3 background = flow->scene->has_walls ? bw_vec3(0.0f, 0.0f, 0.0f) : flow->wind;
    BW_TRY(bw_domain_create(&flow->domain, grid, flow->pool, err));
    BW_TRY(bw_velocity_create(&flow->velocity, grid, background, err));
    BW_TRY(bw_velocity_create(&flow->next_velocity, grid, background, err));
    if (bw_scene_prescribes(flow->scene)) {
        BW_TRY(bw_prescribed_create(&flow->prescribed, grid, err));
        flow->domain.prescribed = &flow->prescribed;
    }
    BW_TRY(bw_projection_create(&flow->projection, grid, flow->pool, err));
    BW_TRY(create_solids(flow, err));
    if (flow->def.confinement != 0.0f)
        BW_TRY(bw_vorticity_scratch_create(&flow->vorticity, &flow->allocator, flow->pool, err));
    BW_TRY(bw_flow_create_diffusion(flow, err));
    BW_TRY(bw_flow_create_expansion(flow, err));
    BW_TRY(bw_flow_create_measures(flow, err));
    bool is_advected = !flow->def.is_carried || flow->def.is_advected;
    return is_advected ? bw_flow_create_advection(flow, background, err) : BW_OK;
}

// Boxes of cells that sources may write to, at most.
static size_t box_count(const BwSceneDef *scene)
{
    return (size_t)(scene->emitter_count + scene->pump_count + scene->fill_count + scene->obstacle_count +
                    scene->charge_count);
}

static BwResult allocate_lists(BwFlow *flow, BwError *err)
{
    const BwSceneDef *scene = flow->scene;
    size_t boxes = box_count(scene), forces = (size_t)scene->force_count;
    flow->boxes = bw_alloc(&flow->allocator, boxes * sizeof *flow->boxes, BW_ALIGN);
    flow->forces = bw_alloc(&flow->allocator, forces * sizeof *flow->forces, BW_ALIGN);
    size_t emitters = (size_t)scene->emitter_count;
    flow->projected_areas =
        bw_alloc_zeroed(&flow->allocator, emitters * sizeof *flow->projected_areas, BW_ALIGN);
    size_t sources = (size_t)bw_scene_source_count(scene);
    flow->coverage = bw_alloc_zeroed(&flow->allocator, sources * sizeof *flow->coverage, BW_ALIGN);
    bool is_short = (sources > 0 && flow->coverage == NULL) || (boxes > 0 && flow->boxes == NULL) ||
                    (forces > 0 && flow->forces == NULL) || (emitters > 0 && flow->projected_areas == NULL);
    return is_short ? bw_fail_memory(err) : BW_OK;
}

BwResult bw_flow_create(BwFlow *flow, const BwFlowDef *def, BwError *err)
{
    *flow = (BwFlow){.def = *def,
                     .scene = def->scene,
                     .allocator = def->allocator,
                     .pool = def->pool,
                     .solids_dt = 1.0f,
                     .must_measure_solids = true};
    // Between walls the air pushes back from all of the box; an envelope says that the near air is enough.
    flow->is_whole_box = def->scene->has_walls && def->envelope == 0.0f;
    BwGridDef grid = bw_scene_grid_def(def->scene, def->allocator);
    grid.pool = def->pool;
    BW_TRY(bw_grid_create(&flow->grid, &grid, err));
    BW_TRY(bw_flow_look_up_wind(flow, 0.0, err));
    BW_TRY(create_fields(flow, err));
    BW_TRY(bw_flow_set_walls(flow, 0.0, err));
    BW_TRY(allocate_lists(flow, err));
    BW_TRY(bw_scene_solids_create(&flow->solids, def->scene, def->allocator, err));
    return bw_scene_bodies_create(&flow->bodies, def->scene, def->allocator, err);
}

void bw_flow_start(BwFlow *flow)
{
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        flow->first_flow[side] = bw_side_mean_velocity(&flow->domain, &flow->velocity, side);
    bw_flow_set_air_outside(flow);
    bw_flow_set_wall_velocity(flow);
    bw_flow_extend_into_solids(flow);
    flow->max_speed = bw_velocity_max(&flow->domain, &flow->velocity);
}

static void free_lists(BwFlow *flow)
{
    const BwSceneDef *scene = flow->scene;
    const BwAllocator *allocator = &flow->allocator;
    int sources = bw_scene_source_count(scene);
    for (int n = 0; n < sources && flow->coverage != NULL; n++)
        bw_coverage_free(&flow->coverage[n], allocator);
    bw_free(allocator, flow->coverage, (size_t)sources * sizeof *flow->coverage, BW_ALIGN);
    bw_free(allocator, flow->projected_areas, (size_t)scene->emitter_count * sizeof *flow->projected_areas,
            BW_ALIGN);
    bw_free(allocator, flow->forces, (size_t)scene->force_count * sizeof *flow->forces, BW_ALIGN);
    bw_free(allocator, flow->boxes, box_count(scene) * sizeof *flow->boxes, BW_ALIGN);
    bw_free(allocator, flow->spans, (size_t)flow->span_capacity * sizeof *flow->spans, BW_ALIGN);
    bw_follow_free(&flow->plan, allocator);
    bw_frame_copy_free(&flow->frame, allocator);
}

void bw_flow_destroy(BwFlow *flow)
{
    if (flow->scene == NULL)
        return;
    bw_scene_bodies_destroy(&flow->bodies);
    bw_scene_solids_destroy(&flow->solids);
    bw_domain_destroy(&flow->domain);
    bw_velocity_destroy(&flow->velocity);
    bw_velocity_destroy(&flow->next_velocity);
    bw_velocity_destroy(&flow->reflected);
    bw_velocity_destroy(&flow->acceleration);
    bw_prescribed_destroy(&flow->prescribed);
    bw_advector_destroy(flow->advector);
    bw_projection_destroy(&flow->projection);
    bw_field_destroy(&flow->divergence);
    bw_diffusion_destroy(&flow->diffusion);
    bw_viscosity_destroy(&flow->viscosity);
    bw_elastic_destroy(&flow->elastic);
    bw_field_destroy(&flow->viscosities);
    bw_subgrid_destroy(&flow->subgrid);
    bw_flow_destroy_measures(flow);
    bw_solid_faces_destroy(&flow->solid_faces);
    bw_solid_flow_destroy(&flow->solid_flow);
    bw_vorticity_scratch_destroy(flow->vorticity);
    free_lists(flow);
    bw_grid_destroy(flow->grid);
}
